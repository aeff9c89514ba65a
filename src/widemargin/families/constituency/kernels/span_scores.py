"""Scores of spans and splits from their features: rows of a weight per symbol, found by codes (codes.py). Gradients: span_gradients.py."""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner, phase, tiny
from widemargin.compiler.lanes import load, prefetch, splat, store
from widemargin.engine.rows import score
from widemargin.engine.rules import peek
from widemargin.engine.tables import Weights, bundle
from widemargin.families.constituency.kernels.codes import (
    BINS,
    Codes,
    Plan,
    bin_of,
    code_sentence,
    find_rows,
    row_alone,
    row_with_length,
)
from widemargin.families.constituency.kernels.grammars import ROW0, Seen, score_grammar, score_root
from widemargin.structures.spans.kernel import NoSplits, Splits, count_spans, row_of

QUAD, REACH = 4, 12  # numbers in a row of `quads`; so many rows of it are asked for in one go


@bundle(2)
class SpanTables(NamedTuple):
    """Weights of the features of spans and splits, and of productions and roots."""

    spans: Weights
    grammar: Weights
    quads: np.ndarray  # [., 4]  the memory of spans.row


class Sentences(NamedTuple):
    """An input: words as hashed atoms, how to see features, what the grammar has, and scratch of one thread."""

    token: np.ndarray  # int64 [R+1]
    atom: np.ndarray  # uint64 [N, C]
    plan: Plan
    codes: Codes
    seen: Seen


def span_tables(spans: Weights, grammar: Weights) -> SpanTables:
    """The bundle, with its view."""
    return SpanTables(spans, grammar, spans.row.reshape(-1, QUAD))


@tiny
def ask_for(reader, rows, t):
    """The weight row rows[t] is brought into the cache."""
    across = reader.tables.spans.row.shape[1] // QUAD
    first = np.int64(max(rows[t], ROW0)) * across
    for x in range(0, across, REACH):
        prefetch(reader.tables.quads, first + x, min(REACH, across - x))


@tiny
def weight_row(reader, r):
    """Weight row r of spans."""
    return peek(reader.rule, reader.tables.spans, r, ROW0, reader.now)


@inner
def sum_ends(input, form, n, reader):
    """ends[q BINS + b] = rows of the templates of boundary q, and of q with lengths in bin b."""
    codes, bits, lanes = input.codes, input.plan.bits, reader.tables.spans.lanes
    for q in range(1, n + 1):
        base = splat(codes.ends, 0.0, lanes)
        for t in range(len(form.end)):
            base += weight_row(reader, row_alone(codes.side[q], form.end, t, bits))
        for b in range(bin_of(q) + 1):
            both = base
            for t in range(len(form.end_length)):
                both = both + weight_row(reader, row_with_length(codes.side[q], form.end_length, t, b, bits))
            store(codes.ends, q * BINS + b, both)


@inner
def begin_row(input, form, p, reader):
    """The sum of the rows of boundary p as a begin."""
    row = splat(input.codes.ends, 0.0, reader.tables.spans.lanes)
    for t in range(len(form.begin)):
        row += weight_row(reader, row_alone(input.codes.side[p], form.begin, t, input.plan.bits))
    return row


@phase
def sum_spans(input, form, coded, legal, n, reader, table):
    """table[row_of(p, q)] = the sum of the rows of all features of the span p..q; legal [2, L]: -inf for what may not be, of one word, of
    more. While the rows of one span are summed, those of the next are on their way."""
    codes, bits, lanes = input.codes, input.plan.bits, reader.tables.spans.lanes
    row, count = codes.row, len(form.both)
    sum_ends(input, form, n, reader)
    for p in range(n):
        alone = begin_row(input, form, p, reader)
        with_bin, last = alone, -1
        find_rows(form, coded, codes.whole, p, p + 1, n, bits, row[(p + 1) & 1, :count])
        for q in range(p + 1, n + 1):
            if q < n:
                ahead = row[(q + 1) & 1]
                find_rows(form, coded, codes.whole, p, q + 1, n, bits, ahead[:count])
                for t in range(count):
                    ask_for(reader, ahead, t)
            b = bin_of(q - p)
            if b != last:
                with_bin, last = alone, b
                for t in range(len(form.begin_length)):
                    with_bin = with_bin + weight_row(reader, row_with_length(codes.side[p], form.begin_length, t, b, bits))
            here = with_bin + load(codes.ends, q * BINS + b, lanes) + load(legal, 0 if q - p == 1 else 1, lanes)
            for t in range(count):
                r = row[q & 1, t]
                if r >= 0:
                    here += weight_row(reader, r)
            store(table, row_of(p, q, n), here)


@generic
def score_splits(splits, input, n, reader):
    """Scores of where nodes are split, in a structure that has any."""
    raise TypeError(splits)


@score_splits.when(NoSplits)
def _(splits, input, n, reader):
    pass


@score_splits.when(Splits)
def _(splits, input, n, reader):
    sum_spans(input, input.plan.left, input.codes.left, input.seen.parent, n, reader, splits.left.score)
    sum_spans(input, input.plan.right, input.codes.right, input.seen.parent, n, reader, splits.right.score)


@tiny
def fits(input, s, n):
    """Is there room for a sentence of n words?"""
    return 2 * n <= len(s.spans.stack) and n < input.codes.side.shape[0]


@inner
def free_symbol(input, spans, n, table):
    """Symbol 0 of all spans has no weights where it says that there is no constituent."""
    if input.seen.free[0, 0] == 0.0:
        for r in range(count_spans(n)):
            table[r, 0] = spans.legal[0 if r < n else 1, 0]


@score.when(Sentences)
def _(input, s, i, n, reader):
    if not fits(input, s, n):
        return False
    plan, codes, spans = input.plan, input.codes, s.spans
    code_sentence(plan, input.atom, input.token[i], n, codes)
    sum_spans(input, plan.span, codes.span, spans.legal, n, reader, spans.span.score)
    free_symbol(input, spans, n, spans.span.score)
    score_splits(s.splits, input, n, reader)
    score_root(s, input.seen, n, reader)
    score_grammar(s.grammar, input.seen, s.lanes, reader)
    return True
