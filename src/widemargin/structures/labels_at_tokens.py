"""What chain and choice share: an output is a label per token, int32 [n]; gold int32 [n], -1 where it is not known; price [Y, L], what
guessing label k costs when y is right. Their workspaces have the fields lanes, labels, node, work, direction, start, stop and output."""

import numpy as np

from widemargin.compiler.lanes import load, splat, store
from widemargin.engine.structure import (
    UNKNOWN,
    augment,
    copy_output,
    gold_part,
    output_cost,
    outputs,
    part_at,
    set_direction,
    set_part,
    take_gold,
)


def augment_labels(s, gold, price, n, cost, inside):
    """work = node + cost * price, under the masks of first and last labels."""
    lanes = s.lanes
    never = splat(s.work, -np.inf, lanes)
    for t in range(n):
        y = gold[t]
        if y == UNKNOWN:
            store(s.work, t, load(s.node, t, lanes))
        elif inside:
            store(s.work, t, never)
            s.work[t, y] = s.node[t, y] + cost * price[y, y]
        else:
            store(s.work, t, load(s.node, t, lanes) + load(price, y, lanes) * cost)
    store(s.work, 0, load(s.work, 0, lanes) + load(s.start, 0, lanes))
    store(s.work, n - 1, load(s.work, n - 1, lanes) + load(s.stop, 0, lanes))


def take_gold_labels(s, gold, n, out):
    """out = the gold labels, up to the first that is unknown."""
    for t in range(n):
        if gold[t] == UNKNOWN:
            return False
        out[t] = gold[t]
    return True


def direct_at_labels(s, gold, price, n):
    """direction of each token = the prices of its labels."""
    for t in range(n):
        store(s.direction, t, load(price, gold[t], s.lanes) if gold[t] != UNKNOWN else splat(price, 0.0, s.lanes))


def both_outputs(s):
    """The two rows of labels of the workspace."""
    return s.output


def copy_labels(s, n, out, at, into):
    """into int32 [N]: labels of all tokens."""
    for t in range(n):
        into[at + t] = out[t]


def price_labels(s, gold, price, n, out):
    """Summed over the tokens whose label is known."""
    cost = 0.0
    for t in range(n):
        if gold[t] != UNKNOWN:
            cost += price[gold[t], out[t]]
    return cost


def label_at(s, out, t):
    """A slot is a token, its number the label."""
    return out[t]


def set_label(s, out, t, part):
    """A slot is a token, its number the label."""
    out[t] = part


def gold_label(s, gold, t):
    """A slot is a token, its number the label."""
    return gold[t]


def labels_as_outputs(kind):
    """Gives a structure whose output is a label per token the answers that need no more than its field `output`, two int32 [T]."""
    bodies = {
        take_gold: take_gold_labels,
        outputs: both_outputs,
        copy_output: copy_labels,
        output_cost: price_labels,
        part_at: label_at,
        set_part: set_label,
        gold_part: gold_label,
    }
    for question, body in bodies.items():
        question.when(kind)(body)
    return kind


def labels_at_tokens(kind):
    """Gives a structure whose parts are labels of tokens all answers above."""
    augment.when(kind)(augment_labels)
    set_direction.when(kind)(direct_at_labels)
    return labels_as_outputs(kind)
