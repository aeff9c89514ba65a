"""The learners of the study, their settings, and the published times."""

from dataclasses import dataclass, field
from typing import Any

from widemargin.families.recipes import Recipe
from widemargin.study.papers.kummerfeld.data import LINKS, SPANS, SUMMARIES, TREES

WORDS = 55  # of a summary
SPAN_BITS = 18  # of the table of spans' weights

NER = "ner"


def recipe_of(task: str, **fields: Any) -> Recipe:
    """A recipe of one of the study's tasks; those of trees differ in the structure. Of spans, wrong anchored productions cost 1."""
    if task == SUMMARIES:
        return Recipe("summarize", budget=WORDS, **fields)
    if task == SPANS:
        return Recipe("constparse", cost="productions", hash_bits=SPAN_BITS, **fields)
    if task == NER:
        return Recipe(task, templates="ner-rich", **fields)
    return Recipe("depparse", structure=TREES[task], **fields) if task in TREES else Recipe(task, **fields)


@dataclass(frozen=True)
class Method:
    """A line of the table. `published`: time per iteration relative to the averaged perceptron, by task."""

    name: str
    learner: str
    objective: str
    settings: dict = field(default_factory=dict)
    trees: dict = field(default_factory=dict)  # on trees, instead of those of the same names
    l1: float = 0.0
    l2: float | None = None  # None: the learner's usual one
    published: dict = field(default_factory=dict)
    epochs: int | None = None  # fewer than the others take
    online: bool = True  # a step per sentence or batch: timed in every round, and drawn

    def recipe(self, task: str, epochs: int, seed: int) -> Recipe:
        """For one fit of at most so many epochs."""
        settings = {"epochs": min(epochs, self.epochs or epochs), "seed": seed} | self.settings | (self.trees if task in TREES else {})
        # arcs read their weights too often to shrink them in passing without need: OPS shows what that costs
        l2 = 0.0 if task in TREES and self.objective != "hinge" and self.online else self.l2
        how: dict[str, Any] = {"learner": self.learner, "objective": self.objective, "l1": self.l1, "l2": l2, "settings": settings}
        return recipe_of(task, **how)


def _theirs(ner: float, projective: float, nonprojective: float) -> dict:
    return {"ner": ner, "mst-projective": projective, "mst-nonprojective": nonprojective}


AUTO = {"rate": "auto"}
NO_CHECKS = {"check": 1_000_000, "tolerance": 0.0}  # no F between epochs: it would be counted as learning
# chosen on the development part of UD English EWT, where rate=auto, which looks at training sentences alone, takes too long steps
SURE, ADAPTIVE, STEPS = {"rate": 0.02}, {"rate": 0.02, "initial": 10.0}, {"rate": 0.05}
SMALL = 1e-6  # l1 or l2 beside the loss of one sentence
PERCEPTRON = "Averaged perceptron"
METHODS = (
    Method(PERCEPTRON, "perceptron", "perceptron", published=_theirs(1.0, 1.0, 1.0)),
    Method("MIRA", "mira", "hinge", trees=SURE, published=_theirs(1.9, 1.0, 1.0)),
    Method("MIRA, 5 best", "mira", "hinge", {"k": 5}, SURE),
    Method("OPS", "ops", "hinge", AUTO, ADAPTIVE),
    Method("OPS, l2", "ops", "hinge", AUTO, ADAPTIVE, l2=SMALL, published={"mst-projective": 1.8, "mst-nonprojective": 2.0}),
    Method("OPS, l2, batches of 10", "ops", "hinge", AUTO | {"batch": 10}, ADAPTIVE, l2=SMALL, published={"ner": 3.9}),
    Method("OPS, l1", "ops", "hinge", AUTO, ADAPTIVE, l1=SMALL),
    Method("OCP", "ocp", "hinge", NO_CHECKS, published=_theirs(2.7, 1.5, 1.6)),
    Method("BCFW", "bcfw", "hinge", NO_CHECKS | {"average": True}),
    Method(
        "Cutting plane",
        "cutting-plane",
        "hinge",
        {"passes": 10, "tolerance": 0.0},
        published=_theirs(60.8, 6.8, 8.4),
        epochs=5,
        online=False,
    ),
    Method("One-slack", "one-slack", "hinge", {"tolerance": 0.0}, online=False),
    Method("Softmax-margin, AdaGrad", "ops", "softmax-margin", AUTO, ADAPTIVE, l2=SMALL),
    Method("Softmax-margin, AdaDelta", "adadelta", "softmax-margin", l2=SMALL),
    Method("Likelihood, SGD", "sgd", "likelihood", AUTO, STEPS, l2=SMALL),
    Method("Likelihood, SMD", "smd", "likelihood", AUTO, STEPS, l2=SMALL),
    Method("Likelihood, L-BFGS", "lbfgs", "likelihood", {"delta": 0.0}, online=False),
)
PUBLISHED_DECODING = {  # of the perceptron's time
    "ner": 0.6,
    "mst-projective": 0.7,
    "mst-nonprojective": 0.6,
    SPANS: 0.9,
    LINKS: 0.2,
    SUMMARIES: 0.7,
}
