"""The problem of dependency trees: hashed features of arcs and of relations (features.py).

w is two tables, lines of 16 weights of arcs and rows of L weights of relations, kept as one of rows of WIDTH.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from widemargin.compiler.lanes import WIDTH, lanes_for, lanes_of, only_wide, width_of
from widemargin.engine.problem import Problem
from widemargin.engine.rows import Places, Rows, RowsOfPlaces, some_rows
from widemargin.engine.tables import TableSpec, Weights
from widemargin.errors import InputError
from widemargin.families.dependencies.costs import ArcCost
from widemargin.families.dependencies.features import ArcFeatures, Atoms
from widemargin.families.dependencies.kernels import arc_gradients, meta, planes  # noqa: F401  (answers of Sentences)
from widemargin.families.dependencies.kernels.arc_scores import ArcTables, Sentences, arc_tables
from widemargin.scoring.hashed import LINE
from widemargin.structures.arcs.labels import Prices
from widemargin.structures.arcs.mixture import PartLists, part_lists
from widemargin.structures.arcs.trees import Trees


class TreeWeights(NamedTuple):
    """Weights of a parser; in files they are weights.arcs and weights.labels."""

    arcs: np.ndarray  # [F, 16]
    relations: np.ndarray  # [G, L]


@dataclass(frozen=True)
class ArcCorpus(RowsOfPlaces):
    """n sentences with gold heads and relations (-1: not known), hashed columns, and weights."""

    token: np.ndarray  # int64 [n+1]
    gold: np.ndarray  # int32 [N, 2]
    weight: np.ndarray  # [n]
    atoms: Atoms
    features: ArcFeatures

    def part(self, rows: np.ndarray) -> "ArcCorpus":
        """Some of the sentences."""
        token, words = some_rows(self.token, rows)
        atoms = Atoms(self.atoms.atom[words], self.atoms.mark[words])
        return ArcCorpus(token, self.gold[words], self.weight[rows], atoms, self.features)


def label_width(labels: int) -> int:
    """L, the lanes of a row of weights of so many relations."""
    return width_of(lanes_for(labels))


def rows_of(corpus: ArcCorpus, price: Prices, width: int, dtype, room: int) -> Rows:
    """Sentences with scratch of one thread for up to `room` words; width: L of relations."""
    plan = corpus.features.plan()
    codes = corpus.features.codes(plan, room, width, dtype)
    sentences = Sentences(corpus.token, corpus.atoms.atom, corpus.atoms.mark, plan, codes)
    return Rows(Places(corpus.token, corpus.gold, price, only_wide(lanes_of(width))), sentences, corpus.weight)


@dataclass
class ArcProblem(Problem):
    """A corpus of trees, a structure over arcs, a cost, an objective and a penalty."""

    corpus: ArcCorpus
    structure: Trees
    cost: ArcCost

    pieces = 4  # each has a gradient of its own, of all weights
    width = WIDTH  # tables of two widths

    def __post_init__(self):
        super().__post_init__()
        if len(self.cost.relations) != self.labels:
            raise InputError(f"the cost is for {len(self.cost.relations)} relations, the structure has {self.labels}")

    @property
    def labels(self) -> int:
        return self.structure.labels

    @property
    def label_width(self) -> int:
        """L, the lanes of a row of relations."""
        return label_width(self.labels)

    @property
    def latent(self) -> bool:
        """Is a head unknown, or a relation where there are any?"""
        return bool((self.corpus.gold[:, : 2 if self.labels else 1] < 0).any())

    def tables(self) -> tuple[TableSpec, TableSpec]:
        arcs, labels = self.corpus.features.arc_rows, self.corpus.features.label_rows if self.labels else 0
        relations = TableSpec(labels, 1, lanes_of(self.label_width), np.ones(labels), planes=True)
        return TableSpec(arcs, 1, lanes_of(LINE), np.ones(arcs), planes=True), relations

    def bundle(self, *tables: Weights) -> ArcTables:
        return arc_tables(*tables)

    def linear(self, w: np.ndarray) -> TreeWeights:
        """w as tables of arcs and of relations."""
        return TreeWeights(*self.split(w))

    def price(self, dtype) -> Prices:
        """Costs as the kernels read them."""
        label = np.zeros((self.labels, self.label_width), dtype)
        label[:, : self.labels] = self.cost.label[:-1]
        return Prices(self.cost.head.astype(dtype), label)

    def rows(self, dtype, room: int) -> Rows:
        return rows_of(self.corpus, self.price(dtype), self.label_width, dtype, room)

    def mixture(self, dtype, memory: float) -> PartLists:
        """bcfw's mixture, all on the gold."""
        return part_lists(self.corpus.rows, len(self.corpus.gold))

    def cuts(self) -> np.ndarray:
        """Words are shared out evenly."""
        token = self.corpus.token
        return np.searchsorted(token, np.linspace(0, token[-1], self.pieces + 1))
