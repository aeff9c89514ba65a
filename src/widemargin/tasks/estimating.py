"""Between an estimator and its model: sequences to be labelled as the model sees them, and the parameters that a model was trained with."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin.features.expansion import Expansion, plain
from widemargin.features.extractor import Extractor, Features
from widemargin.readers.columns import Columns
from widemargin.readers.items import Items

from .constraints import PAIRS
from .tagger import Tagger


@dataclass(frozen=True)
class Known:
    """Sequences to be labelled: data and features of those that have tokens, and the bounds of all."""

    data: Columns | Items
    features: Features
    bounds: np.ndarray  # int64 [S+1]
    table: bool  # was X a table, a row for each sequence of one token?
    base: np.ndarray | None  # [N, Y]

    @property
    def filled(self) -> np.ndarray:
        """Which sequences have tokens, bool [S]."""
        return np.diff(self.bounds) > 0

    def split(self, tokens) -> list:
        """Something per token, by sequence."""
        return [tokens[low:high] for low, high in zip(self.bounds.tolist(), self.bounds[1:].tolist())]

    def scatter(self, values: np.ndarray) -> np.ndarray:
        """A number per sequence that has tokens; 0 for the others, whose labels are certain."""
        out = np.zeros(len(self.filled))
        out[self.filled] = values
        return out


def parameters_of(tagger: Tagger) -> dict[str, Any]:
    """The parameters of an estimator with which this model can be trained, or trained on."""
    facts, source = tagger.facts, plain(tagger.extractor)
    learner = dict(facts["learner"])
    chosen = {"learner": learner.pop("name"), "random_state": learner.pop("seed", None)}
    chosen |= {name: learner.pop(name) for name in ("epochs", "rate", "average", "patience") if name in learner}
    if isinstance(tagger.extractor, Expansion):
        learner |= tagger.extractor.kernel.settings() | {"expand": True, "conjunction_cutoff": tagger.extractor.conjunction_cutoff}
    elif tagger.support is not None:
        learner |= tagger.support.kernel.settings()
    constraints: Any = tagger.constraints or None
    if constraints == PAIRS and tagger.legal is not None:
        labels = [None, *tagger.labels]
        masks = np.block([[np.zeros((1, 1), bool), tagger.legal.start[None]], [tagger.legal.stop[:, None], tagger.legal.step]])
        constraints = [(labels[a], labels[b]) for a, b in zip(*np.nonzero(masks))]
    if isinstance(source, Extractor):
        chosen |= {"templates": "\n".join(map(str, source.templates)) + "\n", "columns": tagger.input_columns()}
    return chosen | {
        "objective": facts["objective"],
        "cost": facts["cost"],
        "l1": facts["l1"],
        "l2": facts["l2"],
        "settings": learner,
        "cutoff": source.cutoff,
        "hash_bits": source.nodes.bits,
        "structure": tagger.structure_name,
        "labels": tagger.inside or "as-is",
        "constraints": constraints,
        "metric": tagger.task.metric,
    }
