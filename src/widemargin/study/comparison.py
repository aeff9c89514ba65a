"""Several learners on the same features: one table, one picture of learning curves, one JSON file.

A row of the table is a learner (with an objective). When settings have several values, every combination is trained and the row shows the
one with the best development score; all of them are in the report. With several seeds a score is the mean over them. Rows are compared
with the best one by a paired bootstrap over the development sentences, in which the counts of all seeds are added up.
"""

import dataclasses
import json
import os
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from widemargin.errors import InputError
from widemargin.families.recipes import DevScorer
from widemargin.show.tables import Column, markdown_table, text_table
from widemargin.study.experiment import Bench, Fitted
from widemargin.study.grids import Candidate
from widemargin.study.significance import LEVEL, against, is_worse
from widemargin.study.texts import write_texts

SAMPLES = 10_000
UNRANDOM = ("lbfgs", "one-slack")  # one seed is as good as another
Listener = Callable[[str, dict], None]


@dataclass
class Study:
    """One run per row: what was trained, how it went, whether it is worse than the best."""

    task: str
    metric: str
    seeds: int = 1
    samples: int = SAMPLES
    runs: list[dict] = field(default_factory=list)

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

    def curves(self) -> dict[str, list[tuple[float, float]]]:
        """Development score by epoch, one curve per row (of the first seed)."""
        return {run["name"]: [(h["epoch"], h["dev"][self.metric]) for h in run["history"]] for run in self.runs}

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
    threads: int = 1,
    listen: Listener | None = None,
) -> Study:
    """Train every candidate of every row with every seed and watch it on dev; features are extracted once for those that share them."""
    if seeds < 1:
        raise InputError(f"{seeds} seeds are too few; give at least 1")
    benches: list[tuple[Bench, DevScorer]] = []
    counts = {}  # row -> counts per sentence [S, K], those of all seeds added
    runs = []
    for name, found in rows.items():
        best: tuple[dict, np.ndarray] | None = None
        grid = []
        for candidate in found:
            bench, dev_scorer = _bench_for(candidate, benches, data, dev, threads)
            outcome, sums, score = _with_seeds(candidate, bench, dev_scorer, seeds, lambda facts, name=name: listen and listen(name, facts))
            grid.append({key: outcome[key] for key in ("settings", "chosen", "best", "spread", "scores", "epoch", "l2")})
            if best is None or outcome["best"] > best[0]["best"]:
                best = outcome, sums
        assert best is not None
        counts[name] = best[1]
        runs.append({"name": name} | best[0] | {"grid": grid})
    recipe = next(iter(rows.values()))[0].recipe
    study = Study(recipe.task, benches[0][0].metric, seeds, samples, runs)
    _set_significance(study, counts, score)
    base = next((run["cpu_per_epoch"] for run in study.runs if run["learner"] == "perceptron"), None)
    for run in study.runs:
        run["relative"] = run["cpu_per_epoch"] / base if base and run["cpu_per_epoch"] else None
    return study


def _bench_for(candidate: Candidate, benches: list, data: Any, dev: Any, threads: int) -> "tuple[Bench, DevScorer]":
    for bench, scorer in benches:
        if bench.suits(candidate.recipe):
            return bench, scorer
    bench = Bench(candidate.recipe, data, threads=threads)
    if benches and bench.metric != (first := benches[0][0].metric):
        raise InputError(f"some of these are compared by {first} and some by {bench.metric}; compare them apart")
    benches.append((bench, bench.judge(dev)))
    return benches[-1]


def _with_seeds(candidate: Candidate, bench: Bench, dev: DevScorer, seeds: int, listen) -> tuple[dict, np.ndarray, Callable]:
    """One fit per seed: the outcome in numbers, its counts per sentence, and the metric of their sums."""
    recipe = candidate.recipe
    first = int(recipe.settings.get("seed", 1))
    chosen = [first] if recipe.learner in UNRANDOM else range(first, first + seeds)
    sums: np.ndarray | int = 0
    fits: list[Fitted] = []
    for seed in chosen:
        fitted = bench.fit(dataclasses.replace(recipe, settings=recipe.settings | {"seed": seed}), dev, listen=listen)
        scores = dev.scores(fitted.w)
        sums = sums + scores.counts
        fits.append(dataclasses.replace(fitted, w=np.zeros((0, 0))))  # weights are large, and no longer needed
    best = [max(h["dev"][bench.metric] for h in fitted.history) for fitted in fits]
    times = [fitted.cpu_per_epoch for fitted in fits if fitted.cpu_per_epoch is not None]
    outcome = {
        "learner": recipe.learner,
        "objective": fits[0].objective,
        "cost": recipe.cost,
        "l1": recipe.l1,
        "l2": fits[0].l2,
        "settings": candidate.point,
        "chosen": candidate.text,
        "best": statistics.fmean(best),
        "spread": statistics.stdev(best) if len(best) > 1 else None,
        "scores": best,
        "epoch": fits[0].epoch,
        "epochs": len(fits[0].history),
        "cpu_per_epoch": min(times) if times else None,
        "features": bench.features,
        "history": fits[0].history,
    }
    return outcome, np.asarray(sums), scores.score


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
    """table.md, curves.png, curves.svg and comparison.json in a folder; returns their paths."""
    from widemargin.show.figures import draw_curves

    title = f"{study.task}: {train} → {dev}"
    texts = {"table.md": f"# {title}\n\n{study.markdown()}\n", "comparison.json": json.dumps(study.as_dict(), indent=1) + "\n"}
    written = write_texts(folder, texts)
    stem = os.path.join(folder, "curves")
    return draw_curves(study.curves(), stem, title=title, x_label="epoch", y_label=f"dev {study.metric}") + written
