"""The data of the study: the noun phrases of CoNLL-2000, or of the embedded corpus where it is not there."""

import os
from dataclasses import dataclass

import numpy as np

from widemargin.corpora.catalogue import FOLDER_VARIABLE, data_named, place
from widemargin.errors import InputError
from widemargin.readers.columns import Columns
from widemargin.tasks.opening import open_columns

from ..gimpel.data import select

TASK = "np"
TENTH = 10  # every tenth sentence is held out where a step size is chosen


@dataclass(frozen=True)
class Data:
    """Training and test columns, and what they are."""

    name: str
    train: Columns
    test: Columns

    @property
    def sentences(self) -> int:
        """How many there are to learn from."""
        return len(self.train.row_ptr) - 1


def open_np(folder: str | None = None) -> Data:
    """CoNLL-2000 of the folder, or of $WIDEMARGIN_DATA; the embedded corpus when neither has it (a folder that was named must have it)."""
    chosen = folder or os.environ.get(FOLDER_VARIABLE)
    conll = data_named("conll2000")
    paths = [place(conll, file, chosen) if chosen else None for file in conll.files]
    if folder and None in paths:
        raise InputError(f"CoNLL-2000 is not there; {conll.name}/ must hold {', '.join(conll.files)}, packed (.gz) or not", folder)
    found = [path for path in paths if path is not None]
    name, places = ("CoNLL-2000", found) if len(found) == len(paths) else ("town", ["town:train", "town:test"])
    return Data(name, *(open_columns(path, TASK) for path in places))


def first(columns: Columns, sentences: int) -> Columns:
    """The first so many sentences, or all where there are no more."""
    rows = len(columns.row_ptr) - 1
    return columns if sentences >= rows else select(columns, np.arange(rows) < sentences)


def held_out(columns: Columns) -> tuple[Columns, Columns]:
    """Nine tenths to learn from, and every tenth sentence."""
    held = np.arange(len(columns.row_ptr) - 1) % TENTH == TENTH - 1
    if not held.any():
        raise InputError(f"{len(held)} sentences are too few to hold out a tenth; give at least {TENTH} (--sentences)", columns.source)
    return select(columns, ~held), select(columns, held)
