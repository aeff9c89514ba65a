"""The data of the study: CoNLL-2003 (ner) or CoNLL-2000 (chunk), or the embedded corpus where they are not there."""

import numpy as np

from widemargin.corpora.catalogue import files_or_town
from widemargin.errors import InputError
from widemargin.tasks.opening import open_columns

from ..gimpel.data import Data, open_data, select

TASKS = ("ner", "chunk")
TENTH = 10  # CoNLL-2000 has no development data: every tenth training sentence is held out


def open_task(task: str, folder: str | None = None, sentences: int | None = None) -> Data:
    """Training, development and test columns of a task; `sentences`: only the first so many of each."""
    if task not in TASKS:
        raise InputError(f"task {task!r} is not in this study; choose one of {', '.join(TASKS)}")
    if task == "ner":
        return open_data(folder, sentences)
    name, places = files_or_town("conll2000", "CoNLL-2000", folder, ("train", "dev", "test"))
    parts = [open_columns(path, task) for path in places]
    if len(parts) == 2:
        whole, test = parts
        held = np.arange(len(whole.row_ptr) - 1) % TENTH == TENTH - 1
        parts = [select(whole, ~held), select(whole, held), test]
    if sentences is not None:
        parts = [select(columns, np.arange(len(columns.row_ptr) - 1) < sentences) for columns in parts]
        name += f", the first {sentences} sentences of each part"
    return Data(name, *parts)
