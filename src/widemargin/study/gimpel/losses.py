"""Figure 2: losses of binary classification over z, the score of the right label less that of the wrong one.

Nothing is written down again here: z is the weight of the one feature of the one row of a problem over two labels, and the values are F(w).
"""

import numpy as np

from widemargin.corpus import build_corpus
from widemargin.costs import parse_cost
from widemargin.features.extractor import Features
from widemargin.objectives import OBJECTIVES
from widemargin.problem import Problem
from widemargin.structures import Choice

from ..tables import Column

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
        problem = Problem(corpus, Choice(2), cost, OBJECTIVES[name])
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
    zero_one = m * (z < 0)
    curves = {name: list(zip(z.tolist(), values[objective].tolist())) for name, objective in SHOWN.items()}
    curves["0-1 loss"] = list(zip(z.tolist(), zero_one.astype(float).tolist()))
    rows = [{"z": float(z[i])} | {name: points[i][1] for name, points in curves.items()} for i in range(0, len(z), 5)]
    return curves, rows


def columns_of(rows: list[dict]) -> list[Column]:
    """z and one column per loss."""
    return [Column("z", "z", 2), *(Column(name, name, 4) for name in rows[0] if name != "z")]
