"""A batch in pieces: rows are scored, decoded and gathered apart, each piece in its own memory, and the pieces summed in order.

So a batch may be shared out among threads, and its step has the same bytes for any number of them: the pieces are always the same. A
piece is gathered by sweep.sweep; here are its sum with the others and the step.
"""

from widemargin.compiler.jit import kernel
from widemargin.engine.rules import record_step
from widemargin.engine.sweep import scheduled_rate
from widemargin.engine.table_steps import Fold, flush
from widemargin.engine.tables import for_each


@kernel
def fold_piece(tables, pending, piece):
    """Adds what one piece has gathered; it is empty then."""
    for_each(tables, pending, piece, Fold(pending[0].layers))


@kernel
def finish_batch(learning, before, now):
    """The step of a batch whose pieces are summed; before, now: the steps before the rule's log was begun anew, and since."""
    rate = scheduled_rate(learning.schedule, before + now)
    flush(learning.tables, learning.pending, learning.rule, rate, now)
    record_step(learning.rule, rate, now + 1)
