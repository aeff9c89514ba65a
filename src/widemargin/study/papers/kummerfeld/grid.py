"""Section 3.1 and Observations 1 to 5: every method tuned on development data over the paper's grid (rows.py), five iterations each."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from widemargin.families.coreference.metric import ChainScores
from widemargin.families.summaries.clusters import Clusters
from widemargin.families.summaries.metric import SummaryScores
from widemargin.metrics.bootstrap import accuracy_from_counts, f1_from_counts
from widemargin.show.figures import draw_curves
from widemargin.show.tables import Column
from widemargin.study.experiment import Bench
from widemargin.study.papers.kummerfeld.data import (
    LINKS,
    SPANS,
    SUMMARIES,
    TREES,
    open_links,
    open_spans,
    open_summaries,
    open_task,
    open_trees,
)
from widemargin.study.papers.kummerfeld.methods import PERCEPTRON, PUBLISHED_DECODING
from widemargin.study.papers.kummerfeld.rows import rows_of
from widemargin.study.papers.kummerfeld.table1 import decoding_seconds, peak_megabytes, per_iteration
from widemargin.study.reproduction import Report, Section, Settings
from widemargin.study.tuned_tables import cell_tables, p_table, robustness, score_table
from widemargin.study.tuning import Candidates, Data, Tuned, fitting, tune

TASKS = ("ner", "chunk", *TREES, SPANS, LINKS, SUMMARIES)
EPOCHS, SEEDS = {SUMMARIES: 10}, 3  # of summaries an iteration is 58 steps
USUAL_EPOCHS, QUICK_EPOCHS, QUICK_SENTENCES = 5, 2, 60
SCORES: dict[str, Callable] = dict.fromkeys(TREES, accuracy_from_counts) | {
    LINKS: ChainScores((), ()).score,
    SUMMARIES: SummaryScores(Clusters((), ""), ()).score,
}


def report(settings: Settings) -> Report:
    """For each data set of the task: the tuned rows, what is significant, how robust each was, every cell, and Figure 1 from the chosen."""
    task, began = settings.task or "ner", time.perf_counter()
    sentences = settings.sentences or (QUICK_SENTENCES if settings.quick else None)
    opened: dict[str, Callable[..., Any]] = {SPANS: open_spans, LINKS: open_links, SUMMARIES: open_summaries} | dict.fromkeys(
        TREES, open_trees
    )
    given = opened.get(task, partial(open_task, task))(settings.place, sentences)
    sections: list[Section] = []
    facts: list[dict] = []
    figures: list[tuple[dict, str]] = []
    for found in given if isinstance(given, list) else [given]:
        tuned = tuned_rows(task, Data(found.name, found.train, found.dev, found.test), settings)
        metric = str(tuned[0].best["metric"]).upper()
        columns, times = relative_times(tuned, task, found.train)
        title = f"Tuned on dev: {task}, {found.name}"
        sections += [score_table(tuned, title, metric, columns, times), curve_table(tuned, metric)]
        score = SCORES.get(task, f1_from_counts)
        sections += [p_table(tuned, score, settings.samples), robustness(tuned, metric), *cell_tables(tuned, metric)]
        if any(row.finals[0]["planes"] for row in tuned):
            sections.append(memory_table(tuned))
        facts.append({"data": found.name, "rows": [row.summary() | {"tried": row.tried, "finals": row.finals} for row in tuned]})
        figures.append(
            ({row.name: [(float(i), x) for i, x in enumerate(row.finals[0]["curve"], 1)] for row in tuned}, f"{task}, {found.name}")
        )

    def draw(stem: str) -> list[str]:
        out = []
        for i, (curves, title) in enumerate(figures):
            path = f"{stem}-{i + 1}" if len(figures) > 1 else stem
            out += draw_curves(curves, path, title=title, x_label="iteration", y_label="development score")
        return out

    return Report(sections, {"task": task, "parts": facts, "seconds": time.perf_counter() - began}, draw)


def tuned_rows(task: str, data: Data, settings: Settings) -> list[Tuned]:
    """All rows of a task, or those asked for."""
    epochs = settings.epochs or (QUICK_EPOCHS if settings.quick else EPOCHS.get(task, USUAL_EPOCHS))
    every = rows_of(task)
    names = [row.name for row in every]
    wanted = [row.name for row in every if settings.wants(row.name, names) and (settings.only or not row.asked)]
    rows = [row for row in every if row.name in (PERCEPTRON, *wanted)]
    candidates = [Candidates(row.name, row.points(settings.quick), partial(row.recipe, task, epochs)) for row in rows]
    seeds = range(settings.seed, settings.seed + (settings.seeds or (1 if settings.quick else SEEDS)))
    with fitting(data, settings.means) as fits:
        return tune(candidates, fits, seeds=seeds)


def relative_times(tuned: list[Tuned], task: str, train: Any) -> tuple[list[Column], dict[str, dict]]:
    """Table 1: times relative to the perceptron's, and how much of its own is decoding; theirs beside ours where they are printed."""
    seconds = {row.name: row.summary()["seconds"] for row in tuned}
    base, published = seconds[PERCEPTRON], {row.name: row.published for row in rows_of(task)}
    facts: dict[str, dict] = {
        name: {"relative": spent / base if base and spent else None, "published": published[name]} for name, spent in seconds.items()
    }
    columns = [Column("relative", "x perceptron", 2)]
    if published[PERCEPTRON] is not None:
        bench, recipe = Bench(tuned[0].recipe, train), tuned[0].recipe
        fitted = bench.fit(recipe)
        share = decoding_seconds(bench, fitted) / per_iteration(np.array(fitted.epoch_seconds))
        facts[PERCEPTRON] |= {"decoding": share, "published_decoding": PUBLISHED_DECODING[task]}
        columns += [Column("published", "theirs", 1), Column("decoding", None, 2), Column("published_decoding", "theirs", 1)]
    return columns, facts


def curve_table(tuned: list[Tuned], metric: str) -> Section:
    """Figure 1: the chosen cell of each row, first seed."""
    curves = {row.name: row.finals[0]["curve"] for row in tuned}
    lines = [{"row": name} | {str(i): x for i, x in enumerate(curve, 1)} for name, curve in curves.items()]
    most = max(map(len, curves.values()))
    columns = [Column("row", "method"), *(Column(str(i), None, 2) for i in range(1, most + 1))]
    return Section(f"Figure 1: dev {metric} by iteration, as chosen, first seed", lines, columns)


def memory_table(tuned: list[Tuned]) -> Section:
    """What the outputs that dual methods keep take, as chosen, first seed."""
    rows = [{"row": row.name, "planes": row.finals[0]["planes"], "megabytes": row.finals[0]["megabytes"]} for row in tuned]
    columns = [Column("row", "method"), Column("planes"), Column("megabytes", "MB", 1)]
    title = f"Memory of the outputs that dual methods keep, as chosen (the whole process had at most {peak_megabytes():,.0f} MB)"
    return Section(title, [row for row in rows if row["megabytes"] is not None], columns)
