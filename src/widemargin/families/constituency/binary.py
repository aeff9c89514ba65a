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
        row_ptr, node_ptr, words, nodes = (array.tolist() for array in (trees.row_ptr, trees.node_ptr, trees.columns.codes[1], trees.node))
        for i in range(trees.sentences):
            low, high = row_ptr[i : i + 2]
            chains: dict[tuple[int, int], list[str]] = {}
            for first, end, label in nodes[node_ptr[i] : node_ptr[i + 1]]:
                chains.setdefault((first, end), []).append(labels[label])
            rows += self._rows(_Sentence(chains, [(tags[t], tag_names[t]) for t in words[low:high]]), found)
        if symbols is None:
            used = np.unique([symbol for *_, symbol in rows] + [tags[t] for t in set(words)])
            everything = list(found)
            symbols = Symbols.of(everything[code] for code in used.tolist())
        code = np.array([symbols.codes.get(symbol, UNSEEN) for symbol in found] or [0], np.int32)
        node = np.array(rows, np.int32).reshape(-1, 4)
        node[:, 3] = code[node[:, 3]]
        tag = code[np.array(tags, np.int64)[trees.columns.codes[1]]] if trees.tokens else np.empty(0, np.int32)
        return BinaryTrees(trees.row_ptr.copy(), node, tag, symbols)

    def _check(self, trees: Trees) -> None:
        for bad, what in (
            (np.diff(trees.row_ptr) == 0, "has no words"),
            (~trees.parsed, "has no tree"),
            (trees.partial, "has a tree that is not wholly known (?)"),
        ):
            if bad.any():
                raise InputError(
                    f"this sentence {what}, so it cannot be binarised; leave it out.", trees.where(int(np.flatnonzero(bad)[0]))
                )

    def _rows(self, tree: "_Sentence", found: dict[Symbol, int]) -> Iterator[NodeRow]:
        """The nodes of one tree; symbols are numbered in `found`."""
        right, above = self.direction == "right", tree.ancestors(self.vertical - 1)
        todo = [(0, 0)]  # a span, and how many of its children are split off already
        while todo:
            at, off = todo.pop()
            first, end = tree.spans[at]
            children = tree.children[at]
            if not children:
                code, chain = tree.tags[first][0], tree.chains[at]
                yield first, NO_SPLIT, end, _code(found, Symbol(CONSTITUENT, chain, above[at])) if chain else code
                continue
            low, high = (off, len(children)) if right else (0, len(children) - off)  # the children that are left
            if high - low == 1:
                todo.append((children[low], 0))
                continue
            code = _code(found, self._symbol(tree, at, above[at], (low, high)))
            first, end = tree.spans[children[low]][0], tree.spans[children[high - 1]][1]
            if right:
                yield first, tree.spans[children[low]][1], end, code
                todo += [(at, off + 1), (children[low], 0)]
            else:
                yield first, tree.spans[children[high - 1]][0], end, code
                todo += [(children[high - 1], 0), (at, off + 1)]

    def _symbol(self, tree: "_Sentence", at: int, above: tuple[str, ...], left: tuple[int, int]) -> Symbol:
        """Of a constituent, or of that part of it which covers its children from left[0] to left[1]."""
        chain, children = tree.chains[at], tree.children[at]
        if chain and left == (0, len(children)):
            return Symbol(CONSTITUENT, chain, above)
        low, high = left
        h = high - low if self.horizontal is None else min(self.horizontal, high - low)
        covered = children[low : low + h] if self.direction == "right" else children[high - h : high]
        return Symbol(ARTIFICIAL, chain[-1:], above, tuple(tree.name(k) for k in covered))


class _Sentence:
    """One tree with its chains: spans in pre-order, among them all words and the whole sentence, and the children of each."""

    def __init__(self, chains: dict[tuple[int, int], list[str]], tags: list[tuple[int, str]]):
        self.tags = tags  # code and name of each
        for span in [(0, len(tags)), *((w, w + 1) for w in range(len(tags)))]:
            chains.setdefault(span, [])
        self.spans = sorted(chains, key=lambda span: (span[0], -span[1]))
        self.chains = [tuple(chains[span]) for span in self.spans]
        self.children: list[list[int]] = [[] for _ in self.spans]
        self.parent = [-1] * len(self.spans)
        inside: list[int] = []
        for at, (first, _) in enumerate(self.spans):
            while inside and self.spans[inside[-1]][1] <= first:
                inside.pop()
            if inside:
                self.parent[at] = inside[-1]
                self.children[inside[-1]].append(at)
            inside.append(at)

    def ancestors(self, count: int) -> list[tuple[str, ...]]:
        """Of each span, the lowest labels of so many ancestors, from the parent up; fewer near the top."""
        above: list[tuple[str, ...]] = [()] * len(self.spans)
        for at, parent in enumerate(self.parent if count else ()):
            if parent >= 0:
                above[at] = (*self.chains[parent][-1:], *above[parent])[:count]
        return above

    def name(self, at: int) -> str:
        """A child as artificial symbols name it: its highest label, or its tag."""
        return self.chains[at][0] if self.chains[at] else self.tags[self.spans[at][0]][1]


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
