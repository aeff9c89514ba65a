"""The tuners of the paper, and the settings among which the development lists choose."""

from dataclasses import dataclass
from itertools import product

from widemargin.families.reranking.tuners import MOST_FEATURES, Tuner, tuner_named

BOUNDS, PRICES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0), (0.001, 0.01, 0.1, 1.0)  # B and D


@dataclass(frozen=True)
class Method:
    """A tuner and a grid of its settings."""

    name: str
    tuner: str
    grid: tuple[dict, ...]
    most: int = 1 << 31  # features that it takes

    def at(self, point: dict, seed: int, epochs: int | None) -> Tuner:
        """The tuner with the settings of a point."""
        sweeps = {} if epochs is None or self.tuner not in ("mira", "rm") else {"epochs": epochs}
        return tuner_named(self.tuner, point | sweeps | {"seed": seed})


def grid(**axes: tuple) -> tuple[dict, ...]:
    """Every combination of the values of the axes."""
    return tuple(dict(zip(axes, values)) for values in product(*axes.values()))


METHODS = (
    Method("MERT", "mert", ({},), MOST_FEATURES),
    Method("MIRA", "mira", grid(C=(0.001, 0.01, 0.1, 1.0))),
    Method("PRO", "pro", grid(l2=(1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0))),
    Method("RAMPION", "rampion", grid(rate=(1e-3, 1e-2, 1e-1, 1.0))),
    Method("RM", "rm", grid(B=BOUNDS, D=PRICES)),
    Method("RM-CP", "rm", grid(method=("cp",), B=BOUNDS[::2], D=PRICES[1::2])),  # the program of each list in place of single steps
)
