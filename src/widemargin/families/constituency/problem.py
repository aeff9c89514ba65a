"""The problem of constituency trees: hashed features of spans and splits (features.py) and weights of productions.

w is two tables of rows of L, a weight per symbol: those of features, and those of the grammar (kernels/grammars.py).
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from widemargin.compiler.lanes import lanes_for, only_wide, width_of
from widemargin.engine.problem import Problem
from widemargin.engine.rows import Rows, RowsOfPlaces, some_rows
from widemargin.engine.tables import TableSpec, Weights
from widemargin.errors import InputError
from widemargin.families.constituency.costs import BracketCost, SpanCost
from widemargin.families.constituency.features import SpanFeatures
from widemargin.families.constituency.inventory import Inventory
from widemargin.families.constituency.kernels import meta, rule_grammars, span_gradients  # noqa: F401  (answers of inputs and grammars)
from widemargin.families.constituency.kernels.grammars import Seen
from widemargin.families.constituency.kernels.span_scores import SpanTables, span_tables
from widemargin.families.constituency.tag_features import TagFeatures
from widemargin.structures.spans.arrays import SpanTrees
from widemargin.structures.spans.count_prices import CountedTreebank
from widemargin.structures.spans.kernel import Prices, Treebank
from widemargin.structures.spans.mixture import NodeLists, node_lists

Features = SpanFeatures | TagFeatures


class SpanWeights(NamedTuple):
    """Weights of a parser; in files they are weights.spans and weights.grammar."""

    spans: np.ndarray  # [F, L]  of features of spans; without those, of tags
    grammar: np.ndarray  # [G, L]


@dataclass(frozen=True)
class Gold:
    """What is known of the trees of n sentences; nothing: no nodes and no brackets."""

    node_at: np.ndarray  # int64 [n+1]  2m-1 nodes of a sentence of m words whose tree is known, else none
    node: np.ndarray  # int32 [M, 4]  first, split, end, symbol
    bracket_at: np.ndarray  # int64 [n+1]
    bracket: np.ndarray  # int32 [B, 3]  first, end, row of sets
    sets: np.ndarray  # bool [C, K]  symbols that a bracket may have

    @classmethod
    def nothing(cls, rows: int, symbols: int) -> "Gold":
        at = np.zeros(rows + 1, np.int64)
        return cls(at, np.zeros((0, 4), np.int32), at, np.zeros((0, 3), np.int32), np.zeros((0, symbols), bool))

    def part(self, rows: np.ndarray) -> "Gold":
        """Of some of the sentences."""
        node_at, nodes = some_rows(self.node_at, rows)
        bracket_at, brackets = some_rows(self.bracket_at, rows)
        return Gold(node_at, self.node[nodes], bracket_at, self.bracket[brackets], self.sets)


@dataclass(frozen=True)
class SpanCorpus(RowsOfPlaces):
    """n sentences with what is known of their trees, hashed columns, and weights."""

    token: np.ndarray  # int64 [n+1]
    gold: Gold
    weight: np.ndarray  # [n]
    atoms: np.ndarray  # uint64 [N, C]  what the features' transform gave
    features: Features
    inventory: Inventory

    def part(self, rows: np.ndarray) -> "SpanCorpus":
        """Some of the sentences."""
        token, words = some_rows(self.token, rows)
        return SpanCorpus(token, self.gold.part(rows), self.weight[rows], self.atoms[words], self.features, self.inventory)


def structure_of(inventory: Inventory, features: Features, *, all_spans: bool = False) -> SpanTrees:
    """The structure over a parser's symbols. all_spans: every span has scores, and so marginals, of its own."""
    own = (inventory.rules,) if inventory.kind.rules else ()
    how: dict[str, Any] = {"only_words": features.only_words and not all_spans, "legal": inventory.legal}
    if inventory.kind.grammar:
        how["splits"] = features.splits
    return inventory.kind.structure(len(inventory), *own, **how)


def grammar_rows(inventory: Inventory, width: int = 0) -> int:
    """How many rows of L weights, or of `width`, a grammar has: the root's, then its own (kernels/grammars.py)."""
    kind, symbols = inventory.kind, len(inventory)
    width = width or width_of(lanes_for(symbols))
    return 1 + (-(-len(inventory.rules) // width) if kind.rules else 2 * symbols if kind.pairs else 0)


def grammar_in(width: int, table: np.ndarray, inventory: Inventory) -> np.ndarray:
    """A grammar's weights in rows of `width`: productions lie one behind the other, all else has a column for every symbol."""
    if table.shape[1] == width:
        return table
    out, both = np.zeros((grammar_rows(inventory, width), width), table.dtype), min(width, table.shape[1])
    if not inventory.kind.rules:
        out[:, :both] = table[:, :both]
        return out
    rules = len(inventory.rules)
    out[0, :both], out[1:].reshape(-1)[:rules] = table[0, :both], table[1:].reshape(-1)[:rules]
    return out


def padded(allowed: np.ndarray, lanes: tuple, dtype) -> np.ndarray:
    """bool [R, K] as 0 and -inf [R, L]."""
    out = np.full((len(allowed), width_of(lanes)), -np.inf, dtype)
    out[:, : allowed.shape[1]] = np.where(allowed, 0.0, -np.inf)
    return out


def seen_by(inventory: Inventory, lanes: tuple, dtype) -> Seen:
    """What may stand where, as the kernels read it."""
    kind, symbols = inventory.kind, len(inventory)
    free = np.ones((1, width_of(lanes)), dtype)
    free[0, 0] = kind.grammar
    pairs = np.concatenate(inventory.pairs) if kind.pairs else np.zeros((0, symbols), bool)
    root, parent, pair = (padded(table, lanes, dtype) for table in (inventory.root, inventory.legal[[1, 1]], pairs))
    return Seen(root, parent, free, pair, np.zeros((1, width_of(lanes)), dtype))


def rows_of(corpus: SpanCorpus, price: Prices, room: int) -> Rows:
    """Sentences with scratch of one thread for up to `room` words, in the precision of the prices."""
    inventory = corpus.inventory
    lanes, dtype = lanes_for(len(inventory)), price.wrong.dtype
    input = corpus.features.input(corpus.token, corpus.atoms, seen_by(inventory, lanes, dtype), room)
    gold = corpus.gold
    sets = np.zeros((len(gold.sets), width_of(lanes)), np.bool_)
    sets[:, : len(inventory)] = gold.sets
    target = Treebank(corpus.token, gold.node_at, gold.node, gold.bracket_at, gold.bracket, sets, price, only_wide(lanes))
    return Rows(target, input, corpus.weight)


@dataclass
class SpanProblem(Problem):
    """A corpus of trees, a structure over spans, a cost, an objective and a penalty."""

    corpus: SpanCorpus
    structure: SpanTrees
    cost: SpanCost | BracketCost

    pieces = 4  # each has a gradient of its own, of all weights

    def __post_init__(self):
        super().__post_init__()
        if len(self.cost.symbols) != len(self.corpus.inventory):
            raise InputError(f"the cost is for {len(self.cost.symbols)} symbols, the parser has {len(self.corpus.inventory)}")
        self.starts = np.full((self.corpus.rows, 2), np.nan)  # where searches by counts begin: where the last one for a row ended

    @property
    def latent(self) -> bool:
        """Is a tree not wholly known?"""
        return bool((np.diff(self.corpus.gold.node_at) == 0).any())

    def tables(self) -> tuple[TableSpec, TableSpec]:
        lanes, rows, own = self.structure.lanes, self.corpus.features.rows, grammar_rows(self.corpus.inventory)
        return TableSpec(rows, 1, lanes, np.ones(rows), planes=True), TableSpec(own, 1, lanes, np.ones(own), planes=True)

    def bundle(self, *tables: Weights) -> SpanTables:
        return span_tables(*tables)

    def linear(self, w: np.ndarray) -> SpanWeights:
        """w as tables of features and of the grammar."""
        return SpanWeights(*self.split(w))

    def price(self, dtype) -> Prices:
        """Costs of nodes as the kernels read them; 0 where brackets are counted."""
        out = Prices(*(np.zeros((2, width_of(self.structure.lanes)), dtype) for _ in range(3)))
        if isinstance(self.cost, SpanCost):
            for wide, table in zip(out, (self.cost.wrong, self.cost.missed, self.cost.production)):
                wide[:, : table.shape[1]] = table
        return out

    def rows(self, dtype, room: int) -> Rows:
        rows = rows_of(self.corpus, self.price(dtype), room)
        if isinstance(self.cost, SpanCost):
            return rows
        price = self.cost.prices(self.structure, rows.target, dtype)
        return rows._replace(target=CountedTreebank(rows.target, price._replace(start=self.starts)))

    def kept(self, rows: Rows) -> dict[str, np.ndarray]:
        return {} if isinstance(self.cost, SpanCost) else {"starts": self.starts}

    def mixture(self, dtype, memory: float) -> NodeLists:
        """bcfw's mixture, all on the gold."""
        if self.objective.name != "hinge":
            raise InputError(f"bcfw on trees over spans minimises the hinge, not {self.objective.name}; use ocp or cutting-plane")
        return node_lists(self.corpus.rows, int(self.corpus.token[-1]))

    def slots(self) -> np.ndarray:
        """A slot is a node."""
        return 2 * self.corpus.token - np.arange(len(self.corpus.token))

    def cuts(self) -> np.ndarray:
        """Pairs of words are shared out evenly."""
        pairs = np.concatenate([[0], np.cumsum(np.diff(self.corpus.token).astype(np.float64) ** 2)])
        return np.searchsorted(pairs, np.linspace(0, pairs[-1], self.pieces + 1))
