"""Tasks: which columns a file has, which features and labels a model uses, and how its answers are scored."""

from dataclasses import dataclass

from widemargin.engine.names import known
from widemargin.families import base


@dataclass(frozen=True)
class Task(base.Task):
    """One line of the table below. labels: the scheme inside the model, "as-is", "iob2" or "bioes"; the label column is the last."""

    constrained: bool = False  # only legal label sequences
    keep: str = ""  # spans of this type alone; labels of all others are read as O

    @property
    def spans(self) -> bool:
        """Is it scored by spans, or by tokens?"""
        return self.metric == "f1"


# what was best over six kinds of files, in benchmarks/defaults.py
OBJECTIVE, COST = "softmax-margin", "hamming*8"

TASKS = {
    task.name: task
    for task in (
        Task(
            "chunk",
            "phrase chunking: words first, labels last, CoNLL-2000 columns where they are there",
            ("word", "pos", "chunk"),
            "crfsuite-chunking",
            "iob2",
            "f1",
        ),
        Task(
            "ner",
            "named entities: words first, labels last, CoNLL-2003 columns where they are there",
            ("word", "pos", "chunk", "entity"),
            "ner-memory",
            "bioes",
            "f1",
            True,
            objective=OBJECTIVE,
            cost=COST,
        ),
        Task("tag", "any column file: the last column from the others", (), "tagging", "as-is", "accuracy"),
        Task(
            "span",
            "any column file whose last column marks spans (B-X, I-X, O)",
            (),
            "ner-memory",
            "as-is",
            "f1",
            objective=OBJECTIVE,
            cost=COST,
        ),
        Task("np", "noun phrases alone, CoNLL-2000 columns", ("word", "pos", "chunk"), "np-rich", "bioes", "f1", True, keep="NP"),
    )
}


def task_named(name: str) -> Task:
    """A task by name; unknown names are refused with those that exist."""
    return TASKS[known("task", name, TASKS)]
