"""The features of a grammar without features of spans: a word's tag, or its class, whose row has a weight for each symbol over it."""

from typing import Any

import numpy as np

from widemargin.contents import Contents
from widemargin.families.constituency.inventory import Inventory
from widemargin.families.constituency.kernels.grammars import Seen
from widemargin.families.constituency.kernels.tag_scores import TaggedWords
from widemargin.families.constituency.trees import TAG, WORD, Trees
from widemargin.families.constituency.word_classes import WordClasses
from widemargin.features.lexicons import Strings


class TagFeatures:
    """A row of weights for each tag of an inventory, and one for all others. It is made of the inventory alone."""

    only_words = True  # longer spans have no scores of their own
    splits = False
    bits = 0
    texts: tuple[str, ...] = ()
    what, column = "tag", TAG  # what has rows, in words and in Trees

    def __init__(self, inventory: Inventory):
        self.inventory = inventory

    @property
    def names(self) -> tuple[str, ...]:
        """What the rows but the last are of."""
        return self.inventory.tags

    def name_of(self, value: str) -> str:
        """The name that a cell of the column has."""
        return value

    @property
    def rows(self) -> int:
        """Of the table of weights."""
        return len(self.names) + 1

    def transform(self, trees: Trees) -> np.ndarray:
        """The row of every word, int64 [N]."""
        place = {name: t for t, name in enumerate(self.names)}
        code = np.array([place.get(self.name_of(cell), len(place)) for cell in trees.columns.values[self.column]] or [0], np.int64)
        return code[trees.columns.codes[self.column]]

    def over(self) -> np.ndarray:
        """Which symbols may stand over each row, bool [rows, K]. A word with an unknown tag may have any symbol of words."""
        over = np.zeros((self.rows, len(self.inventory)), bool)
        over[self.inventory.lexical[:, 1], self.inventory.lexical[:, 0]] = True
        over[-1] = self.inventory.legal[0]
        return over

    def input(self, token: np.ndarray, atoms: np.ndarray, seen: Seen, room: int) -> TaggedWords:
        """What scores the sentences whose words begin at `token`."""
        allowed = np.full((self.rows, seen.root.shape[1]), -np.inf, seen.root.dtype)
        allowed[:, : len(self.inventory)] = np.where(self.over(), 0.0, -np.inf)
        return TaggedWords(token, atoms, allowed, seen)

    def header(self) -> dict[str, Any]:
        """For a model's JSON header."""
        return {}

    def arrays(self) -> dict[str, np.ndarray]:
        """For a model file."""
        return {}


class WordFeatures(TagFeatures):
    """A row of weights for each class of words of training data, and one for all others: preterminal productions. Any symbol of words may
    stand over any of them."""

    what, column = "word", WORD

    def __init__(self, inventory: Inventory, classes: WordClasses, names: tuple[str, ...]):
        super().__init__(inventory)
        self.classes, self._names = classes, names

    @classmethod
    def of(cls, inventory: Inventory, trees: Trees) -> "WordFeatures":
        """With the classes of the words of these trees."""
        words = trees.columns.values[WORD]
        classes = WordClasses.of(words, trees.columns.codes[WORD])
        return cls(inventory, classes, tuple(sorted({classes(words[code]) for code in np.unique(trees.columns.codes[WORD]).tolist()})))

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    def name_of(self, value: str) -> str:
        return self.classes(value)

    def over(self) -> np.ndarray:
        return np.repeat(self.inventory.legal[:1], self.rows, axis=0)

    def arrays(self) -> dict[str, np.ndarray]:
        names = Strings.of(self.names)
        classes = {f"classes.{name}": array for name, array in self.classes.arrays().items()}
        return classes | {"names.pool": names.pool, "names.bounds": names.bounds}

    @classmethod
    def from_contents(cls, own: Contents, inventory: Inventory) -> "WordFeatures":
        """The features that `arrays` described."""
        return cls(inventory, WordClasses.from_contents(own.below("classes")), tuple(Strings(*own.strings("names"))))
