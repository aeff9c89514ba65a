"""Named streams of random numbers: the same name gives the same numbers on every platform, and no stream disturbs another."""

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


class Stream:
    """Choices from one stream; every concern (casting, wording, noise) has its own, so later layers leave the text as it was."""

    __slots__ = ("uniform",)

    def __init__(self, *name: object):
        digest = hashlib.sha256("/".join(map(str, name)).encode()).digest()
        # Only `random()` of an integer seed is promised to stay the same across Python versions; everything below is built on it.
        self.uniform = random.Random(int.from_bytes(digest[:8], "big")).random

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self.uniform() < probability

    def below(self, n: int) -> int:
        """An integer from 0 to n - 1, all equally likely."""
        return int(self.uniform() * n)

    def between(self, low: int, high: int) -> int:
        """An integer from low to high, both included."""
        return low + int(self.uniform() * (high - low + 1))

    def choice(self, items: Sequence[Item]) -> Item:
        """One of the items, all equally likely."""
        return items[int(self.uniform() * len(items))]

    def early(self, items: Sequence[Item]) -> Item:
        """One of the items, the earlier the likelier: P(index < k) = sqrt(k / n), a long tail without tables."""
        u = self.uniform()
        return items[int(u * u * len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in a random order (Fisher-Yates)."""
        order = list(items)
        for i in range(len(order) - 1, 0, -1):
            j = int(self.uniform() * (i + 1))
            order[i], order[j] = order[j], order[i]
        return order
