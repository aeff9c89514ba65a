"""The best trees of sentences under fixed weights, and which have none; of all trees, or of those that agree with what is known, or of
those that a beam leaves."""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, kernel
from widemargin.engine.rows import row, score
from widemargin.engine.semiring import LOG_ZERO
from widemargin.engine.structure import argmax, augment, copy_output, outputs
from widemargin.structures.spans.kernel import count_spans


@kernel
def parse(low, high, rows, s, reader, at, into, value):
    """The best tree of rows low..high, that of row i from into[at[i]] on, and its score in value [R]; -inf: it has none, and into stays as
    it is there. s has room for all rows."""
    best, _ = outputs(s)
    for i in range(low, high):
        n, gold, price = row(rows.target, i)
        score(rows.input, s, i, n, reader)
        augment(s, gold, price, n, 0.0, False)
        value[i] = argmax(s, n, best)
        if value[i] > LOG_ZERO:
            copy_output(s, n, best, at[i], into)


@kernel
def best_known(rows, s, reader, value):
    """The score of the best tree of every row that agrees with what is known of it, in value [R]; -inf: there is none. s has room for all
    rows."""
    best, _ = outputs(s)
    for i in range(len(value)):
        n, gold, price = row(rows.target, i)
        score(rows.input, s, i, n, reader)
        augment(s, gold, price, n, 0.0, True)
        value[i] = argmax(s, n, best)


class Pruned(NamedTuple):
    """What a beam left out."""

    beam: float
    kept: np.ndarray  # int64 [R, 2]  how many symbols of spans were looked at, and of how many
    again: np.ndarray  # bool [R]  nothing was left, and the row was parsed without a beam


class Into(NamedTuple):
    """Where trees are written, as `parse` does."""

    at: np.ndarray
    node: np.ndarray
    value: np.ndarray


@inner
def prune_spans(spans, n, beam, kept):
    """Scores of symbols that are further than `beam` below the best one on their span become -inf; the node of all words keeps its own.
    Counts what is left, and what there was, in kept [2]."""
    score, last = spans.span.score, count_spans(n) - 1
    for r in range(n if spans.only_words else last + 1):
        best = LOG_ZERO
        for a in range(spans.symbols):
            best = max(best, score[r, a])
        for a in range(spans.symbols):
            if score[r, a] > LOG_ZERO:
                kept[1] += 1
                if score[r, a] < best - beam and r < last:
                    score[r, a] = LOG_ZERO
                else:
                    kept[0] += 1


@kernel
def parse_pruned(low, high, rows, s, reader, pruned, out):
    """`parse` with a beam, into out (Into); rows for which it leaves no tree are parsed without."""
    best, _ = outputs(s)
    for i in range(low, high):
        n, gold, price = row(rows.target, i)
        score(rows.input, s, i, n, reader)
        prune_spans(s.spans, n, pruned.beam, pruned.kept[i])
        augment(s, gold, price, n, 0.0, False)
        out.value[i] = argmax(s, n, best)
        if out.value[i] == LOG_ZERO:
            pruned.again[i] = True
            score(rows.input, s, i, n, reader)
            augment(s, gold, price, n, 0.0, False)
            out.value[i] = argmax(s, n, best)
        if out.value[i] > LOG_ZERO:
            copy_output(s, n, best, out.at[i], out.node)
