"""Choosing one of a row's candidates by their feature vectors: the problem of reranking, and of anything else that is a list.

w is one vector, in lines of 16 (scoring/dense.py). The prices of candidates are the corpus's own; `cost` says how they came about, for
whoever wants to know, and is not read here.
"""

from dataclasses import dataclass

import numpy as np

from widemargin.engine.by_hand import kernel_for
from widemargin.engine.gradient import decode
from widemargin.engine.problem import Desk
from widemargin.engine.rows import Rows
from widemargin.errors import InputError
from widemargin.scoring.list_corpus import ListCorpus
from widemargin.scoring.vector_problem import VectorProblem
from widemargin.structures.lists.arrays import Lists
from widemargin.structures.lists.mixture import CandidateMixture, candidate_mixture


@dataclass
class ListProblem(VectorProblem):
    """Rows of candidates, their prices, an objective and a penalty."""

    corpus: ListCorpus
    structure: Lists

    def __post_init__(self):
        super().__post_init__()
        if "strata" in self.objective.needs and self.latent:
            text = "one correct candidate in every row; with several or none use hinge or ramp"
            raise InputError(f"objective {self.objective.name!r} needs {text}")

    @property
    def latent(self) -> bool:
        """Has a row several correct candidates, or none?"""
        return bool((self.corpus.right < 0).any())

    def rows(self, dtype, room: int) -> Rows:
        return Rows(*self.corpus.target_and_input(dtype), self.corpus.weight)

    def mixture(self, dtype, memory: float) -> CandidateMixture:
        """bcfw's mixture, all on the gold."""
        return candidate_mixture(self.corpus.rows, int(self.corpus.at[-1]), memory)

    def choose(self, w: np.ndarray) -> np.ndarray:
        """The best candidate of every row under a table of weights, int32 [n]."""
        found, desk = np.zeros(self.corpus.rows, np.int32), Desk(self, w.dtype)
        kernel_for(self.structure, decode)(0, len(found), desk.rows, desk.s, self.reader(w), self.slots(), found)
        return found

    def slots(self) -> np.ndarray:
        """An output is one number."""
        return np.arange(self.corpus.rows + 1)

    def cuts(self) -> np.ndarray:
        """Candidates are shared out evenly."""
        at = self.corpus.at
        return np.searchsorted(at, np.linspace(0, at[-1], self.pieces + 1))
