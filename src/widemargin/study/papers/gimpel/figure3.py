"""Figure 3: precision against recall as the costs of the two kinds of error change places, alpha + beta = 10 and gamma = 5.

alpha is the price of a false alarm, beta that of a miss, gamma that of a wrong kind of name. The paper shows softmax-margin with C = 0.01;
here every method that has a cost is shown.
"""

from functools import partial

import numpy as np

from widemargin.show.tables import Column
from widemargin.study.experiment import Bench
from widemargin.study.papers.gimpel.data import Data, open_data
from widemargin.study.papers.gimpel.methods import ADAGRAD, BASE, METHODS, Trained
from widemargin.study.precision_recall import draw, span_rates, steady
from widemargin.study.reproduction import Report, Section, Settings

ALPHAS = (9.0, 7.0, 5.0, 3.0, 1.0)  # so that recall should rise along the list
TOTAL, GAMMA = 10.0, 5.0
EPOCHS, QUICK_SENTENCES = 5, 40
POINTS = ({"C": 0.01, "rate": 0.1}, {"C": 0.01, "rate": 0.01})  # C is the paper's; from a trained model steps are shorter


def figure3(data: Data, settings: Settings) -> dict[str, list[dict]]:
    """Points by method, the cost of a miss rising; every model is that of its last epoch."""
    learning = {"epochs": settings.epochs or EPOCHS, "seed": settings.seed}
    bench = Bench(BASE, data.train, threads=settings.threads)
    judge, rows = bench.judge(data.dev), bench.problem.corpus.rows
    curves: dict[str, list[dict]] = {}
    likelihood: np.ndarray | None = None
    for method in METHODS:
        row, start = Trained(method, ADAGRAD, rows), likelihood if method.from_likelihood else None
        point = POINTS[bool(method.from_likelihood)]
        if method.objective == "likelihood":
            likelihood = bench.fit(row.recipe(learning, point), listen=settings.listen and partial(settings.listen, method.name)).w
        if not method.costly:
            continue
        curves[method.name] = []
        for alpha in ALPHAS:
            prices = {"miss": TOTAL - alpha, "false": alpha, "type": GAMMA}
            cost = ",".join(f"{kind}={price:g}" for kind, price in prices.items())
            tell = settings.listen and partial(settings.listen, f"{method.name} {cost}")
            fitted = bench.fit(row.recipe(learning, point, cost), start=start, listen=tell)
            curves[method.name].append({"method": method.name} | prices | span_rates(judge.scores(fitted.w).counts))
    return curves


def report(settings: Settings) -> Report:
    """Table and figure, and whether recall rises and precision falls at every step."""
    settings = settings.sized(sentences=QUICK_SENTENCES)
    data = open_data(settings.data, settings.sentences)
    curves = figure3(data, settings)
    title = f"Trading precision and recall by the costs: {data.name}, development data"
    rows = [point for points in curves.values() for point in points]
    prices = [Column("false", "alpha (false)", 0), Column("miss", "beta (miss)", 0), Column("type", "gamma (type)", 0)]
    columns = [Column("method"), *prices, *(Column(name, name, 2) for name in ("precision", "recall", "f1"))]
    facts = {"data": data.name, "steady": {name: steady(points) for name, points in curves.items()}, "points": rows}
    return Report([Section(title, rows, columns)], facts, lambda stem: draw(curves, "miss", stem, title=title))
