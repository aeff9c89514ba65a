"""A row as one value: every compiled function of lanes.py is its one-line NumPy meaning, in both precisions and several widths."""

import numba
import numpy as np
import pytest
from widths import usual as lanes_for

from widemargin.compiler import lanes as meaning
from widemargin.compiler.jit import OPTIONS, inner, kernel
from widemargin.compiler.lanes import exp, lanes_of, load, magnitude, maximum, root, signed, splat, store, top, total, where_nonzero

pytestmark = pytest.mark.compiled  # as plain Python a function is its own meaning

TYPES, WIDTHS = [np.float32, np.float64], [4, 12, 24, 404]  # the last is Wide
RESULTS = 23


def everything(table, number, lanes, out, sums):
    """Each function once; the same text is run compiled and plain."""
    a, b, c = load(table, 0, lanes), load(table, 1, lanes), load(table, 2, lanes)
    store(out, 0, a)
    store(out, 1, splat(table, number, lanes))
    store(out, 2, maximum(a, b))
    store(out, 3, magnitude(a))
    store(out, 4, root(magnitude(a)))
    store(out, 5, signed(a, b))
    store(out, 6, where_nonzero(c, a, b))
    store(out, 7, exp(a))
    store(out, 8, a + b)
    store(out, 9, a - b)
    store(out, 10, a * b)
    store(out, 11, a / b)
    store(out, 12, a + number)
    store(out, 13, number - a)
    store(out, 14, a * number)
    store(out, 15, number / b)
    store(out, 16, a * 3)
    store(out, 17, 1.5 + a)
    d = load(table, 1, lanes)
    d += a
    store(out, 18, d)
    d -= c
    store(out, 19, d)
    d *= b
    store(out, 20, d)
    d /= b
    store(out, 21, d)
    store(out, 22, maximum(splat(table, -np.inf, lanes), a))
    sums[0], sums[1] = total(a), top(a)


compiled = numba.njit(everything, **OPTIONS)


def both(table, number, width):
    """Results of the compiled and of the plain text."""
    found = []
    for run in (compiled, everything):
        out, sums = np.zeros((RESULTS, width), table.dtype), np.zeros(2, table.dtype)
        with np.errstate(invalid="ignore"):
            run(table, number, lanes_for(width), out, sums)
        found.append((out, sums))
    return found


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("width", WIDTHS)
def test_compiled_rows_mean_what_numpy_rows_mean(dtype, width):
    random = np.random.default_rng(width)
    exact = [0, 1, 2, 3, 5, 6, 22]
    near = np.finfo(dtype).eps
    for _ in range(20):
        table = random.normal(size=(3, width)).astype(dtype) * 3
        table[2, random.random(width) < 0.5] = 0.0
        (out, sums), (expected, expected_sums) = both(table, 0.7, width)
        np.testing.assert_array_equal(out[exact], expected[exact])
        np.testing.assert_allclose(out, expected, rtol=60 * near, atol=60 * near)
        np.testing.assert_allclose(sums[0], expected_sums[0], atol=max(100, 5 * width) * near)
        assert sums[1] == expected_sums[1]


@pytest.mark.parametrize("dtype", TYPES)
def test_minus_infinity_stays_what_it_is(dtype):
    table = np.full((3, 4), -np.inf, dtype)
    table[0, 1], table[1] = 2.0, 1.0
    table[2] = [0.0, -0.0, -np.inf, 1.0]
    (out, sums), _ = both(table, 0.7, 4)
    never = -np.inf
    np.testing.assert_array_equal(out[2], [1.0, 2.0, 1.0, 1.0])
    np.testing.assert_array_equal(out[6], [1.0, 1.0, never, never])  # -0 is zero
    np.testing.assert_array_equal(out[7][[0, 2, 3]], 0.0)
    np.testing.assert_array_equal(out[8], [never, 3.0, never, never])
    np.testing.assert_array_equal(out[12], out[0] + dtype(0.7))
    assert sums[0] == never
    assert sums[1] == 2.0
    (_, sums), _ = both(np.full((3, 4), -np.inf, dtype), 0.7, 4)
    assert sums[1] == never


@numba.njit(**OPTIONS)
def exp_rows(table, lanes, out):
    for i in range(len(table)):
        store(out, i, exp(load(table, i, lanes)))


@pytest.mark.parametrize(
    ("dtype", "low", "high", "accuracy"),
    [(np.float64, -700, 700, 1e-13), (np.float32, -87, 87, 3e-7)],
)
def test_exp_is_accurate_and_exactly_zero_far_below(dtype, low, high, accuracy):
    random = np.random.default_rng(0)
    x = np.concatenate([np.linspace(low * (1 - 1e-6), high, 40000), random.uniform(-2, 2, 40000), np.log(2) * np.arange(-100, 100) / 2])
    x = np.append(x[: len(x) // 12 * 12], np.zeros(12)).reshape(-1, 12).astype(dtype)
    x = np.maximum(x, np.nextafter(dtype(low), dtype(0)))
    out = np.zeros_like(x)
    exp_rows(x, lanes_for(12), out)
    np.testing.assert_allclose(out.astype(np.longdouble), np.exp(x.astype(np.longdouble)), rtol=accuracy)
    far = np.full((1, 12), -np.inf, dtype)
    far[0, :5] = [low, low - 1, 10 * low, np.finfo(dtype).min, 0.0]
    out = np.ones_like(far)
    exp_rows(far, lanes_for(12), out)
    np.testing.assert_array_equal(out[0], [0, 0, 0, 0, 1] + [0] * 7)
    np.testing.assert_array_equal(out, meaning.exp(far))


def test_lanes_are_counted_in_fours():
    assert [len(lanes_for(labels)) for labels in (1, 4, 5, 12, 13, 22)] == [1, 1, 2, 3, 4, 6]
    assert [meaning.width_of(lanes_for(labels)) for labels in (1, 22, 400, 401, 3000)] == [4, 24, 400, 404, 3000]
    assert lanes_for(25) == lanes_for(32) != lanes_for(24)  # a few widths, so that kernels serve many numbers of labels
    assert {meaning.width_of(lanes_for(labels)) for labels in range(1, 401)} == {*meaning.WIDTHS}
    assert type(lanes_for(401)) is type(lanes_for(3000)) is meaning.Wide  # one type, so that kernels are compiled once
    assert [lanes_of(width) for width in (4, 24, 400, 404)] == [lanes_for(labels) for labels in (1, 22, 400, 401)]
    for width in (22, 28, 402):  # not whole lanes, or none of the widths
        with pytest.raises(ValueError, match=f"a table has {width} columns, and rows are padded to "):
            lanes_of(width)


@kernel(shared=True)
def borrowing(table, pair, lanes):
    """Counts references, and calls what counts none."""
    array, _ = first_of_pair(pair)
    store(table, 0, load(table, 1, lanes))
    return array[0]


@inner
def first_of_pair(pair):
    return pair[0], pair[1]


def test_arrays_of_functions_that_count_no_references_are_refused():
    table, pair = np.zeros((2, 500)), (np.ones(1), 2)
    with pytest.raises(TypeError, match="returns arrays; give that their lanes"):
        borrowing(table, pair, lanes_for(500))
