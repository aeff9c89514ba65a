"""Tasks: which columns a file has, which features and labels a model uses, and how its answers are scored."""

from dataclasses import dataclass

from widemargin.errors import InputError


@dataclass(frozen=True)
class Task:
    """One line of the table below."""

    name: str
    about: str
    columns: tuple[str, ...]  # names of a file's columns, the label last; () = numbered columns
    templates: str  # a named set
    labels: str  # scheme inside the model: "as-is", "iob2" or "bioes"
    spans: bool  # scored by spans (F1), or by tokens (accuracy)
    constrained: bool  # only legal label sequences
    keep: str = ""  # spans of this type alone; labels of all others are read as O

    @property
    def metric(self) -> str:
        """What early stopping and comparisons look at."""
        return "f1" if self.spans else "accuracy"


TASKS = {
    task.name: task
    for task in (
        Task("chunk", "phrase chunking, CoNLL-2000 columns", ("word", "pos", "chunk"), "crfsuite-chunking", "iob2", True, False),
        Task("ner", "named entities, CoNLL-2003 columns", ("word", "pos", "chunk", "entity"), "ner-rich", "bioes", True, True),
        Task("tag", "any column file: the last column from the others", (), "tagging", "as-is", False, False),
        Task("span", "any column file whose last column marks spans (B-X, I-X, O)", (), "tagging", "as-is", True, False),
        Task("np", "noun phrases alone, CoNLL-2000 columns", ("word", "pos", "chunk"), "np-rich", "bioes", True, True, keep="NP"),
    )
}


def task_named(name: str) -> Task:
    """A task by name; unknown names are refused with those that exist."""
    if name not in TASKS:
        raise InputError(f"task {name!r} is not known; choose one of {', '.join(TASKS)}")
    return TASKS[name]
