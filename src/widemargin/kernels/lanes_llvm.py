"""The compiled meaning of lanes.py: a Numba type for rows of labels, and its LLVM instructions."""

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import lower_builtin, models, register_model, type_callable
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

from .lanes import (
    LOWEST,
    WIDTH,
    exp,
    is_single,
    load,
    magnitude,
    maximum,
    prefetch,
    root,
    signed,
    splat,
    store,
    top,
    total,
    where_nonzero,
)


class LanesType(types.Type):
    """L numbers of one float type, in machine vectors of 32 bytes and perhaps a last one of 16.

    Not one vector of L: LLVM takes a value whose length is not a power of two apart, number by number, wherever it crosses a branch.
    """

    def __init__(self, count: int, dtype: types.Type):
        self.count, self.dtype = count, dtype
        wide = 32 * 8 // dtype.bitwidth
        self.widths = [wide] * (count // wide) + ([count % wide] if count % wide else [])
        super().__init__(name=f"Lanes({count}, {dtype})")


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        element = ir.FloatType() if fe_type.dtype == types.float32 else ir.DoubleType()
        super().__init__(dmm, fe_type, ir.LiteralStructType([ir.VectorType(element, width) for width in fe_type.widths]))


def _count(lanes) -> int:
    return WIDTH * len(lanes) if isinstance(lanes, types.BaseTuple) else 0


def _table(t) -> bool:
    return isinstance(t, types.Array) and t.ndim == 2 and t.layout == "C"


def _pieces(builder, row) -> list:
    """The machine vectors of a row."""
    return [builder.extract_value(row, i) for i in range(len(row.type.elements))]


def _row(builder, pieces):
    """A row of machine vectors."""
    out = ir.Constant(ir.LiteralStructType([p.type for p in pieces]), ir.Undefined)
    for i, piece in enumerate(pieces):
        out = builder.insert_value(out, piece, i)
    return out


@type_callable(load)
def _type_load(context):
    def typer(table, i, lanes):
        if _table(table) and _count(lanes):
            return LanesType(_count(lanes), table.dtype)

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
        if _count(lanes):
            return LanesType(_count(lanes), table.dtype)

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
    pointers = _addresses(context, builder, sig.args[0], args[0], args[1], sig.args[1], context.get_value_type(lanes), lanes)
    return _row(builder, [builder.load(pointer, align=lanes.dtype.bitwidth // 8) for pointer in pointers])


@lower_builtin(store, types.Array, types.Integer, LanesType)
def _store(context, builder, sig, args):
    lanes = sig.args[2]
    pointers = _addresses(context, builder, sig.args[0], args[0], args[1], sig.args[1], args[2].type, lanes)
    for piece, pointer in zip(_pieces(builder, args[2]), pointers):
        builder.store(piece, pointer, align=lanes.dtype.bitwidth // 8)
    return context.get_dummy_value()


@type_callable(prefetch)
def _type_prefetch(context):
    return lambda table, i: types.none if _table(table) and isinstance(i, types.Integer) else None


@lower_builtin(prefetch, types.Array, types.Integer)
def _prefetch(context, builder, sig, args):
    array = context.make_array(sig.args[0])(context, builder, value=args[0])
    width = cgutils.unpack_tuple(builder, array.shape, 2)[1]
    at = builder.mul(context.cast(builder, args[1], sig.args[1], types.intp), width)
    word, byte = ir.IntType(32), ir.IntType(8)
    pointer = builder.bitcast(builder.gep(array.data, [at]), byte.as_pointer())
    kind = ir.FunctionType(ir.VoidType(), [byte.as_pointer(), word, word, word])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    for line in range(3):
        place = builder.gep(pointer, [ir.Constant(ir.IntType(64), 64 * line)])
        builder.call(function, [place, ir.Constant(word, 0), ir.Constant(word, 3), ir.Constant(word, 1)])
    return context.get_dummy_value()


def _splat_piece(builder, vector, scalar):
    single = builder.insert_element(ir.Constant(vector, ir.Undefined), scalar, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(single, ir.Constant(vector, ir.Undefined), mask)


def _splat_row(builder, row_type, scalar):
    return _row(builder, [_splat_piece(builder, vector, scalar) for vector in row_type.elements])


@lower_builtin(splat, types.Array, types.Number, types.BaseTuple)
def _splat(context, builder, sig, args):
    scalar = context.cast(builder, args[1], sig.args[1], sig.return_type.dtype)
    return _splat_row(builder, context.get_value_type(sig.return_type), scalar)


def _each(builder, function, *rows):
    """function of the machine vectors of some rows, piece by piece."""
    return _row(builder, [function(*pieces) for pieces in zip(*(_pieces(builder, row) for row in rows))])


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
        row = context.get_value_type(sig.return_type)
        a, b = (v if isinstance(t, LanesType) else _splat_row(builder, row, v) for t, v in zip(sig.args, args))
        return _each(builder, getattr(builder, name), a, b)

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


def _suffix(vector) -> str:
    return f"v{vector.count}f{32 if isinstance(vector.element, ir.FloatType) else 64}"


def _call(builder, intrinsic, result, *arguments, **flags):
    """An LLVM intrinsic, named by the type of its last argument."""
    kind = ir.FunctionType(result, [a.type for a in arguments])
    name = f"llvm.{intrinsic}.{_suffix(arguments[-1].type)}"
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments, **flags)


def _larger(builder, a, b):
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def _elementwise(function, of_pieces):
    """A function of rows alone, given for their machine vectors."""

    @type_callable(function)
    def _type(context):
        def one(a):
            return a if isinstance(a, LanesType) else None

        def two(a, b):
            return a if isinstance(a, LanesType) and a == b else None

        return two if function in (maximum, signed) else one

    def lower(context, builder, sig, args):
        return _each(builder, lambda *pieces: of_pieces(builder, *pieces), *args)

    lower_builtin(function, LanesType)(lower)
    lower_builtin(function, LanesType, LanesType)(lower)


_elementwise(maximum, _larger)
_elementwise(magnitude, lambda builder, a: _call(builder, "fabs", a.type, a))
_elementwise(root, lambda builder, a: _call(builder, "sqrt", a.type, a))
_elementwise(signed, lambda builder, a, b: _call(builder, "copysign", a.type, a, b))


@type_callable(is_single)
def _type_is_single(context):
    return lambda a: types.boolean if isinstance(a, LanesType) else None


@lower_builtin(is_single, LanesType)
def _is_single(context, builder, sig, args):
    return ir.Constant(ir.IntType(1), int(sig.args[0].dtype == types.float32))


@type_callable(where_nonzero)
def _type_where(context):
    return lambda test, a, b: a if isinstance(a, LanesType) and test == a == b else None


@lower_builtin(where_nonzero, LanesType, LanesType, LanesType)
def _where(context, builder, sig, args):
    def pick(test, a, b):
        return builder.select(builder.fcmp_unordered("!=", test, ir.Constant(test.type, None)), a, b)

    return _each(builder, pick, *args)


def _reduction(function, join, reduce):
    """Pieces of equal length are joined first, then each length is reduced."""

    @type_callable(function)
    def _type(context):
        return lambda a: a.dtype if isinstance(a, LanesType) else None

    @lower_builtin(function, LanesType)
    def _lower(context, builder, sig, args):
        by_length: dict = {}
        for piece in _pieces(builder, args[0]):
            known = by_length.get(piece.type.count)
            by_length[piece.type.count] = piece if known is None else join(builder, known, piece)
        results = [reduce(builder, piece) for piece in by_length.values()]
        return results[0] if len(results) == 1 else join(builder, *results)


def _sum_piece(builder, a):
    zero = ir.Constant(a.type.element, 0.0)
    return _call(builder, "vector.reduce.fadd", a.type.element, zero, a, fastmath=("reassoc",))


_reduction(total, lambda builder, a, b: builder.fadd(a, b), _sum_piece)
_reduction(top, _larger, lambda builder, a: _call(builder, "vector.reduce.fmax", a.type.element, a, fastmath=("nnan",)))


# exp(x) = 2^k exp(r), x = k ln 2 + r, |r| <= ln 2 / 2 (Cody and Waite); exp(r) by its series; 2^k by writing k into the exponent bits.
_SERIES = {64: (6.93147180369123816490e-01, 1.90821492927058770002e-10, 11, 52, 1023), 32: (0.693359375, -2.12194440e-4, 6, 23, 127)}


def _exp_piece(builder, a):
    vector = a.type
    bits = 32 if isinstance(vector.element, ir.FloatType) else 64
    high, low, degree, mantissa, bias = _SERIES[bits]

    def number(x):
        return ir.Constant(vector, [ir.Constant(vector.element, float(x))] * vector.count)

    lowest = number(LOWEST["f" if bits == 32 else "d"])
    keep = builder.fcmp_ordered(">", a, lowest)
    x = builder.select(keep, a, lowest)
    k = _call(builder, "floor", vector, builder.fadd(builder.fmul(x, number(1.4426950408889634)), number(0.5)))
    # an instruction with a flag of its own is spared "reassoc", which would make k high + k low one product again
    exact = ("nsz",)
    r = builder.fsub(x, builder.fmul(k, number(high), flags=exact), flags=exact)
    r = builder.fsub(r, builder.fmul(k, number(low), flags=exact), flags=exact)
    factorial = np.cumprod([1.0, *range(1, degree + 1)])
    s = number(1.0 / factorial[degree])
    for d in range(degree - 1, -1, -1):
        s = builder.fadd(builder.fmul(s, r), number(1.0 / factorial[d]))
    integer = ir.IntType(bits)
    integers = ir.VectorType(integer, vector.count)
    # k + bias + 1.5 * 2^mantissa, read as an integer, has k + bias in its low bits: cheaper than a conversion to 64-bit integers
    magic = builder.fadd(k, number(1.5 * 2.0**mantissa + bias))
    power = builder.shl(builder.bitcast(magic, integers), ir.Constant(integers, [ir.Constant(integer, mantissa)] * vector.count))
    return builder.select(keep, builder.fmul(s, builder.bitcast(power, vector)), number(0.0))


_elementwise(exp, _exp_piece)
