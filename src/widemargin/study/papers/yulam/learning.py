"""One method on some sentences: CPU time and F epoch by epoch, test scores, and the choice of a step size.

Times are CPU seconds of learning alone, without features, F of linear models, or the look at test data; kernels are compiled before.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from widemargin.families.recipes import pose
from widemargin.families.tagging.training import features_of
from widemargin.families.watching import DevScorer
from widemargin.learners import learner_named
from widemargin.readers.columns import Columns
from widemargin.study.papers.yulam.data import first, held_out
from widemargin.study.papers.yulam.methods import Method

Tell = Callable[[str, dict], None] | None
FEW = 10  # sentences on which everything is compiled before a clock runs


@dataclass(frozen=True)
class Learnt:
    """What a method came to."""

    method: Method
    sentences: int
    seconds: list[float]  # CPU, at the end of each epoch, from the start
    values: list[float]  # F at the end of each epoch, where it was asked for
    dual: float | None  # the best lower bound of F
    why: str
    rate: float | None
    test: dict
    counts: np.ndarray  # of the test sentences [S, 3]

    def row(self) -> dict:
        """A line of a table, with the paper's numbers beside ours."""
        theirs = self.method.published
        own = {"method": self.method.name, "sentences": self.sentences, "iterations": len(self.seconds), "seconds": self.seconds[-1]}
        own |= {name: self.test[name] for name in ("precision", "recall", "f1")} | {"rate": self.rate, "why": self.why}
        return own | ({f"their_{name}": value for name, value in vars(theirs).items()} if theirs else {})


def learn(method: Method, train: Columns, test: Columns, *, seed: int = 1, curve: bool = False, tell: Tell = None, **settings) -> Learnt:
    """Fit and score the weights of the last epoch. curve: F after every epoch too; settings: of the learner."""
    sentences = len(train.row_ptr) - 1
    recipe = method.recipe(sentences, seed, **settings)
    posed = pose(recipe, train)
    problem = posed.problem
    spent: list[float] = []
    values: list[float] = []
    duals: list[float] = []
    mark = time.process_time()

    def watch(epoch: int, facts: dict, weigh) -> None:
        nonlocal mark
        spent.append(time.process_time() - mark)
        if curve:
            values.append(facts["primal"] if "primal" in facts else problem.value(weigh() * problem.copies[:, None]))
        duals.append(facts.get("dual", -np.inf))
        if tell is not None:
            tell(f"{method.name}, {sentences} sentences", facts | {"seconds": sum(spent)})
        mark = time.process_time()

    result = learner_named(recipe.learner, recipe.settings).fit(problem, None, watch)
    best = max(duals)
    own = np.cumsum(spent).tolist(), values, best if np.isfinite(best) else None, result.why, recipe.settings.get("rate")
    scores = DevScorer(posed, posed.hold(test)).scores(result.w)
    return Learnt(method, sentences, *own, scores.as_dict(), scores.counts)


@dataclass(frozen=True)
class Choice:
    """What held-out data chose: the method with its kernel, settings of the learner, and every trial."""

    method: Method
    settings: dict
    trials: list[dict]


def choose(method: Method, train: Columns, *, seed: int = 1, by_value: bool = False, tell: Tell = None) -> Choice:
    """The kernel and the rate that give the best F1 on a held-out tenth, or the lowest F; without trials where there is no choice."""
    kernels = method.kernels or (method.kernel,)
    if len(kernels) == 1 and not method.rates:
        return Choice(replace(method, kernel=kernels[0], kernels=()), {}, [])
    most, held = held_out(train)
    trials: list[dict] = []
    candidates: list[tuple[float, int, Method, dict]] = []
    for kernel in kernels:
        own = replace(method, kernel=kernel, kernels=())
        unit = own.likeness(features_per_token(own, most)) if method.rates else 1.0
        for share in method.rates or (None,):
            settings = {} if share is None else {"rate": share / unit}
            found = learn(own, most, held, seed=seed, curve=by_value, tell=tell, **settings)
            value = found.values[-1] if by_value else None
            about: dict = {"method": method.name, "sentences": len(train.row_ptr) - 1, "s": kernel.gamma if method.kernels else None}
            about |= {"share": share, "rate": settings.get("rate")}
            trials.append(about | {"f1": found.test["f1"], "F": value})
            candidates.append((-found.test["f1"] if value is None else value, len(candidates), own, settings))
    _, _, best, settings = min(candidates, key=lambda candidate: candidate[:2])
    return Choice(best, settings, trials)


def features_per_token(method: Method, columns: Columns) -> float:
    """Before a kernel is written out."""
    recipe = replace(method, expand=False).recipe(1, 1)
    features = features_of(recipe, columns)[1]
    return len(features.node_ind) / columns.tokens


def warm_up(methods: tuple[Method, ...], train: Columns) -> None:
    """Compile what they need, on a few sentences."""
    few = first(train, FEW)
    for method in methods:
        learn(method.lasting(2), few, few, curve=True)
