"""Going on with a model on new data: new features and new labels begin as they would have at first, all others keep what they have."""

import numpy as np

from widemargin.errors import InputError
from widemargin.features.expansion import plain
from widemargin.features.extractor import Features
from widemargin.features.given import Given
from widemargin.features.growing import grown as more_features
from widemargin.kernels.lanes import WIDTH, lanes_for
from widemargin.kernels.rules import PACE
from widemargin.kernels.score import Linear
from widemargin.learners import learner_named
from widemargin.readers import schemes
from widemargin.readers.items import Items

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


def grown(tagger: Tagger, carry: dict | None, recipe: Recipe, data: Data, written: Written) -> tuple[Tagger, dict | None, Gold, Features]:
    """The model with room for what is new in the data, what its learner carries on likewise, and the data's labels and features in its
    numbers. What another kind of learner has left behind is of no use."""
    _check_same(tagger, recipe, data)
    gold = as_model_labels(written, recipe.labels or "as-is", asked=True, scheme=tagger.scheme or None)
    labels = tagger.labels + tuple(label for label in gold.labels if label not in tagger.labels)
    gold = with_labels(gold, labels)
    source, features = more_features(tagger.extractor, data)
    start = untrained(recipe, gold, source)
    _copy(tagger.weights, start.weights, len(tagger.labels), len(labels))
    learner = learner_named(recipe.learner, recipe.settings)
    if carry is None or any(carry[name] != value for name, value in learner.kind.items()):
        return start, None, gold, features
    learner = learner.going_on(carry)
    nodes, planes = len(tagger.weights.node), []
    for p, plane in enumerate(carry["planes"]):
        first = learner.first_pace if p == PACE and learner.adaptive else 0.0
        more = Linear(*(np.full(table.shape, first, plane.dtype) for table in start.weights))
        _copy(Linear(plane[:nodes], plane[nodes:]), more, len(tagger.labels), len(labels))
        planes.append(np.concatenate(more))
    return start, carry | {"planes": np.stack(planes)}, gold, features


def _check_same(tagger: Tagger, recipe: Recipe, data: Data) -> None:
    """Going on must mean the same thing."""
    if tagger.support is not None:
        raise InputError("a kernel model cannot go on with more data; fit a new one on all of it, or write the kernel out (expand=true)")
    if isinstance(data, Items) != isinstance(plain(tagger.extractor), Given):
        raise InputError(f"the model was trained on sequences of {tagger.takes}; give such sequences")
    if recipe.structure != tagger.structure_name:
        raise InputError(f"the model is a {tagger.structure_name} and cannot go on as a {recipe.structure}; fit a new one")
    inside = schemes.scheme_name(recipe.labels) if recipe.labels not in (None, "as-is") else ""
    if inside != tagger.inside:
        raise InputError(f"the model's labels are {tagger.inside or 'as-is'} and cannot go on as {inside or 'as-is'}; fit a new one")


def _copy(old: Linear, new: Linear, before: int, labels: int) -> None:
    """Old rows into new tables; an edge feature has a row for each previous label."""
    new.node[: len(old.node), :before] = old.node[:, :before]
    if len(new.edge):
        blocks = old.edge.reshape(-1, before, old.edge.shape[1])
        new.edge.reshape(-1, labels, new.edge.shape[1])[: len(blocks), :before, :before] = blocks[:, :, :before]
