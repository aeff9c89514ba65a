"""Costs of links: what a wrong choice for a mention costs (FAMILY.costs has the forms)."""

from dataclasses import dataclass

from widemargin.errors import InputError
from widemargin.families.costs import named_prices, split_factor

NAMES = ("false_anaphor", "false_new", "wrong_link")
USUAL = (0.5, 1.0, 1.0)
FORMS = "hamming, durrett-klein, or false_anaphor=0.5,false_new=1,wrong_link=1"
NAMED = {"hamming": (1.0, 1.0, 1.0), "durrett-klein": (0.1, 3.0, 1.0)}


@dataclass(frozen=True)
class LinkCost:
    """Three prices; `text` is how the user wrote them."""

    text: str
    prices: tuple[float, float, float]  # in the order of NAMES


def parse_link_cost(text: str) -> LinkCost:
    """Read one of the forms of FAMILY.costs."""
    body, factor = split_factor(text)
    if body in NAMED:
        prices = NAMED[body]
    else:
        given = named_prices(body, text, FORMS)
        if unknown := [name for name in given if name not in NAMES]:
            raise InputError(f"{unknown[0]!r} is not an error of links; the errors are {', '.join(NAMES)}", "--cost")
        prices = tuple(given.get(name, usual) for name, usual in zip(NAMES, USUAL))  # type: ignore[assignment]
    return LinkCost(text, tuple(factor * price for price in prices))  # type: ignore[arg-type]
