"""One tree for people: its words, tags and brackets, its children as trees, brackets as text, and NLTK's trees in and out.

Nothing here recurses, so a tree may be as deep as it likes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from widemargin.errors import InputError

# as Penn treebanks write what would otherwise be a bracket of the tree, or looks like one
ESCAPES = {"(": "-LRB-", ")": "-RRB-", "{": "-LCB-", "}": "-RCB-", "[": "-LSB-", "]": "-RSB-"}
MUST = ("(", ")")  # be escaped; the others were, in the Penn Treebank, and need not be


def escape(word: str) -> str:
    """A word as it can stand in brackets."""
    for character in MUST:
        word = word.replace(character, ESCAPES[character])
    return word


def unescape(word: str) -> str:
    """The word that is meant by -LRB-, like-LRB-d-RRB- and so on."""
    if "-" in word:
        for character, written in ESCAPES.items():
            word = word.replace(written, character)
    return word


@dataclass(frozen=True)
class Tree:
    """A tree: brackets (first, end, label) over words[first:end] in pre-order. One without brackets is a word with its tag."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    brackets: tuple[tuple[int, int, str], ...] = ()

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Words with their tags."""
        return iter(self.leaves)

    @property
    def label(self) -> str:
        """Of the top bracket; of a bare word, its tag."""
        return self.brackets[0][2] if self.brackets else self.tags[0] if self.tags else ""

    @property
    def leaves(self) -> tuple[tuple[str, str], ...]:
        """Words with their tags."""
        return tuple(zip(self.words, self.tags))

    @property
    def children(self) -> tuple["Tree", ...]:
        """The trees under the top bracket; none under a bare word."""
        if not self.brackets:
            return ()
        out, at, (word, high, _) = [], 1, self.brackets[0]
        while word < high:
            if at < len(self.brackets) and self.brackets[at][0] == word:
                first, end, _ = self.brackets[at]
                after = at + 1
                while after < len(self.brackets) and self.brackets[after][0] < end:
                    after += 1
                inside = tuple((i - first, j - first, label) for i, j, label in self.brackets[at:after])
                out.append(Tree(self.words[first:end], self.tags[first:end], inside))
                at, word = after, end
            else:
                out.append(Tree((self.words[word],), (self.tags[word],)))
                word += 1
        return tuple(out)

    def spans(self, label: str | None = None) -> list[tuple[int, int, str]]:
        """Brackets (first, end, label), all or those with a label."""
        return [bracket for bracket in self.brackets if label is None or bracket[2] == label]

    def chains(self) -> list[tuple[int, int, tuple[str, ...]]]:
        """The same with brackets over the same words put together: (first, end, labels from the top down)."""
        out: dict[tuple[int, int], list[str]] = {}
        for first, end, label in self.brackets:
            out.setdefault((first, end), []).append(label)
        return [(first, end, tuple(labels)) for (first, end), labels in out.items()]

    def __str__(self) -> str:
        """Penn brackets on one line; parentheses in words are escaped."""
        return bracketed(self.brackets, self.tags, [escape(word) for word in self.words])

    @classmethod
    def from_nltk(cls, tree: Any) -> "Tree":
        """From NLTK's Tree, or anything with label() and children to go through, whose leaves are strings."""
        words: list[str] = []
        tags: list[str] = []
        brackets: list[list] = []
        todo: list[tuple[Any, int]] = [(tree, -1)]
        while todo:
            item, ends = todo.pop()
            if ends >= 0:  # all of that bracket is done
                brackets[ends][1] = len(words)
                continue
            label, children = _opened(item)
            if len(children) == 1 and isinstance(children[0], str):
                tags.append(label)
                words.append(unescape(children[0]))
            else:
                brackets.append([len(words), 0, label])
                todo += [(None, len(brackets) - 1), *((child, -1) for child in reversed(children))]
        return cls(tuple(words), tuple(tags), tuple((first, end, label) for first, end, label in brackets))

    def to_nltk(self, make: Callable[[str, list], Any] | None = None) -> Any:
        """As NLTK's Tree, or as make(label, children) makes them; leaves are words as they are, not escaped."""
        if make is None:
            try:
                import nltk

                make = nltk.Tree
            except ImportError:
                raise InputError(
                    "NLTK is not installed; install it, or give a function that makes a tree of a label and children."
                ) from None
        assert make is not None
        waiting: list[tuple[int, Any]] = []  # trees without a parent yet, by their first words, the leftmost last
        word = len(self.words)
        for first, end, label in (*reversed(self.brackets), (0, 0, "")):  # the last one stands for the words before all brackets
            while word > first:
                word -= 1
                waiting.append((word, make(self.tags[word], [self.words[word]])))
            children = []
            while waiting and waiting[-1][0] < end:
                children.append(waiting.pop()[1])
            if end:
                waiting.append((first, make(label, children)))
        if len(waiting) != 1:
            raise InputError(f"this sentence has {len(waiting)} trees side by side; NLTK's trees have one top bracket.")
        return waiting[0][1]


def bracketed(brackets: Any, tags: Any, words: Any) -> str:
    """Penn brackets on one line, from brackets (first, end, label) in pre-order and spellings of words that need no more escaping.

    Trees side by side are put into an outer bracket without a label, so that they are read as one.
    """
    if len(words) > 1 and (not brackets or brackets[0][:2] != (0, len(words))):
        brackets = [(0, len(words), ""), *brackets]
    opens: list[list[str]] = [[] for _ in words]
    closes = [0] * len(words)
    for first, end, label in brackets:
        opens[first].append(f"({label} ")
        closes[end - 1] += 1
    return " ".join([f"{''.join(o)}({tag} {word}){')' * c}" for o, tag, word, c in zip(opens, tags, words, closes)])


def _opened(item: Any) -> tuple[str, list]:
    """The label and the children of one of NLTK's trees."""
    if isinstance(item, str):
        raise InputError(f"the word {item!r} has no tag of its own; give each word a tree with its tag as the label.")
    try:
        label, children = item.label(), list(item)
    except (AttributeError, TypeError):
        raise InputError(f"this is a {type(item).__name__}, not a tree; give NLTK's Tree, with label() and children.") from None
    if not isinstance(label, str) or not children:
        raise InputError(f"the tree with the label {label!r} has no word under it, or a label that is not text; give it words.")
    return label, children
