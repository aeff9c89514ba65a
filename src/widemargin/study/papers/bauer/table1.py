"""Table 1: four losses with slack rescaling, compared over the sentences of a cross-validation.

C is chosen by the first fold (runs.py), on sentences of up to 20 words; with --task long (up to 80 words) or all the same four are then
trained and tested on those, with that C. Rows are compared by Wilcoxon's signed-rank test on F1 of sentences: over all that were tested,
and over those that had no say in the choice of C.
"""

import itertools
from typing import Any

import numpy as np

from widemargin.metrics.rates import rates
from widemargin.metrics.wilcoxon import signed_rank
from widemargin.show.tables import Column
from widemargin.study.papers.bauer.data import FOLDS, SHORT, Folds, open_folds
from widemargin.study.papers.bauer.methods import METHODS
from widemargin.study.papers.bauer.runs import CHOOSING, Run, Runs, by_sentence
from widemargin.study.reproduction import Report, Section, Settings

NAMES, TITLES = ("precision", "recall", "f1", "exact"), ("P", "R", "F1", "exact")


def report(settings: Settings) -> Report:
    """The table, what was significant, and every cell of the grid; twice where longer sentences are asked for."""
    data = open_folds(settings)
    folds = min(settings.folds or FOLDS, 2 if settings.quick else FOLDS)
    short = Runs(data[SHORT], settings)
    methods = [method for method in METHODS if settings.wants(method.name, [method.name for method in METHODS])]
    found = short.cross_validated(methods, folds)
    chosen = {name: of.c for name, of in found.items()}
    sections, facts = sections_of(data[SHORT], {name: of.runs for name, of in found.items()}, chosen)
    theirs = [{"method": method.name} | dict(zip(NAMES, method.published)) for method in METHODS]
    shown = [Column("method", "measure"), *(Column(name, title, 2) for name, title in zip(NAMES, TITLES))]
    sections.insert(1, Section("Published: Wall Street Journal up to 20 words, 1,034 sentences of section 23", theirs, shown))
    tried = [cell(run) for of in found.values() for run in of.tried]
    sections.append(Section(f"Every C, tested on the fold that chooses: {data[SHORT].name}", tried, CELLS))
    facts["grid"] = tried
    for task in data.keys() - {SHORT}:
        runs = Runs(data[task], settings)
        by_fold = [[runs.run(method, chosen[method.name], fold) for method in methods] for fold in range(folds)]
        longer = {method.name: list(of) for method, of in zip(methods, zip(*by_fold))}
        more, facts[task] = sections_of(data[task], longer, chosen)
        sections += more
    return Report(sections, facts)


def sections_of(data: Folds, found: dict[str, list[Run]], chosen: dict[str, float]) -> tuple[list[Section], dict]:
    """Scores, fits and tests of some data."""
    scores = [scores_of(name, runs, chosen[name]) for name, runs in found.items()]
    tests = tests_of(found)
    fits = [cell(run) for runs in found.values() for run in runs]
    sentences = scores[0]["sentences"]
    folds = len(fits) // len(found)
    about = f"{data.name}, {sentences:,} sentences of {folds} fold{'s' if folds > 1 else ''}"
    means = [Column(f"mean_{name}", f"mean {title}", 2) for name, title in zip(NAMES[:3], TITLES)]
    evalb = [Column(name, title, 2) for name, title in zip(NAMES, TITLES)]
    rest = [Column("every", "mean F1, punctuation counted", 2), Column("failed", "no tree"), Column("C", "C", 0)]
    columns = [Column("method", "measure"), *means, *evalb, *rest]
    compared = [Column("a"), Column("b"), Column("over", "sentences"), Column("difference", "mean F1 of a less b", 2)]
    compared += [Column("n", "n that differ"), Column("w", "W", 1), Column("p", "p", 4)]
    sections = [
        Section(f"Means over sentences, and EVALB's sums: {about}", scores, columns),
        Section("Wilcoxon's signed-rank test on F1 of sentences, two-sided", tests, compared),
        Section(f"The fits: {data.name}", fits, CELLS),
    ]
    facts = {"data": data.name, "sentences": sentences, "rows": scores, "tests": tests, "fits": fits}
    return sections, facts


CELLS = [
    Column("method", "measure"),
    Column("C", "C", 0),
    Column("fold"),
    Column("train", "trained on"),
    Column("mean_f1", "mean F1", 2),
    Column("gap", "gap of F", 4),
    Column("done", "epochs"),
    Column("planes"),
    Column("seconds", "CPU s", 0),
]


def cell(run: Run) -> dict:
    """One fit in numbers."""
    return run.facts | {"fold": run.facts["fold"] + 1, "mean_f1": float(run.f1.mean())}


def scores_of(name: str, runs: list[Run], c: float) -> dict:
    """Precision, recall, F1 and exact match over all sentences that were tested: their means, and those of the sums."""
    counts = np.concatenate([run.counts for run in runs])
    means = by_sentence(counts).mean(axis=0).tolist()
    return {
        "method": name,
        "C": c,
        "sentences": len(counts),
        **dict(zip(("mean_precision", "mean_recall", "mean_f1"), means)),
        **dict(zip(NAMES, rates(*counts.sum(axis=0).tolist()))),
        "exact": 100.0 * float((counts == counts[:, :1]).all(axis=1).mean()),
        "every": float(by_sentence(np.concatenate([run.every for run in runs]))[:, 2].mean()),
        "failed": sum(run.facts["failed"] for run in runs),
    }


def tests_of(found: dict[str, list[Run]]) -> list[dict[str, Any]]:
    """Every pair of rows, over all folds and over those that did not choose."""
    rows = []
    for a, b in itertools.combinations(reversed(found), 2):
        for over, first in (("all", 0), ("not choosing", CHOOSING + 1)):
            ours, others = (np.concatenate([run.f1 for run in found[name][first:]] or [np.zeros(0)]) for name in (a, b))
            if not len(ours):
                continue
            test = signed_rank(ours, others)
            difference = float(np.mean(ours - others))
            rows.append(
                {
                    "a": a,
                    "b": b,
                    "over": over,
                    "sentences": len(ours),
                    "difference": difference,
                    "n": test.n,
                    "w": test.w,
                    "p": test.p_value,
                }
            )
    return rows
