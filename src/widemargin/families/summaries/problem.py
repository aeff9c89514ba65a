"""Learning which bigrams are worth covering: weights of features, sets of sentences, the cost of missing what references say.

score(y) = sum of <w, x_b> over the bigrams b that y covers + sum of <w, x_s> over its sentences s
"""

from dataclasses import dataclass

import numpy as np

from widemargin.engine.rows import Rows
from widemargin.families.summaries.corpus import SummaryCorpus
from widemargin.scoring.vector_problem import VectorProblem
from widemargin.structures.lists.mixture import CandidateMixture, candidate_mixture
from widemargin.structures.subset.arrays import Subset
from widemargin.structures.subset.kernel import Subset as Workspace


@dataclass
class SummaryProblem(VectorProblem):
    """Clusters, sets of sentences, a cost, an objective and a penalty."""

    corpus: SummaryCorpus
    structure: Subset

    @property
    def latent(self) -> bool:
        """Is there a cluster without references?"""
        return not all(row.known for row in self.corpus.clusters)

    def rows(self, dtype, room: int) -> Rows:
        return Rows(*self.corpus.target_and_input(dtype), self.corpus.weight)

    def workspace(self, dtype, room: int) -> Workspace:
        return self.structure.workspace(self.corpus.cover, room, dtype=dtype)

    def mixture(self, dtype, memory: float) -> CandidateMixture:
        """bcfw's mixture over parts, all on the gold."""
        return candidate_mixture(self.corpus.rows, int(self.corpus.cover.at[-1]), memory)

    def slots(self) -> np.ndarray:
        """An output has a number for every part."""
        return self.corpus.cover.at

    def epoch_facts(self, rows: Rows, tables, *, average: bool) -> dict:
        """How many searches of the training so far were given up at the limit."""
        stopped = int(rows.target.stopped[0])
        return {"unfinished": stopped} if stopped else {}

    def part_scores(self, w: np.ndarray) -> list[np.ndarray]:
        """Scores of the parts of every row [n] under a table of weights."""
        vector = self.vector(np.asarray(w, np.float64))
        return [row.x @ vector for row in self.corpus.clusters]

    def choose(self, w: np.ndarray) -> list[np.ndarray]:
        """The best output of every row, int8 [n]."""
        found = np.zeros(int(self.corpus.cover.at[-1]), np.int8)
        self.decode(w, found)
        return np.split(found, self.corpus.cover.at[1:-1])
