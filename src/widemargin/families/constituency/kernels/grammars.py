"""Weights of productions and of roots into a grammar's scores, and gradients back; by the type of the grammar.

They stand in a table of rows of L: row 0 the root's, then for bigrams K rows of left children and K of right ones, for rules one weight
after the other.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner
from widemargin.compiler.lanes import load, magnitude, store, top
from widemargin.engine.rules import peek
from widemargin.engine.tables import add_row
from widemargin.structures.spans.bigrams import Bigrams

ROW0 = np.int64(0)


class Seen(NamedTuple):
    """What a grammar has: 0, and -inf for what it has not; and which symbols have weights."""

    root: np.ndarray  # [2, L]  of sentences of one word, of more
    parent: np.ndarray  # [2, L]  twice the symbols of nodes of two and more words, which are those that are split
    free: np.ndarray  # [1, L]  1, and 0 for a symbol whose score is always 0
    pair: np.ndarray  # [2K, L]  of bigrams: parents of left children, of right children; [0, L] for other grammars
    spare: np.ndarray  # [1, L]  scratch


@inner
def score_root(s, seen, n, reader):
    """Scores of the root's symbols."""
    weights, lanes = reader.tables.grammar, s.lanes
    store(s.spans.root.score, 0, peek(reader.rule, weights, ROW0, ROW0, reader.now) + load(seen.root, 0 if n == 1 else 1, lanes))


@inner
def row_has_residual(table, r, skip, lanes):
    """Is any number of row r above skip, in absolute value?"""
    return top(magnitude(load(table, r, lanes))) > skip


@inner
def table_has_residual(table, rows, skip, lanes):
    """Has any row of a table of spans a residual above skip?"""
    for r in range(rows):
        if table.fresh[r] and row_has_residual(table.mu, r, skip, lanes):
            return True
    return False


@inner
def gather_root(s, step, into):
    """step.scale * mu of the root's symbols."""
    if row_has_residual(s.spans.root.mu, 0, step.skip, s.lanes):
        add_row(into, ROW0, load(s.spans.root.mu, 0, s.lanes) * step.scale, step.layer, s.lanes)


@generic
def score_grammar(grammar, seen, lanes, reader):
    """Scores of productions, -inf for those that are not seen."""
    raise TypeError(grammar)


@score_grammar.when(Bigrams)
def _(grammar, seen, lanes, reader):
    symbols, weights = grammar.left.shape[0], reader.tables.grammar
    for b in range(symbols):
        row = peek(reader.rule, weights, np.int64(1 + b), ROW0, reader.now)
        store(grammar.left, b, row + load(seen.pair, b, lanes))
        row = peek(reader.rule, weights, np.int64(1 + symbols + b), ROW0, reader.now)
        store(grammar.right, b, row + load(seen.pair, symbols + b, lanes))


@generic
def grammar_has_residual(grammar, skip, lanes):
    """Has any production a residual above skip?"""
    raise TypeError(grammar)


@grammar_has_residual.when(Bigrams)
def _(grammar, skip, lanes):
    for b in range(grammar.left.shape[0]):
        if row_has_residual(grammar.left_mu, b, skip, lanes) or row_has_residual(grammar.right_mu, b, skip, lanes):
            return True
    return False


@generic
def gather_grammar(grammar, step, lanes, into):
    """step.scale * mu of productions."""
    raise TypeError(grammar)


@gather_grammar.when(Bigrams)
def _(grammar, step, lanes, into):
    symbols = grammar.left.shape[0]
    for b in range(symbols):
        if row_has_residual(grammar.left_mu, b, step.skip, lanes):
            add_row(into, np.int64(1 + b), load(grammar.left_mu, b, lanes) * step.scale, step.layer, lanes)
        if row_has_residual(grammar.right_mu, b, step.skip, lanes):
            add_row(into, np.int64(1 + symbols + b), load(grammar.right_mu, b, lanes) * step.scale, step.layer, lanes)
