"""Problems whose weights are one vector, in lines of 16 (scoring/dense.py), and whose parts have written-out or sparse feature vectors."""

import numpy as np

from widemargin.compiler.lanes import lanes_of
from widemargin.engine.problem import Problem
from widemargin.engine.tables import TableSpec, Weights
from widemargin.scoring.dense import LINE, LineTable
from widemargin.scoring.list_corpus import line_count


class VectorProblem(Problem):
    """What such problems share; their corpus has `features` (list_corpus.Features)."""

    def tables(self) -> tuple[TableSpec]:
        lines = line_count(self.corpus.features.size)
        return (TableSpec(lines, 1, lanes_of(LINE), np.ones(lines)),)

    def bundle(self, *tables: Weights) -> LineTable:
        return LineTable(*tables)

    def vector(self, w: np.ndarray) -> np.ndarray:
        """The weights of the D features, of a table as learners give it."""
        return w.reshape(-1)[: self.corpus.features.size]

    def table(self, vector: np.ndarray) -> np.ndarray:
        """A table for these weights of the D features."""
        w = self.zeros()
        self.vector(w)[:] = vector
        return w
