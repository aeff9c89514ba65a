"""The features of a grammar without features of spans: a word's tag, whose row has a weight for each symbol over it."""

from typing import Any

import numpy as np

from widemargin.families.constituency.inventory import Inventory
from widemargin.families.constituency.kernels.grammars import Seen
from widemargin.families.constituency.kernels.tag_scores import TaggedWords
from widemargin.families.constituency.trees import TAG, Trees


class TagFeatures:
    """A row of weights for each tag of an inventory, and one for all others. It is made of the inventory alone."""

    only_words = True  # longer spans have no scores of their own
    splits = False
    bits = 0
    texts: tuple[str, ...] = ()

    def __init__(self, inventory: Inventory):
        self.inventory = inventory

    @property
    def rows(self) -> int:
        """Of the table of weights."""
        return len(self.inventory.tags) + 1

    def transform(self, trees: Trees) -> np.ndarray:
        """The row of every word's tag, int64 [N]."""
        place = {tag: t for t, tag in enumerate(self.inventory.tags)}
        code = np.array([place.get(tag, len(place)) for tag in trees.columns.values[TAG]] or [0], np.int64)
        return code[trees.columns.codes[TAG]]

    def input(self, token: np.ndarray, atoms: np.ndarray, seen: Seen, room: int) -> TaggedWords:
        """What scores the sentences whose words begin at `token`. A word with an unknown tag may have any symbol of words."""
        inventory = self.inventory
        over = np.zeros((self.rows, len(inventory)), bool)
        over[inventory.lexical[:, 1], inventory.lexical[:, 0]] = True
        over[-1] = inventory.legal[0]
        allowed = np.full((self.rows, seen.root.shape[1]), -np.inf, seen.root.dtype)
        allowed[:, : len(inventory)] = np.where(over, 0.0, -np.inf)
        return TaggedWords(token, atoms, allowed, seen)

    def header(self) -> dict[str, Any]:
        """For a model's JSON header."""
        return {}

    def arrays(self) -> dict[str, np.ndarray]:
        """For a model file."""
        return {}
