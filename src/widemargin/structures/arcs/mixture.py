"""Frank-Wolfe's mixture sum_y a_iy r_y over trees, kept sparse (engine/frank_wolfe.py).

Of the n^2 R parts of a sentence only those that some best tree has had, and the gold's beside them, are in a list per word. A step adds at
most two parts per word. A part is a number, head * kinds + label (over_arcs.py).
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner
from widemargin.engine.frank_wolfe import fw_direction, fw_update, like_saved, with_room
from widemargin.engine.structure import output_score, part_at
from widemargin.structures.arcs.labels import Labels, NoLabels, add_label
from widemargin.structures.arcs.over_arcs import kinds_of
from widemargin.structures.chained import NO_ENTRY, as_saved, empty_lists, new_entry, with_more


class PartLists(NamedTuple):
    """Mixtures of all sentences: parts with masses in lists, one per word (structures/chained.py)."""

    first: np.ndarray  # int32 [N]
    next: np.ndarray  # int32 [E]
    part: np.ndarray  # int32 [E]
    mass: np.ndarray  # float64 [E]
    used: np.ndarray  # int64 [1]
    offset: np.ndarray  # [n]
    cost: np.ndarray  # [n]
    live: np.ndarray  # bool [n]


def part_lists(rows: int, words: int) -> PartLists:
    """All mass is on the gold."""
    return PartLists(*empty_lists(words), np.zeros(rows), np.zeros(rows), np.zeros(rows, np.bool_))


@with_room.register(PartLists)
def _(mixture: PartLists, memory: float) -> PartLists:
    """A pass adds at most two parts per word."""
    return with_more(mixture, 2 * len(mixture.first), memory)


@like_saved.register(PartLists)
def _(mixture: PartLists, arrays: dict[str, np.ndarray]) -> PartLists:
    return as_saved(mixture, arrays)


@generic
def mu_at(labels, mu, h, m, n, r):
    """mu of an arc with label r."""
    raise TypeError(labels)


@mu_at.when(NoLabels)
def _(labels, mu, h, m, n, r):
    return np.float64(mu[h, m])


@mu_at.when(Labels)
def _(labels, mu, h, m, n, r):
    i = h * (n + 1) + m
    return np.float64(labels.mu[i, r]) if labels.fresh[i] else 0.0


@inner
def add_part(s, m, n, part, mass):
    """mu of the part of word m += mass; returns its score."""
    h, r = part // kinds_of(s), part % kinds_of(s)
    s.arcs.mu[h, m] += mass
    return s.arcs.score[h, m] + add_label(s.arcs.labels, h, m, n, r, mass)


@fw_direction.when(PartLists)
def _(mixture, input, s, i, n, right, out):
    at, value = input.token[i], output_score(s, n, out)
    for t in range(n):
        value -= add_part(s, t + 1, n, part_at(s, right, t), 0.0)
        e = mixture.first[at + t]
        while e != NO_ENTRY:
            value -= mixture.mass[e] * add_part(s, t + 1, n, mixture.part[e], -mixture.mass[e])
            e = mixture.next[e]
    return value, 0.0


@inner
def mass_of(mixture, word, part):
    """Where the part of a word has its mass: a new place, with no mass yet, if there is none."""
    e = mixture.first[word]
    while e != NO_ENTRY and mixture.part[e] != part:
        e = mixture.next[e]
    if e == NO_ENTRY:
        e = new_entry(mixture, word)
        mixture.part[e] = part
    return e


@fw_update.when(PartLists)
def _(mixture, input, s, i, n, right, out, step):
    at, kinds, labels = input.token[i], kinds_of(s), s.arcs.labels
    for t in range(n):
        mine, theirs = part_at(s, out, t), part_at(s, right, t)
        if mine != theirs:
            mass_of(mixture, at + t, mine)
            mass_of(mixture, at + t, theirs)
        e = mixture.first[at + t]
        while e != NO_ENTRY:
            part = mixture.part[e]
            mixture.mass[e] += step * mu_at(labels, s.arcs.mu, part // kinds, t + 1, n, part % kinds)
            e = mixture.next[e]
