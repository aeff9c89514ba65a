"""Time by length: the search for the tree that violates its margin most, by the plain table of the paper and by the search of this library.

Both are exact (structures/spans: plain_frontier.py, frontier.py). The weights are trained: AdaGrad on slack-rescaled F1 of the original
trees. What is measured is CPU time of one sentence, scores in place; the best tree without a loss (argmax) stands beside it.
"""

import dataclasses
import time

import numpy as np

from widemargin.engine.problem import Desk
from widemargin.engine.tables import fixed, fixed_table
from widemargin.families.constituency.kernels.searching import best_row, score_row, search_row, table_row
from widemargin.families.constituency.kernels.span_scores import span_tables
from widemargin.families.constituency.problem import SpanProblem
from widemargin.families.recipes import Recipe
from widemargin.show.figures import draw_curves
from widemargin.show.tables import Column
from widemargin.study.experiment import Bench
from widemargin.study.papers.bauer.data import open_sample
from widemargin.study.reproduction import Report, Section, Settings

LENGTHS, QUICK_LENGTHS = (10, 15, 20, 30, 40, 50, 60), (5, 10)
PLAIN, QUICK_PLAIN = {10: 20, 15: 6, 20: 3}, {5: 2}  # length -> sentences of which the plain table is made
SENTENCES = 40
LEARNING = {"epochs": 2, "rate": 0.1, "seed": 1, "dtype": "float32"}
SEARCH, TABLE, BEST = "search", "plain table", "argmax"
WAYS = {BEST: best_row, SEARCH: search_row, TABLE: table_row}


def report(settings: Settings) -> Report:
    """Milliseconds of a sentence by length, a table and a figure."""
    lengths, plain = (QUICK_LENGTHS, QUICK_PLAIN) if settings.quick else (LENGTHS, PLAIN)
    name, trees = open_sample(settings)
    words = np.diff(trees.row_ptr)
    trees = trees.part((words > 1) & (words <= max(lengths) + 2))
    recipe = Recipe("constparse", "ops", objective="slack", cost="f1", structure="wcfg", horizontal=1, vertical=1, settings=LEARNING)
    bench = Bench(recipe, trees)
    listen = settings.listen
    w = bench.fit(recipe, listen=None if listen is None else lambda facts: listen("training", facts)).w
    clock = Clock(bench.problem, w)
    words, rows = np.diff(bench.problem.corpus.token), []
    for n in lengths:
        near = np.argsort(np.abs(words - n), kind="stable")[:SENTENCES]
        rows.append({"length": n, "words": float(words[near].mean()), "sentences": len(near)} | clock.means(near, plain.get(n, 0)))
        if settings.say is not None:
            settings.say(f"{n} words: " + ", ".join(f"{way} {rows[-1][way]:.2f} ms" for way in WAYS if way in rows[-1]))
    title = f"CPU milliseconds of a sentence, trained weights, F1 of original trees: {name}"
    columns = [Column("words", "words", 1), Column("sentences"), *(Column(way, f"{way}, ms", 2) for way in (BEST, SEARCH))]
    columns += [Column("most", "search, longest, ms", 2), Column("tables", "of them by table"), Column(TABLE, "plain table, ms", 1)]
    columns.append(Column("ratio", "table / search", 1))
    curves = {way: [(row["words"], float(np.log10(row[way]))) for row in rows if way in row] for way in WAYS}

    def draw(stem: str) -> list[str]:
        return draw_curves(curves, stem, title=f"Exact search by length: {name}", x_label="words", y_label="log10 of milliseconds")

    return Report([Section(title, rows, columns)], {"data": name, "rows": rows}, draw)


class Clock:
    """Takes the time of sentences of a problem under fixed weights."""

    def __init__(self, problem: SpanProblem, w: np.ndarray):
        problem = dataclasses.replace(problem)  # without the places where searches in training ended
        desk = Desk(problem, np.float32)
        tables = problem.linear(np.ascontiguousarray(w, np.float32))
        self.rows, self.s, self.problem = desk.rows, desk.s, problem
        self.reader = fixed(span_tables(*map(fixed_table, tables)))

    def means(self, near: np.ndarray, plain: int) -> dict:
        """Mean milliseconds of each way, of the plain table over the first so many; what both searches find must be the same."""
        spent = {way: [self.least(way, i)[0] for i in near] for way in (BEST, SEARCH)}
        out = {way: 1e3 * float(np.mean(times)) for way, times in spent.items()} | {"most": 1e3 * max(spent[SEARCH]), "tables": plain}
        if plain:
            self.least(TABLE, near[0], rounds=1)  # may compile
            tables = [self.least(TABLE, i, rounds=1) for i in near[:plain]]
            for i, (_, value) in zip(near, tables):
                np.testing.assert_allclose(value, self.least(SEARCH, i, rounds=1)[1], rtol=1e-3, atol=1e-3)
            out |= {TABLE: 1e3 * float(np.mean([seconds for seconds, _ in tables]))}
            out["ratio"] = out[TABLE] / (1e3 * float(np.mean(spent[SEARCH][:plain])))
        return out

    def least(self, way: str, i: int, rounds: int = 3) -> tuple[float, float]:
        """The least CPU seconds of sentence i, and what was found."""
        score_row(self.rows, self.s, i, self.reader)
        best, found = np.inf, 0.0
        for _ in range(rounds):
            self.problem.starts[i] = np.nan
            began = time.thread_time()
            found = WAYS[way](self.rows, self.s, i)
            best = min(best, time.thread_time() - began)
        return best, float(found[0] if isinstance(found, tuple) else found)
