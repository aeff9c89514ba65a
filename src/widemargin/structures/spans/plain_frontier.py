"""The best tree for every (tp, fp) by the plain table over (symbol, span, tp, fp) (Bauer et al. 2017, algorithm 1), for trees of rules:

    best[i, j, A, tp, fp] = max over rules A -> B C, splits k and counts of the children that add up to (tp, fp) with the node's own

Nothing is left out. Its time grows about as n^6, so it is for short sentences: to prove and to measure what frontier.py does instead.
"""

import numpy as np

from widemargin.compiler.jit import kernel, phase
from widemargin.engine.semiring import LOG_ZERO
from widemargin.engine.structure import output_score
from widemargin.structures.spans.counts import cost_at, gold_size, lay_nothing, node_counts
from widemargin.structures.spans.frontier_memory import FULL, make_entries, make_grid
from widemargin.structures.spans.frontier_table import offer, read_entry
from widemargin.structures.spans.kernel import NO_SPLIT, count_spans, row_of, split_score
from widemargin.structures.spans.prices import mark_nodes


@phase
def join_rules(s, span, a, width, first, entries, grid):
    """Offers what the rules of a symbol make of the lists of its children; returns how many counts there are. first: int64 [S, K + 1],
    where the list of an item begins; it ends where that of the next symbol begins."""
    i, j, n = span
    r, used = row_of(i, j, n), 0
    for p in range(s.grammar.by_parent[a], s.grammar.by_parent[a + 1]):
        rule = s.grammar.parent_rule[p]
        b, c = s.grammar.left[rule], s.grammar.right[rule]
        for k in range(i + 1, j):
            x, y = row_of(i, k, n), row_of(k, j, n)
            own = np.float64(s.spans.work[r, a]) + np.float64(s.grammar.score[rule]) + split_score(s.splits, i, k, j, n, a)
            for one in range(first[x, b], first[x, b + 1]):
                for two in range(first[y, c], first[y, c + 1]):
                    z = (entries.tp[one] + entries.tp[two]) * width + entries.fp[one] + entries.fp[two]
                    used = offer(grid, used, z, own + entries.score[one] + entries.score[two], 0.0, (k, one, two))
    return used


@phase
def fill_plainly(s, price, gold, n, first, entries, grid):
    """The lists of all items. False: there is no room for them."""
    at, width = 0, price.table[gold_size(price, gold, n), 1] + 1
    for d in range(1, n + 1):
        for i in range(n - d + 1):
            r = row_of(i, i + d, n)
            for a in range(s.spans.symbols):
                first[r, a], used = at, 0
                if s.spans.work[r, a] == LOG_ZERO:
                    continue
                if d == 1:
                    used = offer(grid, used, 0, np.float64(s.spans.work[r, a]), 0.0, (NO_SPLIT, FULL, FULL))
                else:
                    used = join_rules(s, (i, i + d, n), a, width, first, entries, grid)
                tp, fp = node_counts(price, s.spans.mark, gold, r, a, n)
                for x in range(used):
                    z = grid.touched[x]
                    if at < len(entries.tp):
                        entries.tp[at], entries.fp[at], entries.score[at] = z // width + tp, z % width + fp, grid.score[z]
                        entries.symbol[at], entries.split[at] = a, grid.split[z]
                        entries.left[at], entries.right[at] = grid.left[z], grid.right[z]
                    grid.score[z] = LOG_ZERO
                    at += 1
                if at > len(entries.tp):
                    return False
            first[r, s.spans.symbols] = at
    return True


@phase(allocates=True)
def search_plainly(s, price, gold, n, need, out):
    """The largest Delta (score - need), at least 0, and its tree."""
    size, room = gold_size(price, gold, n), 1 << 16
    grid, first = make_grid(size, price.table[size, 1]), np.empty((count_spans(n), s.spans.symbols + 1), np.int64)
    entries = make_entries(room)
    while not fill_plainly(s, price, gold, n, first, entries, grid):
        room *= 4
        entries = make_entries(room)
    value, top, last = 0.0, -1, count_spans(n) - 1
    for e in range(first[last, 0], first[last, s.spans.symbols]):
        here = cost_at(price, size, entries.tp[e], entries.fp[e]) * (entries.score[e] - need)
        if here > value:
            value, top = here, e
    if top >= 0:
        read_entry(entries, top, n, np.empty((2 * n, 3), np.int64), out)
    return value


@kernel
def plain_worst(s, gold, price, n, margin, out):
    """The largest Delta (score - score of the gold + margin), at least 0, for the scores in s, a workspace of rules. Its tree goes to
    out."""
    lay_nothing(s, n)
    mark_nodes(s.spans, gold.node, n)
    return search_plainly(s.chart, price, gold, n, output_score(s, n, gold.node) - margin, out)
