"""Prices and what is known of the gold, laid on spans: augmented scores, directions of tilts, and the cost of a tree.

The cost of a tree is a sum over its nodes and one constant, what missing every node of the gold would cost; the constant stands at the
root. A production is priced at its parent node, so that only the n-1 productions of the gold need a place of their own (Rebates).
"""

import numpy as np

from widemargin.compiler.jit import generic, inner
from widemargin.compiler.lanes import load, splat, store
from widemargin.engine.semiring import LOG_ZERO
from widemargin.structures.spans.kernel import CROSSING, UNKNOWN, Prices, count_spans, row_of
from widemargin.structures.spans.nodes import right_child


@generic
def lay_costs(price, s, gold, n, cost):
    """work and rebates = scores + cost * price. Asked of the price."""
    raise TypeError(price)


@generic
def tree_cost(price, s, gold, n, out):
    """The cost of a tree against the gold. Asked of the price."""
    raise TypeError(price)


@generic
def worst_tree(price, s, gold, n, need, out):
    """structure.worst, asked of the price: of prices that are not sums over nodes."""
    raise TypeError(price)


@inner
def mark_nodes(spans, node, n):
    """mark = the place of the gold's node on each span, or -1."""
    for r in range(count_spans(n)):
        spans.mark[r] = UNKNOWN
    for x in range(2 * n - 1):
        spans.mark[row_of(node[x, 0], node[x, 2], n)] = x


@inner
def mark_brackets(spans, bracket, n):
    """mark = CROSSING where a span crosses a bracket, else the set of the bracket on it, or -1."""
    for r in range(count_spans(n)):
        spans.mark[r] = UNKNOWN
    for b in range(len(bracket)):
        first, end, which = bracket[b, 0], bracket[b, 1], bracket[b, 2]
        spans.mark[row_of(first, end, n)] = which
        for i in range(first):
            for j in range(first + 1, end):
                spans.mark[row_of(i, j, n)] = CROSSING
        for i in range(first + 1, end):
            for j in range(end + 1, n + 1):
                spans.mark[row_of(i, j, n)] = CROSSING


@inner
def lay_prices(s, gold, price, n, cost, table, rebate):
    """Rows of `table` = cost * price, and rebate, one number per place of spans.rebates, what the gold's productions get back."""
    lanes, rows, rebates = s.lanes, count_spans(n), s.spans.rebates
    for r in range(rows):
        rebates.at[r] = UNKNOWN
    if len(gold.node) == 0:
        lay_partial_prices(s, gold, price, n, cost, table)
        return
    short, long = load(price.wrong, 0, lanes) * cost, (load(price.wrong, 1, lanes) + load(price.production, 1, lanes)) * cost
    for r in range(rows):
        store(table, r, short if r < n else long)
    node, missed, used = gold.node, 0.0, 0
    for x in range(2 * n - 1):
        a, kind = node[x, 3], 0 if node[x, 2] - node[x, 0] == 1 else 1
        r = row_of(node[x, 0], node[x, 2], n)
        missed += cost * price.missed[kind, a]
        table[r, a] -= cost * (price.wrong[kind, a] + price.missed[kind, a])
        if kind == 1 and price.production[1, a] != 0.0:
            rebates.at[r], rebate[used] = used, cost * price.production[1, a]
            rebates.production[used, 0], rebates.production[used, 1] = node[x, 1], a
            rebates.production[used, 2], rebates.production[used, 3] = node[x + 1, 3], node[right_child(node, x), 3]
            used += 1
    store(table, rows - 1, load(table, rows - 1, lanes) + missed)


@inner
def lay_partial_prices(s, gold, price, n, cost, table):
    """The same where the gold is known in part."""
    spans, lanes = s.spans, s.lanes
    mark_brackets(spans, gold.bracket, n)
    for r in range(count_spans(n)):
        kind, which = 0 if r < n else 1, spans.mark[r]
        if which == CROSSING:
            store(table, r, load(price.wrong, kind, lanes) * cost)
            continue
        store(table, r, splat(table, 0.0, lanes))
        if which != UNKNOWN:
            for a in range(spans.symbols):
                if not gold.sets[which, a]:
                    table[r, a] = cost * price.wrong[kind, a]


@inner
def add_scores(s, n):
    """work += scores and legal masks; the root's go to the row of all words."""
    spans, lanes, work = s.spans, s.lanes, s.spans.work
    scored = n if spans.only_words else count_spans(n)
    for r in range(count_spans(n)):
        row = load(work, r, lanes) + load(spans.legal, 0 if r < n else 1, lanes)
        if r < scored:
            row += load(spans.span.score, r, lanes)
        store(work, r, row)
    last = count_spans(n) - 1
    store(work, last, load(work, last, lanes) + load(spans.root.score, 0, lanes))


@inner
def keep_gold(s, gold, n):
    """work = -inf for nodes that disagree with what is known."""
    spans, known = s.spans, len(gold.node) > 0
    if known:
        mark_nodes(spans, gold.node, n)
    else:
        mark_brackets(spans, gold.bracket, n)
    for r in range(count_spans(n)):
        which = spans.mark[r]
        if which == CROSSING or (known and which == UNKNOWN):
            store(spans.work, r, splat(spans.work, LOG_ZERO, s.lanes))
        elif which != UNKNOWN:
            for a in range(spans.symbols):
                if not (a == gold.node[which, 3] if known else gold.sets[which, a]):
                    spans.work[r, a] = LOG_ZERO


@inner
def known_cost(spans, gold, price, n, out):
    """The cost of a tree where everything of the gold is known."""
    mark_nodes(spans, gold.node, n)
    node, cost = gold.node, 0.0
    for x in range(2 * n - 1):
        cost += price.missed[0 if node[x, 2] - node[x, 0] == 1 else 1, node[x, 3]]
    for x in range(2 * n - 1):
        a, kind, g = out[x, 3], 0 if out[x, 2] - out[x, 0] == 1 else 1, spans.mark[row_of(out[x, 0], out[x, 2], n)]
        same = g != UNKNOWN and node[g, 3] == a
        cost += -price.missed[kind, a] if same else price.wrong[kind, a]
        if kind == 1:
            same = same and out[x, 1] == node[g, 1] and out[x + 1, 3] == node[g + 1, 3]
            if not (same and out[right_child(out, x), 3] == node[right_child(node, g), 3]):
                cost += price.production[1, a]
    return cost


@inner
def partial_cost(spans, gold, price, n, out):
    """The cost of a tree where the gold is known in part."""
    mark_brackets(spans, gold.bracket, n)
    cost = 0.0
    for x in range(2 * n - 1):
        a, which = out[x, 3], spans.mark[row_of(out[x, 0], out[x, 2], n)]
        if which == CROSSING or (which != UNKNOWN and not gold.sets[which, a]):
            cost += price.wrong[0 if out[x, 2] - out[x, 0] == 1 else 1, a]
    return cost


@lay_costs.when(Prices)
def _(price, s, gold, n, cost):
    lay_prices(s, gold, price, n, cost, s.spans.work, s.spans.rebates.amount)
    add_scores(s, n)


@tree_cost.when(Prices)
def _(price, s, gold, n, out):
    known = len(gold.node) > 0
    return np.float64(known_cost(s.spans, gold, price, n, out) if known else partial_cost(s.spans, gold, price, n, out))
