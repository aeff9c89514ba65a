"""Calibrating a tagger or a parser: one temperature, chosen so that its probabilities fit held-out gold labels, or heads, best.

Temperature scaling (Guo et al. 2017), with the NLL of token marginals for its loss. It divides every score by the same number, so the best
sequence stays the best sequence, and the best tree the best tree.
"""

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from widemargin.errors import InputError
from widemargin.features.extractor import Features
from widemargin.kernels.terms import Max
from widemargin.metrics.calibration import ABSENT, HIDDEN, best_temperature, negative_log_likelihood
from widemargin.objectives import OBJECTIVES
from widemargin.readers.columns import Columns
from widemargin.readers.conllu import Treebank
from widemargin.readers.items import ItemFile

from .confidence import marginals
from .gold import Written, as_model_labels, written_in
from .tagger import Tagger

if TYPE_CHECKING:  # a tagger need not wait for the kernels of trees
    from .parser import Parser


@dataclasses.dataclass(frozen=True, eq=False)
class Held:
    """Held-out tokens: the probabilities [N, Y] of what each may be, at a temperature, and what it is."""

    chance: Callable[[float], np.ndarray]
    gold: np.ndarray  # int [N], a column of those, ABSENT or HIDDEN


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


def held_labels(tagger: Tagger, features: Features, gold: np.ndarray, *, base: np.ndarray | None = None, threads: int = 1) -> Held:
    """Tokens whose labels are the gold codes int [N]."""
    return Held(lambda temperature: marginals(tagger, features, temperature, base=base, threads=threads), gold)


def held_heads(parser: "Parser", treebank: Treebank) -> Held:
    """Words of a treebank, each of which may have any word of its sentence for its head, or 0, the root."""

    def chance(temperature: float) -> np.ndarray:
        longest = int(np.diff(treebank.row_ptr).max(initial=0))
        out = np.zeros((len(treebank), longest + 1), np.float32)
        for low, table in zip(treebank.row_ptr.tolist(), parser.marginals(treebank, temperature)):
            out[low : low + len(table) - 1, : len(table)] = table[:, 1:].T
        return out

    return Held(chance, treebank.heads)


def fitting(held: Held) -> float:
    """The temperature at which the held-out gold is most probable, token by token."""
    return best_temperature(lambda temperature: negative_log_likelihood(held.chance(temperature), held.gold))[0]


def meaning(facts: dict, what: str = "labels") -> str:
    """What the numbers called probabilities are, before and after calibration, by the objective among the facts of training."""
    name = facts.get("objective")
    objective = OBJECTIVES.get(name) if isinstance(name, str) else None
    if objective is None:
        return "how this model was trained is not recorded: its probabilities mean something only after calibration"
    if isinstance(objective.upper, Max):
        return (
            f"{name} trains a ranking: before calibration exp(score)/Z is in arbitrary units and only its order means something; "
            f"after it, it is the one-parameter fit of that order to the held-out {what}"
        )
    if objective.costly:
        return (
            f"{name} trains probabilities that a cost has bent: before calibration they lean as the cost made them; "
            f"after it they fit the held-out {what} as well as one temperature can make them"
        )
    return f"{name} trains probabilities: before calibration they fit the training data; after it, the held-out {what}"
