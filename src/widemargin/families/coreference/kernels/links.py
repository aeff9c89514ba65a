"""Mentions and their candidates: a row of a problem is a mention, candidate 0 is NEW, and candidate k is the k-th mention before it.

What is chosen is one of a list (structures/lists). A candidate is correct if it belongs to the mention's chain, whatever it costs; NEW is
if no candidate does. Prices (Durrett and Klein 2013): a link of a mention that is new costs `false_anaphor`, NEW for one that is not
`false_new`, and a link to another chain `wrong_link`.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, tiny
from widemargin.engine.meta_descent import score_direction
from widemargin.engine.rows import gather, has_residual, row, score, size
from widemargin.engine.rules import decays
from widemargin.engine.structure import UNKNOWN
from widemargin.engine.tables import Weights, bundle, room
from widemargin.families.coreference.kernels.pairs import FORM, Codes, Facts, Plan, agree, code_link
from widemargin.scoring.dense import candidates_have_residual
from widemargin.scoring.hashed import LINE, LINE_BITS, LineReader, pair_at, weight_at
from widemargin.structures.lists.kernel import CORRECT, SEVERAL, WRONG, Gold

NO_SLOT = np.uint64(0)


class Antecedents(NamedTuple):
    """A target: which mention a row is, its candidates, and scratch for a list of them."""

    mention: np.ndarray  # int64 [R]
    lowest: np.ndarray  # int64 [R]  the first mention that is a candidate
    chain: np.ndarray  # int64 [M]
    price: np.ndarray  # [3]  false anaphor, false new, wrong link
    mark: np.ndarray  # int8 [K]
    cost: np.ndarray  # [K]


@size.when(Antecedents)
def _(target, i):
    return target.mention[i] - target.lowest[i] + 1


@row.when(Antecedents)
def _(target, i):
    m = target.mention[i]
    n = m - target.lowest[i] + 1
    own, mark, cost, price = target.chain[m], target.mark, target.cost, target.price
    if n > len(mark):  # no room: score says so
        return n, Gold(np.int32(UNKNOWN), mark), cost
    count, last = 0, 0
    for k in range(1, n):
        same = own >= 0 and target.chain[m - k] == own
        mark[k] = CORRECT if same else WRONG
        if same:
            count, last = count + 1, k
    for k in range(1, n):
        cost[k] = 0.0 if own < 0 or mark[k] == CORRECT else price[2] if count > 0 else price[0]
    mark[0] = CORRECT if own >= 0 and count == 0 else WRONG
    cost[0] = price[1] if count > 0 else 0.0
    right = UNKNOWN if own < 0 else last if count < 2 else SEVERAL
    return n, Gold(np.int32(right), mark[:n]), cost[:n]


@bundle(1)
class LinkTable(NamedTuple):
    """Weights in lines of 16."""

    weights: Weights
    flat: np.ndarray  # weights.row as one row


class Candidates(NamedTuple):
    """An input: mentions of all documents, how to see features, and scratch."""

    at: np.ndarray  # int64 [R+1]  where the candidates of a row begin, for mixtures
    mention: np.ndarray  # int64 [R]
    plan: Plan
    facts: Facts
    codes: Codes


@tiny
def lines_of(reader, codes):
    """Reads the table."""
    return LineReader(reader.rule, reader.tables.weights, reader.tables.flat, codes.row, reader.now)


@tiny
def slot_of(a):
    """The slot of an antecedent's form in a line: 1 to 15."""
    return np.uint64(a[FORM] + 1)


@inner
def new_score(lines, plan, facts, codes, m):
    """The score of a mention that begins a chain."""
    flat, own, slow = lines.flat, plan.form[facts.fact[m, FORM]], decays(lines.rule)
    x = flat.dtype.type(0.0)
    for t in range(codes.new.shape[1]):
        k = codes.new[m, t]
        x += weight_at(lines, np.uint64(k)) + weight_at(lines, np.uint64(k ^ own)) if slow else flat[k] + flat[k ^ own]
    return x


@inner
def link_score(lines, plan, facts, codes, m, j, rank):
    """The score of a link from m to j."""
    flat, own, slot = lines.flat, np.uint64(plan.form[facts.fact[m, FORM]]), slot_of(facts.fact[j])
    count = code_link(plan, facts, codes, m, j, rank)
    x, y = flat.dtype.type(0.0), flat.dtype.type(0.0)
    if decays(lines.rule):
        for t in range(count):
            k = np.uint64(codes.link[t])
            x += weight_at(lines, k)
            y += pair_at(lines, k ^ own, NO_SLOT, slot)
    else:
        for t in range(count):
            k = np.uint64(codes.link[t])
            x += flat[k]
            y += flat[k ^ own] + flat[k ^ own ^ slot]
    return x + y


@inner
def score_all(input, i, n, reader, out):
    """out [n] = the scores of NEW and of all links of row i."""
    plan, facts, codes, m = input.plan, input.facts, input.codes, input.mention[i]
    lines, rank = lines_of(reader, codes), 0
    out[0] = new_score(lines, plan, facts, codes, m)
    for k in range(1, n):
        out[k] = link_score(lines, plan, facts, codes, m, m - k, rank)
        if agree(facts.fact[m - k], facts.fact[m]):
            rank += 1


@score.when(Candidates)
def _(input, s, i, n, reader):
    if n > len(s.score):
        return False
    score_all(input, i, n, reader, s.score)
    return True


@score_direction.when(Candidates)
def _(input, s, i, n, reader):
    score_all(input, i, n, reader, s.direction)


has_residual.when(Candidates)(candidates_have_residual)


@tiny
def add_weight(into, layer, k, v):
    """The gradient v of the weight at place k."""
    into.g[room(into, np.int64(k >> LINE_BITS)) + layer, k & np.uint64(LINE - 1)] += v


@gather.when(Candidates)
def _(input, s, i, n, step, into):
    plan, facts, codes, m = input.plan, input.facts, input.codes, input.mention[i]
    own, rank = np.uint64(plan.form[facts.fact[m, FORM]]), 0
    if abs(s.mu[0]) > step.skip:
        v = s.mu[0] * step.scale
        for t in range(codes.new.shape[1]):
            code = np.uint64(codes.new[m, t])
            add_weight(into[0], step.layer, code, v)
            add_weight(into[0], step.layer, code ^ own, v)
    for k in range(1, n):
        j = m - k
        if abs(s.mu[k]) > step.skip:
            v, slot = s.mu[k] * step.scale, slot_of(facts.fact[j])
            count = code_link(plan, facts, codes, m, j, rank)
            for t in range(count):
                code = np.uint64(codes.link[t])
                add_weight(into[0], step.layer, code, v)
                add_weight(into[0], step.layer, code ^ own, v)
                add_weight(into[0], step.layer, code ^ own ^ slot, v)
        if agree(facts.fact[j], facts.fact[m]):
            rank += 1
