"""From gold labels and features to a trained tagger, wherever they come from: the one place where problem, learner and model meet."""

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import widemargin
from widemargin.corpus import Corpus, build_corpus
from widemargin.costs import parse_cost
from widemargin.errors import InputError
from widemargin.features.expansion import Expansion
from widemargin.features.extractor import Features
from widemargin.kernels.score import Linear
from widemargin.learners import Watch, Weigh, learner_named, usual_l2, usual_objective
from widemargin.objectives import objective_named
from widemargin.penalty import Penalty
from widemargin.problem import Problem
from widemargin.readers import schemes
from widemargin.scorers import LINEAR, Kernel
from widemargin.scorers.gram import KernelProblem, kernelised
from widemargin.scorers.tokens import support_of, without_nodes
from widemargin.structures import STRUCTURES

from .base import Task, task_named
from .checkpoints import Keeper
from .constraints import Spec, legal_of, refuse_illegal
from .gold import Gold, Written
from .tagger import Tagger, decode_features, in_lanes, score_labels


@dataclass(frozen=True)
class Recipe:
    """What to train and how; everything that decides the model's bytes, and nothing else (threads do not)."""

    task: str = "chunk"
    learner: str = "ops"
    objective: str | None = None  # None: the learner's usual one
    cost: str = "hamming"
    l1: float = 0.0
    l2: float | None = None  # None: the learner's usual one
    templates: str | None = None  # a named set, a file, or (with a newline) the text itself; None: the task's set
    cutoff: int = 1
    bits: int = 0  # not 0: features are hashed to so many bits
    structure: str = "chain"
    labels: str | None = None  # "as-is", "iob2" or "bioes" inside the model; None: the task's
    constraints: Spec | None = None  # "none", a scheme, pairs or a rule; None: the task's
    label_column: str = "-1"
    kernel: Kernel = LINEAR  # on a token's features
    expand: bool = False  # the kernel written out as weighted conjunctions of features
    conjunction_cutoff: int = 1  # of those, drop the ones that fire less often
    settings: dict = field(default_factory=dict)  # of the learner


@dataclass
class Material:
    """What is learnt from."""

    gold: Gold
    source: Any  # Extractor, Given or Expansion: where the features come from
    features: Features
    weight: np.ndarray | None = None  # [S], how much each sequence counts
    base: np.ndarray | None = None  # [N, Y], scores from elsewhere
    base_edge: np.ndarray | None = None  # [Y, Y]
    facts: dict = field(default_factory=dict)  # about the data, for the model's header


Listener = Callable[[dict], None]


@dataclass
class Fit:
    """A trained tagger, and what only a later step of the same learner needs."""

    tagger: Tagger
    carry: Callable[[], dict] | None  # of an online learner: what going on with more data needs, rows not merged (learners/online.py)
    history: list[dict]


def fit(
    recipe: Recipe,
    material: Material,
    *,
    dev: "tuple[Features, Written, np.ndarray | None] | None" = None,
    start: Tagger | None = None,
    carry: dict | None = None,
    threads: int = 1,
    listen: Listener | None = None,
    keeper: Keeper | None = None,
    resume: bool = False,
) -> Fit:
    """Minimise F. dev: features, labels and base scores of development data, on which the best epoch is chosen."""
    refuse_kernel(recipe, start)
    task, gold = task_named(recipe.task), material.gold
    merged = start is None and not recipe.bits
    problem = pose(recipe, material, merged=merged, threads=threads)
    source, facts = material.source, material.facts
    learner = learner_named(recipe.learner, recipe.settings)
    judge = judge_of(task, problem, material, *dev, threads) if dev is not None else None
    watch = watcher(judge, task.metric, listen)
    state = keeper.load() if keeper and resume else None
    begin = np.concatenate([start.weights.node, start.weights.edge]).astype(np.float64) if start is not None else None
    if begin is not None and material.base_edge is not None and len(problem.linear(begin).edge):
        problem.linear(begin).edge[: len(gold.labels), : len(gold.labels)] -= material.base_edge
    result = learner.fit(problem, begin, watch, state=state, keep=keeper, carry=carry)
    linear, corpus, handed = problem.linear(result.w), problem.corpus, result.carry
    weights = Linear(*(np.ascontiguousarray(table, np.float32) for table in _expanded(linear, corpus, len(gold.labels))))
    support = None
    if isinstance(problem, KernelProblem):
        support, weights = support_of(problem, linear.node, material.features), weights._replace(node=weights.node[:0])
    if material.base_edge is not None and len(weights.edge):
        weights.edge[: len(gold.labels), : len(gold.labels)] += material.base_edge
    facts = {
        "widemargin": widemargin.__version__,
        "learner": dataclasses.asdict(learner),
        "objective": problem.objective.name,
        "cost": recipe.cost,
        "l1": problem.penalty.l1,
        "l2": problem.penalty.l2,
        **facts,
        "base": material.base is not None,
        "sentences": len(material.features.row_ptr) - 1,
        "tokens": int(material.features.row_ptr[-1]),
        "epoch": result.epoch,
        "stopped": result.why,
        "history": result.history,
    }
    name, legal = constraints_of(task, recipe, gold)
    tagger = Tagger(
        task=task,
        labels=gold.labels,
        scheme=gold.scheme,
        inside=gold.inside,
        label_column=recipe.label_column,
        constraints=name,
        structure_name=recipe.structure,
        extractor=source,
        weights=weights,
        legal=legal,
        facts=facts,
        support=support,
    )

    def carried() -> dict:
        found = handed()
        weights = {0, len(found["planes"]) - 1} if found["average"] else {0}  # the others are step sizes
        planes = [
            np.concatenate(_expanded(problem.linear(plane), corpus, len(gold.labels), shared=p in weights))
            for p, plane in enumerate(found["planes"])
        ]
        return found | {"planes": np.stack(planes)}

    return Fit(tagger, None if handed is None else carried, result.history)


def pose(recipe: Recipe, material: Material, *, merged: bool = True, threads: int = 1) -> Problem:
    """The problem that a learner is given."""
    gold, source, task = material.gold, material.source, task_named(recipe.task)
    if recipe.structure not in STRUCTURES:
        raise InputError(f"structure {recipe.structure!r} is not known; choose one of {', '.join(STRUCTURES)}")
    if len(gold.labels) < 2:
        raise InputError(f"the training data has one label only, 1 class ({gold.labels[0]}); there is nothing to decide")
    split = recipe.structure == "choice"
    if split and material.base_edge is not None and material.base_edge.any():
        raise InputError("structure choice has no transitions to add the base model's to; train the base model with structure=choice too")
    legal = constraints_of(task, recipe, gold)[1]
    structure = STRUCTURES[recipe.structure](len(gold.labels), legal, base=material.base_edge)
    if split and len(source.edges):
        raise InputError("templates with label[-1] need a chain; use --set structure=chain or drop them")
    nodes, edges = len(source.nodes), len(source.edges)
    weight = material.weight
    if weight is not None and split:
        weight = np.repeat(weight, np.diff(material.features.row_ptr))
    base = None if material.base is None else in_lanes(material.base, structure)
    more = {"weight": weight, "base": base, "worth": source.copies if isinstance(source, Expansion) else None}
    corpus = build_corpus(material.features, gold.codes, nodes=nodes, edges=edges, split=split, merged=merged, **more)
    objective = objective_named(recipe.objective or usual_objective(recipe.learner), structure)
    if legal is not None and getattr(objective.lower, "inside", False):
        refuse_illegal(legal, gold.labels, corpus.gold, corpus.token, gold.where)
    cost = parse_cost(recipe.cost, gold.labels)
    l2 = usual_l2(recipe.learner, corpus.rows) if recipe.l2 is None else recipe.l2
    problem = Problem(corpus, structure, cost, objective, Penalty(recipe.l1, l2), threads=threads)
    return kernelised(problem, recipe.kernel) if in_kernel(recipe) else problem


def in_kernel(recipe: Recipe) -> bool:
    """Are the weights sums over training tokens?"""
    return recipe.kernel.kind != "linear" and not recipe.expand


def refuse_kernel(recipe: Recipe, start: Tagger | None = None) -> None:
    """Most learners are linear in the features: for them a kernel must be written out. A kernel model is no start."""
    if in_kernel(recipe) and recipe.learner not in ("smo", "sgd"):
        raise InputError(
            f"{recipe.learner} needs weights of features; use smo or sgd, or write the kernel out as conjunctions: kernel=poly, expand=true"
        )
    if (in_kernel(recipe) and start is not None) or (start is not None and start.support is not None):
        raise InputError("a kernel model is trained from nothing, on all data at once, and is no start for another; drop --init")


def constraints_of(task: Task, recipe: Recipe, gold: Gold):
    """Name and masks of the legal sequences: those asked for, or the task's own."""
    spec = recipe.constraints
    if spec is None:
        spec = gold.inside if task.constrained and recipe.structure == "chain" else "none"
    return legal_of(spec, gold.labels)


def judge_of(task: Task, problem: Problem, material: Material, features: Features, written: Written, base, threads: int) -> "Judge":
    """Who scores weights on development data."""
    if isinstance(problem, KernelProblem):
        return KernelJudge(task, problem, material, features, written, base, threads)
    return Judge(task, problem, material.gold, features, written, base, threads)


class Judge:
    """Scores weights on development data; features are looked up once."""

    def __init__(self, task: Task, problem: Problem, gold: Gold, features: Features, written: Written, base, threads: int):
        self.task, self.written, self.threads, self.gold, self.problem = task, written, threads, gold, problem
        edge = problem.corpus.edge
        features = dataclasses.replace(features, edge_ind=edge.into[features.edge_ind] if len(features.edge_ind) else features.edge_ind)
        self.features = self._look_up(features)
        self.base = None if base is None else in_lanes(base, problem.structure)

    def _look_up(self, features: Features) -> Features:
        """Node features as the problem numbers them."""
        node = self.problem.corpus.node
        value = features.node_val if node.share is None else node.share[features.node_ind]
        return dataclasses.replace(features, node_ind=node.into[features.node_ind], node_val=value)

    def __call__(self, w: np.ndarray) -> dict:
        linear, base = self._scored(np.ascontiguousarray(w, np.float32))
        codes = decode_features(self.problem.structure, linear, self.features, base=base, threads=self.threads)
        return score_labels(self.task, self.written, *self.as_written(codes))[0]

    def _scored(self, w: np.ndarray) -> tuple[Linear, np.ndarray | None]:
        """Weights, and scores to add to theirs."""
        return self.problem.linear(w), self.base

    def as_written(self, codes: np.ndarray) -> tuple[np.ndarray, list[str]]:
        """The model's labels in the scheme of the data."""
        if self.gold.scheme == self.gold.inside:
            return codes, list(self.gold.labels)
        return schemes.convert(codes, list(self.gold.labels), self.written.row_ptr, self.gold.inside, self.gold.scheme, strict=False)


class KernelJudge(Judge):
    """The same for alpha in place of weights."""

    def __init__(self, task: Task, problem: KernelProblem, material: Material, features: Features, written: Written, base, threads: int):
        super().__init__(task, problem, material.gold, features, written, base, threads)
        self.kernelised, self.learnt = problem, material.features

    def _look_up(self, features: Features) -> Features:
        self.tokens = features
        return without_nodes(features)

    def _scored(self, w: np.ndarray) -> tuple[Linear, np.ndarray]:
        linear = self.problem.linear(w)
        own = support_of(self.kernelised, linear.node, self.learnt).scores(self.tokens, threads=self.threads)
        return linear, np.ascontiguousarray(own if self.base is None else own + self.base, np.float32)


def watcher(judge: Callable[[np.ndarray], dict] | None, metric: str, listen: Listener | None) -> Watch:
    """What looks at every epoch: scores its weights, where there is a judge, and tells the listener."""
    began = time.perf_counter()

    def watch(epoch: int, facts: dict, weigh: Weigh) -> float | None:
        score = None
        if judge is not None:
            metrics = judge(weigh())
            facts["dev"] = {name: round(value, 4) for name, value in metrics.items() if isinstance(value, float)}
            score = metrics[metric]
        if listen is not None:
            listen(facts | {"seconds": time.perf_counter() - began})
        return score

    return watch


def _expanded(rows: Linear, corpus: Corpus, labels: int, *, shared: bool = True) -> Linear:
    """Merged rows handed to each of their features; the shared transitions, the first Y rows of edges, were never merged."""
    node = rows.node[corpus.node.into] if len(corpus.node.into) else rows.node
    if shared and corpus.node.share is not None:
        node *= corpus.node.share[:, None]
    blocks = rows.edge.reshape(-1, labels, rows.edge.shape[1])
    edge = np.concatenate([blocks[:1], blocks[1:][corpus.edge.into]]) if len(corpus.edge.into) else blocks
    return Linear(node, edge.reshape(-1, rows.edge.shape[1]))
