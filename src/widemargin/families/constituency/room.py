"""Memory of charts, before it is taken: it grows with the square of a sentence's words, and no sentence is cut or left out unasked."""

import os
from typing import Any

import numpy as np

from widemargin.errors import InputError
from widemargin.families.constituency.trees import Trees
from widemargin.structures.spans.arrays import SpanTrees

MEASURED = (64, 128, 192)  # lengths of sentences whose charts are measured; three are enough for a square
SUMS = ("sums", "tilted")  # charts that a maximum does not touch


def chart_bytes(structure: SpanTrees, words: int, dtype: Any, *, sums: bool = False) -> float:
    """What the charts of a sentence of so many words take, about; sums: with those of sums over trees."""
    sizes = [_bytes(structure.workspace(length, dtype=dtype), () if sums else SUMS) for length in MEASURED]
    return float(np.polyval(np.polyfit(MEASURED, sizes, 2), words))


def check_room(structure: SpanTrees, trees: Trees, dtype: Any, *, sums: bool = False) -> None:
    """Refuse sentences of which one has charts that this machine's memory cannot hold, with its place and what would fit."""
    lengths = np.diff(trees.row_ptr)
    longest, room = int(lengths.max(initial=0)), machine_bytes()
    if longest <= max(MEASURED) or (needed := chart_bytes(structure, longest, dtype, sums=sums)) <= room:
        return
    fit, over = max(MEASURED), longest
    while over - fit > 1:
        middle = (fit + over) // 2
        fit, over = (middle, over) if chart_bytes(structure, middle, dtype, sums=sums) <= room else (fit, middle)
    raise InputError(
        f"the charts of this sentence of {longest:,} words need about {needed / 2**30:,.0f} GiB, and this machine has "
        f"{room / 2**30:,.0f}; split it, or leave out sentences of more than {fit:,} words (to predict and evaluate: --max-words {fit})",
        trees.where(int(np.argmax(lengths))),
    )


def machine_bytes() -> float:
    """The machine's memory; no limit where it does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):  # not everywhere
        return np.inf


def _bytes(part: Any, without: tuple[str, ...]) -> int:
    """Of all arrays of a workspace, but for some fields."""
    if isinstance(part, np.ndarray):
        return part.nbytes
    if not isinstance(part, tuple):
        return 0
    names = getattr(part, "_fields", ("",) * len(part))
    return sum(_bytes(field, without) for name, field in zip(names, part) if name not in without)
