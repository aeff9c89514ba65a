"""The compiled meaning of lanes.py: a Numba type for rows of labels, how it is loaded and stored, and its arithmetic in LLVM.

Wide rows have the same operations; those are made of loops in lanes_wide.py.
"""

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import lower_builtin, models, register_model, type_callable
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

from widemargin.compiler import lanes_wide
from widemargin.compiler.lanes import WIDTH, Wide, load, prefetch, splat, store
from widemargin.compiler.lanes_types import LanesType, WideType


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        element = ir.FloatType() if fe_type.dtype == types.float32 else ir.DoubleType()
        super().__init__(dmm, fe_type, ir.LiteralStructType([ir.VectorType(element, width) for width in fe_type.widths]))


def _row_type(lanes, dtype) -> LanesType | None:
    """The type of a row of such lanes."""
    if isinstance(lanes, types.BaseNamedTuple):
        return WideType(dtype) if lanes.instance_class is Wide else None
    return LanesType(WIDTH * len(lanes), dtype) if isinstance(lanes, types.BaseTuple) and len(lanes) else None


def _table(t) -> bool:
    return isinstance(t, types.Array) and t.ndim == 2 and t.layout == "C"


def pieces_of(builder, row) -> list:
    """The machine vectors of a row."""
    return [builder.extract_value(row, i) for i in range(len(row.type.elements))]


def row_value(builder, pieces):
    """A row of machine vectors."""
    out = ir.Constant(ir.LiteralStructType([p.type for p in pieces]), ir.Undefined)
    for i, piece in enumerate(pieces):
        out = builder.insert_value(out, piece, i)
    return out


@type_callable(load)
def _type_load(context):
    def typer(table, i, lanes):
        return _row_type(lanes, table.dtype) if _table(table) else None

    return typer


@type_callable(store)
def _type_store(context):
    def typer(table, i, row):
        if _table(table) and isinstance(row, LanesType) and row.dtype == table.dtype:
            return types.none

    return typer


@type_callable(splat)
def _type_splat(context):
    def typer(table, x, lanes):
        return _row_type(lanes, table.dtype)

    return typer


def _addresses(context, builder, array_type, array, index, index_type, row_type, lanes):
    """Pointers to the machine vectors of row `index`."""
    data = context.make_array(array_type)(context, builder, value=array).data
    step = context.cast(builder, index, index_type, types.intp)
    at = builder.mul(step, ir.Constant(step.type, lanes.count))
    out = []
    for vector in row_type.elements:
        out.append(builder.bitcast(builder.gep(data, [at]), vector.as_pointer()))
        at = builder.add(at, ir.Constant(step.type, vector.count))
    return out


@lower_builtin(load, types.Array, types.Integer, types.BaseTuple)
def _load(context, builder, sig, args):
    lanes = sig.return_type
    if isinstance(lanes, WideType):
        return lanes_wide.load_row(context, builder, sig, args)
    pointers = _addresses(context, builder, sig.args[0], args[0], args[1], sig.args[1], context.get_value_type(lanes), lanes)
    return row_value(builder, [builder.load(pointer, align=lanes.dtype.bitwidth // 8) for pointer in pointers])


@lower_builtin(store, types.Array, types.Integer, LanesType)
def _store(context, builder, sig, args):
    lanes = sig.args[2]
    if isinstance(lanes, WideType):
        return lanes_wide.store_row(context, builder, sig, args)
    pointers = _addresses(context, builder, sig.args[0], args[0], args[1], sig.args[1], args[2].type, lanes)
    for piece, pointer in zip(pieces_of(builder, args[2]), pointers):
        builder.store(piece, pointer, align=lanes.dtype.bitwidth // 8)
    return context.get_dummy_value()


@type_callable(prefetch)
def _type_prefetch(context):
    def type_of(table, i, count):
        rows = isinstance(table, types.Array) and table.ndim > 1 and table.layout == "C"
        return types.none if rows and isinstance(i, types.Integer) and isinstance(count, types.Integer) else None

    return type_of


@lower_builtin(prefetch, types.Array, types.Integer, types.Integer)
def _prefetch(context, builder, sig, args):
    array = context.make_array(sig.args[0])(context, builder, value=args[0])
    at, bytes_ = (context.cast(builder, argument, given, types.intp) for argument, given in zip(args[1:], sig.args[1:]))
    for size in cgutils.unpack_tuple(builder, array.shape, sig.args[0].ndim)[1:]:
        at, bytes_ = builder.mul(at, size), builder.mul(bytes_, size)
    word, byte = ir.IntType(32), ir.IntType(8)
    pointer = builder.bitcast(builder.gep(array.data, [at]), byte.as_pointer())
    last = builder.sub(builder.mul(bytes_, array.itemsize), ir.Constant(bytes_.type, 1))  # nothing behind this byte is asked for
    kind = ir.FunctionType(ir.VoidType(), [byte.as_pointer(), word, word, word])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    for line in range(3):
        place = ir.Constant(last.type, 64 * line)
        place = builder.gep(pointer, [builder.select(builder.icmp_signed("<", place, last), place, last)])
        builder.call(function, [place, ir.Constant(word, 0), ir.Constant(word, 3), ir.Constant(word, 1)])
    return context.get_dummy_value()


def _splat_piece(builder, vector, scalar):
    single = builder.insert_element(ir.Constant(vector, ir.Undefined), scalar, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(single, ir.Constant(vector, ir.Undefined), mask)


def _splat_row(builder, row_type, scalar):
    return row_value(builder, [_splat_piece(builder, vector, scalar) for vector in row_type.elements])


@lower_builtin(splat, types.Array, types.Number, types.BaseTuple)
def _splat(context, builder, sig, args):
    scalar = context.cast(builder, args[1], sig.args[1], sig.return_type.dtype)
    if isinstance(sig.return_type, WideType):
        count = builder.extract_value(args[2], 0)
        return lanes_wide.fill_row(context, builder, sig.return_type, count, lambda vector, at: _splat_piece(builder, vector, scalar))
    return _splat_row(builder, context.get_value_type(sig.return_type), scalar)


def each_piece(context, builder, sig, args, function):
    """function of the machine vectors of the arguments, rows or numbers, piece by piece."""
    if isinstance(sig.return_type, WideType):
        return lanes_wide.each_piece(context, builder, sig, args, function, _splat_piece)
    row = context.get_value_type(sig.return_type)
    rows = [v if isinstance(t, LanesType) else _splat_row(builder, row, v) for t, v in zip(sig.args, args)]
    return row_value(builder, [function(*pieces) for pieces in zip(*(pieces_of(builder, row) for row in rows))])


def _arithmetic(op, name):
    """row op row, row op number, number op row; the number is rounded to the row's type."""

    @infer_global(op)
    class Template(AbstractTemplate):
        def generic(self, args, kws):
            rows = [a for a in args if isinstance(a, LanesType)]
            if len(args) == 2 and rows and all(isinstance(a, LanesType | types.Number) for a in args) and len(set(rows)) == 1:
                return signature(rows[0], *[a if isinstance(a, LanesType) else rows[0].dtype for a in args])
            return None

    def lower(context, builder, sig, args):
        return each_piece(context, builder, sig, args, getattr(builder, name))

    for kinds in ((LanesType, LanesType), (LanesType, types.Float), (types.Float, LanesType)):
        lower_builtin(op, *kinds)(lower)


for _ops, _name in (
    ((operator.add, operator.iadd), "fadd"),
    ((operator.sub, operator.isub), "fsub"),
    ((operator.mul, operator.imul), "fmul"),
    ((operator.truediv, operator.itruediv), "fdiv"),
):
    for _op in _ops:
        _arithmetic(_op, _name)
