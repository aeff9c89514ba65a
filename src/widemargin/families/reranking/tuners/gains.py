"""What a hypothesis is worth while a tuner is at its sentence: a gain is a cost with its sign turned, higher for what is better.

    sentence          scale * metric of the hypothesis by itself
    corpus            scale * metric of half of all other sentences' last choices together with it: its worth in context
    background        BLEU(counts + background) * (reference lengths of both); after each update background = 0.999 background + hope
                      (Cherry and Foster 2012, section 3.1; it starts with ones)
    pseudo-document   the same, but background = 0.9 (background + highest-scored hypothesis) after every sentence (Chiang et al. 2008);
                      lengths are those of references, where the paper has those of sources

Metrics are taken in [0, 1], so that gains of the last two are in words. C of MIRA and RM means nothing without the gain's scale.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic
from widemargin.errors import InputError
from widemargin.families.reranking.metrics import Metric
from widemargin.families.reranking.tuners.lists import Lists, chosen

NAMES = ("background", "pseudo-document", "sentence", "corpus")


class Fixed(NamedTuple):
    """A number for each hypothesis."""

    gain: np.ndarray  # float64 [H]


class Background(NamedTuple):
    """BLEU in the context of a decaying sum of statistics."""

    counts: np.ndarray  # int32 [H, 10]
    sums: np.ndarray  # float64 [10]
    decay: float
    follows_hope: bool


@generic
def gains(kind, first, n, into):
    """Gains of hypotheses first .. first + n - 1 into `into`."""
    raise TypeError(kind)


@gains.when(Fixed)
def _(kind, first, n, into):
    for k in range(n):
        into[k] = kind.gain[first + k]


@gains.when(Background)
def _(kind, first, n, into):
    b = kind.sums
    for k in range(n):
        c = kind.counts[first + k]
        matches = (c[0] + b[0]) * (c[1] + b[1]) * (c[2] + b[2]) * (c[3] + b[3])
        grams = (c[4] + b[4]) * (c[5] + b[5]) * (c[6] + b[6]) * (c[7] + b[7])
        length, reference = c[8] + b[8], c[9] + b[9]
        value = np.sqrt(np.sqrt(matches / grams)) * reference
        into[k] = value * np.exp(1.0 - reference / length) if length < reference else value


@generic
def after_sentence(kind, hope, best, changed):
    """The sentence is done; changed: hope and fear were told apart. hope, best: hypotheses."""
    raise TypeError(kind)


@after_sentence.when(Fixed)
def _(kind, hope, best, changed):
    pass


@after_sentence.when(Background)
def _(kind, hope, best, changed):
    if kind.follows_hope:
        if changed:
            for q in range(10):
                kind.sums[q] = kind.decay * kind.sums[q] + kind.counts[hope, q]
    else:
        for q in range(10):
            kind.sums[q] = kind.decay * (kind.sums[q] + kind.counts[best, q])


def gain_of(name: str, metric: Metric, scale: float):
    """The gains with which a run begins."""
    if name in ("background", "pseudo-document"):
        if metric.name != "bleu":
            raise InputError(f"the gain {name!r} is for BLEU, and the metric is {metric.name}; use gain=sentence or gain=corpus")
        if scale != 1.0:
            raise InputError(f"the gain {name!r} is in words and takes no scale; leave it out, or use gain=sentence or gain=corpus")
        hope = name == "background"
        return Background(np.ascontiguousarray(metric.counts, np.int32), np.ones(10), 0.999 if hope else 0.9, hope)
    if name not in NAMES:
        raise InputError(f"gain {name!r} is not known; choose one of {', '.join(NAMES)}")
    return Fixed(np.ascontiguousarray(metric.worth, np.float64) * (scale / 100.0))


def in_context(metric: Metric, lists: Lists, w: np.ndarray, scale: float) -> Fixed:
    """Gains of `corpus`, around what w chooses now."""
    choice = chosen(lists, w)
    others = metric.counts[choice].sum(axis=0, dtype=np.float64) - metric.counts[choice]
    row = np.repeat(np.arange(len(choice)), np.diff(lists.row_ptr))
    sign = -1.0 if metric.lower_is_better else 1.0
    return Fixed(sign * scale / 100.0 * np.asarray(metric.total(0.5 * others[row] + metric.counts), np.float64))
