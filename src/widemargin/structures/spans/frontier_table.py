"""The table over (symbol, span, tp, fp) of what may still be the best tree (frontier.py).

Every item has a list of entries: counts, score, and score under the multipliers, by which it is sorted and cut: an entry that with the best
outside of its item is not above tau is in no tree that is looked for. Where the cost never falls with fp nor rises with tp, an entry is
left out if another of its item has no more true positives, no fewer false ones and no lower score. Counts above which the cost is level are
taken for the level (count_costs.levels); multipliers are for the counts as they are.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, phase, tiny
from widemargin.engine.semiring import LOG_ZERO
from widemargin.structures.spans.counts import node_counts
from widemargin.structures.spans.kernel import NO_SPLIT, production_score, row_of, split_score

FULL = -1


class Entries(NamedTuple):
    """Trees below items: the best of those with some counts."""

    tp: np.ndarray  # int32 [*]
    fp: np.ndarray  # int32 [*]
    score: np.ndarray  # float64 [*]
    priced: np.ndarray  # float64 [*]  with multipliers
    symbol: np.ndarray  # int32 [*]
    split: np.ndarray  # int32 [*]
    left: np.ndarray  # int64 [*]  the children's entries
    right: np.ndarray  # int64 [*]


class Grid(NamedTuple):
    """Scratch: the entries of the item at hand by counts, z = tp (most + 1) + fp. -inf in all scores between items."""

    score: np.ndarray  # float64 [Z]
    priced: np.ndarray  # float64 [Z]
    split: np.ndarray  # int32 [Z]
    left: np.ndarray  # int64 [Z]
    right: np.ndarray  # int64 [Z]
    touched: np.ndarray  # int64 [Z]
    highest: np.ndarray  # int64 [size + 1]  false positives of entries with at most so many true ones


class Beam(NamedTuple):
    """What is kept."""

    each: tuple  # the multipliers
    tau: float
    table: np.ndarray  # int64 [5]  CountPrices.table of the gold's size
    pareto: bool


@phase(allocates=True)
def make_entries(room):
    """Room for so many."""
    return Entries(
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room),
        np.empty(room),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
    )


@phase(allocates=True)
def make_grid(size, most):
    """For 0..size true and 0..most false positives."""
    places = (size + 1) * (most + 1)
    return Grid(
        np.full(places, LOG_ZERO),
        np.empty(places),
        np.empty(places, np.int32),
        np.empty(places, np.int64),
        np.empty(places, np.int64),
        np.empty(places, np.int64),
        np.empty(size + 1, np.int64),
    )


@tiny
def counted(beam, tp, fp):
    """The place on the grid of some counts, and what is left of them where the cost is level."""
    fp = min(fp, beam.table[3])
    tp = 0 if fp >= beam.table[4] else min(tp, beam.table[2])
    return tp * (beam.table[1] + 1) + fp


@inner
def sort_down(places, count, key):
    """Sorts places by their keys, the highest first (Shell 1959)."""
    gap = count // 2
    while gap > 0:
        for x in range(gap, count):
            held, y = places[x], x
            while y >= gap and key[places[y - gap]] < key[held]:
                places[y] = places[y - gap]
                y -= gap
            places[y] = held
        gap = 0 if gap == 1 else max(1, gap * 5 // 11)


@inner
def drop_dominated(grid, used, width):
    """Leaves the touched places that no other is as good as; returns how many."""
    sort_down(grid.touched, used, grid.score)
    for t in range(len(grid.highest)):
        grid.highest[t] = -1
    left = 0
    for x in range(used):
        z = grid.touched[x]
        tp, fp = z // width, z % width
        if grid.highest[tp] >= fp:
            grid.score[z] = LOG_ZERO
            continue
        for t in range(tp, len(grid.highest)):
            grid.highest[t] = max(grid.highest[t], fp)
        grid.touched[left] = z
        left += 1
    return left


@inner
def offer(grid, used, z, score, priced, below):
    """An entry with the counts of place z; below: its split and its children's entries. Returns how many places are touched."""
    if score > grid.score[z]:
        if grid.score[z] == LOG_ZERO:
            grid.touched[used] = z
            used += 1
        grid.score[z], grid.priced[z] = score, priced
        grid.split[z], grid.left[z], grid.right[z] = below
    return used


@inner
def join(beam, entries, grid, used, top, children, need):
    """Offers what two lists of entries make together under a node. top: score, score under multipliers and counts of the node and its
    production; children: split, and the first entry and number of entries of both; need: what it must be above under multipliers."""
    score, priced, tp, fp = top
    split, one, ones, two, twos = children
    for x in range(one, one + ones):
        if priced + entries.priced[x] + entries.priced[two] <= need:
            break
        for y in range(two, two + twos):
            all_priced = priced + entries.priced[x] + entries.priced[y]
            if all_priced <= need:
                break
            z = counted(beam, tp + entries.tp[x] + entries.tp[y], fp + entries.fp[x] + entries.fp[y])
            used = offer(grid, used, z, score + entries.score[x] + entries.score[y], all_priced, (split, x, y))
    return used


@inner
def join_children(chart, span, item, own, beam, items, entries, grid):
    """Offers all entries of an item of two and more words. own: score, score under multipliers and counts of its node."""
    i, j, n = span
    score, priced, tp, fp = own
    a, need, used = items.symbol[item], beam.tau - items.outside[item], 0
    for k in range(i + 1, j):
        x, y = row_of(i, k, n), row_of(k, j, n)
        for one in range(items.first[x], items.first[x] + items.many[x]):
            if items.entries[one] == 0:
                continue
            for two in range(items.first[y], items.first[y] + items.many[y]):
                if items.entries[two] == 0:
                    continue
                first, second = items.entry[one], items.entry[two]
                more = production_score(chart.grammar, a, items.symbol[one], items.symbol[two]) + split_score(chart.splits, i, k, j, n, a)
                if priced + more + entries.priced[first] + entries.priced[second] > need:
                    children = (k, first, items.entries[one], second, items.entries[two])
                    used = join(beam, entries, grid, used, (score + more, priced + more, tp, fp), children, need)
    return used


@inner
def store_entries(beam, items, item, entries, grid, used, room):
    """Moves the touched places of the grid to the item's list; returns the place after it, or FULL."""
    width, least = beam.table[1] + 1, beam.tau - items.outside[item]
    if beam.pareto:
        used = drop_dominated(grid, used, width)
    sort_down(grid.touched, used, grid.priced)
    at = items.entry[item]
    for x in range(used):
        z = grid.touched[x]
        if grid.priced[z] > least and at != FULL:
            if at == room:
                at = FULL
            else:
                entries.tp[at], entries.fp[at], entries.score[at], entries.priced[at] = z // width, z % width, grid.score[z], grid.priced[z]
                entries.symbol[at], entries.split[at] = items.symbol[item], grid.split[z]
                entries.left[at], entries.right[at] = grid.left[z], grid.right[z]
                at += 1
        grid.score[z] = LOG_ZERO
    return at


@phase
def fill_table(chart, price, gold, n, beam, items, entries, grid):
    """The entries of all items, from the words up. Returns how many there are, or FULL where there is no room for them."""
    at, spans, room = 0, chart.spans, len(entries.tp)
    for d in range(1, n + 1):
        for i in range(n - d + 1):
            r = row_of(i, i + d, n)
            for item in range(items.first[r], items.first[r] + items.many[r]):
                a = items.symbol[item]
                tp, fp = node_counts(price, spans.mark, gold, r, a, n)
                priced = np.float64(spans.work[r, a])
                own = priced - beam.each[0] * tp - beam.each[1] * fp, priced, tp, fp
                if d == 1:
                    used = offer(grid, 0, counted(beam, tp, fp), own[0], priced, (NO_SPLIT, NO_SPLIT, NO_SPLIT))
                else:
                    used = join_children(chart, (i, i + d, n), item, own, beam, items, entries, grid)
                items.entry[item] = at
                at = store_entries(beam, items, item, entries, grid, used, room)
                if at == FULL:
                    return at
                items.entries[item] = at - items.entry[item]
    return at


@phase
def read_entry(entries, top, n, stack, out):
    """out = the tree of an entry of the node of all words. stack: int64 [2n, 3]."""
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, top
    used = 1
    for x in range(2 * n - 1):
        used -= 1
        i, j, e = stack[used, 0], stack[used, 1], stack[used, 2]
        k = entries.split[e]
        out[x, 0], out[x, 1], out[x, 2], out[x, 3] = i, k, j, entries.symbol[e]
        if k != NO_SPLIT:
            stack[used, 0], stack[used, 1], stack[used, 2] = k, j, entries.right[e]
            stack[used + 1, 0], stack[used + 1, 1], stack[used + 1, 2] = i, k, entries.left[e]
            used += 2
