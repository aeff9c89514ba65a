"""Sweeps by hand, for a structure whose best output Python finds: an integer program, a decoder.

Such a structure has a method

    argmax_in_python(s, n, out) -> float     the highest augmented score in s, and its output in out: structure.argmax, not compiled

and answers in compiled code whatever else its objectives ask: augment, take_gold, add_output, output_score, clear, outputs. Everything is
done by compiled code but the loop over rows and that one search. Objectives must be differences of maxima. `kernel_for` gives the function
to call, compiled or by hand, so that callers need not know.
"""

from collections.abc import Callable
from functools import partial

from widemargin.compiler.jit import inner, kernel
from widemargin.engine.gradient import ALL, decode, gradients, losses, score_row
from widemargin.engine.rows import GATHER, MOVE, Step, apply_gradient, gathers, has_residual, observe, row, size
from widemargin.engine.rules import is_full, record_step
from widemargin.engine.structure import add_output, augment, clear, copy_output, output_score, outputs, take_gold
from widemargin.engine.sweep import Visit, pass_on, scheduled_rate, sweep
from widemargin.engine.table_steps import flush
from widemargin.engine.tables import GRADIENT, Reader
from widemargin.engine.terms import Max
from widemargin.errors import InputError


def is_by_hand(structure) -> bool:
    """Does Python find its best outputs?"""
    return hasattr(structure, "argmax_in_python")


def kernel_for(structure, compiled: Callable) -> Callable:
    """sweep, losses, gradients or decode for a structure: the kernel, or its twin by hand, which takes the same arguments."""
    return partial(BY_HAND[compiled], structure.argmax_in_python) if is_by_hand(structure) else compiled


def refuse_sums(structure, objective) -> None:
    """Refuse an objective that is no difference of maxima, where best outputs are found by hand."""
    if is_by_hand(structure) and not (isinstance(objective.upper, Max) and isinstance(objective.lower, Max)):
        text = "has Python code that finds best outputs and nothing else"
        raise InputError(f"{structure.name} {text}; objective {objective.name!r} needs more; perceptron, hinge and ramp work")


# ---- one row --------------------------------------------------------------------------------------------------------------------------


@kernel
def prepare_max(term, rows, s, i, out):
    """(True, its score) where the term's output is the gold, which out has then; else augmented scores are ready for an argmax."""
    n, gold, price = row(rows.target, i)
    if term.inside and take_gold(s, gold, n, out):
        return True, output_score(s, n, out)
    augment(s, gold, price, n, term.cost, term.inside)
    return False, 0.0


def find_max(argmax, term, rows, s, i, out) -> float:
    """The value of a Max at the scores in s; its output goes to out. mu stays as it is."""
    known, value = prepare_max(term, rows, s, i, out)
    return value if known else float(argmax(s, int(size(rows.target, i)), out))


def find_loss(argmax, terms, rows, s, i) -> float:
    """The loss at the scores in s; the terms' outputs go to outputs(s)."""
    high, low = outputs(s)
    return find_max(argmax, terms.upper, rows, s, i, high) - find_max(argmax, terms.lower, rows, s, i, low)


@inner
def subtract_outputs(s, n):
    """mu = indicator of the upper term's output - that of the lower's."""
    high, low = outputs(s)
    clear(s, n)
    add_output(s, n, 1.0, high)
    add_output(s, n, -1.0, low)


@kernel
def step_row(found, rows, s, terms, reader, learning):
    """What a sweep does with a row once its outputs are found. found: (i, mode, rate, loss, scale); returns what sweep.pass_on does."""
    i, mode, rate, loss, scale = found
    n, gold, price = row(rows.target, i)
    subtract_outputs(s, n)
    observe(rows.target, s, i, n)
    visit = Visit(i, n, gold, price, outputs(s)[1], loss, scale)
    return pass_on(mode, rate, rows, s, terms, visit, reader, learning)


@kernel
def gather_row(rows, s, i, share, into, reader):
    """The gradient of a row whose outputs are found is added to `into`."""
    n, _, _ = row(rows.target, i)
    subtract_outputs(s, n)
    has_residual(rows.input, s, n, ALL)
    apply_gradient(rows.input, s, i, n, Step(GATHER, share, 0.0, ALL, GRADIENT), into, reader)


@kernel
def copy_row(rows, s, i, at, into):
    """The first of outputs(s) is kept as that of row i."""
    n, _, _ = row(rows.target, i)
    copy_output(s, n, outputs(s)[0], at, into)


# ---- many rows ------------------------------------------------------------------------------------------------------------------------


@kernel
def batch_rate(schedule, step):
    """The step size of a batch before any row has been looked at."""
    return scheduled_rate(schedule, step)


@kernel
def end_batch(mode, rate, now, learning):
    """Step `now` of a batch, if its gradient was gathered."""
    if mode == GATHER:
        flush(learning.tables, learning.pending, learning.rule, rate, now)
    record_step(learning.rule, rate, now + 1)


def sweep_by_hand(argmax, batches, rows, s, terms, learning, progress) -> tuple[int, int, int, float, int]:
    """sweep.sweep: the same steps in the same order."""
    order, batch, whole, summed = batches
    place, before, now, loss_sum, moved = progress
    mode = MOVE if batch == 1 and learning.pending[0].layers == 1 and not gathers(rows.input) else GATHER
    for first in range(place - place % batch, len(order), batch):
        rate = batch_rate(learning.schedule, before + now)
        last = min(first + batch, len(order))
        share = 1.0 if summed else 1.0 / (whole or last - first)
        reader = Reader(learning.rule, learning.tables, now)
        for b in range(max(first, place), last):
            i = int(order[b])
            if not score_row(rows, s, i, reader):
                return b, before, now, loss_sum, moved
            loss = find_loss(argmax, terms, rows, s, i)
            loss_sum += rows.weight[i] * loss
            rate, some = step_row((i, mode, rate, loss, rows.weight[i] * share), rows, s, terms, reader, learning)
            moved += some
        if not whole:
            end_batch(mode, rate, now, learning)
            now += 1
            if is_full(learning.rule, now):
                return last, before, now, loss_sum, moved
    return len(order), before, now, loss_sum, moved


def losses_by_hand(argmax, low, high, rows, s, terms, reader, share) -> tuple[float, int]:
    """gradient.losses."""
    loss = 0.0
    for i in range(low, high):
        if not score_row(rows, s, i, reader):
            return loss, i
        loss += share[i] * find_loss(argmax, terms, rows, s, i)
    return loss, high


def gradients_by_hand(argmax, low, high, *call) -> tuple[float, int]:
    """gradient.gradients."""
    rows, s, terms, reader, share, into = call
    loss = 0.0
    for i in range(low, high):
        if not score_row(rows, s, i, reader):
            return loss, i
        loss += share[i] * find_loss(argmax, terms, rows, s, i)
        gather_row(rows, s, i, share[i], into, reader)
    return loss, high


def decode_by_hand(argmax, low, high, rows, s, reader, at, into) -> int:
    """gradient.decode."""
    for i in range(low, high):
        if not score_row(rows, s, i, reader):
            return i
        find_max(argmax, Max(0.0, False), rows, s, i, outputs(s)[0])
        copy_row(rows, s, i, at[i], into)
    return high


BY_HAND: dict[Callable, Callable] = {sweep: sweep_by_hand, losses: losses_by_hand, gradients: gradients_by_hand, decode: decode_by_hand}
