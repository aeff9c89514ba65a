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
from widemargin.readers.items import ItemFile

from .confidence import marginals
from .gold import Written, as_model_labels, written_in
from .tagger import Tagger


def gold_codes(tagger: Tagger, data: Columns | ItemFile) -> np.ndarray:
    """Gold labels int32 [N] as numbers of the model's own labels: ABSENT where it has no such label, HIDDEN where the label is `?`.

    Spans written in another scheme are rewritten in the model's first.
    """
    names = tagger.facts.get("columns", ())
    if isinstance(data, Columns) and len(data.names) < len(names):
        raise InputError(f"the file has no gold labels: the model was trained on the columns {' '.join(names)}", data.where(0))
    return gold_numbers(tagger, written_in(data, tagger.label_column))


def gold_numbers(tagger: Tagger, written: Written) -> np.ndarray:
    """The same for labels as they are written."""
    gold = as_model_labels(written, tagger.inside or "as-is", asked=bool(tagger.inside))
    lookup = [tagger.labels.index(label) if label in tagger.labels else ABSENT for label in gold.labels]
    return np.array([*lookup, HIDDEN], np.int32)[gold.codes]


def calibrate(tagger: Tagger, features: Features, gold: np.ndarray, *, base: np.ndarray | None = None, threads: int = 1) -> Tagger:
    """The same tagger with the temperature at which the gold codes int [N] of these features are most probable, token by token."""

    def loss(temperature: float) -> float:
        return negative_log_likelihood(marginals(tagger, features, temperature, base=base, threads=threads), gold)

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
