"""What a tree is worth under a cost by counts, what it must score to be worth more than theta, and multipliers (frontier.py)."""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, phase, tiny
from widemargin.structures.spans.counts import cost_at

CORNERS, ROUNDS, SHRINK = 2, 14, 0.6  # next_multipliers: grids of 5 x 5 points, each so much smaller than the one before
LOOKS = 1 << 21  # find_trades: pairs of counts that are looked at, at most
GUESS = 0.8  # of the gold's brackets are found, where nothing is known


class Question(NamedTuple):
    """What is looked for: the largest Delta (score - need) above 0, or the largest score + cost Delta."""

    slack: bool
    need: float
    cost: float
    size: int  # brackets of the gold
    low: int  # among trees with at least so many true positives
    high: int  # and at most so many


class Model(NamedTuple):
    """What is known of D - tau as a function of multipliers."""

    tree: np.ndarray  # [*, 3]  score, tp, fp of trees: D(l) is at least score + l.(tp, fp)
    trees: np.ndarray  # int64 [1]  how many there were; the last ones are kept
    lowest: np.ndarray  # int64 [*, 2]  counts at which tau was found
    bound: np.ndarray  # [*, 3]  h, tp, fp at some counts: tau(l) is at most h + l.(tp, fp)


class Trades(NamedTuple):
    """By how much the score of an entry must be above another's to make up for worse counts, whatever both become part of; inf: never."""

    fp: np.ndarray  # [most + 1]  for so many fewer false positives, and no more true ones
    tp: np.ndarray  # [size + 1]  for so many more true positives, and no fewer false ones


@tiny
def value_of(ask, delta, score):
    """What is to be largest."""
    return delta * (score - ask.need) if ask.slack else score + ask.cost * delta


@tiny
def threshold(ask, delta, theta):
    """h: above this score, a tree of that cost has a value above theta."""
    if ask.slack:
        return ask.need + theta / delta if delta > 0.0 else np.inf
    return theta - ask.cost * delta


@inner
def find_tau(ask, price, theta, each):
    """min of h + l.(tp, fp) over all counts, and the counts where it is."""
    least, at = np.inf, (0, 0)
    for tp in range(ask.low, ask.high + 1):
        for fp in range(price.table[ask.size, 1] + 1):
            here = threshold(ask, cost_at(price, ask.size, tp, fp), theta) + each[0] * tp + each[1] * fp
            if here < least:
                least, at = here, (tp, fp)
    return least, at


@inner
def find_all_taus(ask, price, theta, each, rounding, least):
    """least[tp (most + 1) + fp] = min of h + l.(tp, fp) over counts that are no smaller, less `rounding`; returns tau."""
    width = price.table[ask.size, 1] + 1
    for tp in range(ask.size, -1, -1):
        for fp in range(width - 1, -1, -1):
            z = tp * width + fp
            h = threshold(ask, cost_at(price, ask.size, tp, fp), theta) if ask.low <= tp <= ask.high else np.inf
            least[z] = h + each[0] * tp + each[1] * fp - rounding
            if fp < width - 1:
                least[z] = min(least[z], least[z + 1])
            if tp < ask.size:
                least[z] = min(least[z], least[z + width])
    return least[0]


@inner
def is_signed(ask, price):
    """Are the signs of good multipliers known?"""
    return price.monotone and ask.cost > 0.0 and ask.high - ask.low == ask.size


@inner
def clipped(ask, price, each):
    """Where all trees are looked at and costs are monotone, multipliers are best if they make up for true positives and for a lack of false
    ones."""
    return (min(each[0], 0.0), max(each[1], 0.0)) if is_signed(ask, price) else each


@inner
def slope(ask, price, theta, tp, fp):
    """-grad h at these counts: the multipliers for which tau is found there, were h convex."""
    most = price.table[ask.size, 1]
    here = threshold(ask, cost_at(price, ask.size, tp, fp), theta)
    low, high = max(tp - 1, 0), min(tp + 1, ask.size)
    one, two = threshold(ask, cost_at(price, ask.size, low, fp), theta), threshold(ask, cost_at(price, ask.size, high, fp), theta)
    by_tp = (here - one if np.isinf(two) else (two - one) / 2.0) if low < tp < high else two - one
    low, high = max(fp - 1, 0), min(fp + 1, most)
    one, two = threshold(ask, cost_at(price, ask.size, tp, low), theta), threshold(ask, cost_at(price, ask.size, tp, high), theta)
    by_fp = (two - here if np.isinf(one) else (two - one) / 2.0) if low < fp < high else two - one
    if np.isinf(by_tp) or np.isnan(by_tp) or np.isinf(by_fp) or np.isnan(by_fp):
        return 0.0, 0.0
    return clipped(ask, price, (-by_tp, -by_fp))


@inner
def start_multipliers(ask, price):
    """Those that the row has kept, or those of a good tree that is not the gold."""
    if len(price.start) > 0 and not np.isnan(price.start[0, 0]):
        return price.start[0, 0], price.start[0, 1]
    tp = np.int64(GUESS * ask.size)
    fp = min(ask.size - tp + 1, price.table[ask.size, 1])
    return slope(ask, price, cost_at(price, ask.size, tp, fp), tp, fp)


@inner
def sample_counts(ask, price, theta, model, lows):
    """h at the counts at which tau was found, and at others that lie close where they are small; returns how many there are."""
    bound, most, apart = model.bound, price.table[ask.size, 1], 1 + (ask.high - ask.low) // 24
    for used in range(lows):
        tp, fp = model.lowest[used, 0], model.lowest[used, 1]
        bound[used, 0], bound[used, 1], bound[used, 2] = threshold(ask, cost_at(price, ask.size, tp, fp), theta), tp, fp
    used = lows
    for tp in range(ask.high, ask.low - 1, -apart):
        fp = 0
        while fp <= most and used < len(bound):
            h = threshold(ask, cost_at(price, ask.size, tp, fp), theta)
            if not np.isinf(h):
                bound[used, 0], bound[used, 1], bound[used, 2] = h, tp, fp
                used += 1
            fp += 1 + fp // 4
    return used


@inner
def add_tree(model, score, tp, fp):
    """D is known a little better."""
    x = model.trees[0] % len(model.tree)
    model.tree[x, 0], model.tree[x, 1], model.tree[x, 2] = score, tp, fp
    model.trees[0] += 1


@inner
def model_gap(model, sizes, each):
    """What D - tau is, as far as is known."""
    high, low = -np.inf, np.inf
    for x in range(sizes[0]):
        high = max(high, model.tree[x, 0] + each[0] * model.tree[x, 1] + each[1] * model.tree[x, 2])
    for x in range(sizes[1]):
        low = min(low, model.bound[x, 0] + each[0] * model.bound[x, 1] + each[1] * model.bound[x, 2])
    return high - low


@inner
def box_of(ask, price, theta):
    """How large multipliers may become."""
    if ask.slack:
        return 4.0 * max(1.0, theta)
    step, most = 0.0, price.table[ask.size, 1]
    for tp in range(ask.size + 1):
        for fp in range(most + 1):
            here = cost_at(price, ask.size, tp, fp)
            if tp > 0:
                step = max(step, abs(here - cost_at(price, ask.size, tp - 1, fp)))
            if fp > 0:
                step = max(step, abs(here - cost_at(price, ask.size, tp, fp - 1)))
    return 2.0 * abs(ask.cost) * step


@phase
def next_multipliers(ask, price, theta, model, lows):
    """The multipliers for which D - tau is smallest as far as is known from trees and so many lowest counts, and what it is there. It is
    convex in them."""
    sizes = min(model.trees[0], len(model.tree)), sample_counts(ask, price, theta, model, lows)
    half = box_of(ask, price, theta) / 2.0
    centre = clipped(ask, price, (-half, half))
    if not is_signed(ask, price):
        centre, half = (0.0, 0.0), 2.0 * half
    best = model_gap(model, sizes, centre)
    for _ in range(ROUNDS):
        middle = centre
        for x in range(-CORNERS, CORNERS + 1):
            for y in range(-CORNERS, CORNERS + 1):
                each = clipped(ask, price, (middle[0] + half * x / CORNERS, middle[1] + half * y / CORNERS))
                here = model_gap(model, sizes, each)
                if here < best:
                    best, centre = here, each
        half *= SHRINK
    return centre, best


@inner
def need_more(ask, delta, other, score):
    """How much more than `score` a tree of cost `other` must score for the value of one of cost delta."""
    if not ask.slack:
        return ask.cost * (delta - other)
    return (score - ask.need) * (delta / other - 1.0) if other > 0.0 else np.inf


@phase
def find_trades(ask, price, theta, each, high, trades):
    """Trades between counts of which a tree can still have a value above theta, its score being at most high - l.(tp, fp). Costs must be
    monotone."""
    size, most = ask.size, price.table[ask.size, 1]
    whole = price.table[size, 2] == size and price.table[size, 4] > most  # else entries have lost count of true positives
    trades.fp[:], trades.tp[:] = 0.0, 0.0
    looks = 0
    for tp in range(ask.low, ask.high + 1):
        for fp in range(most + 1):
            delta = cost_at(price, size, tp, fp)
            score = high - each[0] * (tp if whole else size) - each[1] * fp
            if value_of(ask, delta, score) <= theta:
                continue
            looks += fp + size - tp
            if looks > LOOKS:
                trades.fp[1:], trades.tp[1:] = np.inf, np.inf
                return
            for b in range(1, fp + 1):
                trades.fp[b] = max(trades.fp[b], need_more(ask, delta, cost_at(price, size, tp, fp - b), score))
            for b in range(1, size - tp + 1):
                trades.tp[b] = max(trades.tp[b], need_more(ask, delta, cost_at(price, size, tp + b, fp), score))
