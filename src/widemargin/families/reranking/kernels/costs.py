"""What hypotheses are worth while weights move: BLEU together with a background of statistics, scaled explicitly.

    worth(h) = scale BLEU(background + counts(h)) (background length + length of the sentence)   if by_length, else without the length

Pseudo-document (Chiang 2008): the background is decay (background + statistics of what the model chose), sentence by sentence. Background
of hopes (Cherry and Foster 2012): decay background + statistics of the hope, from all ones. Corpus context (Chiang 2008, Travatar): the
statistics of all sentences' present choices but this one's, with no decay.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner
from widemargin.families.reranking.kernels.bleu import bleu_with


class Context(NamedTuple):
    """A background, changed in place."""

    background: np.ndarray  # float64 [10]
    scale: float
    by_length: bool  # times the reference length of background and sentence together, so that the unit is a word


@inner
def worth_in_context(context, counts, begin, end, out):
    """out[h - begin] = worth of the hypotheses begin..end-1."""
    for h in range(begin, end):
        length = context.background[9] + counts[h, 9] if context.by_length else 1.0
        out[h - begin] = context.scale * bleu_with(counts, h, context.background) * length


@inner
def decay_then_add(context, counts, h, decay):
    """background = decay background + counts[h]."""
    for k in range(len(context.background)):
        context.background[k] = decay * context.background[k] + counts[h, k]


@inner
def add_then_decay(context, counts, h, decay):
    """background = decay (background + counts[h])."""
    for k in range(len(context.background)):
        context.background[k] = decay * (context.background[k] + counts[h, k])


@inner
def exchange(context, counts, old, new):
    """background += counts[new] - counts[old]."""
    for k in range(len(context.background)):
        context.background[k] += counts[new, k] - counts[old, k]
