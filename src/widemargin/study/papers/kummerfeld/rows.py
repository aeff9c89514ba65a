"""The rows of the tuned study by task: methods, what stays of their settings, and what is tried.

The grid of OPS is that of Algorithm 1: C (our l2 or l1) from 1e-1 to 1e-8 and the step size from 1 to 1e-4, all combinations. The others
have what corresponds: a step size and a penalty where they have both, MIRA its cap, dual methods their penalty. Cutting planes over all
sentences take ten iterations, as in the paper. Rows with SOME, COARSE, ONE or RIDGE, and all rows of trees, try one to three values of C in
place of eight: a fit on coreference, spans or arcs takes seconds to a minute, and C decides little beside the step size.

Observation 1 has an exception, likelihood above margin methods on coreference, where costs had been tuned for likelihood: rows with "costs
0.1/3/1" have those, the others 0.5/1/1, which suit data with singletons. Observation 3, that the perceptron struggles with real-valued
features: rows with "indicators" have none, the others of summaries have the set `rich`.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from widemargin.families.recipes import Recipe
from widemargin.study.papers.kummerfeld.data import LINKS, SPANS, SUMMARIES, TREES
from widemargin.study.papers.kummerfeld.methods import NO_CHECKS, PERCEPTRON, recipe_of
from widemargin.study.tuning import Point, grid

PENALTIES, RATES = tuple(10.0**-i for i in range(1, 9)), tuple(10.0**-i for i in range(5))
QUICK_PENALTIES, QUICK_RATES = (1e-4, 1e-6), (1e-1, 1e-2)
DELTA = 1e-6  # Algorithm 1: the sum of squares at the start
INITIALS, STEPS = (
    (0.1, 1.0, 10.0),
    (0.1, 0.05, 0.02),
)  # on trees: with DELTA a rare feature takes its longest step first
PAPER, SUMS = {"initial": DELTA}, {"initial": DELTA, "batch": 10, "summed": True}
BOTH = ("l2", "rate")
BATCH = NO_CHECKS | {"wait": True, "passes": 100, "solved": 1e-3}  # decode everything under the same weights, then solve


@dataclass(frozen=True)
class Row:
    """A method: learner, objective, settings that stay, and the axes of its grid (rate, initial, l1, l2)."""

    name: str
    learner: str
    objective: str
    axes: tuple[str, ...] = ()
    settings: dict = field(default_factory=dict)
    batch: bool = False  # does an iteration end with one program over all sentences?
    published: float | None = None  # time per iteration relative to the averaged perceptron
    fields: dict = field(default_factory=dict)  # what else the recipe has
    penalties: tuple[float, ...] = PENALTIES
    rates: tuple[float, ...] = RATES
    asked: bool = False  # fitted only where it is asked for by name (--only)

    def points(self, quick: bool) -> list[Point]:
        """All combinations."""
        rates, penalties, initials = (QUICK_RATES, QUICK_PENALTIES, INITIALS[:1]) if quick else (self.rates, self.penalties, INITIALS)
        values = {"rate": rates, "initial": initials, "l1": penalties, "l2": penalties}
        return grid(**{axis: values[axis] for axis in self.axes})

    def recipe(self, task: str, epochs: int, point: Point) -> Recipe:
        """For one cell."""
        own = {name: point[name] for name in ("rate", "initial") if name in point}
        settings = {"epochs": 2 * epochs if self.batch else epochs} | self.settings | own
        penalties: dict[str, Any] = {"l1": point.get("l1", 0.0), "l2": point.get("l2", 0.0)}
        return recipe_of(task, learner=self.learner, objective=self.objective, settings=settings, **self.fields, **penalties)


ROWS = (
    Row(PERCEPTRON, "perceptron", "perceptron"),
    Row("MIRA", "mira", "hinge", ("rate",)),
    Row("OPS, l2", "ops", "hinge", BOTH, PAPER),
    Row("OPS, l2, batches of 10, summed", "ops", "hinge", BOTH, SUMS),
    Row("OPS, l1", "ops", "hinge", ("l1", "rate"), PAPER),
    Row("OPS, l2, initial 0.01", "ops", "hinge", BOTH),
    Row("OPS, l2, batches of 10, mean", "ops", "hinge", BOTH, {"batch": 10}),
    Row("OCP", "ocp", "hinge", ("l2",), NO_CHECKS),
    Row("BCFW", "bcfw", "hinge", ("l2",), NO_CHECKS | {"average": True}),
    Row("Cutting plane, batch", "cutting-plane", "hinge", ("l2",), BATCH, True),
    Row("Cutting plane, ours", "cutting-plane", "hinge", ("l2",), NO_CHECKS | {"passes": 10}, True),
    Row("Softmax-margin, AdaGrad", "ops", "softmax-margin", BOTH, PAPER),
    Row("Likelihood, AdaGrad", "ops", "likelihood", BOTH, PAPER),
    Row("Likelihood, SGD", "sgd", "likelihood", BOTH),
)

# an instance is a mention; dual methods keep, with each plane, the correct antecedent that was best when it was found (structures/links)
LATENT: dict[str, Any] = {"fields": {"structure": "links"}}
SOME: dict[str, Any] = {"penalties": (1e-3, 1e-6)}
COARSE = (1e-4, 1e-7)
ONE: dict[str, Any] = {"penalties": (1e-6,)}
THEIRS: dict[str, Any] = {"fields": {"cost": "durrett-klein"}}
LINK_ROWS = (
    Row(PERCEPTRON, "perceptron", "perceptron", published=1.0),
    Row("MIRA", "mira", "hinge", ("rate",), published=1.0),
    Row("OPS, l2", "ops", "hinge", BOTH, PAPER, published=1.3),
    Row("OCP", "ocp", "hinge", ("l2",), NO_CHECKS, published=1.7, **LATENT),
    Row("Cutting plane, batch", "cutting-plane", "hinge", ("l2",), BATCH, True, published=2.7, **LATENT),
    Row("Softmax-margin, AdaGrad", "ops", "softmax-margin", BOTH, PAPER),
    Row("Likelihood, AdaGrad", "ops", "likelihood", BOTH, PAPER),
    Row("MIRA, costs 0.1/3/1", "mira", "hinge", ("rate",), **THEIRS),
    Row("OPS, l2, costs 0.1/3/1", "ops", "hinge", BOTH, PAPER, **ONE, **THEIRS),
    Row("Softmax-margin, AdaGrad, costs 0.1/3/1", "ops", "softmax-margin", BOTH, PAPER, **ONE, **THEIRS),
)

# nobody can sum over sets of sentences
LAST = {"average": False}
INDICATORS: dict[str, Any] = {"fields": {"templates": "counts"}}
SUMMARY_ROWS = (
    Row(PERCEPTRON, "perceptron", "perceptron", published=1.0),
    Row("Perceptron, last weights", "perceptron", "perceptron", settings=LAST),
    Row("MIRA", "mira", "hinge", ("rate",), published=1.0),
    Row("MIRA, last weights", "mira", "hinge", ("rate",), LAST),
    Row("OPS, l2", "ops", "hinge", BOTH, PAPER, published=0.9),
    Row("OPS, l2, averaged", "ops", "hinge", BOTH, PAPER | {"average": True}, **SOME),
    Row("OCP", "ocp", "hinge", ("l2",), NO_CHECKS, published=1.1),
    Row("BCFW", "bcfw", "hinge", ("l2",), NO_CHECKS | {"average": True}),
    Row("Cutting plane, batch", "cutting-plane", "hinge", ("l2",), BATCH, True, published=0.6),
    Row(f"{PERCEPTRON}, indicators", "perceptron", "perceptron", **INDICATORS),
    Row("Perceptron, last weights, indicators", "perceptron", "perceptron", settings=LAST, **INDICATORS),
    Row("OPS, l2, indicators", "ops", "hinge", BOTH, PAPER, **SOME, **INDICATORS),
)


# wrong anchored productions cost 1; an iteration is 4,000 instances. A fit of sums takes some minutes: one value of C, and no step that is
# too short for OPS
RIDGE: dict[str, Any] = {"penalties": (1e-5,), "rates": RATES[:3]}
SPAN_ROWS = (
    Row(PERCEPTRON, "perceptron", "perceptron", published=1.0),
    Row("MIRA", "mira", "hinge", ("rate",), published=1.0),
    Row("OPS, l2", "ops", "hinge", BOTH, PAPER, published=1.1),
    Row("OCP", "ocp", "hinge", ("l2",), NO_CHECKS, published=0.9),
    Row("BCFW", "bcfw", "hinge", ("l2",), NO_CHECKS | {"average": True}),
    Row("Cutting plane, batch", "cutting-plane", "hinge", ("l2",), BATCH, True),
    Row("Softmax-margin, AdaGrad", "ops", "softmax-margin", BOTH, PAPER, **RIDGE),
    Row("Likelihood, AdaGrad", "ops", "likelihood", BOTH, PAPER, **RIDGE),
)

# a fit on a treebank takes up to a minute
TREE_PENALTIES = {BOTH: (1e-5,), ("l1", "rate"): (1e-5,), ("l2",): (1e-3, 1e-4, 1e-6)}
DAMPED: dict[str, Any] = {"axes": ("initial", "rate"), "rates": STEPS}
# the rows above them differ from Algorithm 1 in delta, penalty and steps: what does each do alone?
ONE_CHANGE = [
    row
    for name, objective in (("OPS", "hinge"), ("Softmax-margin, AdaGrad", "softmax-margin"))
    for row in (
        Row(f"Changed: {name}, no penalty", "ops", objective, ("rate",), PAPER, asked=True),
        Row(f"Changed: {name}, steps", "ops", objective, BOTH, PAPER, penalties=(1e-5,), rates=STEPS, asked=True),
        Row(f"Changed: {name}, initial", "ops", objective, ("initial", *BOTH), penalties=(1e-5,), rates=RATES[1:3], asked=True),
    )
]
TREE_ROWS = (
    *(replace(row, penalties=COARSE if row.name == "OPS, l2" else TREE_PENALTIES.get(row.axes, PENALTIES)) for row in ROWS),
    Row("OPS, initial tuned, no penalty", "ops", "hinge", **DAMPED),
    Row("Softmax-margin, AdaGrad, initial tuned, no penalty", "ops", "softmax-margin", **DAMPED),
    *ONE_CHANGE,
)


def rows_of(task: str) -> tuple[Row, ...]:
    """The rows of a task."""
    return ({SPANS: SPAN_ROWS, LINKS: LINK_ROWS, SUMMARIES: SUMMARY_ROWS} | dict.fromkeys(TREES, TREE_ROWS)).get(task, ROWS)
