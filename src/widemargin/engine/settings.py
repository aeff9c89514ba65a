"""Settings as people give them, perhaps as text from a command line."""

import math
import re
from collections.abc import Iterable
from typing import Any

from widemargin.errors import InputError

YES_OR_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
MOST = 2**31 - 1  # of what is counted
LARGEST = 1e12  # of what is measured: its square is still a float32
LAST_SEED = 2**63 - 1
# int() and float() would take " 5", "1_000" and digits of any script
FORMS = {
    int: re.compile(r"[+-]?[0-9]+"),
    float: re.compile(r"[+-]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?|nan|inf|infinity)", re.IGNORECASE | re.ASCII),
}
LONGEST_QUOTE, MOST_DIGITS = 60, 18


def shown(value: Any) -> str:
    """A value in a message, not longer than is good to read."""
    try:
        text = str(value)
    except ValueError:  # Python writes no number of thousands of digits
        text = "a number of thousands of digits"
    return text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 3]}..."


def is_sequence(values: Any) -> bool:
    """Can it be gone through, one thing after another, and is no text? An array without axes cannot, though its type can."""
    return isinstance(values, Iterable) and not isinstance(values, str | bytes) and getattr(values, "ndim", 1) != 0


def whole_number(text: str) -> int | None:
    """The number that a text says by decimal digits of ASCII, with a sign or not; None for other text, and for more than 18 digits."""
    return int(text) if len(text.lstrip("+-")) <= MOST_DIGITS and FORMS[int].fullmatch(text) else None


def as_bool(name: str, value: Any) -> bool:
    """A yes or no, of which text may say one of YES_OR_NO."""
    word = shown(value).lower()
    if not isinstance(value, bool) and word not in YES_OR_NO:
        raise InputError(f"{name}={shown(value)} is neither yes nor no")
    return YES_OR_NO[word]


def as_number(name: str, value: Any, kind: type, others: str = "") -> Any:
    """An int or a finite float; a number that an int would cut off is refused. others: what else would have worked, for the message."""
    number = None
    is_text = isinstance(value, str)
    if FORMS[kind].fullmatch(value) if is_text else type(value).__name__ not in ("bool", "bool_", "bytes", "bytearray"):
        try:
            number = kind(value)
        except (TypeError, ValueError, OverflowError):
            pass
    if number is None or (kind is int and not is_text and number != value):
        raise InputError(f"{name}={shown(value)} is not a {'whole ' if kind is int else ''}number{others}")
    if kind is float and not math.isfinite(number):
        raise InputError(f"{name} is {shown(value)}; it must be a finite number{others}")
    return number


def in_range(name: str, number: Any, low: float, high: float | None = None) -> Any:
    """The number, if it is from low to high; without a high, up to what makes sense of anything."""
    if high is None or high == math.inf:
        high = MOST if isinstance(number, int) else LARGEST
    if not low <= number <= high:
        upper = high if isinstance(high, int) else f"{high:g}"
        raise InputError(f"{name} is {shown(number)}; it must be at least {low:g} and at most {upper}")
    return number
