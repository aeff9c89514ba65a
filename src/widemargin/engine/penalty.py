"""The regulariser, in one place: F(w) = 1/n sum loss_i(w) + l2/2 |w|^2 + l1 |w|_1, and what other people's letters mean in it."""

from dataclasses import dataclass

from widemargin.engine.settings import as_number, in_range
from widemargin.errors import InputError


@dataclass(frozen=True)
class Penalty:
    """l2/2 |w|^2 + l1 |w|_1, added to the *mean* loss."""

    l1: float = 0.0
    l2: float = 0.0

    def __post_init__(self):
        for name in ("l1", "l2"):
            # a kernel compiled for an integer 0 would be another kernel
            object.__setattr__(self, name, in_range(name, as_number(name, getattr(self, name), float), 0))


# our l2 for another tool's constant c, with n training examples
CONVERSIONS = {
    "kummerfeld2015": lambda c, n: c,  # per example: loss_i + C/2 |w|^2
    "yu-lam2008": lambda c, n: c / n,  # sum loss_i + C/2 |w|^2
    "gimpel-smith2010": lambda c, n: 2 * c / n,  # sum loss_i + C |w|^2
    "svm-struct": lambda c, n: 1 / c,  # |w|^2/2 + C/n sum slack_i
    "crfsuite": lambda c, n: 2 * c / n,  # sum loss_i + c2 |w|^2
    "crf++": lambda c, n: 1 / (c * n),  # c sum loss_i + |w|^2/2
    "wapiti": lambda c, n: c / n,  # sum loss_i + rho2/2 |w|^2
}


def l2_from(source: str, constant: float, rows: int) -> float:
    """This library's l2 for the constant of a paper or a tool."""
    if source not in CONVERSIONS:
        raise InputError(f"there is no conversion for {source!r}; choose one of {', '.join(CONVERSIONS)}")
    return CONVERSIONS[source](constant, rows)
