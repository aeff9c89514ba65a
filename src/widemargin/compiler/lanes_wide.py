"""Rows whose length is known at run time: every operation is a loop over machine vectors, and its result has memory of its own.

Numba counts references to that memory, so functions that see such rows are compiled with its counting (jit.py).
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import models, register_model
from numba.core.imputils import impl_ret_new_ref

from widemargin.compiler.lanes import WIDTH
from widemargin.compiler.lanes_types import WideType


@register_model(WideType)
class _WideModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("array", fe_type.array)])


def _data(context, builder, kind: WideType, row):
    """(pointer, count) of a row."""
    array = context.make_array(kind.array)(context, builder, value=builder.extract_value(row, 0))
    return array.data, builder.extract_value(array.shape, 0)


def _loop(context, builder, dtype, count, body):
    """body(vector type, at) for all machine vectors of a row: of 32 bytes, and perhaps a last one of 4 numbers."""
    element = context.get_value_type(dtype)
    wide, index = 32 * 8 // dtype.bitwidth, count.type
    whole = builder.udiv(count, ir.Constant(index, wide))
    with cgutils.for_range(builder, whole) as loop:
        body(ir.VectorType(element, wide), builder.mul(loop.index, ir.Constant(index, wide)))
    if wide > WIDTH:
        done = builder.mul(whole, ir.Constant(index, wide))
        with builder.if_then(builder.icmp_unsigned("<", done, count)):
            body(ir.VectorType(element, WIDTH), done)


def _place(builder, data, at, vector):
    return builder.bitcast(builder.gep(data, [at]), vector.as_pointer())


def _read(builder, data, at, vector, dtype):
    return builder.load(_place(builder, data, at, vector), align=dtype.bitwidth // 8)


def fill_row(context, builder, kind: WideType, count, piece):
    """A new row of what piece(vector type, at) gives."""
    from numba.np.arrayobj import _empty_nd_impl

    array = _empty_nd_impl(context, builder, kind.array, [count])

    def body(vector, at):
        builder.store(piece(vector, at), _place(builder, array.data, at, vector), align=kind.dtype.bitwidth // 8)

    _loop(context, builder, kind.dtype, count, body)
    row = cgutils.create_struct_proxy(kind)(context, builder)
    row.array = array._getvalue()
    return impl_ret_new_ref(context, builder, kind, row._getvalue())


def _table_row(context, builder, sig, args):
    """(pointer to a row of a table, its length)."""
    array = context.make_array(sig.args[0])(context, builder, value=args[0])
    count = builder.extract_value(array.shape, 1)
    index = context.cast(builder, args[1], sig.args[1], types.intp)
    return builder.gep(array.data, [builder.mul(index, count)]), count


def load_row(context, builder, sig, args):
    """Row i of a table."""
    data, count = _table_row(context, builder, sig, args)
    kind = sig.return_type
    return fill_row(context, builder, kind, count, lambda vector, at: _read(builder, data, at, vector, kind.dtype))


def store_row(context, builder, sig, args):
    """table[i] = row."""
    kind = sig.args[2]
    into, count = _table_row(context, builder, sig, args)
    data, _ = _data(context, builder, kind, args[2])

    def body(vector, at):
        builder.store(_read(builder, data, at, vector, kind.dtype), _place(builder, into, at, vector), align=kind.dtype.bitwidth // 8)

    _loop(context, builder, kind.dtype, count, body)
    return context.get_dummy_value()


def each_piece(context, builder, sig, args, function, splat):
    """A new row: function of the machine vectors of the arguments, rows or numbers; splat makes a vector of a number."""
    kind, count = sig.return_type, None
    parts = []
    for own, value in zip(sig.args, args):
        if isinstance(own, WideType):
            data, count = _data(context, builder, own, value)
            parts.append(lambda vector, at, data=data: _read(builder, data, at, vector, kind.dtype))
        else:
            parts.append(lambda vector, at, value=value: splat(builder, vector, value))
    return fill_row(context, builder, kind, count, lambda vector, at: function(*(part(vector, at) for part in parts)))


def reduce_row(context, builder, kind: WideType, row, join, reduce):
    """A number: the reduced machine vectors of a row joined, one after another."""
    data, count = _data(context, builder, kind, row)
    first = _read(builder, data, ir.Constant(count.type, 0), ir.VectorType(context.get_value_type(kind.dtype), WIDTH), kind.dtype)
    result = cgutils.alloca_once_value(builder, builder.extract_element(first, ir.Constant(ir.IntType(32), 0)))
    started = cgutils.alloca_once_value(builder, cgutils.false_bit)

    def body(vector, at):
        value = reduce(builder, _read(builder, data, at, vector, kind.dtype))
        builder.store(builder.select(builder.load(started), join(builder, builder.load(result), value), value), result)
        builder.store(cgutils.true_bit, started)

    _loop(context, builder, kind.dtype, count, body)
    return builder.load(result)
