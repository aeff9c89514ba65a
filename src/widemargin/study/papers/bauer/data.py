"""The trees of the study: the Penn sample, all its parts in a row and cut into folds; the embedded treebank where it is not there.

Folds are stretches of the treebank, so that the sentences of an article are not in two of them but where a stretch ends.
"""

import io
from dataclasses import dataclass

import numpy as np

from widemargin.corpora.catalogue import files_or_town
from widemargin.errors import InputError
from widemargin.families.constituency.brackets import brackets_text, read_brackets
from widemargin.families.constituency.sources import open_trees
from widemargin.families.constituency.transforms import USUAL, transformed
from widemargin.families.constituency.trees import Trees
from widemargin.families.sources import TOWN
from widemargin.study.reproduction import Settings

FOLDS = 5
SHORT = "short"
TASKS = {SHORT: 20, "long": 80, "all": None}  # task -> words of the longest sentences; a search in one of 249 words takes minutes
PARTS = ("train", "dev", "test")
QUICK = 60  # trees of each part of the embedded corpus


@dataclass(frozen=True)
class Folds:
    """S trees, each in a fold."""

    name: str
    trees: Trees
    fold: np.ndarray  # int64 [S]

    def split(self, fold: int) -> tuple[Trees, Trees]:
        """What is trained on, and the fold that is tested on."""
        return self.trees.part(self.fold != fold), self.trees.part(self.fold == fold)


def open_sample(settings: Settings) -> tuple[str, Trees]:
    """All trees, and what they are; sentences: only the first so many of each part."""
    if settings.quick and settings.data:
        raise InputError("--quick is on the embedded corpus; leave --data out")
    name, places = "town", [f"{TOWN}{part}" for part in PARTS]
    if not settings.quick:
        name, places = files_or_town("ptb_sample", "Penn sample", settings.data, PARTS)
    most = settings.sentences or (QUICK if settings.quick else None)
    parts = [open_trees(path, transforms=()) for path in places]
    if most is not None:
        parts = [part.part(np.arange(min(most, part.sentences))) for part in parts]
        name += f", the first {most} trees of each part"
    return name, transformed(read_brackets(io.StringIO("".join(map(brackets_text, parts)))), USUAL)


def open_folds(settings: Settings) -> dict[str, Folds]:
    """The trees of the short task, and of the one that is asked for, in FOLDS stretches."""
    task = SHORT if settings.task is None else settings.task
    if task not in TASKS:
        raise InputError(f"task {task!r} is not in this study; choose one of {', '.join(TASKS)}")
    name, trees = open_sample(settings)
    words, out = np.diff(trees.row_ptr), {}
    for part in dict.fromkeys((SHORT, task)):
        longest = TASKS[part]
        found = trees.part(words <= (words.max() if longest is None else longest))
        if found.sentences < FOLDS:
            raise InputError(f"there are {found.sentences} trees, and at least {FOLDS} are needed, one for each fold", name)
        about = "all lengths" if longest is None else f"up to {longest} words"
        out[part] = Folds(f"{name}, {about}", found, np.arange(found.sentences) * FOLDS // found.sentences)
    return out
