"""Going on with a model on new data: new features and new labels begin as they would have at first, all others keep what they have."""

import dataclasses

import numpy as np

from widemargin.compiler.lanes import lanes_for, width_of
from widemargin.errors import InputError
from widemargin.families.recipes import Recipe
from widemargin.families.tagging import schemes
from widemargin.families.tagging.gold import Gold, Written, as_model_labels, with_labels, written_in
from widemargin.families.tagging.model import Data, Tagger
from widemargin.families.tagging.posed import constraints_of
from widemargin.families.tagging.pruning import LEFT_OUT
from widemargin.families.tagging.tasks import task_named
from widemargin.families.warm_start import grown_carry
from widemargin.features.expansion import Expansion, plain
from widemargin.features.explicit import Given
from widemargin.features.extend_index import grown as more_features
from widemargin.readers.columns import Columns
from widemargin.readers.items import ItemFile, Items
from widemargin.scoring.score import Linear
from widemargin.scoring.token_features import Features
from widemargin.structures import STRUCTURES


def untrained(recipe: Recipe, gold: Gold, source) -> Tagger:
    """A model without weights, to start from."""
    task, Y = task_named(recipe.task), len(gold.labels)
    L = width_of(lanes_for(Y))
    edges = 0 if STRUCTURES[recipe.structure].splits_rows else (1 + len(source.edges)) * Y
    weights = Linear(np.zeros((len(source.nodes), L), np.float32), np.zeros((edges, L), np.float32))
    name, legal = constraints_of(task, recipe, gold)
    column = recipe.option("label_column")
    return Tagger(task, gold.labels, gold.scheme, gold.inside, column, name, recipe.structure, source, weights, legal=legal)


def grown(tagger: Tagger, carry: dict | None, recipe: Recipe, data: Data, written: Written) -> tuple[Tagger, dict | None, Gold, Features]:
    """The model with room for what is new in the data, what its learner carries on likewise, and the data's labels and features in its
    numbers. What another kind of learner has left behind is of no use."""
    _check_same(tagger, recipe, data)
    gold = as_model_labels(written, recipe.option("labels") or "as-is", asked=True, scheme=tagger.scheme or None)
    labels = tagger.labels + tuple(label for label in gold.labels if label not in tagger.labels)
    gold = with_labels(gold, labels)
    source, features = more_features(tagger.extractor, data)
    start = untrained(recipe, gold, source)
    _copy(tagger.weights, start.weights, len(tagger.labels), len(labels))
    nodes = len(tagger.weights.labels)

    def grow(plane: np.ndarray, first: float) -> np.ndarray:
        more = Linear(*(np.full(table.shape, first, plane.dtype) for table in start.weights))
        _copy(Linear(plane[:nodes], plane[nodes:]), more, len(tagger.labels), len(labels))
        return np.concatenate(more)

    return start, grown_carry(carry, recipe, grow), gold, features


def grown_by_file(tagger: Tagger, recipe: Recipe, data: Columns | ItemFile) -> Tagger:
    """The model with room for the labels and features of another file."""
    source = tagger.extractor
    if plain(source).cutoff > 1 or (isinstance(source, Expansion) and source.conjunction_cutoff > 1):
        raise InputError("a cutoff counts features in all training data, and these are read file by file; drop it, or give one file")
    recipe = dataclasses.replace(recipe, options=recipe.options | {"labels": recipe.option("labels") or tagger.task.labels})
    return grown(tagger, None, recipe, data, written_in(data, recipe.option("label_column")))[0]


def with_left_out(tagger: Tagger, data: Columns | ItemFile) -> Tagger:
    """The model with the features of these data too, without weight, if its file left such features out (pruning.without_zeros)."""
    if not tagger.facts.get(LEFT_OUT) or isinstance(data, ItemFile) != isinstance(plain(tagger.extractor), Given):
        return tagger
    source = more_features(tagger.extractor, data)[0]
    Y, L = len(tagger.labels), tagger.weights.labels.shape[1]
    edges = (1 + len(source.edges)) * Y if len(tagger.weights.transitions) else 0
    weights = Linear(np.zeros((len(source.nodes), L), np.float32), np.zeros((edges, L), np.float32))
    _copy(tagger.weights, weights, Y, Y)
    return dataclasses.replace(tagger, extractor=source, weights=weights)


def _check_same(tagger: Tagger, recipe: Recipe, data: Data) -> None:
    """Going on must mean the same thing."""
    if tagger.support is not None:
        raise InputError("a kernel model cannot go on with more data; fit a new one on all of it, or write the kernel out (expand=true)")
    if isinstance(data, Items) != isinstance(plain(tagger.extractor), Given):
        raise InputError(f"the model was trained on sequences of {tagger.takes}; give such sequences")
    if recipe.structure != tagger.structure_name:
        raise InputError(f"the model is a {tagger.structure_name} and cannot go on as a {recipe.structure}; fit a new one")
    inside = schemes.scheme_name(recipe.option("labels")) if recipe.option("labels") not in (None, "as-is") else ""
    if inside != tagger.inside:
        raise InputError(f"the model's labels are {tagger.inside or 'as-is'} and cannot go on as {inside or 'as-is'}; fit a new one")


def _copy(old: Linear, new: Linear, before: int, labels: int) -> None:
    """Old rows into new tables; an edge feature has a row for each previous label."""
    new.labels[: len(old.labels), :before] = old.labels[:, :before]
    if len(new.transitions):
        blocks = old.transitions.reshape(-1, before, old.transitions.shape[1])
        new.transitions.reshape(-1, labels, new.transitions.shape[1])[: len(blocks), :before, :before] = blocks[:, :, :before]
