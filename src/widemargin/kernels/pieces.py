"""A batch in pieces: sentences are scored, parsed and gathered apart, each piece in its own memory, and the pieces summed in order.

So a batch may be shared out among threads, and its step has the same bytes for any number of them: the pieces are always the same.
"""

import numpy as np

from .arc_tables import room
from .jit import inner, kernel
from .lanes import load, store
from .sweep import KEEP, end_step, flush, learn_row, pace


@kernel
def gather_piece(order, size, rows, s, upper, lower, rule, node, edge, node_pending, edge_pending, schedule, step, now, skip, scratch):
    """Some rows of a batch of `size`; step: the count of all sweeps, now: of this one. Returns the summed loss and how many rows move."""
    loss_sum, moved, rate = 0.0, 0, pace(schedule, step)
    for i in order:
        loss, moves, rate = learn_row(
            rows, s, i, size, rate, KEEP, upper, lower, rule, node, edge, node_pending, edge_pending, schedule, now, skip, scratch
        )
        loss_sum += loss
        moved += moves
    return loss_sum, moved


@inner
def fold(weights, pending, piece):
    """pending += piece, which is empty then."""
    lanes = weights.lanes
    for k in range(piece.used[0]):
        f = np.int64(piece.feature[k])
        first = room(pending, f, lanes)
        for j in range(pending.span):
            store(pending.g, first + j, load(pending.g, first + j, lanes) + load(piece.g, k * pending.span + j, lanes))
        piece.slot[f] = -1
    piece.used[0] = 0


@kernel
def fold_piece(node, edge, node_pending, edge_pending, node_piece, edge_piece):
    """Adds what one piece has gathered."""
    fold(node, node_pending, node_piece)
    fold(edge, edge_pending, edge_piece)


@kernel
def finish_batch(rule, node, edge, node_pending, edge_pending, schedule, before, now):
    """The step of a batch whose pieces are summed; returns the steps before the clock was set to zero, and since."""
    rate = pace(schedule, before + now)
    flush(node, node_pending, rule, rate, now)
    flush(edge, edge_pending, rule, rate, now)
    return end_step(rule, node, edge, rate, before, now)
