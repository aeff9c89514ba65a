"""Trees as they are read, sentence by sentence, from one file or several."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from widemargin.errors import InputError, several
from widemargin.families.constituency.tree import Tree, escape, unescape
from widemargin.families.constituency.trees import NO_TAG, Trees
from widemargin.readers.columns import Columns
from widemargin.readers.encodings import check_text, undecodable


class Builder:
    """What readers fill: flat lists of words and brackets, and codes of byte strings in order of first occurrence.

    A reader appends to word, tag, begin and stop for each word, to first, end and label for each bracket, and calls `close_sentence`.
    """

    def __init__(self, source: str, format: str):
        self.source, self.format = source, format
        self.words: dict[bytes, int] = {}
        self.tags: dict[bytes, int] = {}
        self.labels: dict[bytes, int] = {}
        self.word: list[int] = []
        self.tag: list[int] = []
        self.begin: list[int] = []  # in the text of the file at hand; likewise stop
        self.stop: list[int] = []
        self.first: list[int] = []  # in words of all sentences; likewise end
        self.end: list[int] = []
        self.label: list[int] = []
        self.row_ptr, self.node_ptr = [0], [0]
        self.parsed: list[bool] = []
        self.start: list[int] = []  # of sentences, in the text of the file at hand
        self.sources: list[str] = []
        self._texts: list[bytes] = []
        self._sizes: list[tuple[int, int, int]] = []  # of each file: words, sentences, its first line

    def add_word(self, word: bytes, tag: bytes, begin: int, stop: int) -> None:
        """A word with the place in the text that Columns keeps."""
        self.word.append(self.words.setdefault(word, len(self.words)))
        self.tag.append(self.tags.setdefault(tag, len(self.tags)))
        self.begin.append(begin)
        self.stop.append(stop)

    def open_bracket(self, label: bytes) -> int:
        """The number of a bracket that begins before the next word; its end is to be set."""
        self.first.append(len(self.word))
        self.end.append(-1)
        self.label.append(self.labels.setdefault(label, len(self.labels)))
        return len(self.end) - 1

    def close_sentence(self, start: int, *, parsed: bool) -> None:
        """All since the last call is a sentence, which begins at this place of the text."""
        self.row_ptr.append(len(self.word))
        self.node_ptr.append(len(self.end))
        self.parsed.append(parsed)
        self.start.append(start)

    def close_file(self, text: bytes, source: str, line: int = 1) -> None:
        """All since the last call is from this text, whose first line has this number."""
        self.sources.append(source)
        self._texts.append(text if text.endswith(b"\n") else text + b"\n")
        self._sizes.append((len(self.word), len(self.start), line))

    def trees(self) -> Trees:
        """All that was added."""
        begin, stop, start = (np.array(column, np.int64) for column in (self.begin, self.stop, self.start))
        token_line, line, file = np.empty(len(begin), np.int32), np.empty(len(start), np.int64), np.empty(len(start), np.int32)
        offset = words = sentences = 0
        for number, (text, (last_word, last_sentence, first_line)) in enumerate(zip(self._texts, self._sizes)):
            newlines = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
            here, of = slice(words, last_word), slice(sentences, last_sentence)
            token_line[here] = np.searchsorted(newlines, begin[here]) + first_line
            line[of] = np.searchsorted(newlines, start[of]) + first_line
            file[of] = number
            begin[here] += offset
            stop[here] += offset
            offset, words, sentences = offset + len(text), last_word, last_sentence
        row_ptr, node_ptr = np.array(self.row_ptr, np.int64), np.array(self.node_ptr, np.int64)
        shift = np.repeat(row_ptr[:-1], np.diff(node_ptr))
        node = np.stack([np.array(column, np.int64) for column in (self.first, self.end, self.label)], axis=1)
        node[:, :2] -= shift[:, None]
        raw, tags = self._decoded(self.words), self._decoded(self.tags)
        columns = Columns(
            ("word", "tag"),
            np.array([self.word, self.tag], np.int32).reshape(2, -1),
            ([unescape(word) for word in raw], tags),
            row_ptr,
            np.array([0, len(start)], np.int64),
            token_line,
            self.source,
            np.frombuffer(b"".join(self._texts), np.uint8),
            begin,
            stop,
        )
        spelled = raw if self.format == "brackets" else [escape(word) for word in raw]
        labels = tuple(self._decoded(self.labels))
        parsed, sources = np.array(self.parsed, bool), tuple(self.sources)
        return Trees(columns, node_ptr, node.astype(np.int32), labels, parsed, tuple(spelled), file, line, sources, self.format)

    def _decoded(self, index: dict[bytes, int]) -> list[str]:
        try:
            return b"\n".join(index).decode().split("\n") if index else []
        except UnicodeDecodeError:
            for text, source, (_, _, line) in zip(self._texts, self.sources, self._sizes):
                try:
                    text.decode()
                except UnicodeDecodeError as error:
                    raise undecodable(error, line, source) from None
            raise


def line_of(text: bytes, at: int, line: int) -> int:
    """The number of the line on which a place of the text is; `line` is that of the first."""
    return line + text.count(b"\n", 0, at)


def from_trees(trees: Iterable[Any]) -> Trees:
    """Trees of Python: Tree, NLTK's trees, or lists of (word, tag) pairs or of words alone, which are sentences to be parsed.

    Their text is what brackets would be; words have no places in it but their trees' beginnings.
    """
    builder, lines, at = Builder("<trees>", "brackets"), [], 0
    for number, item in enumerate(trees, 1):
        where = f"tree {number}"
        tree, parsed = _as_tree(item, where)
        _check_texts(tree, where)
        spelled = [escape(word) for word in tree.words]
        text = str(tree) or "(())"
        low = len(builder.word)
        for word, tag in zip(spelled, tree.tags):
            builder.add_word(word.encode(), tag.encode(), at, at)
        for first, end, label in tree.brackets:
            builder.open_bracket(label.encode())
            builder.first[-1], builder.end[-1] = low + first, low + end
        builder.close_sentence(at, parsed=parsed)
        lines.append(text.encode())
        at += len(lines[-1]) + 1
    builder.close_file(b"\n".join(lines), "<trees>")
    found = builder.trees()
    return found.with_trees(found.node_ptr, found.node, found.labels, parsed=found.parsed)


def _as_tree(item: Any, where: str) -> tuple[Tree, bool]:
    if isinstance(item, Tree):
        return item, True
    if hasattr(item, "label"):
        try:
            return Tree.from_nltk(item), True
        except InputError as error:
            raise InputError(error.sentence, where) from None
    pairs = [(token, NO_TAG) if isinstance(token, str) else token for token in item] if isinstance(item, list | tuple) else None
    if pairs is None or any(not isinstance(pair, list | tuple) or len(pair) != 2 for pair in pairs):
        raise InputError(f"this is a {type(item).__name__}; give a tree, or a list of words or (word, tag) pairs.", where)
    return Tree(tuple(word for word, _ in pairs), tuple(tag for _, tag in pairs)), False


def _check_texts(tree: Tree, where: str) -> None:
    """Words, tags and labels that brackets can hold."""
    if len(tree.words) != len(tree.tags):
        raise InputError(
            f"there are {several(len(tree.words), 'word')} and {several(len(tree.tags), 'tag')}; give one tag per word.", where
        )
    for first, end, label in tree.brackets:
        if not 0 <= first < end <= len(tree.words):
            raise InputError(
                f"the bracket {(first, end, label)} does not lie over words of the tree; give first < end <= {len(tree.words)}.", where
            )
    for what, text in _texts(tree):
        if not isinstance(text, str) or (not text and what != "label") or any(mark in text for mark in " \t\n\r\f\v\0"):
            raise InputError(f"the {what} {text!r} is empty, not text, or holds a blank, which brackets cannot hold; replace it.", where)
        if what != "word" and ("(" in text or ")" in text):
            raise InputError(f"the {what} {text!r} holds a parenthesis, which only words may hold; replace it.", where)
    check_text((text for _, text in _texts(tree)), "the text")


def _texts(tree: Tree) -> Iterator[tuple[str, str]]:
    yield from (("word", word) for word in tree.words)
    yield from (("tag", tag) for tag in tree.tags)
    yield from (("label", label) for _, _, label in tree.brackets)
