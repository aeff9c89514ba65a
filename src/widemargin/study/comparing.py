"""Several learners on the same features: one table, one picture of learning curves, one JSON file."""

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from widemargin.errors import InputError
from widemargin.readers.columns import Columns
from widemargin.readers.files import atomic_writer
from widemargin.tasks.base import task_named
from widemargin.tasks.training import Recipe, train

from .tables import Column, markdown_table, text_table


@dataclass
class Study:
    """One run per recipe: what was trained, how it went."""

    task: str
    metric: str
    runs: list[dict] = field(default_factory=list)

    def rows(self) -> list[dict]:
        """A line per run, best first."""
        return sorted(self.runs, key=lambda run: -run["best"])

    def columns(self) -> list[Column]:
        """The table's columns."""
        return [
            Column("learner"),
            Column("objective"),
            Column("best", f"dev {self.metric}", 2),
            Column("epoch", "at epoch"),
            Column("epochs"),
            Column("cpu_per_epoch", "CPU s/epoch", 3),
            Column("relative", "x perceptron", 2),
        ]

    def table(self) -> str:
        """The table as plain text."""
        return text_table(self.rows(), self.columns())

    def curves(self) -> dict[str, list[tuple[float, float]]]:
        """Development score by epoch, one curve per run."""
        return {run["name"]: [(h["epoch"], h["dev"][self.metric]) for h in run["history"]] for run in self.runs}

    def as_dict(self) -> dict:
        """Everything, for programs."""
        return {"task": self.task, "metric": self.metric, "runs": self.rows()}


def compare_recipes(
    recipes: dict[str, Recipe],
    columns: Columns,
    dev: Columns,
    *,
    threads: int = 1,
    listen: Callable[[str, dict], None] | None = None,
) -> Study:
    """Train every recipe on the columns and watch it on dev. CPU time per epoch leaves compiling out: each kernel is warm first."""
    task = task_named(next(iter(recipes.values())).task)
    study = Study(task.name, task.metric)
    for name, recipe in recipes.items():
        marks: list[float] = []

        def tell(facts: dict, name=name, marks=marks) -> None:
            marks.append(time.process_time())
            if listen is not None:
                listen(name, facts)

        model = train(recipe, columns, dev=dev, threads=threads, listen=tell)
        history = model.facts["history"]
        best = max(h["dev"][task.metric] for h in history)
        run = {
            "name": name,
            "learner": recipe.learner,
            "objective": model.facts["objective"],
            "best": best,
            "epoch": model.facts["epoch"],
            "epochs": len(history),
            # from the end of the first epoch: the first may have compiled
            "cpu_per_epoch": (marks[-1] - marks[0]) / (len(marks) - 1) if len(marks) > 1 else None,
            "features": len(model.extractor.nodes) + len(model.extractor.edges),
            "history": history,
        }
        study.runs.append(run)
    base = next((r["cpu_per_epoch"] for r in study.runs if r["learner"] == "perceptron"), None)
    for run in study.runs:
        run["relative"] = run["cpu_per_epoch"] / base if base and run["cpu_per_epoch"] else None
    return study


def write_report(study: Study, folder: str, *, train: str, dev: str) -> list[str]:
    """table.md, curves.png, curves.svg and comparison.json in a folder; returns their paths."""
    from .figures import draw_curves

    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise InputError(f"the report cannot be written ({error}); name another folder with -o", folder) from error
    written = []
    title = f"{study.task}: {train} → {dev}"
    for name, text in (
        ("table.md", f"# {title}\n\n{markdown_table(study.rows(), study.columns())}\n"),
        ("comparison.json", json.dumps(study.as_dict(), indent=1) + "\n"),
    ):
        path = os.path.join(folder, name)
        with atomic_writer(path) as out:
            out.write(text.encode())
        written.append(path)
    stem = os.path.join(folder, "curves")
    return draw_curves(study.curves(), stem, title=title, x_label="epoch", y_label=f"dev {study.metric}") + written
