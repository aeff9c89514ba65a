"""Data as a sequence of sentences, for people: len, indexing, slices, iteration. Inside, everything is arrays over all tokens."""

from collections.abc import Iterator
from typing import Any, overload

import numpy as np

from widemargin.errors import InputError


class Sentences:
    """What all data made of tokens share. A subclass has row_ptr, and says what one sentence is."""

    row_ptr: np.ndarray  # int64 [S+1], sentence bounds in tokens

    def __len__(self) -> int:
        """How many sentences there are."""
        return len(self.row_ptr) - 1

    @property
    def tokens(self) -> int:
        """How many tokens there are in all sentences."""
        return int(self.row_ptr[-1])

    def sentence(self, number: int) -> Any:
        """One sentence, counted from 0, as Python objects."""
        raise NotImplementedError

    @overload
    def __getitem__(self, which: int) -> Any: ...
    @overload
    def __getitem__(self, which: slice) -> list: ...
    def __getitem__(self, which: int | slice) -> Any:
        if isinstance(which, slice):
            return [self.sentence(number) for number in range(*which.indices(len(self)))]
        if not isinstance(which, int | np.integer) or isinstance(which, bool):
            raise InputError(f"sentences are numbered; {which!r:.60} is not a number")
        if not -len(self) <= which < len(self):
            raise IndexError(f"there is no sentence {which}; there are {len(self):,}, counted from 0")
        return self.sentence(int(which) % len(self))

    def __iter__(self) -> Iterator[Any]:
        return (self.sentence(number) for number in range(len(self)))

    def to_lists(self) -> list:
        """All sentences, as a list.

        Examples
        --------
        >>> import widemargin
        >>> widemargin.open_data("town:train:1", "chunk").to_lists()[0][:2]
        [('The', 'DT', 'B-NP'), ('mayor', 'NN', 'I-NP')]
        """
        return list(self)
