"""Training a dependency parser: a treebank in, a Parser out."""

import dataclasses
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import widemargin
from widemargin.costs_arcs import parse_arc_cost
from widemargin.errors import InputError
from widemargin.features.arc_templates import load_arc_templates
from widemargin.features.arcs import ArcFeatures
from widemargin.kernels.conllu import lift_crossed
from widemargin.kernels.score import Linear
from widemargin.learners import learner_named, usual_l2, usual_objective
from widemargin.metrics.dependencies import dependency_scores
from widemargin.objectives import objective_named
from widemargin.penalty import Penalty
from widemargin.problem_arcs import ArcCorpus, ArcProblem
from widemargin.readers.conllu import Treebank
from widemargin.structures.trees import TREES

from .checkpoints import Keeper
from .fitting import Listener, watcher
from .parser import Parser, parse_corpus

METRIC = "las"
FIRST_ORDER = ("cutting-plane", "bcfw", "ocp", "smd")


@dataclass(frozen=True)
class TreeRecipe:
    """What to train and how; everything that decides the model's bytes."""

    learner: str = "mira"
    objective: str | None = None  # None: the learner's usual one
    cost: str = "hamming"
    l1: float = 0.0
    l2: float | None = None  # None: the learner's usual one
    templates: str | None = None  # a named set, a file, or (with a newline) the text itself; None: arcs, for siblings arcs-siblings
    structure: str = "eisner"  # eisner, siblings, arborescence or heads
    single_root: bool = True
    labelled: bool = True  # relations too, or heads alone
    bits: int = 20  # 2^bits weights of pairs of words
    label_bits: int = 16  # 2^label_bits rows of relations
    settings: dict = field(default_factory=dict)  # of the learner


@dataclass
class TreeFit:
    """A trained parser and what a later fit goes on from."""

    parser: Parser
    history: list[dict]


def train_parser(
    recipe: TreeRecipe,
    treebank: Treebank,
    *,
    dev: Treebank | None = None,
    start: Parser | None = None,
    weight: np.ndarray | None = None,
    threads: int = 1,
    listen: Listener | None = None,
    notice: Callable[[str], None] | None = None,
    checkpoint: str | None = None,
    every: float = 30.0,
    resume: bool = False,
) -> Parser:
    """Fit a parser; with dev trees the best epoch is kept. listen, notice, checkpoint, every, resume: as in training.train."""
    refuse(recipe)
    problem, features = pose_trees(recipe, treebank, start=start, weight=weight, threads=threads)
    learner = learner_named(recipe.learner, recipe.settings)
    if notice is not None and (lost := len(treebank.row_ptr) - 1 - problem.corpus.rows):
        notice(f"{lost} sentences with several roots are left out; --set single_root=no keeps them")
    judge = TreeJudge(problem, features, dev, threads) if dev is not None else None
    keeper = Keeper(checkpoint, _mark(recipe, treebank, dev, start), every) if checkpoint else None
    state = keeper.load() if keeper and resume else None
    begin = None
    if start is not None:
        begin = np.concatenate([table.reshape(-1, problem.width) for table in start.weights]).astype(np.float64)
    result = learner.fit(problem, begin, watcher(judge, METRIC if problem.labels else "uas", listen), state=state, keep=keeper)
    facts = {
        "widemargin": widemargin.__version__,
        "learner": dataclasses.asdict(learner),
        "objective": problem.objective.name,
        "cost": recipe.cost,
        "l1": problem.penalty.l1,
        "l2": problem.penalty.l2,
        "format": treebank.format,
        "sentences": len(treebank.row_ptr) - 1,
        "tokens": len(treebank),
        "epoch": result.epoch,
        "stopped": result.why,
        "history": result.history,
    }
    weights = Linear(*(np.ascontiguousarray(table, np.float32) for table in problem.linear(result.w)))
    relations = problem.cost.relations
    return Parser(relations, recipe.structure, recipe.single_root, features, weights, facts)


def refuse(recipe: TreeRecipe) -> None:
    """What only labels at tokens have; smo refuses trees itself."""
    if "kernel" in recipe.settings:
        raise InputError("kernels are on features of tokens, and trees have features of arcs; leave kernel out")
    if recipe.structure == "siblings" and recipe.learner in FIRST_ORDER:
        raise InputError(f"{recipe.learner} knows parts of one arc alone; with structure=siblings use mira, ops, sgd or another learner")


def pose_trees(
    recipe: TreeRecipe, treebank: Treebank, *, start: Parser | None = None, weight: np.ndarray | None = None, threads: int = 1
) -> tuple[ArcProblem, ArcFeatures]:
    """The problem that a learner is given."""
    if recipe.structure not in TREES:
        raise InputError(f"structure {recipe.structure!r} is not known; choose one of {', '.join(TREES)}")
    if start is not None:
        features, relations = start.features, start.relations
    else:
        templates = load_arc_templates(recipe.templates or ("arcs-siblings" if recipe.structure == "siblings" else "arcs"))
        if not recipe.labelled:
            templates = tuple(template for template in templates if not template.label)
        features = ArcFeatures(templates, bits=recipe.bits, label_bits=recipe.label_bits).fit(treebank.columns)
        relations = treebank.relations if any(template.label for template in templates) else ()
    refuse_other_order(recipe.structure, features)
    corpus = corpus_of(treebank, features, relations, weight)
    root = {} if recipe.structure == "heads" else {"single_root": recipe.single_root}
    structure = TREES[recipe.structure](len(relations), **root)
    objective = objective_named(recipe.objective or usual_objective(recipe.learner), structure)
    if getattr(objective.lower, "inside", False):
        corpus = within(recipe, corpus, treebank)
    l2 = usual_l2(recipe.learner, corpus.rows) if recipe.l2 is None else recipe.l2
    cost = parse_arc_cost(recipe.cost, relations)
    return ArcProblem(corpus, structure, cost, objective, Penalty(recipe.l1, l2), threads=threads), features


def refuse_other_order(structure: str, features: ArcFeatures) -> None:
    """Templates of siblings are for the structure that has siblings, and it needs some."""
    if features.siblings and structure != "siblings":
        raise InputError(f"templates with sib. are not for {structure}, which scores arcs alone; use structure=siblings or leave them out")
    if structure == "siblings" and not features.siblings:
        raise InputError("structure=siblings needs templates of siblings; use the set arcs-siblings or add one, e.g. sib.xpos mod.xpos")


def corpus_of(treebank: Treebank, features: ArcFeatures, relations: tuple[str, ...], weight=None) -> ArcCorpus:
    """Sentences with gold trees; relations that are not in the list are unknown."""
    place = {name: r for r, name in enumerate(relations)}
    code = np.array([*(place.get(name, -1) for name in treebank.relations), -1], np.int32)
    gold = np.stack([treebank.heads, code[treebank.relation]], axis=1).astype(np.int32)
    weight = np.ones(len(treebank.row_ptr) - 1) if weight is None else np.asarray(weight, float)
    return ArcCorpus(treebank.row_ptr, gold, weight, features.transform(treebank.columns), features)


def within(recipe: TreeRecipe, corpus: ArcCorpus, treebank: Treebank) -> ArcCorpus:
    """Gold trees that the structure has: if projective, arcs that cross others are lifted. Several roots cannot be mended."""
    if recipe.structure in ("eisner", "siblings"):
        heads = np.ascontiguousarray(corpus.gold[:, 0])
        lift_crossed(heads, corpus.token)
        corpus = dataclasses.replace(corpus, gold=np.stack([heads, corpus.gold[:, 1]], axis=1))
    if recipe.structure == "heads" or not recipe.single_root:
        return corpus
    keep = np.add.reduceat((corpus.gold[:, 0] == 0).astype(np.int64), corpus.token[:-1]) <= 1
    if not keep.any():
        raise InputError("every sentence has several roots; use single_root=false", treebank.source)
    return corpus if keep.all() else corpus.part(np.flatnonzero(keep))


class TreeJudge:
    """Scores weights on development trees; words are hashed once."""

    def __init__(self, problem: ArcProblem, features: ArcFeatures, dev: Treebank, threads: int):
        self.problem, self.dev, self.threads = problem, dev, threads
        self.corpus = corpus_of(dev, features, problem.cost.relations)

    def __call__(self, w: np.ndarray) -> dict:
        weights = Linear(*(np.ascontiguousarray(table, np.float32) for table in self.problem.linear(w)))
        guess, dev = parse_corpus(self.problem.structure, weights, self.corpus, threads=self.threads), self.dev
        names = self.problem.cost.relations
        return dependency_scores(dev.heads, guess.heads, dev.relation, guess.relation, dev.relations, names, dev.row_ptr).as_dict()


def _mark(recipe: TreeRecipe, treebank: Treebank, dev: Treebank | None, start: Parser | None) -> str:
    """A digest of everything that decides the outcome."""
    digest = hashlib.sha256(json.dumps(dataclasses.asdict(recipe), sort_keys=True, default=repr).encode())
    for part in (treebank, dev):
        if part is not None:
            digest.update(bytes(part.columns.text))
    if start is not None:
        digest.update(np.ascontiguousarray(start.weights.node).tobytes())
    return digest.hexdigest()
