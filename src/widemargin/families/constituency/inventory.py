"""The symbols of a parser, and what may stand where: read off binarised trees, checked when read from a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from widemargin.contents import Contents
from widemargin.families.constituency.binary import NO_SPLIT, UNSEEN, BinaryTrees
from widemargin.families.constituency.kinds import Kind
from widemargin.families.constituency.symbols import ARTIFICIAL, CONSTITUENT, TAG_SYMBOL, Symbol, Symbols

WORD = Symbol(TAG_SYMBOL, ("word",))  # of words without a bracket of their own, where tags are no symbols; without a grammar, of any span
# that is no constituent
NOTHING = Symbol(TAG_SYMBOL, ("",))  # of such spans where words have symbols that say their tags; it stands before all of those


@dataclass(frozen=True, eq=False)
class Inventory:
    """K symbols; which of them nodes of one word and of more words may have, which whole sentences, and the productions."""

    kind: Kind
    symbols: Symbols
    legal: np.ndarray  # bool [2, K]  nodes of one word, of more
    root: np.ndarray  # bool [2, K]  sentences of one word, of more
    rules: np.ndarray  # int32 [R, 3]  parent, left child, right child, by (left, right, parent); none where productions are free
    top: int  # the most frequent symbol of whole sentences that has a label
    tags: tuple[str, ...]  # those of words
    lexical: np.ndarray  # int32 [W, 2]  symbol of a word, number of its tag; none where tags are no symbols

    def __len__(self) -> int:
        return len(self.symbols)

    @classmethod
    def of(cls, trees: BinaryTrees, kind: Kind) -> "Inventory":
        """What binarised trees have."""
        found = trees.symbols.items
        symbols = Symbols.of([*_seen(trees, kind)[0], *([] if kind.grammar and kind.tags else [NOTHING if kind.tags else WORD])])
        node = cls._nodes(trees, symbols, kind)
        one = trees.node[:, 1] == NO_SPLIT
        K = len(symbols)
        legal, root = np.zeros((2, K), bool), np.zeros((2, K), bool)
        legal[0, node[one]], legal[1, node[~one]] = True, True
        top, long = node[trees.node_ptr[:-1]], np.diff(trees.token) > 1
        root[0, _barest(symbols, np.flatnonzero(legal[0]))], root[1, top[long]] = True, True
        if not kind.grammar:
            legal[1, 0], root[1, 0] = True, False
        rules = np.unique(_productions(trees.node, node)[:, [1, 2, 0]], axis=0)[:, [2, 0, 1]] if kind.grammar else np.zeros((0, 3))
        tags = tuple(symbol.labels[0] for symbol in found if symbol.kind == TAG_SYMBOL)  # they stand first, in this order
        lexical = np.unique(np.stack([node[one], trees.tag], axis=1), axis=0) if kind.tags and not kind.words else np.zeros((0, 2))
        named = np.array([bool(symbols.stands_for(y)) for y in range(K)])
        usual = int(np.argmax(np.bincount(top, minlength=K) * named))
        return cls(kind, symbols, legal, root, np.ascontiguousarray(rules, np.int32), usual, tags, lexical.astype(np.int32))

    @staticmethod
    def _nodes(trees: BinaryTrees, symbols: Symbols, kind: Kind) -> np.ndarray:
        """The parser's symbol of every node, int32 [M]; UNSEEN where it has none."""
        items, number = _seen(trees, kind)
        code = np.array([symbols.codes.get(symbol, UNSEEN) for symbol in items] + [UNSEEN], np.int32)
        return code[number]

    def gold(self, trees: BinaryTrees) -> tuple[np.ndarray, np.ndarray]:
        """Nodes int32 [M, 4] with the parser's symbols, and which trees it can have, bool [S]."""
        kind, symbol = self.kind, self._nodes(trees, self.symbols, self.kind)
        many = (trees.node[:, 1] != NO_SPLIT).astype(int)
        good = (symbol != UNSEEN) & self.legal[many, symbol]
        at, long = trees.node_ptr[:-1], (np.diff(trees.token) > 1).astype(int)
        good[at] &= self.root[long, symbol[at]]
        if kind.pairs:
            parent, left, right = _productions(trees.node, symbol).T
            good[many == 1] &= self.pairs[0, left, parent] & self.pairs[1, right, parent]
        elif kind.rules:
            rules = {tuple(rule) for rule in self.rules.tolist()}
            good[many == 1] &= np.array([tuple(rule) in rules for rule in _productions(trees.node, symbol).tolist()], bool)
        if kind.tags and not kind.words:
            pairs = {tuple(pair) for pair in self.lexical.tolist()}
            tag = np.append(self._tag_numbers(trees.symbols), UNSEEN)[trees.tag]
            good[many == 0] &= np.array([pair in pairs for pair in zip(symbol[many == 0].tolist(), tag.tolist())], bool)
        return np.column_stack([trees.node[:, :3], symbol]).astype(np.int32), np.logical_and.reduceat(good, at)

    def _tag_numbers(self, symbols: Symbols) -> np.ndarray:
        """The number in `tags` of other symbols, UNSEEN where there is none."""
        place = {tag: t for t, tag in enumerate(self.tags)}
        return np.array([place.get(item.labels[0], UNSEEN) if item.kind == TAG_SYMBOL else UNSEEN for item in symbols.items], np.int32)

    @cached_property
    def tag_of(self) -> np.ndarray:
        """int64 [K]: the number of the tag that a symbol of words says, where they say it; UNSEEN for other symbols."""
        place = {tag: t for t, tag in enumerate(self.tags)}
        said = [item.labels if item.kind == TAG_SYMBOL else item.covered if item.kind == CONSTITUENT else () for item in self.symbols.items]
        return np.array([place.get(tag[0], UNSEEN) if tag else UNSEEN for tag in said], np.int64)

    @cached_property
    def pairs(self) -> np.ndarray:
        """bool [2, K, K]: by left child and parent, by right child and parent."""
        out = np.zeros((2, len(self), len(self)), bool)
        out[0, self.rules[:, 1], self.rules[:, 0]] = True
        out[1, self.rules[:, 2], self.rules[:, 0]] = True
        return out

    # ---- on disk --------------------------------------------------------------------------------------------------------------------

    def header(self) -> dict[str, Any]:
        return {"symbols": self.symbols.as_json(), "top": self.top, "tags": list(self.tags)}

    def arrays(self) -> dict[str, np.ndarray]:
        return {"legal": self.legal.astype(np.int32), "root": self.root.astype(np.int32), "rules": self.rules, "lexical": self.lexical}

    @classmethod
    def from_contents(cls, own: Contents, kind: Kind) -> "Inventory":
        """What header and arrays described: every number is one of a symbol or a tag."""
        rows = own.field("symbols", list)
        if not rows or not all(_is_symbol(row) for row in rows):
            raise own.refusal("its symbols are not those of a parser")
        symbols, tags = Symbols.from_json(rows), own.texts("tags")
        if len(set(symbols.items)) < len(symbols):
            raise own.refusal("it has a symbol twice")
        K = len(symbols)
        legal, root = (own.numbers(name, 2, K, below=2).astype(bool) for name in ("legal", "root"))
        rules = own.numbers("rules", None, 3, below=K)
        keys = [(left, right, parent) for parent, left, right in rules.tolist()]
        if any(a >= b for a, b in zip(keys, keys[1:])):
            raise own.wrong("rules", "is not in order")
        lexical = own.numbers("lexical", None, 2, below=max(K, len(tags), 1))
        if len(lexical) and (lexical[:, 0].max() >= K or lexical[:, 1].max() >= len(tags)):
            raise own.wrong("lexical", "names symbols or tags that do not exist")
        return cls(kind, symbols, legal, root, rules, own.whole("top", 0, K - 1), tags, lexical)


def _barest(symbols: Symbols, chosen: np.ndarray) -> list[int]:
    """Of symbols that stand for the same labels the one that names fewest ancestors: the others are the same tree over one word."""
    found: dict[Symbol, int] = {}
    for y in sorted(chosen.tolist(), key=lambda y: len(symbols.items[y].above)):
        found.setdefault(symbols.items[y]._replace(above=()), y)
    return sorted(found.values())


def _seen(trees: BinaryTrees, kind: Kind) -> tuple[list[Symbol], np.ndarray]:
    """The symbols that a parser gives to nodes of binarised trees, and which of them each node has, int [M]; UNSEEN where it has none."""
    old = trees.symbols.items
    items, number = [_seen_as(symbol, kind) for symbol in old], trees.node[:, 3].astype(np.int64)
    if not kind.words:
        return items, number
    one = np.flatnonzero(trees.node[:, 1] == NO_SPLIT)
    pairs, which = np.unique(np.stack([number[one], trees.tag], axis=1), axis=0, return_inverse=True)
    many, again = np.unique(np.delete(number, one), return_inverse=True)
    number[np.delete(np.arange(len(number)), one)], number[one] = again, len(many) + which.reshape(-1)
    return [items[m] for m in many.tolist()] + [_over_tag(old[symbol], old[tag]) for symbol, tag in pairs.tolist()], number


def _over_tag(symbol: Symbol, tag: Symbol) -> Symbol:
    """A symbol of one word that says the tag too: the tag itself, or a chain with the tag that it covers."""
    return symbol if symbol.kind == TAG_SYMBOL else symbol._replace(covered=tag.labels)


def _seen_as(symbol: Symbol, kind: Kind) -> Symbol:
    """Which of a parser's symbols a symbol of a treebank is."""
    if (symbol.kind == TAG_SYMBOL and not kind.tags) or (symbol.kind == ARTIFICIAL and not kind.grammar):
        return NOTHING if kind.words else WORD
    return symbol


def _productions(node: np.ndarray, symbol: np.ndarray) -> np.ndarray:
    """Parent, left child and right child of every node of two and more words, int32 [., 3]."""
    parent = np.flatnonzero(node[:, 1] != NO_SPLIT)
    right = parent + 2 * (node[parent, 1] - node[parent, 0])
    return np.stack([symbol[parent], symbol[parent + 1], symbol[right]], axis=1)


def _is_symbol(row: Any) -> bool:
    """Is a value from JSON what Symbols.as_json gives for a symbol?"""
    if not isinstance(row, list) or len(row) != 4 or row[0] not in (TAG_SYMBOL, CONSTITUENT, ARTIFICIAL) or isinstance(row[0], bool):
        return False
    texts: Sequence[Any] = row[1:]
    return all(isinstance(part, list) and all(isinstance(text, str) for text in part) for part in texts) and bool(
        row[1] or row[0] == ARTIFICIAL
    )
