"""Calibrating a tagger: one temperature, chosen so that the probabilities of the model's own labels fit held-out gold labels best.

Temperature scaling (Guo et al. 2017), with the NLL of token marginals for its loss. It divides every score by the same number, so the best
sequence stays the best sequence.
"""

import dataclasses

import numpy as np

from widemargin.errors import InputError
from widemargin.features.extractor import Features
from widemargin.kernels.terms import Max
from widemargin.metrics.calibration import ABSENT, HIDDEN, best_temperature, negative_log_likelihood
from widemargin.objectives import OBJECTIVES
from widemargin.readers.columns import Columns

from . import gold as gold_labels
from . import training
from .confidence import marginals
from .tagger import Tagger


def gold_codes(tagger: Tagger, columns: Columns) -> np.ndarray:
    """Gold labels int32 [N] as numbers of the model's own labels: ABSENT where it has no such label, HIDDEN where the label is `?`.

    Spans written in another scheme are rewritten in the model's first.
    """
    names = tagger.facts.get("columns", ())
    if len(columns.names) < len(names):
        raise InputError(f"the file has no gold labels: the model was trained on the columns {' '.join(names)}", columns.where(0))
    at = columns.column(tagger.label_column)
    if tagger.inside and gold_labels.HIDDEN in columns.values[at]:
        token = int(np.argmax(columns.codes[at] == columns.values[at].index(gold_labels.HIDDEN)))
        raise InputError(f"labels cannot be rewritten in {tagger.inside} while some are ?; leave those sentences out", columns.where(token))
    recipe = training.Recipe(labels=tagger.inside or "as-is", label_column=tagger.label_column)
    gold = training.read_gold(tagger.task, recipe, columns)
    lookup = [tagger.labels.index(label) if label in tagger.labels else ABSENT for label in gold.labels]
    return np.array([*lookup, HIDDEN], np.int32)[gold.codes]


def calibrate(tagger: Tagger, features: Features, gold: np.ndarray, *, threads: int = 1) -> Tagger:
    """The same tagger with the temperature at which the gold codes int [N] of these features are most probable, token by token."""

    def loss(temperature: float) -> float:
        return negative_log_likelihood(marginals(tagger, features, temperature, threads=threads), gold)

    return dataclasses.replace(tagger, temperature=best_temperature(loss)[0])


def meaning(tagger: Tagger) -> str:
    """What the numbers called probabilities are, before and after calibration, by the objective that the tagger was trained with."""
    name = tagger.facts.get("objective")
    objective = OBJECTIVES.get(name) if isinstance(name, str) else None
    if objective is None:
        return "how this model was trained is not recorded: its probabilities mean something only after calibration"
    if isinstance(objective.upper, Max):
        return (
            f"{name} trains a ranking: before calibration exp(score)/Z is in arbitrary units and only its order means something; "
            "after it, it is the one-parameter fit of that order to the held-out labels"
        )
    if objective.costly:
        return (
            f"{name} trains probabilities that a cost has bent: before calibration they lean as the cost made them; "
            "after it they fit the held-out labels as well as one temperature can make them"
        )
    return f"{name} trains probabilities: before calibration they fit the training data; after it, the held-out labels"
