"""Rows of data = (target, input).

The target is what is to be predicted and what errors cost: questions are answered by the type of rows.target. The input is what scores
it: by the type of rows.input. Both may hold scratch memory of one thread, so rows are made anew for every thread.
"""

import dataclasses
from typing import Any, NamedTuple, Self

import numpy as np

from widemargin.compiler.jit import generic
from widemargin.engine.table_steps import Square
from widemargin.engine.tables import GRADIENT, for_each


class Rows(NamedTuple):
    """R rows to learn from: what is predicted, what scores it, and how much each counts."""

    target: Any
    input: Any
    weight: np.ndarray  # [R]  how much a row counts


def some_rows(token: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the places of some of the rows begin when they are taken out, int64 [r + 1], and which places those are, int64 [their sum]."""
    lengths = np.diff(token)[rows]
    begin = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return begin, np.repeat(token[:-1][rows] - begin[:-1], lengths) + np.arange(begin[-1])


class RowsOfPlaces:
    """What a Problem asks of its corpus, for rows of places (tokens, words); the base class of dataclasses."""

    token: np.ndarray  # int64 [R+1]  where the places of a row begin
    weight: np.ndarray  # [R]

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.token) - 1

    @property
    def longest(self) -> int:
        """The places of the longest row."""
        return int(np.diff(self.token).max(initial=1))

    def part(self, rows: np.ndarray) -> Self:
        """Some of the rows. Arrays of a subclass are by place; one that has something else says so."""
        token, places = some_rows(self.token, rows)
        own = {name: array[places] for name, array in vars(self).items() if name not in ("token", "weight")}
        return dataclasses.replace(self, token=token, weight=self.weight[rows], **own)  # type: ignore[type-var]


# ---- the target -----------------------------------------------------------------------------------------------------------------------


@generic(tiny=True)
def size(target, i):
    """n: how large row i is (tokens, words, hypotheses), which decides how much memory it needs."""
    raise TypeError(target)


@generic(tiny=True)
def row(target, i):
    """(n, gold, price) of row i; gold and price are of any type that the structure's `augment` reads.

    One tuple, because compiled code without reference counting cannot return an array by itself.
    """
    raise TypeError(target)


@generic
def observe(target, s, i, n):
    """Row i has been decoded: outputs(s) hold the upper and the lower term's output. A target whose prices depend on the past may note it.

    Most do nothing."""


@observe.when(object)
def _(target, s, i, n):
    pass


class Places(NamedTuple):
    """Gold at the places (tokens, words) of a row, -1: not known; one price for all rows."""

    token: np.ndarray  # int64 [R+1]  where the places of a row begin
    gold: np.ndarray  # int32 [N] or [N, ...]
    price: np.ndarray | tuple
    lanes: tuple = ()  # lanes.only_wide of the structure's rows of labels


@size.when(Places)
def _(target, i):
    return target.token[i + 1] - target.token[i]


@row.when(Places)
def _(target, i):
    first, end = target.token[i], target.token[i + 1]
    return end - first, target.gold[first:end], target.price


# ---- the input ------------------------------------------------------------------------------------------------------------------------

# np.int64, not int: Numba compiles a function anew for every literal it is called with
MOVE, GATHER = np.int64(1), np.int64(2)


class Step(NamedTuple):
    """What becomes of the gradient scale * Phi' mu of a row.

    MOVE: the weights move against it at once, at this rate. GATHER: it is added to a layer of the gradients of a batch. Residuals up to
    `skip` may be left out.
    """

    mode: int | np.integer
    scale: float
    rate: float
    skip: float
    layer: int | np.integer


@generic
def score(input, s, i, n, reader):
    """Scores of row i from the reader's weights into s. False: s or the input's scratch has no room for it, and nothing was done."""
    raise TypeError(input)


@generic
def has_residual(input, s, n, skip):
    """Is any residual in s's mu above `skip`? Asked before apply_gradient and gather; the input may note in its scratch where they are.

    An input that does not answer is asked for the gradient every time."""


@has_residual.when(object)
def _(input, s, n, skip):
    return True


@generic
def gathers(input):
    """Are all gradients gathered before a step, even if a batch is one row? Where parts of a row share features they must be, and are
    unless an input says otherwise."""


@gathers.when(object)
def _(input):
    return True


@generic(tiny=True)
def end_of_step(input, rule, rate):
    """A step of the rule has been taken at this rate, whether its rows had residuals or not. An input that keeps scores beside the weights
    may shrink them as the rule does the weights; others do nothing."""


@end_of_step.when(object)
def _(input, rule, rate):
    pass


@generic
def gather(input, s, i, n, step, into):
    """Adds step.scale * Phi' mu to layer step.layer of `into`, a tuple of Pending or Dense, one per table. mu stays as it is."""
    raise TypeError(input)


@generic
def apply_gradient(input, s, i, n, step, into, reader):
    """What `step` says is done with the gradient of row i. mu stays as it is. An input that gathers does so in both modes."""


@apply_gradient.when(object)
def _(input, s, i, n, step, into, reader):
    gather(input, s, i, n, step, into)


@generic
def squared_length(input, s, i, n, skip, into, reader):
    """|Phi' mu|^2 of row i. An input that gathers leaves Phi' mu in `into`; one that does not may be told to MOVE next, on the same mu.

    Residuals up to `skip` may be left out."""


@squared_length.when(object)
def _(input, s, i, n, skip, into, reader):
    gather(input, s, i, n, Step(GATHER, 1.0, 0.0, skip, GRADIENT), into)
    return for_each(reader.tables, into, into, Square(GRADIENT))
