"""Costs as people write them: BODY*FACTOR, where the body may be a list NAME=NUMBER,NAME=NUMBER. Families say what the names mean."""

from widemargin.engine.settings import FORMS, LARGEST, shown
from widemargin.errors import InputError


def split_factor(text: str) -> tuple[str, float]:
    """The body, and the factor behind the last `*`, 1 where there is none."""
    body, times, factor = text.strip().rpartition("*")
    return (body.strip(), price_of(factor, text)) if times else (factor, 1.0)


def named_prices(body: str, text: str, forms: str) -> dict[str, float]:
    """NAME=NUMBER,... as a dict. text: the whole cost, forms: what would work, both for messages."""
    out = {}
    for item in body.split(","):
        name, equals, value = item.partition("=")
        if not equals:
            raise InputError(f"cost {text!r}: {item!r} is not NAME=NUMBER; use {forms}")
        out[name.strip()] = price_of(value, text)
    return out


def price_of(value: str, text: str, where: str | None = None) -> float:
    """A number from 0 up, out of a cost or a line of a file."""
    word = value.strip()
    if not FORMS[float].fullmatch(word):
        raise InputError(f"{shown(word)!r} in {shown(text)!r} is not a number", where)
    if not 0 <= (price := float(word)) <= LARGEST:
        raise InputError(f"cost {shown(text)!r} has a negative or infinite price; prices are numbers from 0 to {LARGEST:g}", where)
    return price
