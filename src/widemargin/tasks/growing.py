"""Going on with a model on new data: new features and new labels get weights of 0 and the first step size, all others keep theirs."""

import numpy as np

from widemargin.features.extractor import Features
from widemargin.features.growing import grown as more_features
from widemargin.kernels.lanes import WIDTH, lanes_for
from widemargin.kernels.score import Linear
from widemargin.learners import learner_named

from .base import task_named
from .fitting import Recipe, constraints_of
from .gold import Gold, Written, as_model_labels, with_labels
from .tagger import Data, Tagger


def untrained(recipe: Recipe, gold: Gold, source) -> Tagger:
    """A model without weights, to start from."""
    task, Y = task_named(recipe.task), len(gold.labels)
    L = WIDTH * len(lanes_for(Y))
    edges = 0 if recipe.structure == "choice" else (1 + len(source.edges)) * Y
    weights = Linear(np.zeros((len(source.nodes), L), np.float32), np.zeros((edges, L), np.float32))
    name, legal = constraints_of(task, recipe, gold)
    return Tagger(task, gold.labels, gold.scheme, gold.inside, recipe.label_column, name, recipe.structure, source, weights, legal=legal)


def grown(
    tagger: Tagger, pace: np.ndarray | None, recipe: Recipe, data: Data, written: Written, scheme: str
) -> tuple[Tagger, np.ndarray | None, Gold, Features]:
    """The model with room for what is new in the data, its step sizes likewise, and the data's labels and features in its numbers."""
    gold = as_model_labels(written, scheme, asked=True)
    labels = tagger.labels + tuple(label for label in gold.labels if label not in tagger.labels)
    gold = with_labels(gold, labels)
    source, features = more_features(tagger.extractor, data)
    start = untrained(recipe, gold, source)
    old, Y = len(tagger.labels), len(labels)
    _copy(tagger.weights, start.weights, old, Y)
    if pace is None:
        return start, None, gold, features
    learner = learner_named(recipe.learner, recipe.settings)
    first = learner.rate / np.sqrt(learner.initial) if learner.name == "ops" else learner.rate
    paces = Linear(*(np.full(table.shape, first, pace.dtype) for table in start.weights))
    nodes = len(tagger.weights.node)
    _copy(Linear(pace[:nodes], pace[nodes:]), paces, old, Y)
    return start, np.concatenate(paces), gold, features


def _copy(old: Linear, new: Linear, before: int, labels: int) -> None:
    """Old rows into new tables; an edge feature has a row for each previous label."""
    new.node[: len(old.node), :before] = old.node[:, :before]
    if len(new.edge):
        blocks = old.edge.reshape(-1, before, old.edge.shape[1])
        new.edge.reshape(-1, labels, new.edge.shape[1])[: len(blocks), :before, :before] = blocks[:, :, :before]
