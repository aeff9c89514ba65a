"""The data of the study: the noun phrases of CoNLL-2000, or of the embedded corpus where it is not there."""

from dataclasses import dataclass

import numpy as np

from widemargin.corpora.catalogue import files_or_town
from widemargin.errors import InputError
from widemargin.families.tagging.sources import open_columns
from widemargin.readers.columns import Columns
from widemargin.study.papers.gimpel.data import select
from widemargin.study.reproduction import Settings

TASK = "np"
SLICE = 500  # sentences of the kernelised rows
QUICK, QUICK_EPOCHS = 30, 2
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
    name, places = files_or_town("conll2000", "CoNLL-2000", folder, ("train", "test"))
    return Data(name, *(open_columns(path, TASK) for path in places))


def slice_of(settings: Settings, data: Data, usual: int = SLICE) -> int:
    """How many sentences: those asked for, 0 for all, or the usual number; never more than there are."""
    asked = (QUICK if settings.quick else usual) if settings.sentences is None else settings.sentences
    return min(asked or data.sentences, data.sentences)


def epochs_of(settings: Settings) -> int | None:
    """As many as asked for; few in a quick study; None: each method's own."""
    return settings.epochs or (QUICK_EPOCHS if settings.quick else None)


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
