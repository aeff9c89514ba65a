"""Binarised trees, and back.

    chains      brackets over the same words become one symbol, S+VP, also over one word. So a span has at most one symbol.
    right       A -> X1 A|  A| -> X2 A|  A| -> X3 X4            a constituent's artificial symbols cover its last children
    left        A -> A| X4  A| -> A| X3  A| -> X1 X2            they cover its first children
    horizontal  h: an artificial symbol names its constituent and h of the children that it covers, the outermost: for right the first
                ones, for left the last ones. None: all of them. A child is named by its highest label, or its tag.
    vertical    v: a symbol names v - 1 ancestors too (Johnson 1998, PCFG models of linguistic tree representations; Klein and Manning 2003,
                Accurate unlexicalized parsing), each by its lowest label. Tags are not annotated.

Every word has one node, with its tag as the symbol or the chain above the tag. So a tree over n words has 2 n - 1 nodes.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from widemargin.engine.settings import as_number, in_range
from widemargin.errors import InputError
from widemargin.families.constituency.symbols import ARTIFICIAL, CONSTITUENT, TAG_SYMBOL, Symbol, Symbols
from widemargin.families.constituency.trees import Trees

DIRECTIONS = ("right", "left")
NO_SPLIT = -1  # of one-word nodes
UNSEEN = -1  # a symbol that is not among the given ones
NodeRow = tuple[int, int, int, int]


@dataclass(frozen=True, eq=False)
class BinaryTrees:
    """Binarised trees: those of sentence i are node[2 token[i] - i : 2 token[i+1] - i - 1], in pre-order."""

    token: np.ndarray  # int64 [S+1], sentence bounds in words
    node: np.ndarray  # int32 [sum of 2n-1, 4], first, split, end, symbol; split is NO_SPLIT over one word
    tag: np.ndarray  # int32 [N], the symbol of each word's tag, UNSEEN where it is not among the symbols
    symbols: Symbols

    @property
    def node_ptr(self) -> np.ndarray:
        """int64 [S+1], bounds of sentences in nodes."""
        return 2 * self.token - np.arange(len(self.token))

    def nodes(self, sentence: int) -> np.ndarray:
        """int32 [2n-1, 4]."""
        low, high = self.node_ptr[sentence : sentence + 2]
        return self.node[low:high]


@dataclass(frozen=True)
class Binariser:
    """How trees become binary ones."""

    direction: str = "right"
    horizontal: int | None = 1
    vertical: int = 1

    def __post_init__(self):
        if self.direction not in DIRECTIONS:
            raise InputError(f"the direction {self.direction!r} is unknown; binarise to the right or to the left.")
        if self.horizontal is not None:
            in_range("horizontal", as_number("horizontal", self.horizontal, int), 0)
        in_range("vertical", as_number("vertical", self.vertical, int), 1)

    def __call__(self, trees: Trees, symbols: Symbols | None = None) -> BinaryTrees:
        """Binarised trees. symbols: those of other trees, such as the training part's; what is not among them is UNSEEN.

        A sentence without words, without a tree or with a partial one is refused.
        """
        self._check(trees)
        found: dict[Symbol, int] = {}
        rows: list[NodeRow] = []
        labels, tag_names = trees.labels, trees.columns.values[1]
        tags = [found.setdefault(Symbol(TAG_SYMBOL, (name,)), len(found)) for name in tag_names]
        row_ptr, node_ptr, words, nodes = (
            array.tolist() for array in (trees.row_ptr, trees.node_ptr, trees.columns.codes[1], trees.node)
        )
        for i in range(trees.sentences):
            low, high = row_ptr[i : i + 2]
            chains: dict[tuple[int, int], tuple[str, ...]] = {}
            for first, end, label in nodes[node_ptr[i] : node_ptr[i + 1]]:
                chains[first, end] = (*chains.get((first, end), ()), labels[label])
            rows += self._rows(chains, [(tags[t], tag_names[t]) for t in words[low:high]], found)
        if symbols is None:
            used = np.unique([symbol for *_, symbol in rows] + [tags[t] for t in set(words)])
            everything = list(found)
            symbols = Symbols.of(everything[code] for code in used.tolist())
        code = np.array([symbols.codes.get(symbol, UNSEEN) for symbol in found] or [0], np.int32)
        node = np.array(rows, np.int32).reshape(-1, 4)
        node[:, 3] = code[node[:, 3]]
        tag = code[np.array(tags, np.int64)[trees.columns.codes[1]]] if len(trees) else np.empty(0, np.int32)
        return BinaryTrees(trees.row_ptr.copy(), node, tag, symbols)

    def _check(self, trees: Trees) -> None:
        for bad, what in (
            (np.diff(trees.row_ptr) == 0, "has no words"),
            (~trees.parsed, "has no tree"),
            (trees.partial, "has a tree that is not wholly known (?)"),
        ):
            if bad.any():
                raise InputError(f"this sentence {what}, so it cannot be binarised; leave it out.", trees.where(int(np.flatnonzero(bad)[0])))

    def _rows(
        self, chains: dict[tuple[int, int], tuple[str, ...]], tags: list[tuple[int, str]], found: dict[Symbol, int]
    ) -> Iterator[NodeRow]:
        """The nodes of one tree, given its chains by span; symbols are numbered in `found`."""
        n = len(tags)
        for span in [(0, n), *((w, w + 1) for w in range(n))]:
            chains.setdefault(span, ())
        spans = sorted(chains, key=lambda span: (span[0], -span[1]))
        children, above = self._family(spans, chains)
        right = self.direction == "right"
        todo = [(0, 0)]  # a span, and how many of its children are split off already
        while todo:
            at, off = todo.pop()
            first, end = spans[at]
            below = children[at]
            if not below:
                code, _ = tags[first]
                if chain := chains[first, end]:
                    code = _code(found, Symbol(CONSTITUENT, chain, above[at]))
                yield first, NO_SPLIT, end, code
                continue
            left = below[off:] if right else below[: len(below) - off]
            if len(left) == 1:
                todo.append((left[0], 0))
                continue
            symbol = self._symbol(chains[first, end], above[at], off, [self._name(k, spans, chains, tags) for k in left] if off else [])
            low, high = spans[left[0]][0], spans[left[-1]][1]
            if right:
                yield low, spans[left[0]][1], high, _code(found, symbol)
                todo += [(at, off + 1), (left[0], 0)]
            else:
                yield low, spans[left[-1]][0], high, _code(found, symbol)
                todo += [(left[-1], 0), (at, off + 1)]

    def _family(
        self, spans: list[tuple[int, int]], chains: dict[tuple[int, int], tuple[str, ...]]
    ) -> tuple[list[list[int]], list[tuple[str, ...]]]:
        """The children of each span, and the ancestors that its symbols name."""
        children: list[list[int]] = [[] for _ in spans]
        above: list[tuple[str, ...]] = [()] * len(spans)
        inside: list[int] = []
        for at, (first, _) in enumerate(spans):
            while inside and spans[inside[-1]][1] <= first:
                inside.pop()
            if inside:
                parent = inside[-1]
                children[parent].append(at)
                if self.vertical > 1:
                    above[at] = (*chains[spans[parent]][-1:], *above[parent])[: self.vertical - 1]
            inside.append(at)
        return children, above

    @staticmethod
    def _name(at: int, spans: list[tuple[int, int]], chains: dict[tuple[int, int], tuple[str, ...]], tags: list[tuple[int, str]]) -> str:
        """A child as artificial symbols name it."""
        chain = chains[spans[at]]
        return chain[0] if chain else tags[spans[at][0]][1]

    def _symbol(self, chain: tuple[str, ...], above: tuple[str, ...], off: int, names: list[str]) -> Symbol:
        """Of a constituent, or of what is left of it when `off` children are split off; its children's names are then given."""
        if not off and chain:
            return Symbol(CONSTITUENT, chain, above)
        h = len(names) if self.horizontal is None else self.horizontal
        covered = names[:h] if self.direction == "right" else names[max(len(names) - h, 0) :]
        return Symbol(ARTIFICIAL, chain[-1:], above, tuple(covered))


def _code(found: dict[Symbol, int], symbol: Symbol) -> int:
    return found.setdefault(symbol, len(found))


def restore(node_ptr: np.ndarray, node: np.ndarray, symbols: Symbols) -> tuple[np.ndarray, np.ndarray]:
    """The brackets of the original trees: their bounds int64 [S+1], and int32 [M, 3] as in Trees, with codes into symbols.labels.

    node int [., 4] as in BinaryTrees, in pre-order; Trees.with_trees takes the result.
    """
    symbol = node[:, 3]
    if len(symbol) and not (0 <= symbol.min() and symbol.max() < len(symbols)):
        raise InputError(f"a node has a symbol that is not among the {len(symbols)} known ones; restore trees of known symbols.")
    sizes = np.diff(symbols.label_ptr)[symbol]
    bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    place = np.repeat(symbols.label_ptr[symbol] - bounds[:-1], sizes) + np.arange(bounds[-1])
    out = np.empty((len(place), 3), np.int32)
    out[:, 0], out[:, 1], out[:, 2] = np.repeat(node[:, 0], sizes), np.repeat(node[:, 2], sizes), symbols.label_code[place]
    return bounds[node_ptr], out
