"""Scores of trees over spans at a temperature (structures/scaling.py): spans, splits, the root's symbol and productions."""

from widemargin.compiler.jit import generic
from widemargin.structures.scaling import copy_times, scale_scores
from widemargin.structures.spans.bigrams import Bigrams, BigramSpans
from widemargin.structures.spans.factored import FactoredSpans, NoGrammar
from widemargin.structures.spans.kernel import NoSplits, Splits, count_spans
from widemargin.structures.spans.rules import Rules, RuleSpans


@generic
def scale_splits(exact, splits, rows, factor):
    """Scores of splits times `factor` into `exact`."""
    raise TypeError(exact)


@scale_splits.when(NoSplits)
def _(exact, splits, rows, factor):
    pass


@scale_splits.when(Splits)
def _(exact, splits, rows, factor):
    copy_times(exact.left.score, splits.left.score, rows, factor)
    copy_times(exact.right.score, splits.right.score, rows, factor)


@generic
def scale_grammar(exact, grammar, factor):
    """Scores of productions times `factor` into `exact`."""
    raise TypeError(exact)


@scale_grammar.when(NoGrammar)
def _(exact, grammar, factor):
    pass


@scale_grammar.when(Bigrams)
def _(exact, grammar, factor):
    copy_times(exact.left, grammar.left, grammar.left.shape[0], factor)
    copy_times(exact.right, grammar.right, grammar.right.shape[0], factor)


@scale_grammar.when(Rules)
def _(exact, grammar, factor):
    for r in range(len(grammar.score)):
        exact.score[r] = factor * grammar.score[r]


def scale_nodes(exact, s, n, factor):
    """All scores of a sentence. Where s has scores of words alone and `exact` of all spans, those of longer ones are 0."""
    rows = count_spans(n)
    copy_times(exact.spans.span.score, s.spans.span.score, n if s.spans.only_words else rows, factor)
    if s.spans.only_words and not exact.spans.only_words:
        for r in range(n, rows):
            for a in range(exact.spans.span.score.shape[1]):
                exact.spans.span.score[r, a] = 0.0
    copy_times(exact.spans.root.score, s.spans.root.score, 1, factor)
    scale_splits(exact.splits, s.splits, rows, factor)
    scale_grammar(exact.grammar, s.grammar, factor)


for kind in (BigramSpans, RuleSpans, FactoredSpans):
    scale_scores.when(kind)(scale_nodes)
