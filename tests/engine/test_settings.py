"""Numbers as people give them: strictly read, finite, in range, and never quoted at length."""

import numpy as np
import pytest

from widemargin.engine.penalty import Penalty
from widemargin.engine.settings import LARGEST, MOST, as_bool, as_number, in_range, shown
from widemargin.errors import InputError
from widemargin.families.costs import named_prices, price_of, split_factor
from widemargin.families.inputs import checked_weights, numbers_in, seed_of

HUGE = 10**5000
NOT_NUMBERS = ["", "x", " 5", "5 ", "1_000", "٣", "²", "0x10", "1e", "--1", "9" * 5000, b"3", None, True, np.True_, [], {}, object(), 1j]


def refused(words, call, *arguments, **named):
    with pytest.raises(InputError, match=words) as caught:
        call(*arguments, **named)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("value", NOT_NUMBERS, ids=lambda value: type(value).__name__)
def test_what_is_no_number(value):
    refused("n is|n=", as_number, "n", value, int)
    if value != "9" * 5000:
        refused("n is|n=", as_number, "n", value, float)


@pytest.mark.parametrize(
    "value",
    ["nan", "inf", "-Infinity", "1e400", float("nan"), float("inf"), HUGE, np.float32("inf")],
    ids=lambda value: type(value).__name__,
)
def test_what_is_not_finite(value):
    refused("not a number|a finite number", as_number, "n", value, float)


def test_numbers_of_many_kinds():
    assert [as_number("n", value, int) for value in ("5", "-5", "+5", 5, 5.0, np.int8(5), "007")] == [5, -5, 5, 5, 5, 5, 7]
    assert [as_number("n", value, float) for value in ("5", ".5", "5.", "-1e-3", 2, np.float32(0.5))] == [5.0, 0.5, 5.0, -0.001, 2.0, 0.5]
    refused("n=2.5 is not a whole number", as_number, "n", 2.5, int)
    assert as_number("n", HUGE, int) == HUGE
    assert as_bool("b", "Yes") is as_bool("b", 1) is True
    refused("is neither yes nor no", as_bool, "b", "9" * 5000)


def test_ranges():
    assert in_range("n", 3, 1) == 3
    refused("n is 0; it must be at least 1 and at most 2147483647", in_range, "n", 0, 1)
    refused("at most 1e.12", in_range, "n", 2 * LARGEST, 0)
    refused("at most 9", in_range, "n", 10, 0, 9)
    for value in (MOST + 1, 10**30, HUGE, -HUGE):
        refused("it must be", in_range, "n", value, 0)
    refused("n is nan", in_range, "n", float("nan"), 0)


def test_quotes_are_short():
    assert len(shown("9" * 5000)) == len(shown([0] * 5000)) == 60
    assert shown(HUGE) == "a number of thousands of digits"
    assert str(InputError("x" * 5000 + " is long")) == "x" * 60 + "... is long"
    assert str(InputError("short", "x" * 5000 + "/name:3")).endswith("x/name:3: short")  # of a long path, the end


@pytest.mark.parametrize(
    "value", [-1, -0.1, "a", None, True, float("nan"), float("inf"), 1e300, 10**30, HUGE, [], "1_0"], ids=lambda v: type(v).__name__
)
def test_penalties(value):
    refused("l1", Penalty, value, 0.0)
    refused("l2", Penalty, 0.0, value)


@pytest.mark.parametrize("value", ["-1", "nan", "inf", "1e400", "1e30", "1_000", "٣", "", "x", "9" * 5000])
def test_prices(value):
    for call, text in ((split_factor, f"hamming*{value}"), (lambda text: named_prices(text, text, "forms"), f"miss={value}")):
        refused("is not a number|negative or infinite price", call, text)
    assert price_of(" 5 ", "miss= 5 ") == 5.0


def test_seeds_and_weights():
    assert seed_of(np.int64(7)) == 7
    for value in (-1, "a", 2.5, True, 10**30, HUGE, []):
        refused("random_state is", seed_of, value)
    for value in ("a", ["a"], ["1", "2"], [None, 1], [1j, 2], [[1], 2], HUGE, [np.nan, 1], [-1, 1], [1], 5, [[1, 2]]):
        refused("sample_weight", checked_weights, value, 2)
    assert numbers_in([1, True, 2.5], "n").tolist() == [1.0, 1.0, 2.5]
