"""Gradients of spans and splits back to the weights of their features. They share features, so all of a sentence's are gathered first."""

from widemargin.compiler.jit import generic, phase
from widemargin.compiler.lanes import load
from widemargin.engine.rows import gather, has_residual
from widemargin.engine.tables import add_row
from widemargin.families.constituency.kernels.codes import bin_of, find_rows, row_alone, row_with_length
from widemargin.families.constituency.kernels.grammars import (
    gather_grammar,
    gather_root,
    grammar_has_residual,
    row_has_residual,
    table_has_residual,
)
from widemargin.families.constituency.kernels.span_scores import Sentences
from widemargin.structures.spans.kernel import NoSplits, Splits, count_spans, row_of


@generic
def splits_have_residual(splits, rows, skip, lanes):
    """Has any split a residual above skip?"""
    raise TypeError(splits)


@splits_have_residual.when(NoSplits)
def _(splits, rows, skip, lanes):
    return False


@splits_have_residual.when(Splits)
def _(splits, rows, skip, lanes):
    return table_has_residual(splits.left, rows, skip, lanes) or table_has_residual(splits.right, rows, skip, lanes)


@has_residual.when(Sentences)
def _(input, s, n, skip):
    rows, lanes = count_spans(n), s.lanes
    if table_has_residual(s.spans.span, rows, skip, lanes) or splits_have_residual(s.splits, rows, skip, lanes):
        return True
    return grammar_has_residual(s.grammar, skip, lanes) or row_has_residual(s.spans.root.mu, 0, skip, lanes)


@phase
def gather_spans(input, form, coded, table, n, step, into):
    """step.scale * mu of a table of spans, times their features."""
    codes, bits, lanes = input.codes, input.plan.bits, into.lanes
    rows, count = codes.row[0], len(form.both)
    for p in range(n):
        for q in range(p + 1, n + 1):
            r, b = row_of(p, q, n), bin_of(q - p)
            if not table.fresh[r] or not row_has_residual(table.mu, r, step.skip, lanes):
                continue
            g = load(table.mu, r, lanes) * load(input.seen.free, 0, lanes) * step.scale
            for t in range(len(form.begin)):
                add_row(into, row_alone(codes.side[p], form.begin, t, bits), g, step.layer, lanes)
            for t in range(len(form.begin_length)):
                add_row(into, row_with_length(codes.side[p], form.begin_length, t, b, bits), g, step.layer, lanes)
            for t in range(len(form.end)):
                add_row(into, row_alone(codes.side[q], form.end, t, bits), g, step.layer, lanes)
            for t in range(len(form.end_length)):
                add_row(into, row_with_length(codes.side[q], form.end_length, t, b, bits), g, step.layer, lanes)
            find_rows(form, coded, codes.whole, p, q, n, bits, rows[:count])
            for t in range(count):
                if rows[t] >= 0:
                    add_row(into, rows[t], g, step.layer, lanes)


@generic
def gather_splits(splits, input, n, step, into):
    """The same of splits."""
    raise TypeError(splits)


@gather_splits.when(NoSplits)
def _(splits, input, n, step, into):
    pass


@gather_splits.when(Splits)
def _(splits, input, n, step, into):
    gather_spans(input, input.plan.left, input.codes.left, splits.left, n, step, into)
    gather_spans(input, input.plan.right, input.codes.right, splits.right, n, step, into)


@gather.when(Sentences)
def _(input, s, i, n, step, into):
    gather_spans(input, input.plan.span, input.codes.span, s.spans.span, n, step, into[0])
    gather_splits(s.splits, input, n, step, into[0])
    gather_root(s, step, into[1])
    gather_grammar(s.grammar, step, s.lanes, into[1])
