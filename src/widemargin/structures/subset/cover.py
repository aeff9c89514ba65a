"""What a set of sentences covers: which items (bigrams) each sentence has, how long it is, and how much room there is.

A row has B items and S sentences. Its parts are the B items, each there when a chosen sentence has it, and then the S sentences: n = B + S
numbers. An output is int8 [n], 1 for every part that is there. Legal are all sets of sentences whose lengths sum to at most the budget,
with every sentence that must be there and none that may not; the empty set only where no sentence fits.
"""

from typing import NamedTuple

import numpy as np

from widemargin.engine.rows import row, size

NEVER, FREE, MUST = -1, 0, 1  # marks of sentences


class Cover(NamedTuple):
    """R rows with S sentences in all. Kernels check nothing: arrays.cover_of does."""

    at: np.ndarray  # int64 [R+1]   parts of a row
    sentence: np.ndarray  # int64 [R+1]   sentences of a row
    ptr: np.ndarray  # int64 [S+1]   entries of a sentence
    item: np.ndarray  # int32 [nnz]  which of its row's items, each once
    length: np.ndarray  # int64 [S]  from 1 up
    mark: np.ndarray  # int8 [S]
    budget: np.ndarray  # int64 [R]


class Gold(NamedTuple):
    """What is known of a row: its number in the workspace's cover, and its gold output [n], all 0 where that is not known."""

    row: int | np.integer
    part: np.ndarray
    known: bool | np.bool_


class Price(NamedTuple):
    """The cost of an output: offset + sum of the prices [n] of its parts. Those of items are at most 0."""

    part: np.ndarray
    offset: float


class Covers(NamedTuple):
    """A target: gold outputs and prices of all rows, N parts in all."""

    at: np.ndarray  # int64 [R+1]
    gold: np.ndarray  # int8 [N]
    known: np.ndarray  # bool [R]
    price: np.ndarray  # [N]
    offset: np.ndarray  # float64 [R]
    stopped: np.ndarray  # int64 [1]  how many searches were given up at the limit


@size.when(Covers)
def _(target, i):
    return target.at[i + 1] - target.at[i]


@row.when(Covers)
def _(target, i):
    first, end = target.at[i], target.at[i + 1]
    return end - first, Gold(i, target.gold[first:end], target.known[i]), Price(target.price[first:end], target.offset[i])
