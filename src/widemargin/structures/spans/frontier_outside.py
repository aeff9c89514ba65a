"""Which items have a tree above tau through them: from the node of all words down, a child is reached only if it is part of a tree above
tau, and what is not reached is dropped (frontier.py)."""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner, phase
from widemargin.engine.semiring import LOG_ZERO
from widemargin.structures.spans.kernel import count_spans, row_of
from widemargin.structures.spans.sums import best_inside


class Outside(NamedTuple):
    """The best score of what a tree has outside of an item."""

    value: np.ndarray  # float64 [S, K]  where `reached`
    reached: np.ndarray  # bool [S]


class Items(NamedTuple):
    """Symbols on spans that are kept, those of one span one after the other."""

    first: np.ndarray  # int64 [S]
    many: np.ndarray  # int64 [S]
    symbol: np.ndarray  # int32 [*]
    outside: np.ndarray  # float64 [*]
    entry: np.ndarray  # int64 [*]  where its entries begin (frontier_table.py)
    entries: np.ndarray  # int64 [*]  how many it has


@inner
def reach(outer, r, a, value):
    """The item of symbol a on the span of row r has this much outside of it."""
    if not outer.reached[r]:
        outer.reached[r] = True
        for b in range(outer.value.shape[1]):
            outer.value[r, b] = LOG_ZERO
    outer.value[r, a] = max(outer.value[r, a], value)


@generic
def push_children(chart, span, a, value, tau, outer):
    """Reaches the children of symbol a on a span (i, j, n) in trees above tau; value: what such a tree has beside the production and what
    is below it."""
    raise TypeError(chart)


@phase
def find_items(chart, n, tau, limit, outer, items):
    """Lists the items above tau under the scores in work, of which an argmax has made charts. Returns how many there are; stops where they
    are more than `limit`."""
    used, spans = 0, chart.spans
    for r in range(count_spans(n)):
        outer.reached[r] = False
    for a in range(spans.symbols):
        reach(outer, count_spans(n) - 1, a, 0.0)
    for d in range(n, 0, -1):
        for i in range(n - d + 1):
            j = i + d
            r = row_of(i, j, n)
            items.first[r], items.many[r] = used, 0
            if not outer.reached[r]:
                continue
            for a in range(spans.symbols):
                beyond = outer.value[r, a]
                if beyond > LOG_ZERO and beyond + best_inside(chart, i, j, n, a) > tau:
                    items.symbol[used], items.outside[used] = a, beyond
                    used += 1
                    if used > limit:
                        return used
                    if d > 1:
                        push_children(chart, (i, j, n), a, beyond + np.float64(spans.work[r, a]), tau, outer)
            items.many[r] = used - items.first[r]
    return used
