"""Dual steps on trees (engine/planes.py): only the arcs that some plane of a sentence has are scored, where planes differ from the gold."""

import numpy as np

from widemargin.compiler.jit import generic, inner
from widemargin.compiler.lanes import load, splat, store
from widemargin.engine.planes import score_planes
from widemargin.engine.rules import peek
from widemargin.families.dependencies.kernels.arc_scores import Sentences, betweens, fits, label_row, lines_of
from widemargin.families.dependencies.kernels.codes import code_words, meet, slots_of
from widemargin.scoring.hashed import LINE_BITS, ROW0, pair_at, sum_pairs
from widemargin.structures.arcs.labels import Labels, NoLabels
from widemargin.structures.arcs.over_arcs import kinds_of


@generic
def score_label(labels, plan, codes, h, m, n, hot, reader):
    """Scores of the labels of one arc; 0 when it is not hot."""
    raise TypeError(labels)


@score_label.when(NoLabels)
def _(labels, plan, codes, h, m, n, hot, reader):
    pass


@score_label.when(Labels)
def _(labels, plan, codes, h, m, n, hot, reader):
    lanes, right, weights = labels.lanes, 1 if m > h else 0, reader.tables.labels
    sums = splat(labels.score, 0.0, lanes)
    if hot:
        for t in range(plan.label_unigram.shape[0]):
            end = h if plan.label_unigram[t, 2] == 0 else m
            sums += peek(reader.rule, weights, codes.label_unigram[2 * end + right, t], ROW0, reader.now)
        for t in range(plan.label_bigram.shape[0]):
            sums += peek(reader.rule, weights, label_row(codes, h, m, t, right), ROW0, reader.now)
    store(labels.score, h * (n + 1) + m, sums + load(labels.legal, 0, lanes))


@inner
def score_arc(input, s, h, m, n, hot, reader):
    """The score of one arc and of its labels; 0 when it is not hot."""
    plan, codes, lines = input.plan, input.codes, lines_of(reader, input.codes)
    score_label(s.arcs.labels, plan, codes, h, m, n, hot, reader)
    s.arcs.score[h, m] = 0.0
    if not hot:
        return
    one, two = slots_of(h, m)
    x = sum_pairs(lines, codes.bigram[0, h], codes.bigram[1, m], one, two)
    for t in range(plan.unigram.shape[0]):
        k = np.uint64(codes.unigram[h if plan.unigram[t, 2] == 0 else m, t]) << LINE_BITS
        x += pair_at(lines, k, one, two)
    for t in range(len(codes.known)):
        codes.known[t] = 0
    for between in range(min(h, m) + 1, max(h, m)):
        meet(codes.between, codes.seen, codes.known, between)
    s.arcs.score[h, m] = x + betweens(lines, plan, codes, h, m, one)


@score_planes.when(Sentences)
def _(input, s, i, n, sets, reader):
    if not fits(input, s, n):
        return False
    kinds, first = kinds_of(s), sets.at[i]
    code_words(input.plan, input.atom, input.mark, input.token[i], n, input.codes)
    for m in range(1, n + 1):
        g, hot = sets.right[m - 1] // kinds, sets.hot[m - 1]
        score_arc(input, s, g, m, n, hot, reader)
        for p in range(sets.idle.shape[1] if hot else 0):
            h = sets.part[p, first + m - 1] // kinds
            new = sets.idle[i, p] >= 0 and h != g
            for q in range(p if new else 0):
                new = new and (sets.idle[i, q] < 0 or sets.part[q, first + m - 1] // kinds != h)
            if new:
                score_arc(input, s, h, m, n, hot, reader)
    return True
