"""Training a tagger: columns in, a Tagger out. Everything that it wires has a name of its own elsewhere."""

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import widemargin
from widemargin.corpus import UNKNOWN, Corpus, build_corpus
from widemargin.costs import parse_cost
from widemargin.errors import InputError
from widemargin.features.extractor import Extractor, Features
from widemargin.features.named import load_templates
from widemargin.features.templates import parse_templates
from widemargin.kernels.score import Linear
from widemargin.learners import Weigh, learner_named, usual_l2, usual_objective
from widemargin.objectives import objective_named
from widemargin.penalty import Penalty
from widemargin.problem import Problem
from widemargin.readers import schemes
from widemargin.readers.columns import Columns
from widemargin.structures import STRUCTURES, Legal

from .base import Task, task_named
from .checkpoints import Keeper, fingerprint
from .tagger import Tagger, decode_features, score_codes

HIDDEN = "?"  # a label that is not known: latent under every objective


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
    structure: str = "chain"
    labels: str | None = None  # "as-is", "iob2" or "bioes" inside the model; None: the task's
    constraints: str | None = None  # "none", or a scheme; None: the task's
    label_column: str = "-1"
    settings: dict = field(default_factory=dict)  # of the learner


@dataclass(frozen=True)
class Gold:
    """Gold labels as the model sees them."""

    codes: np.ndarray  # int32 [N]
    labels: tuple[str, ...]
    scheme: str  # of the file, "" when kept as it is
    inside: str
    remark: str = ""  # about tags that are not legal in the file's scheme


Listener = Callable[[dict], None]


def train(
    recipe: Recipe,
    columns: Columns,
    *,
    dev: Columns | None = None,
    start: Tagger | None = None,
    threads: int = 1,
    listen: Listener | None = None,
    notice: Callable[[str], None] | None = None,
    checkpoint: str | None = None,
    every: float = 30.0,
    resume: bool = False,
) -> Tagger:
    """Fit a tagger on columns; with dev columns the best epoch is kept. `listen` gets one dict per epoch, `notice` remarks in words.

    checkpoint: a file to which the whole state goes at most every `every` seconds, so that `resume` continues to the same bytes; it is
    left there until the caller, having saved the model, forgets it (checkpoints.forget).
    """
    task = task_named(recipe.task)
    gold = read_gold(task, recipe, columns, start)
    if gold.remark and notice is not None:
        notice(gold.remark)
    extractor, features = extract(task, recipe, columns, start)
    problem = pose(task, recipe, gold, extractor, features, merged=start is None, threads=threads)
    del features  # merged rows are what is learnt from
    learner = learner_named(recipe.learner, recipe.settings)
    judge = Judge(task, recipe, problem, extractor, gold, dev, threads) if dev is not None else None
    began = time.perf_counter()

    def watch(epoch: int, facts: dict, weigh: Weigh) -> float | None:
        score = None
        if judge is not None:
            metrics = judge(weigh())
            facts["dev"] = {name: round(value, 4) for name, value in metrics.items() if isinstance(value, float)}
            score = metrics[task.metric]
        if listen is not None:
            listen(facts | {"seconds": time.perf_counter() - began})
        return score

    keeper = Keeper(checkpoint, fingerprint(dataclasses.asdict(recipe), columns, dev, start), every) if checkpoint else None
    state = keeper.load() if keeper and resume else None
    begin = _start_weights(problem, start) if start is not None else None
    result = learner.fit(problem, begin, watch, state=state, keep=keeper)
    linear = problem.linear(result.w)
    corpus = problem.corpus
    weights = Linear(_expanded(linear.node, corpus.node.into, 1, 0), _expanded(linear.edge, corpus.edge.into, len(gold.labels), 1))
    facts = {
        "widemargin": widemargin.__version__,
        "learner": dataclasses.asdict(learner),
        "objective": problem.objective.name,
        "cost": recipe.cost,
        "l1": problem.penalty.l1,
        "l2": problem.penalty.l2,
        "columns": list(columns.names),
        "sentences": len(columns.row_ptr) - 1,
        "tokens": int(columns.row_ptr[-1]),
        "epoch": result.epoch,
        "stopped": result.why,
        "history": result.history,
    }
    return _tagger(task, recipe, gold, extractor, weights, facts)


def read_gold(task: Task, recipe: Recipe, columns: Columns, start: Tagger | None = None) -> Gold:
    """Labels of the label column, converted to the model's scheme; `?` becomes unknown. A model to start from keeps its labels."""
    gold = _as_model_labels(task, recipe, columns)
    if start is None:
        return gold
    unknown = sorted(set(gold.labels) - set(start.labels))
    if unknown:
        raise InputError(f"--init does not know the label {unknown[0]}; its labels are {', '.join(start.labels)}")
    lookup = np.array([start.labels.index(label) for label in gold.labels] + [UNKNOWN], np.int32)
    return Gold(lookup[gold.codes], start.labels, gold.scheme, gold.inside, gold.remark)


def _as_model_labels(task: Task, recipe: Recipe, columns: Columns) -> Gold:
    at = columns.column(_column_key(recipe.label_column))
    codes, values = columns.codes[at].astype(np.int32), list(columns.values[at])
    wanted = recipe.labels or task.labels
    if HIDDEN in values:
        hidden = values.index(HIDDEN)
        order = [v for v in values if v != HIDDEN]
        lookup = np.array([UNKNOWN if v == HIDDEN else order.index(v) for v in values], np.int32)
        if not order:
            raise InputError("every label is ?; some must be known", columns.where(0))
        if wanted not in ("as-is",) and recipe.labels is not None:
            raise InputError(
                f"labels cannot be converted to {wanted} while some are ?; use --set labels=as-is",
                columns.where(int(np.argmax(codes == hidden))),
            )
        return Gold(lookup[codes], tuple(order), "", "")
    if wanted == "as-is":
        return Gold(codes, tuple(values), "", "")
    scheme = schemes.detect(values, codes, columns.row_ptr)
    inside = schemes.scheme_name(wanted)
    illegal = schemes.first_illegal(codes, values, columns.row_ptr, scheme)
    remark = f"{columns.where(illegal[0])}: {illegal[1]}; such tags are read as conlleval reads them" if illegal else ""
    codes, values = schemes.convert(codes, values, columns.row_ptr, scheme, inside, where=columns.where, strict=False)
    return Gold(np.asarray(codes, np.int32), tuple(values), scheme, inside, remark)


def extract(task: Task, recipe: Recipe, columns: Columns, start: Tagger | None) -> tuple[Extractor, Features]:
    """Templates and the features of the training file."""
    label = columns.column(_column_key(recipe.label_column))
    names = [name for i, name in enumerate(columns.names) if i != label]
    if start is not None:
        return start.extractor, start.extractor.transform(columns)
    chosen = recipe.templates or task.templates
    templates = parse_templates(chosen, columns=names) if "\n" in chosen else load_templates(chosen, columns=names)
    extractor = Extractor(templates, cutoff=recipe.cutoff)
    return extractor, extractor.fit(columns)


def pose(
    task: Task, recipe: Recipe, gold: Gold, extractor: Extractor, features: Features, *, merged: bool = True, threads: int = 1
) -> Problem:
    """The problem that a learner is given."""
    if recipe.structure not in STRUCTURES:
        raise InputError(f"structure {recipe.structure!r} is not known; choose one of {', '.join(STRUCTURES)}")
    if len(gold.labels) < 2:
        raise InputError(f"the training data has one label only ({gold.labels[0]}); there is nothing to decide")
    constraints = constraints_of(task, recipe, gold)
    legal = Legal(*schemes.legal(list(gold.labels), constraints)) if constraints else None
    structure = STRUCTURES[recipe.structure](len(gold.labels), legal)
    split = recipe.structure == "choice"
    if split and len(extractor.edges):
        raise InputError("templates with label[-1] need a chain; use --set structure=chain or drop them")
    nodes, edges = len(extractor.nodes), len(extractor.edges)
    corpus: Corpus = build_corpus(features, gold.codes, nodes=nodes, edges=edges, split=split, merged=merged)
    objective = objective_named(recipe.objective or usual_objective(recipe.learner), structure)
    cost = parse_cost(recipe.cost, gold.labels)
    l2 = usual_l2(recipe.learner, corpus.rows) if recipe.l2 is None else recipe.l2
    return Problem(corpus, structure, cost, objective, Penalty(recipe.l1, l2), threads=threads)


def constraints_of(task: Task, recipe: Recipe, gold: Gold) -> str:
    """The scheme whose legal sequences alone are considered, or ""."""
    if recipe.constraints is not None:
        return "" if recipe.constraints == "none" else schemes.scheme_name(recipe.constraints)
    return gold.inside if task.constrained and recipe.structure == "chain" else ""


class Judge:
    """Scores weights on development columns; features are looked up once."""

    def __init__(self, task, recipe, problem: Problem, extractor: Extractor, gold: Gold, dev: Columns, threads: int):
        self.task, self.dev, self.threads, self.gold, self.problem = task, dev, threads, gold, problem
        self.label_column = _column_key(recipe.label_column)
        found, corpus = extractor.transform(dev, threads=threads), problem.corpus
        edge_ind = corpus.edge.into[found.edge_ind] if len(found.edge_ind) else found.edge_ind
        self.features = dataclasses.replace(found, node_ind=corpus.node.into[found.node_ind], edge_ind=edge_ind)

    def __call__(self, w: np.ndarray) -> dict:
        linear = self.problem.linear(np.ascontiguousarray(w, np.float32))
        codes = decode_features(self.problem.structure, linear, self.features, threads=self.threads)
        return score_codes(self.task, self.dev, self.label_column, *self.as_written(codes))[0]

    def as_written(self, codes: np.ndarray) -> tuple[np.ndarray, list[str]]:
        """The model's labels in the scheme of the file."""
        if self.gold.scheme == self.gold.inside:
            return codes, list(self.gold.labels)
        return schemes.convert(codes, list(self.gold.labels), self.dev.row_ptr, self.gold.inside, self.gold.scheme, strict=False)


def _column_key(name: str):
    return int(name) if name.lstrip("-").isdigit() else name


def _expanded(table: np.ndarray, into: np.ndarray, height: int, first: int) -> np.ndarray:
    """Per-feature weights float32: merged rows handed to each of their features, after `first` rows that were never merged."""
    blocks = np.ascontiguousarray(table, np.float32).reshape(-1, height, table.shape[1])
    out = np.concatenate([blocks[:first], blocks[first:][into]]) if len(into) else blocks
    return np.ascontiguousarray(out.reshape(-1, table.shape[1]))


def _start_weights(problem: Problem, start: Tagger) -> np.ndarray:
    """Another model's weights as this problem's rows."""
    return np.concatenate([start.weights.node, start.weights.edge]).astype(np.float64)


def _tagger(task, recipe, gold, extractor, weights, facts) -> Tagger:
    return Tagger(
        task=task,
        labels=gold.labels,
        scheme=gold.scheme,
        inside=gold.inside,
        label_column=recipe.label_column,
        constraints=constraints_of(task, recipe, gold),
        structure_name=recipe.structure,
        extractor=extractor,
        weights=weights,
        facts=facts,
    )
