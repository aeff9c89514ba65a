"""The k best label sequences of sentences."""

from typing import TYPE_CHECKING

import numpy as np

from widemargin.engine.gradient import score_row
from widemargin.engine.terms import UNKNOWN, augment_row
from widemargin.errors import InputError
from widemargin.families.tagging.decoding import longest_of, looks_at_input, rows_of
from widemargin.scoring.token_features import Features
from widemargin.structures import Chain
from widemargin.structures.listing import listable, outcomes

if TYPE_CHECKING:
    from widemargin.families.tagging.model import Tagger


def kbest(tagger: "Tagger", features: Features, k: int, *, base: np.ndarray | None = None) -> list[list[tuple[float, list[str]]]]:
    """For each sentence its k best label sequences with their scores, best first, in the scheme of the training file."""
    structure = tagger.structure
    if not isinstance(structure, Chain):
        raise InputError("k-best sequences need a chain; this model decides every token by itself (structure choice)")
    out, reader = [], tagger.reader()
    lengths = np.diff(features.row_ptr)
    k = listable(k, outcomes(len(tagger.labels), int(lengths.max(initial=0))), int((16 * lengths + 200).sum()))
    rows = rows_of(structure, *tagger.scored(features, base))
    s = structure.workspace(longest_of(rows), per_position=looks_at_input(rows), dtype=np.float32)
    for i, n in enumerate(lengths.tolist()):
        score_row(rows, s, i, reader)
        augment_row(s, np.full(n, UNKNOWN, np.int32), rows.target.price, n)
        paths, values = structure.kbest_paths(s, n, k)
        found = []
        for path, value in zip(paths, values):
            codes, names = tagger.as_written(path, np.array([0, n]))
            found.append((float(value), [names[c] for c in codes]))
        out.append(found)
    return out
