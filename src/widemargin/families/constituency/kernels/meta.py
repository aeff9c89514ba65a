"""Stochastic meta-descent on spans: the scores of the direction v as the direction of a tilt (engine/meta_descent.py). Tilts have
directions of nodes alone, so it is for structures in which productions and splits have no weights."""

from widemargin.compiler.jit import generic
from widemargin.compiler.lanes import load, store
from widemargin.engine.meta_descent import score_direction
from widemargin.engine.rules import peek
from widemargin.engine.semiring import LOG_ZERO
from widemargin.families.constituency.kernels.grammars import ROW0
from widemargin.families.constituency.kernels.span_scores import Sentences, free_symbol, sum_spans
from widemargin.structures.spans.factored import NoGrammar
from widemargin.structures.spans.kernel import count_spans


@generic
def without_productions(grammar):
    """Says of a grammar that it has no weights; others have no answer."""
    raise TypeError(grammar)


@without_productions.when(NoGrammar)
def _(grammar):
    return True


@score_direction.when(Sentences)
def _(input, s, i, n, reader):
    """Where a symbol may not be, the direction is 0: rows of a sentence are other spans in the next one, whose sums take 0 times it."""
    without_productions(s.grammar)
    spans, last = s.spans, count_spans(n) - 1
    sum_spans(input, input.plan.span, input.codes.span, spans.legal, n, reader, spans.direction)
    free_symbol(input, spans, n, spans.direction)
    root = peek(reader.rule, reader.tables.grammar, ROW0, ROW0, reader.now)
    store(spans.direction, last, load(spans.direction, last, s.lanes) + root)
    for r in range(count_spans(n)):
        for a in range(spans.symbols):
            if spans.direction[r, a] == LOG_ZERO:
                spans.direction[r, a] = 0.0
