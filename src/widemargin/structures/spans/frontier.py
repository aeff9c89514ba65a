"""The best tree for a cost by counts, exactly: the largest Delta(tp, fp) (score - need), or the largest score + cost Delta(tp, fp).

A table over (symbol, span, tp, fp) would do (plain_frontier.py; Bauer et al. 2017), but grows with n^6. Here multipliers l = (l1, l2) price
true and false positives, so that one argmax gives D(l) = max of score + l.(tp, fp), and a tree that may be the best so far, of value theta.
Another tree has a value above theta only if its score is above

    h(tp, fp) = need + theta / Delta(tp, fp)     or     theta - cost Delta(tp, fp),

so only if score + l.(tp, fp) > tau(l) = min over all counts of h + l.(tp, fp). D - tau is an exact beam: whatever has no tree above tau
through it is dropped (frontier_outside.py), and the table is made of the rest (frontier_table.py). Where more is left than a table is
worth, the next l minimises D - tau on what is known of it, and there is another argmax.
"""

import numpy as np

from widemargin.compiler.jit import generic, inner, phase
from widemargin.engine.semiring import LOG_ZERO
from widemargin.engine.structure import argmax, output_score
from widemargin.structures.spans.counts import cost_at, lay_multipliers, tree_counts
from widemargin.structures.spans.frontier_bound import (
    Model,
    Trades,
    find_all_taus,
    find_tau,
    find_trades,
    next_multipliers,
    slope,
    start_multipliers,
    value_of,
)
from widemargin.structures.spans.frontier_memory import FULL, Beam, make_entries, make_grid, make_productions
from widemargin.structures.spans.frontier_outside import Items, Outside, find_items
from widemargin.structures.spans.frontier_table import fill_table, read_entry
from widemargin.structures.spans.kernel import count_spans
from widemargin.structures.spans.prices import mark_nodes

PASSES = 8  # argmaxes at most
ENOUGH = 10  # items per word of which a table is made at once
WORTH = 0.1  # the part of D - tau by which another argmax must promise to narrow it
SAMPLES = 600  # counts at which h is sampled
ROOM = 1 << 12  # entries at first
ROUNDING = 8.0  # units in the last place per word


@inner
def copy_tree(n, source, target):
    """target = source."""
    for x in range(2 * n - 1):
        for f in range(4):
            target[x, f] = source[x, f]


@inner
def consider(s, price, gold, n, ask, tree):
    """Value, score and counts of a tree."""
    score = output_score(s, n, tree)
    tp, fp = tree_counts(s.spans, price, gold, n, tree)
    return value_of(ask, cost_at(price, ask.size, tp, fp), score), score, tp, fp


@inner
def allowance(s, n, high):
    """What rounding may have done to sums of scores."""
    unit = 1.2e-7 if s.spans.work.itemsize == 4 else 2.3e-16
    return ROUNDING * n * unit * (1.0 + abs(high))


@phase(allocates=True)
def best_of_table(chart, price, gold, n, ask, beam, items, tree):
    """The tree with the highest value among those above tau; False: there is none. Memory grows until the entries fit."""
    room = ROOM
    grid, entries, found = make_grid(ask.size, beam.table[1]), make_entries(room), make_productions(chart.spans.symbols, room)
    while fill_table(chart, price, gold, n, beam, items, (entries, grid, found)) == FULL:
        room *= 4
        entries, found = make_entries(room), make_productions(chart.spans.symbols, room)
    best, top, last = LOG_ZERO, -1, count_spans(n) - 1
    for item in range(items.first[last], items.first[last] + items.many[last]):
        for e in range(items.entry[item], items.entry[item] + items.entries[item]):
            value = value_of(ask, cost_at(price, ask.size, entries.tp[e], entries.fp[e]), entries.score[e])
            if value > best:
                best, top = value, e
    if top >= 0:
        read_entry(entries, top, n, np.empty((2 * n, 3), np.int64), tree)
    return top >= 0


@generic
def search_in(s, price, gold, n, ask, out):
    """search, with the charts of the structure."""
    raise TypeError(s)


@phase(allocates=True)
def search(s, chart, price, gold, n, ask, out):
    """Puts the tree of the highest value into out, if that is above 0 (ask.slack) or above that of the gold, which out holds; returns
    whether it has. Writes work and charts. chart: what the charts of an argmax are, without lanes (kernel.Spans)."""
    rows, spans = count_spans(n), s.spans
    mark_nodes(spans, gold.node, n)
    tree = np.empty((2 * n - 1, 4), np.int32)
    model = Model(np.empty((PASSES + 1, 3)), np.empty((PASSES, 2), np.int64), np.empty((SAMPLES, 3)))
    outer = Outside(np.empty((rows, spans.symbols)), np.empty(rows, np.bool_))
    most = rows * spans.symbols
    items = Items(
        np.empty(rows, np.int64),
        np.empty(rows, np.int64),
        np.empty(most + 1, np.int32),
        np.empty(most + 1),
        np.empty(most + 1, np.int64),
        np.empty(most + 1, np.int64),
    )
    right = output_score(s, n, gold.node)
    theta, trees, found = 0.0 if ask.slack else right, 0, False
    if right > LOG_ZERO:
        model.tree[0, 0], model.tree[0, 1], model.tree[0, 2] = right, ask.size, 0.0
        trees = 1
    each = start_multipliers(ask, price)
    best, high, gap, at = each, np.inf, np.inf, (np.int64(0), np.int64(0))
    listed, closed, here = False, False, False
    for turn in range(PASSES):
        lay_multipliers(s, price, gold, n, each)
        top = argmax(s, n, tree)
        if top == LOG_ZERO:
            return False
        value, score, tp, fp = consider(s, price, gold, n, ask, tree)
        if value > theta:
            theta, found, at = value, True, (tp, fp)
            copy_tree(n, tree, out)
        model.tree[trees, 0], model.tree[trees, 1], model.tree[trees, 2] = score, tp, fp
        trees += 1
        tau, low = find_tau(ask, price, theta, each)
        if tau == np.inf:  # nothing costs anything
            return found
        model.lowest[turn, 0], model.lowest[turn, 1] = low
        gap = high - find_tau(ask, price, theta, best)[0]
        here = top - tau < gap
        if here:
            best, high, gap = each, top, top - tau
        if gap <= allowance(s, n, high):
            closed = True
            break
        if here:
            limit = ENOUGH * n
            listed = find_items(chart, n, tau - allowance(s, n, high), limit, outer, items) <= limit
            if listed:
                break
        each, promised = next_multipliers(ask, price, theta, model, trees, turn + 1)
        if promised > (1.0 - WORTH) * gap:
            break
    if not closed:
        least = np.empty((ask.size + 1) * (price.table[ask.size, 1] + 1))
        tau = find_all_taus(ask, price, theta, best, allowance(s, n, high), least)
        if not listed:
            if not here:
                lay_multipliers(s, price, gold, n, best)
                argmax(s, n, tree)
            find_items(chart, n, tau, most, outer, items)
        monotone = price.monotone and ask.cost > 0.0
        trades = Trades(np.empty(price.table[ask.size, 1] + 1), np.empty(ask.size + 1))
        if monotone:
            find_trades(ask, price, theta, best, high + allowance(s, n, high), trades)
        beam = Beam(best, tau, least, price.table[ask.size], monotone, trades)
        if best_of_table(chart, price, gold, n, ask, beam, items, tree):
            value, _, tp, fp = consider(s, price, gold, n, ask, tree)
            if value > theta:
                theta, found, at = value, True, (tp, fp)
                copy_tree(n, tree, out)
    if len(price.start) > 0 and found:
        price.start[0, 0], price.start[0, 1] = slope(ask, price, theta, at[0], at[1])
    return found
