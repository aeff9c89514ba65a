"""Table 1 and Figure 1: time per iteration relative to the averaged perceptron, share of decoding, and scores iteration by iteration.

Times are CPU seconds of learning alone, without the look at the development data. Methods take turns, `ROUNDS` times, and each epoch
counts with its least time; the time per iteration is the mean over the epochs but for the first, which may compile, and the last, in which
dual learners compute F. Decoding is measured by a sweep over the same rows with weight 0: they are scored and inferred as in training, and
nothing moves. It starts from the weights that the method has learnt. Settings are those of methods.py; grid.py tunes them.
"""

import dataclasses
import resource
import sys
import time
from functools import partial
from typing import Any

import numpy as np

from widemargin.engine.objectives import objective_named
from widemargin.engine.penalty import Penalty
from widemargin.learners import learner_named
from widemargin.show.figures import draw_curves
from widemargin.show.tables import Column
from widemargin.study.experiment import Bench, Fitted
from widemargin.study.papers.kummerfeld.data import LINKS, SPANS, SUMMARIES, TREES, open_task, open_trees
from widemargin.study.papers.kummerfeld.methods import METHODS, PERCEPTRON, PUBLISHED_DECODING, Method, recipe_of
from widemargin.study.reproduction import Report, Section, Settings

EPOCHS, ROUNDS, LOOKS = 10, 2, 4


def report(settings: Settings) -> Report:
    """Two tables and a figure for each data set of the task, and everything as data."""
    task, began = settings.task or "ner", time.perf_counter()
    if task in (SPANS, LINKS, SUMMARIES):  # tuned in full, times and Figure 1 included
        from widemargin.study.papers.kummerfeld.grid import report as tuned

        return tuned(settings)
    settings = settings.sized(sentences=25, epochs=2)
    sections: list[Section] = []
    facts: list[dict] = []
    figures: list[tuple] = []
    given = settings.data, settings.sentences
    found: list[Any] = open_trees(*given) if task in TREES else [open_task(task, *given)]
    for data in found:
        bench = Bench(recipe_of(task), data.train)
        score = bench.metric.upper()
        rows = measure(bench, bench.judge(data.dev), bench.judge(data.test), task, settings)
        facts.append({"data": data.name, "features": bench.features, "rows": rows})
        title = f"{score} on development data by iteration: {task}, {data.name}"
        drawn = {method.name for method in METHODS if method.online}  # beside the others, these would be one line at the top
        curves = {row["method"]: [(float(i), mark) for i, mark in enumerate(row["curve"], 1)] for row in rows if row["method"] in drawn}
        figures.append((curves, title, score))
        sections += [times(rows, task, f"{data.name}, {bench.features:,} features", score), by_iteration(rows, title)]

    def draw(stem: str) -> list[str]:
        out = []
        for i, (curves, title, score) in enumerate(figures):
            out += draw_curves(curves, f"{stem}-{i + 1}" if len(figures) > 1 else stem, title=title, x_label="iteration", y_label=score)
        return out

    first = facts[0] if len(facts) == 1 else {"parts": facts}
    return Report(sections, {"task": task, **first, "seconds": time.perf_counter() - began}, draw)


def times(rows: list[dict], task: str, about: str, score: str) -> Section:
    """Table 1, ours beside theirs where the task is theirs."""
    known = task in PUBLISHED_DECODING
    theirs = [Column("published", "theirs", 1)] if known else []
    shares = [Column("decoding", "decoding", 2)] + ([Column("published_decoding", "theirs", 1)] if known else [])
    scores = [Column("dev", f"dev {score}", 2), Column("epoch", "at iteration"), Column("test", f"test {score}", 2)]
    columns = [Column("method"), Column("relative", "x perceptron", 2), *theirs, *shares, Column("seconds", "CPU s", 3), *scores]
    return Section(f"Time per iteration relative to the averaged perceptron: {task}, {about}", rows, columns)


def by_iteration(rows: list[dict], title: str) -> Section:
    """The points of Figure 1."""
    most = max(len(row["curve"]) for row in rows)
    lines = [{"method": row["method"]} | {str(i): score for i, score in enumerate(row["curve"], 1)} for row in rows]
    return Section(title, lines, [Column("method"), *(Column(str(i), str(i), 2) for i in range(1, most + 1))])


def measure(bench: Bench, dev, test, task: str, settings: Settings) -> list[dict]:
    """Fit every method with a look at each epoch, then again for the time alone."""
    epochs = settings.epochs or EPOCHS
    rows: dict[str, dict] = {}
    least: dict[str, np.ndarray] = {}
    for turn in range(ROUNDS):
        for method in METHODS:
            if turn and not method.online:
                continue
            tell = None if settings.listen is None else partial(settings.listen, f"{method.name}, round {turn + 1}")
            fitted = bench.fit(method.recipe(task, epochs, settings.seed), None if turn else dev, listen=tell)
            spent = np.array(fitted.epoch_seconds)
            if turn == 0:
                rows[method.name], least[method.name] = _row(bench, method, fitted, test, task), spent
            else:
                least[method.name] = np.minimum(least[method.name], spent)
    for name, row in rows.items():
        row["seconds"] = per_iteration(least[name])
        row["relative"] = row["seconds"] / per_iteration(least[PERCEPTRON])
        row["decoding"] = row["decoding_seconds"] / row["seconds"]
    return list(rows.values())


def peak_megabytes() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def per_iteration(spent: np.ndarray) -> float:
    """The mean over all epochs but the first and the last, as far as there are others."""
    return float((spent[1:-1] if len(spent) > 2 else spent[-1:]).mean())


def _row(bench: Bench, method: Method, fitted: Fitted, test, task: str) -> dict:
    """All but what the time of the other rounds decides; weights are large, so nothing keeps them."""
    last = fitted.history[-1]
    curve = [facts["dev"][bench.metric] for facts in fitted.history]
    return {
        "method": method.name,
        "learner": method.learner,
        "objective": method.objective,
        "settings": fitted.recipe.settings,
        "l1": method.l1,
        "l2": fitted.l2,
        "rate": fitted.history[0].get("rate"),
        "published": method.published.get(task),
        "decoding_seconds": decoding_seconds(bench, fitted),
        "published_decoding": PUBLISHED_DECODING.get(task) if method.name == PERCEPTRON else None,
        "planes": last.get("planes"),
        "megabytes": last.get("megabytes"),
        "dev": max(curve),
        "epoch": fitted.epoch,
        "test": float(test(fitted.w)[bench.metric]),
        "curve": curve,
    }


def decoding_seconds(bench: Bench, fitted: Fitted) -> float:
    """CPU seconds of scoring and inference alone, for the objective and under the weights of a fit: the least of some sweeps."""
    problem = bench.problem
    nothing = dataclasses.replace(problem.corpus, weight=np.zeros(problem.corpus.rows))
    objective = objective_named(fitted.objective, problem.structure)
    still = dataclasses.replace(problem, corpus=nothing, objective=objective, penalty=Penalty())
    marks = [time.process_time()]
    looks = learner_named("sgd", {"epochs": LOOKS, "shuffle": True})
    looks.fit(still, fitted.w * problem.copies[:, None], lambda *_: marks.append(time.process_time()))
    return float(np.diff(marks)[1:].min())
