"""Which column of a file is what: the first is the word and the last the label; those between are recognised by their cells."""

import dataclasses
import re

import numpy as np

from widemargin.errors import InputError
from widemargin.families.tagging.tasks import Task
from widemargin.readers.columns import Columns

SPAN_LABEL = re.compile(r"O|[BIESLUM]-.+")
TAG = re.compile(r"[A-Za-z][\w$+|:.()-]{0,14}|[^\w\s]{1,6}|-[LR][RSC]B-")
MOST_TAGS = 200  # the largest tagsets that are written in one column have fewer
FEWEST_TOKENS = 20  # per tag: names of lemmas, sources and documents do not come back so often


def named_by_task(columns: Columns, task: Task) -> Columns:
    """The columns under the task's names where there are as many, else under those of what stands in them."""
    width = len(columns.names)
    if width == len(task.columns):
        return dataclasses.replace(columns, names=task.columns)
    if width < 2:
        raise InputError(
            f"the file has one column, and {task.name} learns from two or more: the word first, the label last, with blanks or tabs "
            "between them",
            columns.where(0),
        )
    label = task.columns[-1] if task.columns else "label"
    return dataclasses.replace(columns, names=("word", *_between(columns, label), label))


def _between(columns: Columns, label: str) -> list[str]:
    """Names of the columns between the first and the last: pos, chunk, or their numbers. Each is recognised once."""
    found: list[str] = []
    for c in range(1, len(columns.names) - 1):
        name = _recognised(columns, c)
        found.append(str(c) if name is None or name == label or name in found else name)
    return found


def _recognised(columns: Columns, c: int) -> str | None:
    values, codes = columns.values[c], columns.codes[c]
    if len(values) > 1 and all(SPAN_LABEL.fullmatch(value) for value in values):
        return "chunk"
    if not 1 < len(values) <= min(MOST_TAGS, max(2, len(codes) // FEWEST_TOKENS)) or not all(TAG.fullmatch(value) for value in values):
        return None
    words = np.array(columns.values[0], dtype=object)[columns.codes[0]]
    same = np.mean(words == np.array(values, dtype=object)[codes])
    return "pos" if same < 0.3 else None  # a lemma is often the word itself; of tags only those of punctuation are
