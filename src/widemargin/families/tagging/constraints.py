"""Which label sequences are legal: a tag scheme, a list of allowed pairs, or a rule; in decoding and in training alike."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from widemargin.contents import Contents
from widemargin.engine.settings import is_sequence, shown
from widemargin.errors import InputError
from widemargin.families.tagging import schemes
from widemargin.readers.files import open_bytes
from widemargin.structures import Legal

Rule = Callable[[str | None, str | None], bool]  # (label, next label); None before the first and after the last token
Spec = str | Iterable[tuple[str | None, str | None]] | Rule
PAIRS = "pairs"  # the name of constraints that are no scheme
EDGE = "-"  # in a file of pairs: before the first, after the last token


def legal_of(spec: Spec, labels: Sequence[str]) -> tuple[str, Legal | None]:
    """The name and the masks of constraints: "none", a scheme (BIO, IOB1, BIOES), pairs:FILE, a list of pairs, or a function of two labels.

    With None as one of the two, a pair says what may begin or end a sequence; a list without such pairs lets every label begin and end.
    """
    if isinstance(spec, str):
        if spec in ("", "none"):
            return "", None
        if not spec.startswith(PAIRS + ":"):
            name = schemes.scheme_name(spec)
            return name, Legal(*schemes.legal(list(labels), name))
        spec = _read_pairs(spec.removeprefix(PAIRS + ":"))
    if not callable(spec) and not is_sequence(spec):
        raise InputError(f"constraints is {shown(spec)}; give none, a scheme, pairs:FILE, pairs of labels or a function of two labels")
    return PAIRS, _by_rule(spec, labels) if callable(spec) else _by_pairs(list(spec), labels)


def _by_rule(rule: Rule, labels: Sequence[str]) -> Legal:
    step = np.array([[bool(rule(a, b)) for b in labels] for a in labels])
    start, stop = np.array([bool(rule(None, b)) for b in labels]), np.array([bool(rule(a, None)) for a in labels])
    return _checked(Legal(start, step, stop), labels)


def _by_pairs(pairs: list[tuple[str | None, str | None]], labels: Sequence[str]) -> Legal:
    known, found = set(labels), set()
    for pair in pairs:
        if not hasattr(pair, "__len__") or len(pair) != 2 or not {label for label in pair if label is not None} <= known:
            raise InputError(f"the constraint {shown(pair)} is not a pair of known labels; the labels are {', '.join(labels)}")
        found.add(tuple(pair))
    starts, stops = {b for a, b in found if a is None}, {a for a, b in found if b is None}
    step = np.array([[(a, b) in found for b in labels] for a in labels])
    start = np.array([not starts or b in starts for b in labels])
    stop = np.array([not stops or a in stops for a in labels])
    return _checked(Legal(start, step, stop), labels)


def stored_pairs(own: Contents, labels: Sequence[str]) -> Legal:
    """The masks of a list of pairs, as they are in a model."""
    Y = len(labels)
    masks = (own.array("start", "u1", Y), own.array("step", "u1", Y, Y), own.array("stop", "u1", Y))
    return _checked(Legal(*(mask.astype(bool) for mask in masks)), labels)


def _checked(legal: Legal, labels: Sequence[str]) -> Legal:
    """Sequences of every length must remain: of one token, and from there on without end."""
    alive = legal.start.copy()
    if not (alive & legal.stop).any():
        raise InputError("the constraints leave no sequence of one token; let some label both begin and end")
    seen = set()
    while alive.tobytes() not in seen:
        seen.add(alive.tobytes())
        alive = legal.step[alive].any(axis=0) if alive.any() else alive
        if not (alive & legal.stop).any():
            raise InputError(f"the constraints leave no sequence of {len(seen) + 1} tokens over {', '.join(labels)}; allow more pairs")
    return legal


def refuse_illegal(legal: Legal, labels: Sequence[str], gold: np.ndarray, row_ptr: np.ndarray, where: Callable[[int], str]) -> None:
    """Every row of gold labels int [N] must be legal, or become so by some choice of those that are not known (-1)."""
    first, last = row_ptr[:-1], row_ptr[1:] - 1
    inner = np.ones(len(gold), bool)
    inner[first] = False
    bad = (gold < 0) | (inner & ~legal.step[np.roll(gold, 1), gold])
    bad[first] |= ~legal.start[gold[first]]
    bad[last] |= ~legal.stop[gold[last]]
    for i in np.flatnonzero(np.add.reduceat(bad, first)).tolist():
        low, row = int(first[i]), gold[first[i] : row_ptr[i + 1]]
        alive = legal.start
        for t, label in enumerate(row.tolist()):
            alive = alive if t == 0 else legal.step[alive].any(axis=0)
            alive = alive & ((np.arange(len(labels)) == label) | (label < 0))
            if t == len(row) - 1:
                alive = alive & legal.stop
            if not alive.any():
                shown = "?" if label < 0 else labels[label]
                raise InputError(f"the label {shown} makes a sequence that the constraints forbid; allow it, or correct it", where(low + t))


def _read_pairs(path: str) -> list[tuple[str | None, str | None]]:
    """One pair per line, two labels with a blank between; - stands for the edge of the sequence."""
    pairs = []
    with open_bytes(path) as lines:
        for number, line in enumerate(lines, 1):
            cells = line.decode("utf-8", "replace").split()
            if not cells or cells[0].startswith("#"):
                continue
            if len(cells) != 2:
                raise InputError("a line holds two labels, for example `B-NP I-NP`, or `- O` for a beginning", f"{path}:{number}")
            pairs.append(tuple(None if cell == EDGE else cell for cell in cells))
    return pairs  # type: ignore[return-value]
