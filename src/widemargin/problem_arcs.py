"""The function that learners minimise, for sentences with dependency trees: problem.py with features of arcs (features/arcs.py).

w is two tables, rows of 16 weights of arcs and rows of L weights of relations, kept as one of rows of WIDTH.
"""

from dataclasses import dataclass

import numpy as np

from .costs_arcs import ArcCost
from .errors import InputError
from .features.arcs import ArcFeatures, Atoms
from .kernels.arc_batch import tree_residuals
from .kernels.arc_codes import LINE
from .kernels.arc_features import Sentences, Tables
from .kernels.arc_labels import Prices
from .kernels.arc_tables import Dense
from .kernels.batch import losses
from .kernels.lanes import WIDTH, lanes_for
from .kernels.rules import Weights
from .kernels.score import Linear
from .objectives import objective_named
from .parallel import together
from .problem import Part, Problem
from .structures.trees import Trees

PIECES = 4  # gradients that are summed apart, whatever the number of threads


@dataclass(frozen=True)
class ArcCorpus:
    """n sentences with gold heads and relations (-1: not known), hashed columns, and weights."""

    token: np.ndarray  # int64 [n+1]
    gold: np.ndarray  # int32 [N, 2]
    weight: np.ndarray  # [n]
    atoms: Atoms
    features: ArcFeatures

    @property
    def rows(self) -> int:
        return len(self.token) - 1

    @property
    def longest(self) -> int:
        return int(np.diff(self.token).max(initial=1))

    def part(self, rows: np.ndarray) -> "ArcCorpus":
        """Some of the sentences."""
        lengths = np.diff(self.token)[rows]
        token = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        words = np.repeat(self.token[:-1][rows] - token[:-1], lengths) + np.arange(token[-1])
        atoms = Atoms(self.atoms.atom[words], self.atoms.mark[words])
        return ArcCorpus(token, self.gold[words], self.weight[rows], atoms, self.features)


def weights_of(row: np.ndarray) -> Weights:
    """A table of fixed weights [F, L] as kernels that learn see it."""
    lanes, none = lanes_for(row.shape[1]), np.zeros((0, row.shape[1]), row.dtype)
    return Weights(lanes, 1, row, 1, 1, 1, none, 0, np.zeros(0, np.int32), np.zeros(0, row.dtype))


def sentences_of(corpus: ArcCorpus, price: Prices, node: np.ndarray, width: int) -> Sentences:
    """Sentences with scratch of one thread; node: the table of arcs, whose first plane is weights."""
    plan = corpus.features.plan()
    codes = corpus.features.codes(plan, corpus.longest, node.reshape(-1), width)
    return Sentences(corpus.token, corpus.gold, price, corpus.weight, corpus.atoms.atom, corpus.atoms.mark, plan, codes)


@dataclass
class ArcProblem(Problem):
    """A corpus of trees, a structure, a cost, an objective and a penalty, wired together."""

    corpus: ArcCorpus  # type: ignore[assignment]
    structure: Trees  # type: ignore[assignment]
    cost: ArcCost  # type: ignore[assignment]

    def __post_init__(self):
        objective_named(self.objective.name, self.structure)
        if len(self.cost.relations) != self.labels:
            raise InputError(f"the cost is for {len(self.cost.relations)} relations, the structure has {self.labels}")

    @property
    def label_width(self) -> int:
        """L, the lanes of a row of relations."""
        return WIDTH * max(1, len(lanes_for(self.labels)))

    @property
    def width(self) -> int:
        return WIDTH

    @property
    def parts(self) -> tuple[Part, Part]:
        """Tables of arcs and of relations."""
        arcs, labels = self.corpus.features.arc_rows, self.corpus.features.label_rows if self.labels else 0
        lanes = lanes_for(LINE), lanes_for(self.label_width)
        return Part(arcs, 1, lanes[0], np.ones(arcs), apart=True), Part(labels, 1, lanes[1], np.ones(labels), apart=True)

    @property
    def shape(self) -> tuple[int, int]:
        return sum(part.size for part in self.parts) // WIDTH, WIDTH

    @property
    def copies(self) -> np.ndarray:
        return np.ones(self.shape[0])

    @property
    def latent(self) -> bool:
        """Is a head unknown, or a relation where there are any?"""
        return bool((self.corpus.gold[:, : 2 if self.labels else 1] < 0).any())

    def linear(self, w: np.ndarray) -> Linear:
        """w as tables of arcs and of relations."""
        cut = self.parts[0].size // WIDTH
        return Linear(w[:cut].reshape(-1, LINE), w[cut:].reshape(-1, self.label_width))

    def price(self, dtype) -> Prices:  # type: ignore[override]
        """Costs as the kernels read them."""
        label = np.zeros((self.labels, self.label_width), dtype)
        label[:, : self.labels] = self.cost.label[:-1]
        return Prices(self.cost.head.astype(dtype), label)

    def rows(self, dtype, node: Weights | None = None) -> Sentences:  # type: ignore[override]
        """Training rows for online learners, whose table of arcs is `node`."""
        assert node is not None
        return sentences_of(self.corpus, self.price(dtype), node.row, self.label_width)

    def room(self, which: int, batch: int) -> int:
        """Weight rows that a batch may touch: all."""
        return self.parts[which].rows

    def workspace(self, dtype):
        """Scratch memory of one thread."""
        return self.structure.workspace(self.corpus.longest, dtype=dtype)

    def _fixed(self, w: np.ndarray) -> tuple[Tables, Sentences]:
        node, edge = self.linear(w)
        return Tables(weights_of(node), weights_of(edge)), sentences_of(self.corpus, self.price(w.dtype), node, self.label_width)

    def _jobs(self, w: np.ndarray, make) -> list:
        """make(low, high, piece, rows, workspace) of each piece; words are shared out evenly."""
        token = self.corpus.token
        cuts = np.searchsorted(token, np.linspace(0, token[-1], PIECES + 1))
        return [make(low, high, p, self._fixed(w)[1], self.workspace(w.dtype)) for p, (low, high) in enumerate(zip(cuts, cuts[1:]))]

    def loss(self, w: np.ndarray) -> float:
        """The mean loss, F without its penalty."""
        w = np.ascontiguousarray(w, np.float64)
        tables, mean, objective = self._fixed(w)[0], self.corpus.weight / self.corpus.rows, self.objective

        def make(low, high, piece, rows, s):
            return lambda: losses(low, high, rows, rows.gold, rows.price, mean, s, objective.upper, objective.lower, tables)

        return sum(together(self._jobs(w, make), threads=self.threads))

    def value_and_gradient(self, w: np.ndarray, g: np.ndarray) -> float:
        """The smooth part of F and its gradient, written to g. The same bytes for any number of threads."""
        w = np.ascontiguousarray(w)
        tables, mean, objective = self._fixed(w)[0], self.corpus.weight / self.corpus.rows, self.objective
        sums = [self.linear(np.zeros(self.shape, w.dtype)) for _ in range(PIECES)]

        def make(low, high, piece, rows, s):
            into = Dense(sums[piece].node), Dense(sums[piece].edge)
            return lambda: tree_residuals(low, high, rows, s, objective.upper, objective.lower, tables, mean, *into)

        value = sum(together(self._jobs(w, make), threads=self.threads))
        whole = self.linear(g)
        for table, parts in ((whole.node, [part.node for part in sums]), (whole.edge, [part.edge for part in sums])):
            table[:] = 0.0
            for part in parts:
                table += part
        return value + self._penalise(w, g)
