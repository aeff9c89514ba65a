"""Scores of arcs from their features. Gradients: arc_gradients.py.

Arcs have a table of lines of 16 weights (codes.py), relations one of rows of L, a weight per relation.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner, phase, tiny
from widemargin.compiler.lanes import load, splat, store
from widemargin.engine.rows import score
from widemargin.engine.rules import decays, peek
from widemargin.engine.tables import Weights, bundle
from widemargin.families.dependencies.kernels.codes import Codes, Plan, code_words, count_code, meet, slots_of
from widemargin.families.dependencies.kernels.sibling_features import score_higher
from widemargin.scoring.hashed import ROW0, LineReader, sum_pairs, weight_at
from widemargin.structures.arcs.labels import Labels, NoLabels


@bundle(2)
class ArcTables(NamedTuple):
    """Weights of arcs and siblings, in lines, and of relations."""

    arcs: Weights
    labels: Weights
    flat: np.ndarray  # arcs.row as one row


class Sentences(NamedTuple):
    """An input: words as hashed atoms, how to see features, and scratch for sentences of up to T words."""

    token: np.ndarray  # int64 [R+1]
    atom: np.ndarray  # uint64 [N, C]
    mark: np.ndarray  # uint8 [N, M]
    plan: Plan
    codes: Codes


def arc_tables(arcs: Weights, labels: Weights) -> ArcTables:
    """The bundle, with its view."""
    return ArcTables(arcs, labels, arcs.row.reshape(-1))


@tiny
def lines_of(reader, codes):
    """Reads the table of arcs."""
    return LineReader(reader.rule, reader.tables.arcs, reader.tables.flat, codes.row, reader.now)


@inner
def betweens(lines, plan, codes, h, m, one):
    """Sum over the templates of words between, whose codes are seen; their slot is the direction."""
    flat, slow = lines.flat, decays(lines.rule)
    x = flat.dtype.type(0.0)
    for t in range(len(codes.known)):
        base = np.uint64(codes.between[0, h, t] ^ codes.between[1, m, t]) ^ one
        for j in range(codes.known[t]):
            k = base ^ np.uint64(codes.seen[t, j])
            x += weight_at(lines, k) if slow else flat[k]
    for t in range(plan.between_count.shape[0]):
        code = count_code(plan.counted[t], codes.before, codes.count_codes, h, m)
        k = np.uint64(codes.between_count[0, h, t] ^ codes.between_count[1, m, t] ^ code) ^ one
        x += weight_at(lines, k) if slow else flat[k]
    return x


@inner
def sum_sides(lines, plan, codes, n):
    """Rows of one-sided templates summed per word."""
    for i in range(n + 1):
        for e in range(2):
            sums = splat(codes.sums, 0.0, lines.weights.lanes)
            for t in range(plan.unigram.shape[0]):
                if plan.unigram[t, 2] == e:
                    sums += peek(lines.rule, lines.weights, codes.unigram[i, t], ROW0, lines.now)
            store(codes.sums, 2 * i + e, sums)


@tiny
def label_row(codes, h, m, t, right):
    """The weight row of a pair template for the labels of an arc."""
    return np.int64((codes.label_bigram[0, h, t] ^ codes.label_bigram[1, m, t]) ^ np.uint32(right))


@inner
def sum_relations(labels, plan, codes, n, table, legal, reader):
    """table[h (n + 1) + m] = scores of all labels of all arcs; legal: -inf on padding, else 0."""
    lanes, templates, weights = labels.lanes, plan.label_bigram.shape[0], reader.tables.labels
    for i in range(n + 1):
        for right in range(2):
            head, modifier = splat(labels.legal, 0.0, lanes), splat(labels.legal, 0.0, lanes)
            if legal:
                head = load(labels.legal, 0, lanes)
            for t in range(plan.label_unigram.shape[0]):
                row = peek(reader.rule, weights, codes.label_unigram[2 * i + right, t], ROW0, reader.now)
                if plan.label_unigram[t, 2] == 0:
                    head += row
                else:
                    modifier += row
            store(codes.label_sums, 2 * (2 * i + right), head)
            store(codes.label_sums, 2 * (2 * i + right) + 1, modifier)
    for h in range(n + 1):
        for m in range(1, n + 1):
            if h != m:
                right = 1 if m > h else 0
                sums = load(codes.label_sums, 2 * (2 * h + right), lanes) + load(codes.label_sums, 2 * (2 * m + right) + 1, lanes)
                for t in range(templates):
                    sums += peek(reader.rule, weights, label_row(codes, h, m, t, right), ROW0, reader.now)
                store(table, h * (n + 1) + m, sums)


@generic
def score_labels(labels, plan, codes, n, reader):
    """Scores of all labels of all arcs."""
    raise TypeError(labels)


@score_labels.when(NoLabels)
def _(labels, plan, codes, n, reader):
    pass


@score_labels.when(Labels)
def _(labels, plan, codes, n, reader):
    sum_relations(labels, plan, codes, n, labels.score, True, reader)


@inner
def sum_arcs(lines, plan, codes, n, table):
    """table[h, m] = scores of all arcs of the sentence that is coded."""
    sum_sides(lines, plan, codes, n)
    for h in range(n + 1):
        for step in (-1, 1):
            for t in range(len(codes.known)):
                codes.known[t] = 0
            m = h + step
            while 0 < m <= n:
                one, two = slots_of(h, m)
                x = codes.sums[2 * h, one] + codes.sums[2 * h, two] + codes.sums[2 * m + 1, one] + codes.sums[2 * m + 1, two]
                x += sum_pairs(lines, codes.bigram[0, h], codes.bigram[1, m], one, two)
                table[h, m] = x + betweens(lines, plan, codes, h, m, one)
                meet(codes.between, codes.seen, codes.known, m)
                m += step


@phase
def score_arcs(input, s, first, n, reader):
    """Scores of all arcs of the sentence that begins at word `first`, and of their labels."""
    plan, codes, lines = input.plan, input.codes, lines_of(reader, input.codes)
    code_words(plan, input.atom, input.mark, first, n, codes)
    sum_arcs(lines, plan, codes, n, s.arcs.score)
    score_labels(s.arcs.labels, plan, codes, n, reader)
    score_higher(s, plan, codes, n, lines)


@tiny
def fits(input, s, n):
    """Is there room for a sentence of n words? Word n + 1 of the codes is nobody."""
    return n < s.arcs.score.shape[0] and n + 1 < input.codes.side.shape[0]


@score.when(Sentences)
def _(input, s, i, n, reader):
    if not fits(input, s, n):
        return False
    score_arcs(input, s, input.token[i], n, reader)
    return True
