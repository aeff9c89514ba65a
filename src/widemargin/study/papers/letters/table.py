"""Character error on the nine folds that a method was not trained on; its settings are chosen inside the one that it was trained on.

Every fifth word of the training fold is held out; each point of the method's grid is fitted on the others, the point with the fewest wrong
letters among the held out is fitted again on the whole fold. The words of the other folds are used for nothing but the last count.
"""

import dataclasses
import statistics
import time

import numpy as np

from widemargin.errors import InputError
from widemargin.families.tagging.estimator import SequenceTagger
from widemargin.show.tables import Column
from widemargin.study.papers.letters.data import Words, open_words
from widemargin.study.papers.letters.methods import METHODS, Method, Point, scaled
from widemargin.study.reproduction import Report, Section, Settings

FIFTH = 5


def report(settings: Settings) -> Report:
    """The table of means, the table of folds, and everything as data."""
    began = time.perf_counter()
    words = open_words(settings.data, settings.sentences)
    found = np.unique(words.fold).tolist()
    if len(found) < 2:
        raise InputError(f"all words are in fold {found[0]}; to train on one fold and test on the others there must be two", settings.data)
    if settings.folds is not None and not 1 <= settings.folds <= len(found):
        raise InputError(f"--folds is {settings.folds}; it must be from 1 to {len(found)}, the folds of the data")
    trained = found[: settings.folds]
    results = [outcome for fold in trained for outcome in by_method(words, fold, settings)]
    rows = [summary(method, [result for result in results if result["method"] == method.name]) for method in METHODS]
    letters = sum(map(len, words.letters))
    about = f"{len(words):,} words, {letters:,} letters, trained on each of {len(trained)} of {len(found)} folds, tested on the others"
    facts = {"words": len(words), "letters": letters, "folds": trained, "rows": rows, "runs": results}
    return Report([means(rows, about), folds(results)], facts | {"seconds": time.perf_counter() - began})


def means(rows: list[dict], about: str) -> Section:
    """One line per method."""
    figures = [
        Column("error", "character error %", 2),
        Column("spread", "spread", 2),
        Column("least", "least", 2),
        Column("most", "most", 2),
    ]
    return Section(
        f"Handwritten words: {about}", rows, [Column("method"), Column("folds"), *figures, Column("seconds", "CPU s per fit", 2)]
    )


def folds(results: list[dict]) -> Section:
    """One line per method and fold it was trained on, with what was chosen there."""
    lines = sorted(results, key=lambda result: [method.name for method in METHODS].index(result["method"]))
    chosen = [
        Column(name, title) for name, title in (("strength", "l2 x rows"), ("gamma", "gamma"), ("coef", "coef"), ("unit", "unit length"))
    ]
    columns = [
        Column("method"),
        Column("fold", "trained on"),
        *chosen,
        Column("held", "held-out error %", 2),
        Column("error", "test error %", 2),
    ]
    return Section("By training fold: settings chosen on a fifth of its words, and the error", lines, columns)


def by_method(words: Words, fold: int, settings: Settings) -> list[dict]:
    """Every method trained on one fold and tested on the others."""
    train, test = words.select(words.fold == fold), words.select(words.fold != fold)
    return [run(method, train, test, fold, settings) for method in METHODS]


def run(method: Method, train: Words, test: Words, fold: int, settings: Settings) -> dict:
    """Choose, fit on the whole fold, and count wrong letters of the test words."""
    point, tried = choose(method, train, settings)
    began = time.process_time()
    tagger = fitted(method, point, train, settings)
    seconds = time.process_time() - began
    wrong = error(tagger, test, point.square(train))
    if settings.say is not None:
        settings.say(f"fold {fold}, {method.name}: error {wrong:.2f} %  ({min(tried):.2f} % on held-out words)")
    return {
        "method": method.name,
        "fold": fold,
        **dataclasses.asdict(point),
        "held": min(tried),
        "tried": [dataclasses.asdict(other) | {"held": value} for other, value in zip(method.grid, tried)],
        "error": wrong,
        "seconds": seconds,
    }


def choose(method: Method, train: Words, settings: Settings) -> tuple[Point, list[float]]:
    """The point of the grid with the least error on every fifth word of the training fold, the first of equals; and all the errors."""
    held = np.arange(len(train)) % FIFTH == FIFTH - 1
    if not held.any():
        raise InputError(f"a fold has {len(train)} words, and at least {FIFTH} are needed to hold some of them out", settings.data)
    learnt, judged = train.select(~held), train.select(held)
    tried = [error(fitted(method, point, learnt, settings), judged, point.square(learnt)) for point in method.grid]
    return method.grid[int(np.argmin(tried))], tried


def fitted(method: Method, point: Point, words: Words, settings: Settings) -> SequenceTagger:
    """A tagger of these words."""
    tagger = method.untrained(point, words, epochs=settings.epochs, seed=settings.seed, threads=settings.threads)
    return tagger.fit(scaled(words, point.square(words)), words.letters)


def error(tagger: SequenceTagger, words: Words, m: float | None) -> float:
    """Wrong letters in per cent."""
    return 100.0 * (1.0 - tagger.score(scaled(words, m), words.letters))


def summary(method: Method, results: list[dict]) -> dict:
    """Mean, spread (standard deviation over training folds) and range of the error, and the median CPU time of a fit on a whole fold."""
    errors = [result["error"] for result in results]
    return {
        "method": method.name,
        "folds": len(errors),
        "error": statistics.fmean(errors),
        "spread": statistics.stdev(errors) if len(errors) > 1 else None,
        "least": min(errors),
        "most": max(errors),
        "seconds": statistics.median(result["seconds"] for result in results),
        "grid": [dataclasses.asdict(point) for point in method.grid],
    }
