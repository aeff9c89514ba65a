"""The function that every learner minimises: F(w) = 1/n sum_i weight_i loss_i(w) + l2/2 |w|^2 + l1 |w|_1.

w is one table of rows [R, L]: the (merged) node features, then for chains Y rows of shared transitions and Y rows per edge feature. A row
that stands for m merged features holds the sum of their m equal weights, so |w|^2 over features is the sum of row^2 / m.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .corpus import BLOCK, Corpus
from .costs import Cost
from .errors import InputError
from .kernels.batch import gather, losses, penalise, residuals
from .kernels.lanes import WIDTH, lanes_for
from .kernels.score import Linear
from .kernels.sweep import Occurrences, Rows
from .objectives import Objective, objective_named
from .parallel import together
from .penalty import Penalty
from .structures.base import Structure, aligned

PIECES = 8  # a block's rows are summed in so many pieces, whatever the number of threads


class Part(NamedTuple):
    """One table of weights: `rows` weight rows, each of `height` rows of lanes."""

    rows: int
    height: int
    lanes: tuple
    copies: np.ndarray  # [rows]
    apart: bool = False  # what learners keep beside each weight (rules.Weights) lies in planes of its own

    @property
    def size(self) -> int:
        """How many numbers."""
        return self.rows * self.height * WIDTH * len(self.lanes)


@dataclass
class Problem:
    """A corpus, a structure, a cost, an objective and a penalty, wired together."""

    corpus: Corpus
    structure: Structure
    cost: Cost
    objective: Objective
    penalty: Penalty = field(default_factory=Penalty)
    threads: int = 1
    _blocks: list | None = None

    def __post_init__(self):
        objective_named(self.objective.name, self.structure)
        if self.cost.matrix.shape != (self.labels, self.labels):
            raise InputError(f"the cost is for {len(self.cost.matrix)} labels, the structure has {self.labels}")
        if "strata" in self.objective.needs:
            self._check_strata()

    def _check_strata(self) -> None:
        """Slack rescaling wants one gold output and, on a chain, costs that can be counted."""
        levels = self.cost.levels
        if self.latent:
            raise InputError(f"objective {self.objective.name!r} needs every label; with unknown labels (?) use hinge or ramp")
        if self.edge_rows and not np.allclose(levels, np.rint(levels), rtol=0.0, atol=1e-5):
            text = f"whole multiples of the smallest, and {self.cost.text!r} has others"
            raise InputError(f"objective {self.objective.name!r} needs prices that are {text}; use hamming, or objective hinge")

    @property
    def labels(self) -> int:
        return self.structure.labels

    @property
    def width(self) -> int:
        """L, the lanes of a row."""
        return WIDTH * len(self.structure.lanes)

    @property
    def edge_rows(self) -> int:
        """Weight rows of edges: none for a structure without edges, else the shared transitions and the edge features."""
        return 0 if self.structure.name == "choice" else 1 + self.corpus.edge.rows

    @property
    def parts(self) -> tuple[Part, Part]:
        """The tables that learners keep: node features, then transitions."""
        corpus, lanes = self.corpus, self.structure.lanes
        edge = np.concatenate([[1], corpus.edge.copies])[: self.edge_rows]
        return Part(corpus.node.rows, 1, lanes, corpus.node.copies), Part(self.edge_rows, self.labels, lanes, edge)

    @property
    def shape(self) -> tuple[int, int]:
        return self.corpus.node.rows + self.edge_rows * self.labels, self.width

    @cached_property
    def copies(self) -> np.ndarray:
        """m of every row [R]."""
        edge = np.repeat(np.concatenate([np.ones(1), self.corpus.edge.copies])[: self.edge_rows], self.labels)
        return np.concatenate([self.corpus.node.copies, edge]).astype(np.float64)

    @property
    def latent(self) -> bool:
        """Is something of a gold output unknown?"""
        return bool((self.corpus.gold < 0).any())

    def zeros(self, dtype=np.float64) -> np.ndarray:
        """The weights at the start."""
        return aligned(self.shape, dtype)

    def linear(self, w: np.ndarray) -> Linear:
        """w as node and edge tables."""
        nodes = self.corpus.node.rows
        return Linear(w[:nodes], w[nodes:])

    def price(self, dtype) -> np.ndarray:
        """Costs as the kernels read them [Y, L]."""
        out = np.zeros((self.labels, self.width), dtype)
        out[:, : self.labels] = self.cost.matrix
        return out

    def rows(self, dtype, node=None) -> Rows:
        """Training rows for online learners; `node`, the table of the first part, is for those that read it in their own way."""
        node, edge = self.corpus.by_row
        corpus = self.corpus
        return Rows(corpus.token, corpus.gold, self.price(dtype), corpus.weight, node, edge, corpus.base_as(dtype))

    def room(self, which: int, batch: int) -> int:
        """The most weight rows of a part that a batch of rows touches."""
        entries = np.sort(np.diff(self.corpus.by_row[which].at))[::-1]
        return min(self.parts[which].rows, int(entries[:batch].sum()) + 1)

    def workspace(self, dtype):
        """Scratch memory of one thread."""
        longest, more = self.corpus.longest, {}
        if "strata" in self.objective.needs and self.edge_rows:
            more["strata"] = longest * (longest * int(np.rint(self.cost.levels.max())) + 1)
        return self.structure.workspace(longest, per_position=self.corpus.per_position, dtype=dtype, **more)

    def value(self, w: np.ndarray) -> float:
        """F(w)."""
        return self.loss(w) + self.penalty_of(w)

    def loss(self, w: np.ndarray) -> float:
        """The mean loss, F without its penalty."""
        w = np.ascontiguousarray(w, np.float64)
        corpus, linear, price, mean = self.corpus, self.linear(w), self.price(np.float64), self.corpus.weight / self.corpus.rows
        cuts = np.linspace(0, corpus.rows, PIECES + 1).astype(int)
        upper, lower, tokens = self.objective.upper, self.objective.lower, self.corpus.by_token(np.float64)

        def job(low, high):
            return lambda: losses(low, high, tokens, corpus.gold, price, mean, self.workspace(np.float64), upper, lower, linear)

        return sum(together([job(a, b) for a, b in zip(cuts, cuts[1:])], threads=self.threads))

    def penalty_of(self, w: np.ndarray) -> float:
        """l2/2 |w|^2 + l1 |w|_1 over the unmerged features."""
        square = float(((w.astype(np.float64) ** 2).sum(axis=1) / self.copies).sum())
        return 0.5 * self.penalty.l2 * square + self.penalty.l1 * float(np.abs(w).sum(dtype=np.float64))

    def value_and_gradient(self, w: np.ndarray, g: np.ndarray) -> float:
        """The smooth part of F (all but l1) and its gradient, written to g. The same bytes for any number of threads."""
        if self._blocks is None or self._blocks[0].dtype != w.dtype:
            self._blocks = self._prepare(w.dtype)
        corpus, Y, lanes = self.corpus, self.labels, self.structure.lanes
        linear, into, price = self.linear(w), self.linear(g), self.price(w.dtype)
        upper, lower, mean = self.objective.upper, self.objective.lower, corpus.weight / corpus.rows
        sums, tokens = [np.zeros((Y, self.width), w.dtype) for _ in range(PIECES)], corpus.by_token(w.dtype)
        node, edge, spaces, blocks = self._blocks
        g[:] = 0.0
        value = 0.0
        for first, cuts, node_group, edge_group in blocks:

            def infer(p, low, high, first=first):
                return lambda: residuals(
                    low, high, first, tokens, corpus.gold, price, mean, spaces[p], upper, lower, linear, node, edge, sums[p]
                )

            value += sum(together([infer(p, a, b) for p, (a, b) in enumerate(zip(cuts, cuts[1:]))], threads=self.threads))
            jobs = []
            for height, found, residual, out in ((1, node_group, node, into.node), (Y, edge_group, edge, into.edge[Y:])):
                ends = np.linspace(0, len(found.feature), PIECES + 1).astype(int)
                jobs += [_gather_job(a, b, found, residual, height, lanes, out) for a, b in zip(ends, ends[1:]) if b > a]
            together(jobs, threads=self.threads)
        if self.edge_rows:
            for part in sums:
                into.edge[:Y] += part
        return value + self._penalise(w, g)

    def _penalise(self, w, g):
        """Adds l2's gradient to g; returns its value."""
        if self.penalty.l2 == 0.0:
            return 0.0
        copies = self.copies
        ends = np.linspace(0, len(w), PIECES + 1).astype(int)
        jobs = [_penalty_job(a, b, w, g, copies, self.penalty.l2, lanes_for(self.width)) for a, b in zip(ends, ends[1:])]
        return sum(together(jobs, threads=self.threads))

    def _prepare(self, dtype):
        """Blocks of rows with their regrouped occurrences, and memory for residuals."""
        corpus, Y = self.corpus, self.labels
        bounds = corpus.blocks(BLOCK // Y if corpus.per_position else BLOCK)
        at = corpus.token[bounds]
        node, edge = corpus.node.occurrences(at), corpus.edge.occurrences(at)
        blocks = []
        for b in range(len(bounds) - 1):
            cuts = np.searchsorted(corpus.token, np.linspace(at[b], at[b + 1], PIECES + 1)).clip(bounds[b], bounds[b + 1])
            cuts[0], cuts[-1] = bounds[b], bounds[b + 1]
            blocks.append((int(at[b]), cuts, _entries(node, b), _entries(edge, b)))
        most = int(np.diff(at).max())
        residual = aligned((most, self.width), dtype), aligned((most * Y if corpus.per_position else 0, self.width), dtype)
        return *residual, [self.workspace(dtype) for _ in range(PIECES)], blocks


def _entries(group: Occurrences, b: int) -> Occurrences:
    """The entries of one block, views of the whole."""
    low, high = group.at[b], group.at[b + 1]
    return Occurrences(group.at[b : b + 2], group.feature[low:high], group.mark[low : high + 1], group.place, group.value)


def _gather_job(low, high, found, residual, height, lanes, out):
    return lambda: gather(low, high, found, residual, height, lanes, out)


def _penalty_job(low, high, w, g, copies, l2, lanes):
    return lambda: penalise(low, high, w, g, copies, l2, lanes)
