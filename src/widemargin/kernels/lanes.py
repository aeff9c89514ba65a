"""A row of L numbers as one value: label loops without loops.

Numba leaves short loops over labels scalar (their arrays might overlap). So a row is loaded as one vector, computed on as one, and stored
as one. `lanes` arguments are tuples whose *length* L/4 is part of their type, which makes L a compile-time constant. Without the JIT a row
is a NumPy array and every function below is its one-line NumPy meaning.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import lower_builtin, models, register_model, type_callable
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

WIDTH = 4


def lanes_for(labels: int) -> tuple:
    """The tuple that says "labels, padded to whole lanes" by its length."""
    return (0,) * ((labels + WIDTH - 1) // WIDTH)


def load(table, i, lanes):
    """Row i of table [n, L]."""
    return table[i].copy()


def store(table, i, row):
    """table[i] = row."""
    table[i] = row


def splat(table, x, lanes):
    """A row of L times x, of the table's type."""
    return np.full(WIDTH * len(lanes), x, table.dtype)


def maximum(a, b):
    """Elementwise maximum."""
    return np.maximum(a, b)


def magnitude(a):
    """Elementwise absolute value."""
    return np.abs(a)


def root(a):
    """Elementwise square root."""
    return np.sqrt(a)


def signed(a, b):
    """Elementwise |a| with the sign of b."""
    return np.copysign(a, b)


def where_nonzero(test, a, b):
    """Elementwise a where test is not 0, else b."""
    return np.where(test != 0, a, b)


def total(a):
    """Sum of a row."""
    return a.sum()


def top(a):
    """Largest of a row."""
    return a.max()


def exp(a):
    """Elementwise exp for a <= 700, exactly 0 far below (and at -inf), so that no denormal slows later sums."""
    return np.where(a > LOWEST[a.dtype.char], np.exp(np.maximum(a, LOWEST[a.dtype.char])), a.dtype.type(0))


LOWEST = {"d": -700.0, "f": -87.0}


class LanesType(types.Type):
    """L numbers of one float type."""

    def __init__(self, count: int, dtype: types.Type):
        self.count, self.dtype = count, dtype
        super().__init__(name=f"Lanes({count}, {dtype})")


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        element = ir.FloatType() if fe_type.dtype == types.float32 else ir.DoubleType()
        super().__init__(dmm, fe_type, ir.VectorType(element, fe_type.count))


def _count(lanes) -> int:
    return WIDTH * len(lanes) if isinstance(lanes, types.BaseTuple) else 0


def _table(t) -> bool:
    return isinstance(t, types.Array) and t.ndim == 2 and t.layout == "C"


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


def _address(context, builder, array_type, array, index, index_type, vector):
    """Pointer to the row, as a pointer to a vector."""
    data = context.make_array(array_type)(context, builder, value=array).data
    step = context.cast(builder, index, index_type, types.intp)
    offset = builder.mul(step, ir.Constant(step.type, vector.count))
    return builder.bitcast(builder.gep(data, [offset]), vector.as_pointer())


@lower_builtin(load, types.Array, types.Integer, types.BaseTuple)
def _load(context, builder, sig, args):
    pointer = _address(context, builder, sig.args[0], args[0], args[1], sig.args[1], context.get_value_type(sig.return_type))
    return builder.load(pointer, align=sig.return_type.dtype.bitwidth // 8)


@lower_builtin(store, types.Array, types.Integer, LanesType)
def _store(context, builder, sig, args):
    pointer = _address(context, builder, sig.args[0], args[0], args[1], sig.args[1], context.get_value_type(sig.args[2]))
    builder.store(args[2], pointer, align=sig.args[2].dtype.bitwidth // 8)
    return context.get_dummy_value()


def _splat_value(builder, vector, scalar):
    single = builder.insert_element(ir.Constant(vector, ir.Undefined), scalar, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(single, ir.Constant(vector, ir.Undefined), mask)


@lower_builtin(splat, types.Array, types.Number, types.BaseTuple)
def _splat(context, builder, sig, args):
    scalar = context.cast(builder, args[1], sig.args[1], sig.return_type.dtype)
    return _splat_value(builder, context.get_value_type(sig.return_type), scalar)


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
        vector = context.get_value_type(sig.return_type)
        a, b = (v if isinstance(t, LanesType) else _splat_value(builder, vector, v) for t, v in zip(sig.args, args))
        return getattr(builder, name)(a, b)

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


def _elementwise(function, intrinsic):
    """One LLVM vector intrinsic of rows alone."""

    @type_callable(function)
    def _type(context):
        def one(a):
            return a if isinstance(a, LanesType) else None

        def two(a, b):
            return a if isinstance(a, LanesType) and a == b else None

        return two if function in (maximum, signed) else one

    def lower(context, builder, sig, args):
        vector = args[0].type
        if intrinsic == "maximum":
            return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[0], args[1])
        kind = ir.FunctionType(vector, [vector] * len(args))
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.{intrinsic}.{_suffix(vector)}"), args)

    lower_builtin(function, LanesType)(lower)
    lower_builtin(function, LanesType, LanesType)(lower)


for _function, _name in ((maximum, "maximum"), (magnitude, "fabs"), (root, "sqrt"), (signed, "copysign")):
    _elementwise(_function, _name)


@type_callable(where_nonzero)
def _type_where(context):
    return lambda test, a, b: a if isinstance(a, LanesType) and test == a == b else None


@lower_builtin(where_nonzero, LanesType, LanesType, LanesType)
def _where(context, builder, sig, args):
    return builder.select(builder.fcmp_unordered("!=", args[0], ir.Constant(args[0].type, None)), args[1], args[2])


def _reduction(function):
    @type_callable(function)
    def _type(context):
        return lambda a: a.dtype if isinstance(a, LanesType) else None

    @lower_builtin(function, LanesType)
    def _lower(context, builder, sig, args):
        vector = args[0].type
        if function is total:
            kind = ir.FunctionType(vector.element, [vector.element, vector])
            call = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.fadd.{_suffix(vector)}")
            return builder.call(call, [ir.Constant(vector.element, 0.0), args[0]], fastmath=("reassoc",))
        kind = ir.FunctionType(vector.element, [vector])
        call = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.fmax.{_suffix(vector)}")
        return builder.call(call, [args[0]], fastmath=("nnan",))


_reduction(total)
_reduction(top)


@type_callable(exp)
def _type_exp(context):
    return lambda a: a if isinstance(a, LanesType) else None


# exp(x) = 2^k exp(r), x = k ln 2 + r, |r| <= ln 2 / 2 (Cody and Waite); exp(r) by its series; 2^k by writing k into the exponent bits.
_SERIES = {
    types.float64: (6.93147180369123816490e-01, 1.90821492927058770002e-10, 11, 64, 52, 1023),
    types.float32: (0.693359375, -2.12194440e-4, 6, 32, 23, 127),
}


@lower_builtin(exp, LanesType)
def _exp(context, builder, sig, args):
    dtype, vector = sig.return_type.dtype, args[0].type
    high, low, degree, bits, mantissa, bias = _SERIES[dtype]
    lowest = LOWEST["f" if dtype == types.float32 else "d"]

    def number(x):
        return ir.Constant(vector, [ir.Constant(vector.element, float(x))] * vector.count)

    keep = builder.fcmp_ordered(">", args[0], number(lowest))
    x = builder.select(keep, args[0], number(lowest))
    kind = ir.FunctionType(vector, [vector])
    floor = cgutils.get_or_insert_function(builder.module, kind, f"llvm.floor.{_suffix(vector)}")
    k = builder.call(floor, [builder.fadd(builder.fmul(x, number(1.4426950408889634)), number(0.5))])
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
    result = builder.fmul(s, builder.bitcast(power, vector))
    return builder.select(keep, result, number(0.0))
