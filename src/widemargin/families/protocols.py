"""What families hand to commands: data, and what a metric came to."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np


class Data(Protocol):
    """Sentences of a file or of memory. The family knows the rest."""

    row_ptr: "np.ndarray"  # int64 [S+1], sentence bounds in tokens


class Scores(Protocol):
    """What a metric came to."""

    metric: str  # the key of the one number that decides
    counts: "np.ndarray"  # [S, K], what that number is computed from, by sentence: for bootstraps

    def as_dict(self) -> dict: ...  # numbers by name, in per cent

    def report(self) -> str: ...  # lines to read

    def score(self, counts: "np.ndarray") -> "np.ndarray": ...  # the metric of sums of counts [..., K]

    # per_sentence [S], NaN where there is none: optional, where a sentence's score by itself means something; for signed-rank tests


class ClassScores(Scores, Protocol):
    """Scores of a family that offers "report"."""

    by_class: Mapping[str, tuple[int, int, int]]  # correct, guessed and gold of each class
    one_class: bool  # everything has one class, and gets one
