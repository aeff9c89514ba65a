"""Several learners on the same features: one table, one picture of learning curves, one JSON file.

A row of the table is a learner (with an objective). When settings have several values, every combination is trained and the row shows the
one with the best development score; all of them are in the report. With several seeds a score is the mean over them. Rows are compared
with the best one by a paired bootstrap over the development sentences, in which the counts of all seeds are added up.
"""

import dataclasses
import functools
import itertools
import json
import os
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from widemargin.errors import InputError
from widemargin.families.recipes import Recipe
from widemargin.learners.settings import UNRANDOM
from widemargin.show.curves import Curve
from widemargin.show.tables import Column, csv_table, markdown_table, text_table
from widemargin.study.cells import Cell, Cells, Means
from widemargin.study.experiment import Benches
from widemargin.study.grids import Candidate
from widemargin.study.significance import LEVEL, against, is_worse
from widemargin.study.texts import write_texts
from widemargin.workers import Engine
from widemargin.workers.crew import Call

SAMPLES = 10_000
Listener = Callable[[str, dict], None]


@dataclass
class Study:
    """One run per row: what was trained, how it went, whether it is worse than the best."""

    task: str
    metric: str
    seeds: int = 1
    samples: int = SAMPLES
    runs: list[dict] = field(default_factory=list)
    test: bool = False  # are there scores on test data too?

    def rows(self) -> list[dict]:
        """A line per row, best first."""
        return sorted(self.runs, key=lambda run: -run["best"])

    def columns(self) -> list[Column]:
        """The table's columns."""
        mean = f" (mean of {self.seeds})" if self.seeds > 1 else ""
        columns = [Column("learner"), Column("objective")]
        if any(run["settings"] for run in self.runs):
            columns.append(Column("chosen", "best of its grid"))
        columns.append(Column("best", f"dev {self.metric}{mean}", 2))
        if self.seeds > 1:
            columns.append(Column("spread", "std. dev.", 2))
        if self.test:
            columns.append(Column("test", f"test {self.metric}{mean}", 2))
            columns += [Column("test_spread", "std. dev.", 2)] if self.seeds > 1 else []
        columns += [Column("p_value", "p against best", 4), Column("worse", f"worse at {LEVEL:g}")]
        columns += [Column("epoch", "at epoch"), Column("epochs")]
        return [*columns, Column("cpu_per_epoch", "CPU s/epoch", 3), Column("relative", "x perceptron", 2)]

    def grid(self) -> list[dict]:
        """A line per combination of settings, for rows that have several."""
        return [{"row": run["name"]} | point for run in self.rows() if len(run["grid"]) > 1 for point in run["grid"]]

    def grid_columns(self) -> list[Column]:
        """The columns of that second table."""
        spread = [Column("spread", "std. dev.", 2)] if self.seeds > 1 else []
        return [Column("row"), Column("chosen", "settings"), Column("best", f"dev {self.metric}", 2), *spread, Column("epoch", "at epoch")]

    def table(self) -> str:
        """The table as plain text."""
        return text_table(self.rows(), self.columns())

    def markdown(self) -> str:
        """The table, and that of the grid if there is one."""
        text = markdown_table(self.rows(), self.columns())
        return text + (f"\n{markdown_table(self.grid(), self.grid_columns())}" if self.grid() else "")

    def curves(self) -> dict[str, Curve]:
        """Best development score up to each epoch, one curve per row: the mean over seeds, which ends at what the table says, and the range
        of seeds as a band."""
        found = {}
        for run in self.rows():
            band = [(epoch, low, high) for epoch, _, low, high in run["curve"]] if self.seeds > 1 else []
            spread = "" if run["spread"] is None else f" ± {run['spread']:.2f}"
            found[run["name"]] = Curve(
                [(epoch, mean) for epoch, mean, _, _ in run["curve"]], band, f"{run['best']:.2f}{spread}  {run['name']}"
            )
        return found

    def as_dict(self) -> dict:
        """Everything, for programs."""
        return {"task": self.task, "metric": self.metric, "seeds": self.seeds, "samples": self.samples, "runs": self.rows()}


def compare_recipes(
    rows: dict[str, list[Candidate]],
    data: Any,
    dev: Any,
    *,
    seeds: int = 1,
    samples: int = SAMPLES,
    listen: Listener | None = None,
    means: Means | None = None,
    test: Any = None,
) -> Study:
    """Train every candidate of every row with every seed and watch it on dev; what was best there is scored on test too, if there is any.
    Features are extracted once for those that share them, by each worker. Without an engine listen hears of every epoch, else of every
    run's last. What the folder has is not trained again, so that a comparison which was stopped goes on."""
    if seeds < 1:
        raise InputError(f"{seeds} seeds are too few; give at least 1")
    means = means or Means()
    given = (data, dev) if test is None else (data, dev, test)
    cells, wanted, engine = Cells(means.folder, given), _wanted(rows, seeds), means.engine
    missing = [cell for cell in wanted if cells.get(cell) is None]
    if means.say is not None and len(missing) < len(wanted):
        means.say(f"{len(wanted) - len(missing)} of {len(wanted)} trainings have been done before and are not repeated: {cells.folder}")
    labels = [_label(cell, i, len(missing), seeds) for i, cell in enumerate(missing, 1)]
    with (engine or Engine("threads", 1)).crew() as crew:
        benches = functools.partial(Benches, data, dev, means.threads, listen if engine is None else None, test)
        crew.seat(crew.size, lambda seat: benches)

        def heard(i: int, facts: dict) -> None:
            cells.put(missing[i], facts)
            if engine is not None and listen is not None:
                listen(labels[i], facts["history"][-1] | {"metric": facts["metric"], "seconds": facts["seconds"]})

        crew.ask([Call(-1, "run", (label, cell.recipe)) for label, cell in zip(labels, missing)], heard)
        (score,) = crew.ask([Call(-1, "score", (wanted[-1].recipe,))])
    outcomes = {id(cell): cells.known(cell) for cell in wanted}
    metrics = list(dict.fromkeys(outcome["metric"] for outcome in outcomes.values()))
    if len(metrics) > 1:
        raise InputError(f"some of these are compared by {metrics[0]} and some by {metrics[1]}; compare them apart")
    counts, runs = {}, []  # row -> counts per sentence [S, K], those of all seeds added
    for name, found in rows.items():
        best: tuple[dict, np.ndarray] | None = None
        grid = []
        for candidate in found:
            own = [outcomes[id(cell)] for cell in wanted if cell.row == name and cell.point is candidate.point]
            summary, sums = _summary(candidate, own), np.sum([outcome["counts"] for outcome in own], axis=0)
            grid.append({key: summary[key] for key in ("settings", "chosen", "best", "spread", "scores", "epoch", "l2")})
            if best is None or summary["best"] > best[0]["best"]:
                best = summary, sums
        assert best is not None
        counts[name] = best[1]
        runs.append({"name": name} | best[0] | {"grid": grid})
    recipe = next(iter(rows.values()))[0].recipe
    study = Study(recipe.task, metrics[0], seeds, samples, runs, test is not None)
    _set_significance(study, counts, score)
    base = next((run["cpu_per_epoch"] for run in study.runs if run["learner"] == "perceptron"), None)
    for run in study.runs:
        run["relative"] = run["cpu_per_epoch"] / base if base and run["cpu_per_epoch"] else None
    return study


def _wanted(rows: dict[str, list[Candidate]], seeds: int) -> list[Cell]:
    """A cell for every row, candidate and seed."""
    return [
        Cell(name, candidate.point, _with_seed(candidate.recipe, seed), None, seed, final=False)
        for name, found in rows.items()
        for candidate in found
        for seed in _seeds(candidate.recipe, seeds)
    ]


def _label(cell: Cell, number: int, of: int, seeds: int) -> str:
    """What a training is called while it runs: its place among all, row, point of the grid and seed."""
    point = "".join(f" {key}={value}" for key, value in cell.point.items())
    return f"[{number}/{of}] {cell.row}{point}" + (f" seed {cell.seed}" if seeds > 1 else "")


def _mean_curve(outcomes: list[dict]) -> list[tuple[int, float, float, float]]:
    """Epoch, and mean, lowest and highest of the seeds' best development scores so far; a seed that has stopped keeps its best."""
    best = [list(itertools.accumulate((h["dev"][o["metric"]] for h in o["history"]), max)) for o in outcomes]
    longest = max(outcomes, key=lambda outcome: len(outcome["history"]))
    found = []
    for i, facts in enumerate(longest["history"]):
        values = [scores[min(i, len(scores) - 1)] for scores in best]
        found.append((facts["epoch"], statistics.fmean(values), min(values), max(values)))
    return found


def _seeds(recipe: Recipe, seeds: int) -> Iterable[int]:
    first = int(recipe.settings.get("seed", 1))
    return [first] if recipe.learner in UNRANDOM else range(first, first + seeds)


def _with_seed(recipe: Recipe, seed: int) -> Recipe:
    return dataclasses.replace(recipe, settings=recipe.settings | {"seed": seed})


def _summary(candidate: Candidate, outcomes: list[dict]) -> dict:
    """A candidate's fits with all seeds, in numbers."""
    recipe, first = candidate.recipe, outcomes[0]
    best = [max(h["dev"][outcome["metric"]] for h in outcome["history"]) for outcome in outcomes]
    times = [outcome["cpu_per_epoch"] for outcome in outcomes if outcome["cpu_per_epoch"] is not None]
    return {
        "learner": recipe.learner,
        "objective": first["objective"],
        "cost": recipe.cost,
        "l1": recipe.l1,
        "l2": first["l2"],
        "settings": candidate.point,
        "chosen": candidate.text,
        "best": statistics.fmean(best),
        "spread": statistics.stdev(best) if len(best) > 1 else None,
        "scores": best,
        "epoch": first["epoch"],
        "epochs": len(first["history"]),
        "cpu_per_epoch": min(times) if times else None,
        "features": first["features"],
        "history": first["history"],
        "curve": _mean_curve(outcomes),
        **_test_scores([outcome["test"] for outcome in outcomes if "test" in outcome]),
    }


def _test_scores(scores: list[float]) -> dict:
    if not scores:
        return {}
    return {"test": statistics.fmean(scores), "test_spread": statistics.stdev(scores) if len(scores) > 1 else None, "test_scores": scores}


def _set_significance(study: Study, counts: dict[str, np.ndarray], score: Callable) -> None:
    """Each row against the best one."""
    best = study.rows()[0]["name"]
    for run in study.runs:
        if run["name"] == best:
            run |= {"p_value": None, "worse": None, "bootstrap": None}
            continue
        found = against(counts[best], counts[run["name"]], score, samples=study.samples)
        run |= {"p_value": found.p_value, "worse": is_worse(found), "bootstrap": dataclasses.asdict(found)}


def write_report(study: Study, folder: str, *, train: str, dev: str) -> list[str]:
    """table.md, table.csv (grid.csv), curves.png, curves.svg and comparison.json in a folder; returns their paths."""
    from widemargin.show.figures import can_draw, draw_curves

    title = f"{study.task}: {train} → {dev}"
    tables = {"table.csv": csv_table(study.rows(), study.columns())}
    if study.grid():
        tables["grid.csv"] = csv_table(study.grid(), study.grid_columns())
    texts = {"table.md": f"# {title}\n\n{study.markdown()}\n", **tables, "comparison.json": json.dumps(study.as_dict(), indent=1) + "\n"}
    written = write_texts(folder, texts)
    if not can_draw():
        return written
    stem = os.path.join(folder, "curves")
    return draw_curves(study.curves(), stem, title=title, x_label="epoch", y_label=f"dev {study.metric}, best so far") + written
