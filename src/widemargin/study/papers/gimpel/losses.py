"""Figure 2: losses of binary classification over z, the score of the right label less that of the wrong one.

Nothing is written down again here: z is the weight of the one feature of the one row of a problem over two labels, and the values are F(w).
"""

import numpy as np

from widemargin.engine.objectives import OBJECTIVES
from widemargin.families.tagging.costs import parse_cost
from widemargin.scoring.corpus import build_corpus
from widemargin.scoring.token_features import Features
from widemargin.scoring.token_problem import TokenProblem
from widemargin.show.figures import draw_curves
from widemargin.show.tables import Column
from widemargin.structures import Choice
from widemargin.study.reproduction import Report, Section, Settings

LABELS = ("right", "wrong")
# the paper's curves, under its names
SHOWN = {
    "Softmax-Margin": "softmax-margin",
    "Max-Margin": "hinge",
    "CLL": "likelihood",
    "Jensen Risk Bound": "jensen",
    "Risk": "risk",
}


def losses(z: np.ndarray, *, m: float = 1.0, objectives: tuple[str, ...] = tuple(SHOWN.values())) -> dict[str, np.ndarray]:
    """Values of each objective at each z [K], with cost m for the wrong label."""
    one = np.array([0, 1]), np.array([0], np.int32)
    features = Features(one[0], *one, np.zeros(0, np.int64), one[1][:0])
    corpus = build_corpus(features, np.array([0]), nodes=1, edges=0, split=True)
    cost = parse_cost(f"hamming*{m}", LABELS)
    out = {}
    for name in objectives:
        problem = TokenProblem(corpus, Choice(2), cost, OBJECTIVES[name])
        w = problem.zeros()
        values = []
        for score in z:
            w[0, 0] = score
            values.append(problem.value(w))
        out[name] = np.array(values)
    return out


def figure2(*, low: float = -3.0, high: float = 3.0, m: float = 1.0) -> tuple[dict[str, list[tuple[float, float]]], list[dict]]:
    """The curves by the paper's names, and a row of values for every half step of z."""
    z = np.linspace(low, high, 61)
    values = losses(z, m=m)
    curves = {name: list(zip(z.tolist(), values[objective].tolist())) for name, objective in SHOWN.items()}
    curves["0-1 loss"] = list(zip(z.tolist(), (m * (z < 0)).tolist()))
    rows = [{"z": float(z[i])} | {name: points[i][1] for name, points in curves.items()} for i in range(0, len(z), 5)]
    return curves, rows


def report(settings: Settings) -> Report:
    """Table and figure; nothing is trained."""
    curves, rows = figure2()
    title = "Losses of binary classification, m = 1"
    columns = [Column("z", "z", 2), *(Column(name, name, 4) for name in curves)]
    over = "z: score of the right label less that of the wrong one"

    def draw(stem: str) -> list[str]:
        return draw_curves(curves, stem, title=title, x_label=over, y_label="loss", y_range=(-0.1, 4.1))

    return Report([Section(title, rows, columns)], {"rows": rows, "curves": curves}, draw)
