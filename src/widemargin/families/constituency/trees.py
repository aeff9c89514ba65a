"""Constituency trees as arrays: the data of the family.

A tree over n words is a list of brackets (first, end, label) with the words first <= w < end, parents before children, left before right
(pre-order). So a chain of brackets over the same words is unambiguous, and may repeat a label. Tags are no brackets: they stand beside the
words. A tree of one word may have no bracket at all.

What is not known:
    parsed[i] is False             nothing is known of sentence i: it is there to be parsed, and has no brackets
    the top bracket is `?`         a partial tree: its other brackets are in the tree, and any that cross none of them may be in it too
    another bracket is `?`         there is a bracket, and its label is not known
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from widemargin.errors import InputError
from widemargin.families.constituency.tree import Tree
from widemargin.readers.columns import Columns, OverColumns

UNKNOWN = "?"
NO_TAG = "_"  # of words that came without one
WORD, TAG = 0, 1  # columns
FIRST, END, LABEL = 0, 1, 2  # of a bracket


@dataclass(frozen=True, eq=False)
class Trees(OverColumns):
    """Sentences with their trees. Two codes of a word may have the same value: `{` and `-LCB-` are spelled differently and read alike."""

    columns: Columns  # word and tag; their text is what was read, begin and stop places of words in it (CoNLL-2012: of parse bits)
    node_ptr: np.ndarray  # int64 [S+1], bounds of sentences in nodes
    node: np.ndarray  # int32 [M, 3], first, end, label; in pre-order
    labels: tuple[str, ...]  # distinct; "" is the outer bracket of `( (S ...))`
    parsed: np.ndarray  # bool [S], there is a tree
    spelled: tuple[str, ...]  # words as brackets have them, by code: with -LRB- for (
    file: np.ndarray  # int32 [S], which of the sources a sentence is from
    line: np.ndarray  # int64 [S], the line on which it begins, from 1
    sources: tuple[str, ...]  # names of files, for messages
    format: str = "brackets"  # brackets, tokens, columns or conll2012; of sentences taken from a whole, brackets
    original: "Trees | None" = None  # the trees before transforms.py changed them

    @property
    def sentences(self) -> int:
        return len(self.row_ptr) - 1

    @cached_property
    def partial(self) -> np.ndarray:
        """bool [S], trees of which only some brackets are known: the top one is `?`."""
        out = np.zeros(self.sentences, bool)
        if UNKNOWN in self.labels:
            some = np.flatnonzero(np.diff(self.node_ptr) > 0)
            out[some] = self.node[self.node_ptr[some], LABEL] == self.labels.index(UNKNOWN)
        return out

    @cached_property
    def digest(self) -> str:
        """Of all that is learned from: words, tags and brackets."""
        found = hashlib.sha256()
        for array in (self.row_ptr, self.columns.codes, self.node_ptr, self.node, self.parsed):
            found.update(f"{array.dtype} {array.shape}".encode() + np.ascontiguousarray(array).tobytes())
        for names in (*self.columns.values, self.labels):
            found.update(repr(list(names)).encode("utf-8", "backslashreplace"))
        return found.hexdigest()

    def where(self, sentence: int) -> str:
        """file:line of a sentence."""
        return f"{self.sources[self.file[sentence]]}:{self.line[sentence]}"

    def words(self, sentence: int) -> list[str]:
        return self._cells(WORD, sentence)

    def tags(self, sentence: int) -> list[str]:
        return self._cells(TAG, sentence)

    def _cells(self, column: int, sentence: int) -> list[str]:
        low, high = self.row_ptr[sentence : sentence + 2]
        return [self.columns.values[column][code] for code in self.columns.codes[column, low:high].tolist()]

    def nodes(self, sentence: int) -> np.ndarray:
        """The brackets of a sentence, int32 [m, 3]."""
        return self.node[self.node_ptr[sentence] : self.node_ptr[sentence + 1]]

    def sentence(self, number: int) -> Tree:
        """A sentence with its tree."""
        return self.tree(number)

    def tree(self, sentence: int) -> Tree:
        """A sentence for people."""
        brackets = tuple((first, end, self.labels[label]) for first, end, label in self.nodes(sentence).tolist())
        return Tree(tuple(self.words(sentence)), tuple(self.tags(sentence)), brackets)

    def part(self, rows: Sequence[int] | np.ndarray) -> "Trees":
        """Some of the sentences, by number or as a mask [S], in that order; the text stays whole."""
        chosen = np.asarray(rows)
        rows = np.flatnonzero(chosen) if chosen.dtype == bool else chosen.astype(np.int64)
        inside = not len(rows) or (0 <= rows.min() and rows.max() < self.sentences)
        if not inside or (chosen.dtype == bool and len(chosen) != self.sentences):
            raise InputError(f"there are {self.sentences:,} sentences; choose by numbers from 0 to {self.sentences - 1:,}, or by a mask.")
        words, row_ptr = _taken(self.row_ptr, rows)
        nodes, node_ptr = _taken(self.node_ptr, rows)
        old = self.columns
        columns = replace(
            old,
            codes=np.ascontiguousarray(old.codes[:, words]),
            row_ptr=row_ptr,
            doc_ptr=np.array([0, len(rows)], np.int64),
            line=old.line[words],
            begin=old.begin[words],
            stop=old.stop[words],
        )
        return replace(
            self,
            columns=columns,
            node_ptr=node_ptr,
            node=self.node[nodes],
            parsed=self.parsed[rows],
            file=self.file[rows],
            line=self.line[rows],
            format="brackets",
            original=self.original.part(rows) if self.original else None,
        )

    def with_trees(self, node_ptr: np.ndarray, node: np.ndarray, labels: Sequence[str], *, parsed: np.ndarray | None = None) -> "Trees":
        """The same sentences with other brackets, such as a parser's; checked. parsed bool [S]: which have a tree, all unless given."""
        node_ptr, node = np.asarray(node_ptr, np.int64), np.asarray(node, np.int32).reshape(-1, 3)
        parsed = np.ones(self.sentences, bool) if parsed is None else np.asarray(parsed, bool)
        if len(node_ptr) != self.sentences + 1 or len(parsed) != self.sentences or node_ptr[0] or node_ptr[-1] != len(node):
            raise InputError(
                f"{len(node_ptr) - 1} trees with {len(node)} brackets are given for {self.sentences} sentences; give one each."
            )
        check_brackets(self.row_ptr, node_ptr, node, len(labels))
        return replace(self, node_ptr=node_ptr, node=node, labels=tuple(labels), parsed=parsed)

    def with_tags(self, codes: np.ndarray, values: Sequence[str]) -> "Trees":
        """The same sentences with other tags, such as a tagger's: codes int [N] into the values."""
        codes = np.asarray(codes)
        if codes.shape != (self.tokens,) or (len(codes) and not (0 <= codes.min() and codes.max() < len(values))):
            raise InputError(f"{codes.size} tags are given for {self.tokens} words, with {len(values)} values; give one in range per word.")
        changed = np.stack([self.columns.codes[WORD], codes.astype(np.int32)])
        return replace(self, columns=replace(self.columns, codes=changed, values=(self.columns.values[WORD], list(values))))


def check_brackets(row_ptr: np.ndarray, node_ptr: np.ndarray, node: np.ndarray, labels: int) -> None:
    """Refuse brackets that are outside their sentences, empty, not in pre-order, or crossed. Arrays as in Trees."""
    if np.any(np.diff(node_ptr) < 0):
        raise InputError("the bounds of sentences in brackets go down; give them in order.")
    sentence = np.repeat(np.arange(len(node_ptr) - 1), np.diff(node_ptr))
    first, end, label = node.T
    bad = (first < 0) | (end <= first) | (end > np.diff(row_ptr)[sentence]) | (label < 0) | (label >= labels)
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        raise InputError(
            f"the bracket {tuple(node[at].tolist())} of sentence {sentence[at] + 1} does not lie over its words, or has no label; give "
            f"first < end <= its length, and a label below {labels}."
        )
    inside: list[int] = []  # ends of the brackets that are open
    of, begun = -1, 0
    for at, (low, high, i) in enumerate(zip(first.tolist(), end.tolist(), sentence.tolist())):
        if i != of:
            inside, of, begun = [], i, 0
        while inside and inside[-1] <= low:
            inside.pop()
        if low < begun or (inside and high > inside[-1]):
            raise InputError(
                f"the bracket {tuple(node[at].tolist())} of sentence {i + 1} crosses another, or stands before one that holds it; give them"
                " in pre-order."
            )
        inside.append(high)
        begun = low


def _taken(pointer: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places of all that belongs to these rows, and the bounds of what is taken."""
    sizes = np.diff(pointer)[rows]
    bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return np.repeat(pointer[rows] - bounds[:-1], sizes) + np.arange(bounds[-1]), bounds
