"""Figure 3: precision against recall as the costs of the two kinds of error change places, alpha + beta = 10 and gamma = 5.

alpha is the price of a false alarm, beta that of a miss, gamma that of a wrong kind of name. The paper shows softmax-margin with C = 0.01;
here every method that has a cost is shown.
"""

from collections.abc import Callable

import numpy as np

from ..bench import Bench
from ..tables import Column
from ..trading import span_rates, steady
from .data import Data
from .methods import BASE, METHODS, Point

ALPHAS = (9.0, 7.0, 5.0, 3.0, 1.0)  # so that recall should rise along the list
TOTAL, GAMMA = 10.0, 5.0
EPOCHS = 5


def figure3(
    data: Data, *, epochs: int | None = None, seed: int = 1, threads: int = 1, listen: Callable[[str, dict], None] | None = None
) -> tuple[dict[str, list[dict]], dict[str, dict[str, bool]]]:
    """Points by method, the cost of a miss rising; and whether recall rises and precision falls at every step."""
    settings = {"epochs": epochs or EPOCHS, "seed": seed}
    bench = Bench(BASE, data.train, threads=threads)
    judge, rows = bench.judge(data.dev), bench.problem.corpus.rows
    curves: dict[str, list[dict]] = {}
    likelihood: np.ndarray | None = None
    for method in METHODS:
        point: Point = {axis: values[0] for axis, values in method.grid.items()}
        if method.objective == "likelihood":
            likelihood = bench.fit(method.recipe(point, rows, settings), listen=_named(listen, method.name)).w
        if not method.costly:
            continue
        curves[method.name] = []
        for alpha in ALPHAS:
            prices = {"miss": TOTAL - alpha, "false": alpha, "type": GAMMA}
            cost = ",".join(f"{kind}={price:g}" for kind, price in prices.items())
            start = likelihood if method.from_likelihood else None
            recipe = method.recipe(point, rows, settings, cost)
            fitted = bench.fit(recipe, start=start, listen=_named(listen, f"{method.name} {cost}"))
            curves[method.name].append({"method": method.name} | prices | span_rates(bench.counts(fitted.w, judge)))
    return curves, {name: steady(points) for name, points in curves.items()}


def _named(listen: Callable[[str, dict], None] | None, name: str) -> Callable[[dict], None] | None:
    return None if listen is None else (lambda facts: listen(name, facts))


def columns_of() -> list[Column]:
    """The table's columns, with the paper's letters."""
    prices = [Column("false", "alpha (false)", 0), Column("miss", "beta (miss)", 0), Column("type", "gamma (type)", 0)]
    return [Column("method"), *prices, *(Column(name, name, 2) for name in ("precision", "recall", "f1"))]
