"""Labels at tokens on features with numbers: the problem of chain and choice.

Its tables are weights of labels (merged features, height 1) and of transitions: one weight row of height Y that all positions share, then
one per feature. The full gradient is made block by block (scoring/batch.py).
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from widemargin.compiler.lanes import only_wide, width_of
from widemargin.engine.frank_wolfe import refuse_more
from widemargin.engine.problem import Problem
from widemargin.engine.rows import Places, Rows
from widemargin.engine.tables import TableSpec, Weights, aligned
from widemargin.errors import InputError
from widemargin.parallel import together
from widemargin.scoring.batch import Block, residuals, sum_residuals
from widemargin.scoring.corpus import BLOCK_TOKENS, Corpus
from widemargin.scoring.indexed import Indexed, Occurrences, TokenTables
from widemargin.scoring.indexed_duals import Mixture, plane_tokens
from widemargin.scoring.indexed_kbest import GramMemory, gram_memory
from widemargin.scoring.score import Linear


class Prepared(NamedTuple):
    """What a full gradient needs: residuals of one block, a workspace per piece, and the blocks."""

    node: np.ndarray  # [tokens, L]
    edge: np.ndarray  # [tokens * Y, L], or [0, L]
    spaces: list
    blocks: list  # of (first token, bounds of the pieces, occurrences of labels, of transitions)


@dataclass
class TokenProblem(Problem):
    """A corpus of rows of tokens, a chain or choice, a cost between labels, an objective and a penalty."""

    corpus: Corpus
    takes_kernels = True
    _blocks: Prepared | None = field(default=None, init=False, repr=False)

    def __post_init__(self):
        super().__post_init__()
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
        return width_of(self.structure.lanes)

    @property
    def edge_rows(self) -> int:
        """Weight rows of transitions: none for a structure without, else the shared one and those of features."""
        return 0 if self.structure.splits_rows else 1 + self.corpus.edge.rows

    def tables(self) -> tuple[TableSpec, TableSpec]:
        corpus, lanes = self.corpus, self.structure.lanes
        edge = np.concatenate([[1], corpus.edge.copies])[: self.edge_rows]
        return TableSpec(corpus.node.rows, 1, lanes, corpus.node.copies), TableSpec(self.edge_rows, self.labels, lanes, edge)

    def bundle(self, *tables: Weights) -> TokenTables:
        return TokenTables(*tables)

    def narrowed(self) -> tuple["TokenProblem", list[np.ndarray]]:
        corpus, of_labels, of_transitions = self.corpus.narrowed()
        if not corpus.per_position and self.corpus.per_position:  # none of its features of transitions fires
            corpus, of_transitions = replace(corpus, edge=self.corpus.edge), np.arange(self.corpus.edge.rows)
        shared = np.zeros(min(1, self.edge_rows), np.int64)
        return replace(self, corpus=corpus), [of_labels, np.concatenate([shared, 1 + of_transitions])[: self.edge_rows]]

    def linear(self, w: np.ndarray) -> Linear:
        """w as tables of labels and of transitions."""
        return Linear(*self.split(w))

    def price(self, dtype) -> np.ndarray:
        """Costs as the kernels read them [Y, L]."""
        out = np.zeros((self.labels, self.width), dtype)
        out[:, : self.labels] = self.cost.matrix
        return out

    def target(self, dtype) -> Places:
        """The gold labels, and what errors cost."""
        return Places(self.corpus.token, self.corpus.gold, self.price(dtype), only_wide(self.structure.lanes))

    def indexed(self, dtype, room: int) -> Indexed:
        """Features row by row, with scratch."""
        corpus, later = self.corpus, np.ones(room, np.bool_)
        later[0] = False
        return Indexed(
            corpus.token, *corpus.by_row, corpus.base_as(dtype), aligned((self.labels, self.width), dtype), np.zeros(room, np.bool_), later
        )

    def rows(self, dtype, room: int) -> Rows:
        return Rows(self.target(dtype), self.indexed(dtype, room), self.corpus.weight)

    def put_away(self) -> None:
        self.corpus.__dict__.pop("by_row", None)

    def fixed_rows(self, dtype, room: int) -> Rows:
        """Features token by token: they need no regrouping, and no scratch."""
        return Rows(self.target(dtype), self.corpus.by_token(dtype), self.corpus.weight)

    def plane_rows(self, dtype, room: int) -> Rows:
        """Features row by row that also know the entries of each token."""
        planes = plane_tokens(self.indexed(dtype, room), self.corpus.node, dtype, self.width)
        return Rows(self.target(dtype), planes, self.corpus.weight)

    def gram_memory(self, k: int, dtype, room: int) -> GramMemory:
        return gram_memory(room, self.labels, self.width, k, dtype)

    def mixture(self, dtype, memory: float) -> Mixture:
        """bcfw's mixture, all on the gold, of at most so many megabytes."""
        corpus, L, tokens = self.corpus, self.width, len(self.corpus.gold)
        edges = 0 if not self.edge_rows else self.labels * (tokens if corpus.per_position else corpus.rows)
        refuse_more((tokens + edges) * L * np.dtype(dtype).itemsize, memory)
        facts = np.zeros(corpus.rows), np.zeros(corpus.rows), np.zeros(corpus.rows, np.bool_)
        return Mixture(aligned((tokens, L), dtype), aligned((edges, L), dtype), *facts)

    def most_touched(self, which: int, batch: int) -> int:
        entries = np.sort(np.diff(self.corpus.by_row[which].at))[::-1]
        return min(self.specs[which].rows, int(entries[:batch].sum()) + 1)

    def workspace(self, dtype, room: int):
        more = {}
        if "strata" in self.objective.needs and self.edge_rows:
            more["strata"] = room * (room * int(np.rint(self.cost.levels.max())) + 1)
        return self.structure.workspace(room, per_position=self.corpus.per_position, dtype=dtype, **more)

    # ---- the full gradient ----------------------------------------------------------------------------------------------------------

    def value_and_gradient(self, w: np.ndarray, g: np.ndarray) -> float:
        """The smooth part of F (all but l1) and its gradient, written to g. The same bytes for any number of threads."""
        if self._blocks is None or self._blocks.node.dtype != w.dtype:
            self._blocks = self._prepare(w.dtype)
        corpus, Y, lanes, pieces = self.corpus, self.labels, self.structure.lanes, self.pieces
        reader, terms, share = self.reader(w), self.objective.terms, corpus.weight / corpus.rows
        sums, rows = [np.zeros((Y, self.width), w.dtype) for _ in range(pieces)], self.fixed_rows(w.dtype, corpus.longest)
        node, edge, spaces, blocks = self._blocks
        into, value = self.linear(g), 0.0
        g[:] = 0.0

        def infer(p, low, high, block):
            return lambda: residuals(low, high, rows, spaces[p], terms, reader, share, block)

        def add_up(low, high, found, residual, height, out):
            return lambda: sum_residuals(low, high, found, residual, height, lanes, out)

        for first, cuts, of_labels, of_transitions in blocks:
            jobs = [infer(p, a, b, Block(first, node, edge, sums[p])) for p, (a, b) in enumerate(zip(cuts, cuts[1:]))]
            value += sum(together(jobs, threads=self.threads))
            jobs = []
            for height, found, residual, out in ((1, of_labels, node, into.labels), (Y, of_transitions, edge, into.transitions[Y:])):
                ends = np.linspace(0, len(found.feature), pieces + 1).astype(int)
                jobs += [add_up(a, b, found, residual, height, out) for a, b in zip(ends, ends[1:]) if b > a]
            together(jobs, threads=self.threads)
        if self.edge_rows:
            for part in sums:
                into.transitions[:Y] += part
        return value + self.penalise(w, g)

    def _prepare(self, dtype) -> Prepared:
        """Blocks of rows with their regrouped occurrences, and memory for residuals."""
        corpus, Y = self.corpus, self.labels
        bounds = corpus.blocks(BLOCK_TOKENS // Y if corpus.per_position else BLOCK_TOKENS)
        at = corpus.token[bounds]
        node, edge = corpus.node.occurrences(at), corpus.edge.occurrences(at)
        blocks = []
        for b in range(len(bounds) - 1):
            cuts = np.searchsorted(corpus.token, np.linspace(at[b], at[b + 1], self.pieces + 1)).clip(bounds[b], bounds[b + 1])
            cuts[0], cuts[-1] = bounds[b], bounds[b + 1]
            blocks.append((int(at[b]), cuts, _entries(node, b), _entries(edge, b)))
        most = int(np.diff(at).max())
        residual = aligned((most, self.width), dtype), aligned((most * Y if corpus.per_position else 0, self.width), dtype)
        return Prepared(*residual, [self.workspace(dtype, corpus.longest) for _ in range(self.pieces)], blocks)


def _entries(group: Occurrences, b: int) -> Occurrences:
    """The entries of one block, views of the whole."""
    low, high = group.at[b], group.at[b + 1]
    return Occurrences(group.at[b : b + 2], group.feature[low:high], group.mark[low : high + 1], group.place, group.value)
