"""The table over (symbol, span, tp, fp) of what may still be the best tree (frontier.py).

Every item has a list of entries: counts, score, and score under the multipliers, by which it is sorted and cut: an entry that with the best
outside of its item is not above tau is in no tree that is looked for. Where the cost never falls with fp nor rises with tp, an entry is
left out if another of its item has no more true positives, no fewer false ones and no lower score, or makes up for its counts by its score
in whatever tree may still be the best (frontier_bound.find_trades). Counts above which the cost is level are taken for the level
(count_costs.levels); multipliers are for the counts as they are.
"""

import numpy as np

from widemargin.compiler.jit import generic, inner, phase, tiny
from widemargin.engine.semiring import LOG_ZERO
from widemargin.structures.spans.counts import node_counts
from widemargin.structures.spans.frontier_memory import FULL
from widemargin.structures.spans.kernel import NO_SPLIT, row_of


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
def drop_dominated(grid, used, width, beam):
    """Leaves the touched places than which no other is as good in every tree that is looked for; returns how many."""
    sort_down(grid.touched, used, grid.score)
    left, trades = 0, beam.trades
    for x in range(used):
        z = grid.touched[x]
        tp, fp, score, y = z // width, z % width, grid.score[z], 0
        while y < left:
            other = grid.touched[y]
            more, t, f = grid.score[other] - score, other // width, other % width
            if t == tp or not beam.apart:
                if (t <= tp and more >= trades.fp[max(fp - f, 0)]) or (f >= fp and more >= trades.tp[max(t - tp, 0)]):
                    break
            y += 1
        if y < left:
            grid.score[z] = LOG_ZERO
        else:
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


@generic
def find_parents(chart, span, children, best, items, found):
    """Notes (`note`) the productions of two children, items whose best entries have `best` together, for those parents on a span (i, k, j,
    n) of which they may be in a tree above tau."""
    raise TypeError(chart)


@tiny
def note(found, a, children, split, more):
    """A production of symbol a; more: what it scores. Where there is no room, `used` says so."""
    at = found.used[0]
    found.used[0] += 1
    if at < len(found.split):
        found.before[at], found.split[at], found.more[at] = found.last[a], split, more
        found.left[at], found.right[at] = children
        found.last[a] = at


@inner
def find_productions(chart, span, beam, items, entries, found):
    """The productions of all items of a span whose children's best entries are above tau."""
    i, j, n = span
    r, found.used[0] = row_of(i, j, n), 0
    for item in range(items.first[r], items.first[r] + items.many[r]):
        a = items.symbol[item]
        found.last[a], found.need[a] = FULL, beam.tau - items.outside[item] - np.float64(chart.spans.work[r, a])
    for k in range(i + 1, j):
        x, y = row_of(i, k, n), row_of(k, j, n)
        for one in range(items.first[x], items.first[x] + items.many[x]):
            for two in range(items.first[y], items.first[y] + items.many[y]):
                if items.entries[one] > 0 and items.entries[two] > 0:
                    best = entries.priced[items.entry[one]] + entries.priced[items.entry[two]]
                    find_parents(chart, (i, k, j, n), (one, two), best, items, found)
    for item in range(items.first[r], items.first[r] + items.many[r]):
        found.need[items.symbol[item]] = np.inf


@inner
def join_children(item, own, beam, items, entries, grid, found):
    """Offers all entries of an item of two and more words. own: score, score under multipliers and counts of its node."""
    score, priced, tp, fp = own
    at, need, used = found.last[items.symbol[item]], beam.tau - items.outside[item], 0
    while at != FULL:
        one, two, more = found.left[at], found.right[at], found.more[at]
        children = (found.split[at], items.entry[one], items.entries[one], items.entry[two], items.entries[two])
        used = join(beam, entries, grid, used, (score + more, priced + more, tp, fp), children, need)
        at = found.before[at]
    return used


@inner
def store_entries(beam, items, item, entries, grid, used, room):
    """Moves the touched places of the grid to the item's list; returns the place after it, or FULL."""
    width, outer = beam.table[1] + 1, items.outside[item]
    if beam.monotone:
        used = drop_dominated(grid, used, width, beam)
    sort_down(grid.touched, used, grid.priced)
    at = items.entry[item]
    for x in range(used):
        z = grid.touched[x]
        if grid.priced[z] + outer > beam.least[z] and at != FULL:
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
def fill_table(chart, price, gold, n, beam, items, tables):
    """The entries of all items, from the words up; tables: entries, grid and productions. Returns how many there are, or FULL where there
    is no room."""
    entries, grid, found = tables
    at, spans, room = 0, chart.spans, len(entries.tp)
    for a in range(spans.symbols):
        found.need[a] = np.inf
    for d in range(1, n + 1):
        for i in range(n - d + 1):
            r = row_of(i, i + d, n)
            if d > 1 and items.many[r] > 0:
                find_productions(chart, (i, i + d, n), beam, items, entries, found)
                if found.used[0] > len(found.split):
                    return FULL
            for item in range(items.first[r], items.first[r] + items.many[r]):
                a = items.symbol[item]
                tp, fp = node_counts(price, spans.mark, gold, r, a, n)
                priced = np.float64(spans.work[r, a])
                own = priced - beam.each[0] * tp - beam.each[1] * fp, priced, tp, fp
                if d == 1:
                    used = offer(grid, 0, counted(beam, tp, fp), own[0], priced, (NO_SPLIT, NO_SPLIT, NO_SPLIT))
                else:
                    used = join_children(item, own, beam, items, entries, grid, found)
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
