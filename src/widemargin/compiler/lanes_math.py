"""The compiled meaning of lanes.py, continued: functions of rows, number by number, and of a whole row."""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import lower_builtin, type_callable

from widemargin.compiler.lanes import LOWEST, exp, is_single, magnitude, maximum, root, signed, top, total, where_nonzero
from widemargin.compiler.lanes_llvm import each_piece, pieces_of
from widemargin.compiler.lanes_types import LanesType, WideType
from widemargin.compiler.lanes_wide import reduce_row


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
        return each_piece(context, builder, sig, args, lambda *pieces: of_pieces(builder, *pieces))

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

    return each_piece(context, builder, sig, args, pick)


def _reduction(function, join, reduce):
    """Pieces of equal length are joined first, then each length is reduced."""

    @type_callable(function)
    def _type(context):
        return lambda a: a.dtype if isinstance(a, LanesType) else None

    @lower_builtin(function, LanesType)
    def _lower(context, builder, sig, args):
        if isinstance(sig.args[0], WideType):
            return reduce_row(context, builder, sig.args[0], args[0], join, reduce)
        by_length: dict = {}
        for piece in pieces_of(builder, args[0]):
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
