"""What must hold for a treebank's numbers: words count from 1, heads lie in the sentence, and arcs form trees; faults get file:line."""

import re

import numpy as np

from widemargin.errors import InputError
from widemargin.families.dependencies import conllu_scan as kernels
from widemargin.readers.columns import Columns

FORM = 1
ASIDE = re.compile(r"([0-9]{1,9})([-.])([0-9]{1,9})")


def numbers_of(columns: Columns, column: int) -> np.ndarray:
    """A column of whole numbers as int32 [N]; `_` is -1, and so is `?` as a head."""
    values = columns.values[column]
    numbers = np.full(len(values), -2, np.int32)
    for code, value in enumerate(values):
        if value == "_" or (value == "?" and column > 0):
            numbers[code] = -1
        elif value.isdecimal() and value.isascii() and len(value) < 10 and str(int(value)) == value:
            numbers[code] = int(value)
    found = numbers[columns.codes[column]]
    if (bad := np.flatnonzero(found == -2)).size:
        cell = values[columns.codes[column, bad[0]]]
        name, may = columns.names[column], "" if column == 0 else ", 0 for the root, or ? where it is not known"
        raise InputError(f"the {name} {cell!r} is not a whole number; write the number of a word{may}.", columns.where(bad[0]))
    return found


def check_ids(columns: Columns, ids: np.ndarray) -> None:
    """Words are numbered 1, 2, ... in every sentence."""
    lengths = np.diff(columns.row_ptr)
    wanted = np.arange(len(ids)) - np.repeat(columns.row_ptr[:-1], lengths) + 1
    if (bad := np.flatnonzero(ids != wanted)).size:
        t = bad[0]
        cell = columns.values[0][columns.codes[0, t]]
        raise InputError(f"the id {cell!r} should be {wanted[t]}; number the words of a sentence 1, 2, 3, ...", columns.where(t))


def check_asides(columns: Columns, aside: np.ndarray, block: np.ndarray) -> None:
    """A multi-word token stands before its first word, an empty node behind its word. block [A, 2]: words between blank lines around."""
    others = columns.text[aside[:, kernels.BEGIN]] != kernels.HASH_MARK
    for (line, begin, stop, before), (low, high) in zip(aside[others].tolist(), block[others].tolist()):
        where, id = f"{columns.source}:{line}", bytes(columns.text[begin:stop]).partition(b"\t")[0].decode()
        found = ASIDE.fullmatch(id)
        if not found:
            raise InputError(f"the id {id!r:.60} is neither a word (3) nor a multi-word token (3-4) nor an empty node (3.1).", where)
        first, last = int(found[1]), int(found[3])
        if found[2] == "-" and not (before - low + 1 == first < last <= high - low):
            raise InputError(f"the multi-word token {id} must stand before word {first} and end at a later word of its sentence.", where)
        if found[2] == "." and (first != before - low or low == high):
            raise InputError(f"the empty node {id} must stand right after word {first} of its sentence.", where)


def check_trees(columns: Columns, heads: np.ndarray, *, single_root: bool) -> None:
    """Heads lie in the sentence and lead to the root (or to a word whose head is not known) without coming round again."""
    row_ptr = columns.row_ptr
    fault, t = kernels.find_fault(heads, row_ptr, single_root)
    if fault == kernels.WELL:
        return
    s = int(np.searchsorted(row_ptr, t, side="right")) - 1
    low, high = int(row_ptr[s]), int(row_ptr[s + 1])

    def word(t: int) -> str:
        return f"{columns.values[FORM][columns.codes[FORM, t]]!r} ({t - low + 1})"

    where = columns.where(t)
    if fault == kernels.RANGE:
        raise InputError(f"the head {heads[t]} of {word(t)} is not in its sentence, which has {high - low} words.", where)
    if fault == kernels.ROOTS:
        first = low + int(np.flatnonzero(heads[low:high] == 0)[0])
        raise InputError(f"{word(t)} is a second root besides {word(first)}, and one root is asked for; correct a head.", where)
    path = [t]
    while (up := low + int(heads[path[-1]]) - 1) != t:
        path.append(up)
    around = " -> ".join(word(step) for step in [*path, t])
    raise InputError(f"the heads go round in a circle: {around}; correct one, so that all lead to the root.", where)
