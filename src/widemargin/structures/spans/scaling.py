"""Scores of trees over spans at a temperature, and their mean (structures/scaling.py): spans, roots, splits, productions."""

from widemargin.compiler.jit import generic, inner
from widemargin.structures.scaling import copy_times, inner_product, mean_score, scale_scores
from widemargin.structures.spans.bigrams import Bigrams, BigramSpans
from widemargin.structures.spans.factored import FactoredSpans, NoGrammar
from widemargin.structures.spans.kernel import NoSplits, Splits, count_spans
from widemargin.structures.spans.rules import Rules, RuleSpans


@generic
def scale_splits(exact, splits, n, factor):
    """Scores of splits times `factor` into `exact`."""
    raise TypeError(exact)


@scale_splits.when(NoSplits)
def _(exact, splits, n, factor):
    pass


@scale_splits.when(Splits)
def _(exact, splits, n, factor):
    copy_times(exact.left.score, splits.left.score, count_spans(n), factor)
    copy_times(exact.right.score, splits.right.score, count_spans(n), factor)


@generic
def scale_grammar(exact, grammar, factor):
    """Scores of productions times `factor` into `exact`."""
    raise TypeError(exact)


@scale_grammar.when(NoGrammar)
def _(exact, grammar, factor):
    pass


@scale_grammar.when(Bigrams)
def _(exact, grammar, factor):
    copy_times(exact.left, grammar.left, len(grammar.left), factor)
    copy_times(exact.right, grammar.right, len(grammar.right), factor)


@scale_grammar.when(Rules)
def _(exact, grammar, factor):
    for r in range(len(grammar.score)):
        exact.score[r] = factor * grammar.score[r]


@inner
def mean_table_score(table, rows, symbols):
    """E[score] of a table of spans; rows of mu that are not `fresh` are 0."""
    value = 0.0
    for r in range(rows):
        if table.fresh[r]:
            value += inner_product(table.mu[r : r + 1], table.score[r : r + 1], 1, symbols)
    return value


@generic
def mean_split_score(splits, n, symbols):
    """E[score of the splits]."""
    raise TypeError(splits)


@mean_split_score.when(NoSplits)
def _(splits, n, symbols):
    return 0.0


@mean_split_score.when(Splits)
def _(splits, n, symbols):
    return mean_table_score(splits.left, count_spans(n), symbols) + mean_table_score(splits.right, count_spans(n), symbols)


@generic
def mean_grammar_score(grammar, symbols):
    """E[score of the productions]."""
    raise TypeError(grammar)


@mean_grammar_score.when(NoGrammar)
def _(grammar, symbols):
    return 0.0


@mean_grammar_score.when(Bigrams)
def _(grammar, symbols):
    left = inner_product(grammar.left_mu, grammar.left, symbols, symbols)
    return left + inner_product(grammar.right_mu, grammar.right, symbols, symbols)


@mean_grammar_score.when(Rules)
def _(grammar, symbols):
    value = 0.0
    for r in range(len(grammar.score)):
        if grammar.mu[r] != 0.0:
            value += grammar.mu[r] * grammar.score[r]
    return value


def scale_trees(exact, s, n, factor):
    """Of any structure over spans; where only words have scores in s, longer spans have 0 in `exact`, unless it is like s."""
    rows, score = n if s.spans.only_words else count_spans(n), exact.spans.span.score
    copy_times(score, s.spans.span.score, rows, factor)
    if not exact.spans.only_words:
        for r in range(rows, count_spans(n)):
            for a in range(score.shape[1]):
                score[r, a] = 0.0
    copy_times(exact.spans.root.score, s.spans.root.score, 1, factor)
    scale_splits(exact.splits, s.splits, n, factor)
    scale_grammar(exact.grammar, s.grammar, factor)


def mean_tree_score(s, n):
    """Of any structure over spans."""
    spans = s.spans
    value = mean_table_score(spans.span, n if spans.only_words else count_spans(n), spans.symbols)
    value += inner_product(spans.root.mu, spans.root.score, 1, spans.symbols)
    return value + mean_split_score(s.splits, n, spans.symbols) + mean_grammar_score(s.grammar, spans.symbols)


for kind in (BigramSpans, RuleSpans, FactoredSpans):
    scale_scores.when(kind)(scale_trees)
    mean_score.when(kind)(mean_tree_score)
