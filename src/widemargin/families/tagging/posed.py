"""Gold labels and features as a problem of learning, wherever they come from; what its weights decide, and the tagger that they become."""

import dataclasses
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from widemargin.errors import InputError
from widemargin.families.recipes import Recipe
from widemargin.families.tagging import schemes
from widemargin.families.tagging.constraints import legal_of, refuse_illegal
from widemargin.families.tagging.costs import OUTSIDE, parse_cost
from widemargin.families.tagging.decoding import decode_features, in_lanes
from widemargin.families.tagging.gold import Gold, Written, written_in
from widemargin.families.tagging.model import Tagger
from widemargin.families.tagging.scores import LabelScores
from widemargin.families.tagging.tasks import Task, task_named
from widemargin.features.expansion import Expansion
from widemargin.learners.base import Planes, refuse_kernel
from widemargin.scoring.corpus import Corpus, build_corpus
from widemargin.scoring.kernels import LINEAR, Kernel
from widemargin.scoring.kernels.problem import KernelProblem, kernelised
from widemargin.scoring.kernels.support_tokens import support_of, without_nodes
from widemargin.scoring.score import Linear
from widemargin.scoring.token_features import Features
from widemargin.scoring.token_problem import TokenProblem
from widemargin.structures import STRUCTURES


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
    remarks: tuple[str, ...] = ()  # about the data, for people


@dataclass(frozen=True)
class HeldLabels:
    """Labelled data to be scored on: features as the problem numbers them, gold labels, base scores in whole lanes [N, L]."""

    features: Features
    written: Written
    base: np.ndarray | None
    tokens: Features | None = None  # for a kernel: features of tokens, which the problem does not number


def kernel_of(recipe: Recipe) -> Kernel:
    """The kernel on a token's features."""
    return recipe.option("kernel") or LINEAR


def in_kernel(recipe: Recipe) -> bool:
    """Are the weights sums over training tokens?"""
    return kernel_of(recipe).kind != "linear" and not recipe.option("expand")


def check_kernel(recipe: Recipe, start: Tagger | None = None) -> None:
    """Most learners are linear in the features: for them a kernel must be written out. A kernel model is no start."""
    refuse_kernel(recipe.learner, kernel_of(recipe) if in_kernel(recipe) else None)
    if (in_kernel(recipe) and start is not None) or (start is not None and start.support is not None):
        raise InputError("a kernel model cannot go on from another model, nor another from it; drop --init")


def constraints_of(task: Task, recipe: Recipe, gold: Gold):
    """Name and masks of the legal sequences: those asked for, or the task's own."""
    spec = recipe.option("constraints")
    if spec is None:
        spec = gold.inside if task.constrained and not STRUCTURES[recipe.structure].splits_rows else "none"
    return legal_of(spec, gold.labels)


def pose(recipe: Recipe, material: Material, *, start: Tagger | None = None, threads: int = 1) -> "PosedLabels":
    """The problem that a learner is given. start: the model whose weights it begins with, so that no rows are merged."""
    check_kernel(recipe, start)
    gold, source, task = material.gold, material.source, task_named(recipe.task)
    if len(gold.labels) < 2:
        raise InputError(f"the training data has one label only, 1 class ({gold.labels[0]}); there is nothing to decide")
    split = STRUCTURES[recipe.structure].splits_rows
    if split and material.base_edge is not None and material.base_edge.any():
        raise InputError("structure choice has no transitions to add the base model's to; train the base model with structure=choice too")
    legal = constraints_of(task, recipe, gold)[1]
    structure = STRUCTURES[recipe.structure](len(gold.labels), legal, base=material.base_edge)
    if split and len(source.edges):
        raise InputError("templates with label[-1] need a chain; use --set structure=chain or drop them")
    weight = material.weight
    if weight is not None and split:
        weight = np.repeat(weight, np.diff(material.features.row_ptr))
    base = None if material.base is None else in_lanes(material.base, structure)
    more: dict[str, Any] = {"weight": weight, "worth": source.copies if isinstance(source, Expansion) else None}
    more |= {"nodes": len(source.nodes), "edges": len(source.edges), "merged": start is None and not recipe.option("hash_bits")}
    corpus = dataclasses.replace(build_corpus(material.features, gold.codes, split=split, **more), base=base)
    return PosedLabels(recipe, material, _problem(recipe, corpus, structure, gold, threads))


def _problem(recipe: Recipe, corpus: Corpus, structure: Any, gold: Gold, threads: int) -> TokenProblem:
    objective, penalty = recipe.aim(structure, corpus.rows)
    legal = constraints_of(task_named(recipe.task), recipe, gold)[1]
    if legal is not None and getattr(objective.lower, "inside", False):
        refuse_illegal(legal, gold.labels, corpus.gold, corpus.token, gold.where)
    cost = parse_cost(recipe.cost, gold.labels)
    problem = TokenProblem(corpus, structure, cost, objective, penalty, threads=threads)
    return kernelised(problem, kernel_of(recipe)) if in_kernel(recipe) else problem


class PosedLabels:
    """A problem over labels at tokens (families.base.Posed)."""

    def __init__(self, recipe: Recipe, material: Material, problem: TokenProblem):
        self.recipe, self.material, self.problem = recipe, material, problem
        self.task = task_named(recipe.task)
        self.metric = self.task.metric
        gold, features = material.gold, material.features
        self.remarks = material.remarks + ((gold.remark,) if gold.remark else ())
        counts = {"sentences": len(features.row_ptr) - 1, "tokens": int(features.row_ptr[-1])}
        self.facts = material.facts | {"base": material.base is not None} | counts

    @property
    def features(self) -> int:
        return len(self.material.source.nodes) + len(self.material.source.edges)

    def again(self, recipe: Recipe) -> "PosedLabels":
        problem = self.problem
        return PosedLabels(recipe, self.material, _problem(recipe, problem.corpus, problem.structure, self.material.gold, problem.threads))

    # ---- weights decide ---------------------------------------------------------------------------------------------------------

    def begin(self, start: Tagger) -> np.ndarray:
        w, Y = np.concatenate([start.weights.labels, start.weights.transitions]).astype(np.float64), len(self.material.gold.labels)
        edge = self.problem.linear(w).transitions
        if self.material.base_edge is not None and len(edge):
            edge[:Y, :Y] -= self.material.base_edge
        return w

    def hold(self, data: Any, *, base: Tagger | None = None) -> HeldLabels:
        threads = self.problem.threads
        scores = None if base is None else base.part_scores(data, labels=self.material.gold.labels, threads=threads)[0]
        features = self.material.source.transform(data, threads=threads)
        return self.hold_features(features, written_in(data, self.recipe.option("label_column")), scores)

    def hold_features(self, features: Features, written: Written, base: np.ndarray | None = None) -> HeldLabels:
        """The same from features, labels and base scores [N, Y]."""
        node, edge = self.problem.corpus.node, self.problem.corpus.edge
        lanes = None if base is None else in_lanes(base, self.problem.structure)
        looked = dataclasses.replace(features, edge_ind=edge.into[features.edge_ind] if len(features.edge_ind) else features.edge_ind)
        if isinstance(self.problem, KernelProblem):
            return HeldLabels(without_nodes(looked), written, lanes, looked)
        value = features.node_val if node.share is None else node.share[features.node_ind]
        return HeldLabels(dataclasses.replace(looked, node_ind=node.into[features.node_ind], node_val=value), written, lanes)

    def decode(self, w: np.ndarray, held: HeldLabels, *, bias: float = 0.0) -> tuple[np.ndarray, list[str]]:
        """Labels as (codes, values) in the scheme of the data; bias is added to the score of every label but O."""
        linear, gold, structure = self.problem.linear(np.ascontiguousarray(w, np.float32)), self.material.gold, self.problem.structure
        extra = [] if held.base is None else [held.base]
        if held.tokens is not None:
            assert isinstance(self.problem, KernelProblem)
            support = support_of(self.problem, linear.labels, self.material.features)
            extra.append(support.scores(held.tokens, threads=self.problem.threads))
        if bias:
            extra.append(in_lanes(biased(int(held.features.row_ptr[-1]), gold.labels, bias), structure))
        base = None if not extra else np.ascontiguousarray(sum(extra), np.float32)
        codes = decode_features(structure, linear, held.features, base=base, threads=self.problem.threads)
        if gold.scheme == gold.inside:
            return codes, list(gold.labels)
        return schemes.convert(codes, list(gold.labels), held.written.row_ptr, gold.inside, gold.scheme, strict=False)

    def scores(self, found: tuple[np.ndarray, list[str]], held: HeldLabels) -> LabelScores:
        return LabelScores(self.task, held.written, *found)

    # ---- weights become a model -------------------------------------------------------------------------------------------------

    def finish(self, w: np.ndarray, facts: dict) -> Tagger:
        material, problem, recipe = self.material, self.problem, self.recipe
        gold, linear, Y = material.gold, problem.linear(w), len(material.gold.labels)
        weights = Linear(*(np.ascontiguousarray(table, np.float32) for table in _expanded(linear, problem.corpus, Y)))
        support = None
        if isinstance(problem, KernelProblem):
            support, weights = support_of(problem, linear.labels, material.features), weights._replace(labels=weights.labels[:0])
        if material.base_edge is not None and len(weights.transitions):
            weights.transitions[:Y, :Y] += material.base_edge
        name, legal = constraints_of(self.task, recipe, gold)
        return Tagger(
            task=self.task,
            labels=gold.labels,
            scheme=gold.scheme,
            inside=gold.inside,
            label_column=recipe.option("label_column"),
            constraints=name,
            structure_name=recipe.structure,
            extractor=material.source,
            weights=weights,
            legal=legal,
            facts=facts,
            support=support,
        )

    def carried(self, handed: dict) -> dict:
        planes, nodes, Y = handed["planes"], self.problem.specs[0].rows, len(self.material.gold.labels)
        weights = {0, len(planes) - 1} if handed["average"] else {0}  # the others are step sizes
        node, edge = self.problem.corpus.node, self.problem.corpus.edge
        into, share, edge_into = node.into, node.share, edge.into  # not the corpus, which is large

        def made(p: int) -> np.ndarray:
            plane = planes[p]
            return np.concatenate(_spread(Linear(plane[:nodes], plane[nodes:]), into, share if p in weights else None, edge_into, Y))

        return handed | {"planes": Planes(len(planes), made)}


def biased(tokens: int, labels: tuple[str, ...], bias: float) -> np.ndarray:
    """Base scores [N, Y] that give every label but O the score `bias`."""
    if OUTSIDE not in labels:
        raise InputError(f"a decoding bias needs a label O, and the labels are {', '.join(labels)}")
    return np.tile(np.where(np.array(labels) == OUTSIDE, 0.0, bias), (tokens, 1))


def _expanded(rows: Linear, corpus: Corpus, labels: int) -> Linear:
    """Merged rows handed to each of their features."""
    return _spread(rows, corpus.node.into, corpus.node.share, corpus.edge.into, labels)


def _spread(rows: Linear, into: np.ndarray, share: np.ndarray | None, edge_into: np.ndarray, labels: int) -> Linear:
    """The same; share: of the row's weight. The shared transitions, the first Y rows of edges, were never merged."""
    node = rows.labels[into] if len(into) else rows.labels
    if share is not None:
        node *= share[:, None]
    blocks = rows.transitions.reshape(-1, labels, rows.transitions.shape[1])
    edge = np.concatenate([blocks[:1], blocks[1:][edge_into]]) if len(edge_into) else blocks
    return Linear(node, edge.reshape(-1, rows.transitions.shape[1]))
