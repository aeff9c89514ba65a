"""What a hypothesis is worth while a tuner is at its sentence: a gain is a cost with its sign turned, higher for what is better.

    sentence          scale * metric of the hypothesis by itself
    corpus            scale * metric of half of all other sentences' last choices together with it: its worth in context
    background        scale * BLEU(counts + background) * (reference lengths of both); background = 0.999 background + hope after each
                      sentence whose hope and fear differ (Cherry and Foster 2012, section 3.1; it starts with ones)
    pseudo-document   the same, but background = 0.9 (background + highest-scored hypothesis) after every sentence (Chiang et al. 2008);
                      lengths are those of references, where the paper has those of sources

Metrics are taken in [0, 1], so that gains of the last two are in words. C of MIRA and RM means nothing without the gain's scale.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic
from widemargin.errors import InputError
from widemargin.families.reranking.kernels.costs import Context, add_then_decay, decay_then_add, worth_in_context
from widemargin.families.reranking.metrics import Metric
from widemargin.families.reranking.tuners.lists import Lists, chosen

NAMES = ("background", "pseudo-document", "sentence", "corpus")


class Fixed(NamedTuple):
    """A number for each hypothesis."""

    gain: np.ndarray  # float64 [H]


class Background(NamedTuple):
    """BLEU in the context of a decaying sum of statistics."""

    context: Context
    counts: np.ndarray  # int32 [H, 10]
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
    worth_in_context(kind.context, kind.counts, first, first + n, into)


@generic
def after_sentence(kind, hope, best, changed):
    """The sentence is done; changed: hope and fear were told apart. hope, best: hypotheses."""
    raise TypeError(kind)


@after_sentence.when(Fixed)
def _(kind, hope, best, changed):
    pass


@after_sentence.when(Background)
def _(kind, hope, best, changed):
    if not kind.follows_hope:
        add_then_decay(kind.context, kind.counts, best, kind.decay)
    elif changed:
        decay_then_add(kind.context, kind.counts, hope, kind.decay)


def gain_of(name: str, metric: Metric, scale: float):
    """The gains with which a run begins."""
    if name in ("background", "pseudo-document"):
        if metric.name != "bleu":
            raise InputError(f"the gain {name!r} is for BLEU, and the metric is {metric.name}; use gain=sentence or gain=corpus")
        hope, context = name == "background", Context(np.ones(10), float(scale), True)
        return Background(context, np.ascontiguousarray(metric.counts, np.int32), 0.999 if hope else 0.9, hope)
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
