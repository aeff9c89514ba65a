"""Table 2: seven methods on the same features, five of them by the paper's optimiser and by ours, tuned on development data.

The paper's: SGD with a fixed step of 0.01, up to 100 passes, every combination of C, m and averaging. Ours: AdaGrad. Every combination of C
and m (and of AdaGrad's step) is screened by a short fit; the best of each row is fitted at length with and without averaging, and so is
what the paper chose, until development scores rise no more. Only what is best then sees the test data. Risk and the Jensen bound start
from the CLL model of the same optimiser, and once more from zeros, where the paper saw them fail (footnote 5).
"""

import dataclasses
import time
from functools import partial

from widemargin.families.recipes import Recipe
from widemargin.metrics.bootstrap import f1_from_counts
from widemargin.show.tables import Column
from widemargin.study.papers.gimpel.data import open_data
from widemargin.study.papers.gimpel.methods import CLL, OPTIMISERS, SGD, Optimiser, Trained, trained_rows
from widemargin.study.papers.gimpel.published import TABLE2
from widemargin.study.reproduction import Report, Section, Settings
from widemargin.study.tuned_tables import cell_tables, p_table, score_table
from widemargin.study.tuning import Candidates, Data, Fits, Point, Tuned, fitting, screen, text_of, tune

AVERAGED = ({"averaged": False}, {"averaged": True})
QUICK_SENTENCES, QUICK_PASSES = 40, (1, 2)
PAPERS = SGD.name
THEIRS = [Column("paper_dev", "theirs, dev", 2), Column("paper_test", "theirs, test", 2), Column("paper_chosen", "theirs, chosen")]


def report(settings: Settings) -> Report:
    """The methods beside the paper's numbers, what is significant, and every cell that was screened."""
    began = time.perf_counter()
    settings = settings.sized(sentences=QUICK_SENTENCES)
    given = open_data(settings.data, settings.sentences)
    data = Data(given.name, given.train, given.dev, given.test)
    rows = [row for row in trained_rows(len(given.train.row_ptr) - 1, optimisers(settings)) if settings.wants(row.name)]
    screened, tuned = run(rows, data, settings)
    facts = {row.name: theirs(row) for row in rows}
    title = f"Seven methods: {data.name}, {tuned[0].best['features']:,} features"
    sections = [score_table(tuned, title, "F1", THEIRS, facts), p_table(tuned, f1_from_counts, settings.samples)]
    sections += [averaging(tuned), *cell_tables(screened, "F1")]
    about = [row.summary() | {"tried": row.tried, "finals": row.finals, "screened": own.tried} for row, own in zip(tuned, screened)]
    return Report(sections, {"data": data.name, "rows": about, "seconds": time.perf_counter() - began})


def optimisers(settings: Settings) -> tuple[Optimiser, ...]:
    """Both, with short fits where the study is a quick one."""
    return tuple(dataclasses.replace(one, passes=QUICK_PASSES) for one in OPTIMISERS) if settings.quick else OPTIMISERS


def theirs(row: Trained) -> dict:
    """The paper's numbers, beside its own optimiser alone."""
    found = TABLE2[row.method.name]
    own = row.optimiser.name == PAPERS and not row.zeros
    return {"paper_dev": found.dev, "paper_test": found.test, "paper_chosen": found.chosen} if own else {}


def run(rows: list[Trained], data: Data, settings: Settings) -> tuple[list[Tuned], list[Tuned]]:
    """Screened and tuned rows; first those that others start from, asked for or not."""
    with fitting(data, settings.means) as fits:
        first = [row for row in rows if row.start is None]
        for start in [row.start for row in rows]:
            first += [start] if start is not None and start not in first else []
        found = tuned_rows(first, fits, settings, None)
        for one in optimisers(settings):
            if group := [row for row in rows if row.start is not None and row.optimiser == one]:
                found |= tuned_rows(group, fits, settings, found[Trained(CLL, one, group[0].rows).name][1].recipe)
    return [found[row.name][0] for row in rows], [found[row.name][1] for row in rows]


def tuned_rows(rows: list[Trained], fits: Fits, settings: Settings, start: Recipe | None) -> dict[str, tuple[Tuned, Tuned]]:
    """For each row its screening (nothing of which has seen test data: no finals), and what came of the best point at length."""
    screened = screen([Candidates(row.name, row.points(), row.short, start) for row in rows], fits, seed=settings.seed)
    best = {row.name: long_points(row, own[0]["point"]) for row, own in zip(rows, screened)}
    seeds = range(settings.seed, settings.seed + (settings.seeds or 1))
    long = [Candidates(row.name, best[row.name], partial(row.long, settings.epochs), start) for row in rows]
    tuned = tune(long, fits, seeds=seeds)
    grids = [sorted(own, key=lambda cell: row.points().index(cell["point"])) for row, own in zip(rows, screened)]
    return {
        row.name: (dataclasses.replace(row, tried=own, best=found[0], finals=[]), row) for row, own, found in zip(tuned, grids, screened)
    }


def long_points(row: Trained, best: Point) -> list[Point]:
    """The best point with and without averaging; by the paper's own optimiser also what the paper chose, which a short fit may miss."""
    points = [best | how for how in AVERAGED]
    if row.optimiser.name == PAPERS and not row.zeros:
        found = TABLE2[row.method.name]
        own = {key: value for key, value in (("m", found.m), ("C", found.C)) if value is not None} | {"averaged": found.averaged}
        points += [own] if own not in points else []
    return points


def averaging(tuned: list[Tuned]) -> Section:
    """The long fits of each row."""
    lines = [
        {"row": row.name, "settings": text_of(cell["point"]), "dev": cell["dev"], "epoch": cell["epoch"]}
        for row in tuned
        for cell in row.tried
    ]
    columns = [Column("row", "method"), Column("settings"), Column("dev", "dev F1", 2), Column("epoch", "at pass")]
    return Section("At length: the best of the screening with and without averaging, and the paper's choice", lines, columns)
