"""Scores of words by their tags, and gradients back: all that a grammar without features of spans has, beside its productions."""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.lanes import load, store
from widemargin.engine.rows import gather, has_residual, score
from widemargin.engine.rules import peek
from widemargin.families.constituency.kernels.grammars import (
    ROW0,
    Seen,
    add_row,
    gather_grammar,
    gather_root,
    grammar_has_residual,
    row_has_residual,
    score_grammar,
    score_root,
    table_has_residual,
)


class TaggedWords(NamedTuple):
    """An input: words as tags, and what may stand over each."""

    token: np.ndarray  # int64 [R+1]
    tag: np.ndarray  # int64 [N]  a weight row
    allowed: np.ndarray  # [T, L]  symbols over a tag: 0 or -inf
    seen: Seen


@score.when(TaggedWords)
def _(input, s, i, n, reader):
    if 2 * n > len(s.spans.stack):
        return False
    first = input.token[i]
    for w in range(n):
        tag = input.tag[first + w]
        store(s.spans.span.score, w, peek(reader.rule, reader.tables.spans, tag, ROW0, reader.now) + load(input.allowed, tag, s.lanes))
    score_root(s, input.seen, n, reader)
    score_grammar(s.grammar, input.seen, s.lanes, reader)
    return True


@has_residual.when(TaggedWords)
def _(input, s, n, skip):
    if table_has_residual(s.spans.span, n, skip, s.lanes) or grammar_has_residual(s.grammar, skip, s.lanes):
        return True
    return row_has_residual(s.spans.root.mu, 0, skip, s.lanes)


@gather.when(TaggedWords)
def _(input, s, i, n, step, into):
    first, table, lanes = input.token[i], s.spans.span, s.lanes
    for w in range(n):
        if table.fresh[w] and row_has_residual(table.mu, w, step.skip, lanes):
            add_row(into[0], input.tag[first + w], load(table.mu, w, lanes) * step.scale, step.layer, lanes)
    gather_root(s, step, into[1])
    gather_grammar(s.grammar, step, lanes, into[1])
