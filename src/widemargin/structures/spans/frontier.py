"""The best tree for a cost by counts, exactly: the largest Delta(tp, fp) (score - need), or the largest score + cost Delta(tp, fp).

A table over (symbol, span, tp, fp) would do (plain_frontier.py; Bauer et al. 2017), but grows with n^6. Here multipliers l = (l1, l2) price
true and false positives, so that one argmax gives D(l) = max of score + l.(tp, fp), and a tree that may be the best so far, of value theta.
Another tree has a value above theta only if its score is above

    h(tp, fp) = need + theta / Delta(tp, fp)     or     theta - cost Delta(tp, fp),

so only if score + l.(tp, fp) > tau(l) = min over all counts of h + l.(tp, fp). D - tau is an exact beam: whatever has no tree above tau
through it is dropped (frontier_outside.py), and the table is made of the rest (frontier_table.py). Where more is left than a table is
worth, the next l minimises D - tau on what is known of it, and there is another argmax. h is not convex, so that this may leave a gap too
wide for a table: then trees with fewer and with more true positives are looked for one after the other, each with a tau of its own.
"""

import numpy as np

from widemargin.compiler.jit import generic, inner, phase
from widemargin.engine.semiring import LOG_ZERO
from widemargin.engine.structure import argmax, output_score
from widemargin.structures.spans.counts import cost_at, lay_multipliers, tree_counts
from widemargin.structures.spans.frontier_bound import (
    Model,
    Question,
    Trades,
    add_tree,
    find_all_taus,
    find_tau,
    find_trades,
    next_multipliers,
    slope,
    start_multipliers,
    value_of,
)
from widemargin.structures.spans.frontier_memory import FULL, Beam, Best, Memory, make_entries, make_grid, make_productions
from widemargin.structures.spans.frontier_outside import Items, Outside, find_items
from widemargin.structures.spans.frontier_table import fill_table, read_entry
from widemargin.structures.spans.kernel import count_spans
from widemargin.structures.spans.prices import mark_nodes

PASSES = 8  # argmaxes at most
ENOUGH = 10  # items per word of which a table is made at once
WORTH = 0.1  # the part of D - tau by which another argmax must promise to narrow it
TOO_MANY = 60  # items per word of which no table is made if trees can be looked at in two parts
TREES = 64  # that are kept to know D by
SAMPLES = 600  # counts at which h is sampled
ROOM = 1 << 12  # entries at first
ROUNDING = 8.0  # units in the last place per word
NOTHING, ITEMS, MUCH = 0, 1, 2


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


@inner
def improve(best, value, counts, n, tree):
    """Keeps a tree if it is the best so far."""
    if value > best.value[0]:
        best.value[0], best.counts[0], best.counts[1] = value, counts[0], counts[1]
        copy_tree(n, tree, best.tree)


@phase
def narrow(s, chart, row, ask, memory, best, start):
    """Argmaxes under multipliers, from `start` on, until what is left is worth a table, or more of them are not worth their time. Returns
    what is left (NOTHING: of the trees that are looked at, none is better than the best; ITEMS: those in memory.items; MUCH), the
    multipliers of the smallest gap, D there, and whether charts are those of it."""
    price, gold, n = row
    model, each, tried = memory.model, start, (start, np.inf, False)
    for turn in range(PASSES):
        lay_multipliers(s, price, gold, n, each)
        top = argmax(s, n, memory.tree)
        if top == LOG_ZERO:
            return NOTHING, tried[0], tried[1], tried[2]
        value, score, tp, fp = consider(s, price, gold, n, ask, memory.tree)
        improve(best, value, (tp, fp), n, memory.tree)
        add_tree(model, score, tp, fp)
        tau, low = find_tau(ask, price, best.value[0], each)
        if tau == np.inf:  # nothing costs anything
            return NOTHING, tried[0], tried[1], tried[2]
        model.lowest[turn, 0], model.lowest[turn, 1] = low
        gap = tried[1] - find_tau(ask, price, best.value[0], tried[0])[0]
        tried = (tried[0], tried[1], False)
        if top - tau < gap:
            gap, tried = top - tau, (each, top, True)
        if gap <= allowance(s, n, tried[1]):
            return NOTHING, tried[0], tried[1], tried[2]
        if tried[2] and find_items(chart, n, tau - allowance(s, n, top), ENOUGH * n, memory.outer, memory.items) <= ENOUGH * n:
            return ITEMS, tried[0], tried[1], tried[2]
        each, promised = next_multipliers(ask, price, best.value[0], model, turn + 1)
        if promised > (1.0 - WORTH) * gap:
            break
    return MUCH, tried[0], tried[1], tried[2]


@phase(allocates=True)
def make_table(s, chart, row, ask, memory, best, tried):
    """Looks at all that is left under the multipliers of `tried` (narrow), by a table. False, and nothing is done: that is too much, and it
    would be less for fewer trees."""
    price, gold, n = row
    left, each, high, current = tried
    rounding, most = allowance(s, n, high), price.table[ask.size, 1]
    least = np.empty((ask.size + 1) * (most + 1))
    tau = find_all_taus(ask, price, best.value[0], each, rounding, least)
    if left == MUCH:
        if not current:
            lay_multipliers(s, price, gold, n, each)
            argmax(s, n, memory.tree)
        whole = price.table[ask.size, 2] == ask.size and price.table[ask.size, 4] > most  # entries know their true positives
        limit = TOO_MANY * n if whole and ask.low < ask.high else count_spans(n) * s.spans.symbols
        if find_items(chart, n, tau, limit, memory.outer, memory.items) > limit:
            return False
    monotone = price.monotone and ask.cost > 0.0
    trades = Trades(np.empty(most + 1), np.empty(ask.size + 1))
    if monotone:
        find_trades(ask, price, best.value[0], each, high + rounding, trades)
    beam = Beam(each, tau, least, price.table[ask.size], monotone, trades, ask.high - ask.low < ask.size)
    if best_of_table(chart, price, gold, n, ask, beam, memory.items, memory.tree):
        value, _, tp, fp = consider(s, price, gold, n, ask, memory.tree)
        improve(best, value, (tp, fp), n, memory.tree)
    return True


@phase(allocates=True)
def search(s, chart, price, gold, n, ask, out):
    """Puts the tree of the highest value into out, if that is above 0 (ask.slack) or above that of the gold, which out holds; returns
    whether it has. Writes work and charts. chart: what the charts of an argmax are, without lanes (kernel.Spans)."""
    rows, spans = count_spans(n), s.spans
    mark_nodes(spans, gold.node, n)
    most = rows * spans.symbols + 1
    memory = Memory(
        np.empty((2 * n - 1, 4), np.int32),
        Model(np.empty((TREES, 3)), np.full(1, 0), np.empty((PASSES, 2), np.int64), np.empty((SAMPLES, 3))),
        Outside(np.empty((rows, spans.symbols)), np.empty(rows, np.bool_)),
        Items(
            np.empty(rows, np.int64),
            np.empty(rows, np.int64),
            np.empty(most, np.int32),
            np.empty(most),
            np.empty(most, np.int64),
            np.empty(most, np.int64),
        ),
    )
    right = output_score(s, n, gold.node)
    best = Best(np.full(1, 0.0 if ask.slack else right), np.full(2, -1), out)
    if right > LOG_ZERO:
        add_tree(memory.model, right, ask.size, 0)
    ranges, used, each = np.empty((2 * ask.size + 2, 2), np.int64), 1, start_multipliers(ask, price)
    ranges[0, 0], ranges[0, 1] = 0, ask.size
    while used > 0:
        used -= 1
        low, high = ranges[used, 0], ranges[used, 1]
        part = Question(ask.slack, ask.need, ask.cost, ask.size, low, high)
        tried = narrow(s, chart, (price, gold, n), part, memory, best, each)
        if tried[0] != NOTHING and not make_table(s, chart, (price, gold, n), part, memory, best, tried):
            middle, each = (low + high) // 2, tried[1]
            ranges[used, 0], ranges[used, 1], ranges[used + 1, 0], ranges[used + 1, 1] = middle + 1, high, low, middle
            used += 2
    found = best.counts[0] >= 0
    if len(price.start) > 0 and found:
        price.start[0, 0], price.start[0, 1] = slope(ask, price, best.value[0], best.counts[0], best.counts[1])
    return found
