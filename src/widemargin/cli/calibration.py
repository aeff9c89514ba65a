"""widemargin calibrate."""

import dataclasses
import math
import os
import time

import numpy as np

from widemargin.cli.common import print_json, threads_of
from widemargin.cli.prediction import base_of, labelled_columns, load
from widemargin.features.extractor import Features
from widemargin.metrics.calibration import ABSENT, COLDEST, HIDDEN, HOTTEST, Reliability, reliability
from widemargin.study.reliability import draw_reliability
from widemargin.study.tables import Column, text_table
from widemargin.tasks import calibrating
from widemargin.tasks.confidence import marginals
from widemargin.tasks.tagger import Tagger

NEAR_AN_END = 1.02  # a temperature so close to an end of the search, as a factor, was stopped by it


@dataclasses.dataclass(frozen=True)
class File:
    """A file with gold labels, and the model's reliability on it at temperature 1 and at the one found."""

    name: str
    absent: int  # tokens with a label that the model lacks
    hidden: int  # tokens with the label ?
    before: Reliability
    after: Reliability

    def as_dict(self) -> dict:
        counts = {"file": self.name, "absent": self.absent, "hidden": self.hidden}
        return counts | {"before": self.before.as_dict(), "after": self.after.as_dict()}


def calibrate(options) -> int:
    """Choose the temperature on DEV, report reliability before and after, write the model and the figure if so asked."""
    began, threads = time.perf_counter(), threads_of(options)
    model = load(options)
    columns = labelled_columns(options.dev, options, model)
    features, gold, base = _material(options, model, columns, threads)
    calibrated = calibrating.calibrate(model, features, gold, base=base, threads=threads)
    files = {"dev": _measure(options.dev, calibrated, features, gold, base, threads)}
    if options.test:
        material = _material(options, model, labelled_columns(options.test, options, model), threads)
        files["test"] = _measure(options.test, calibrated, *material, threads)
    figures = _draw(options.figure, files, calibrated) if options.figure else []
    if options.output:
        calibrated.save(options.output)
    facts = {
        "model": options.model,
        "output": options.output,
        "objective": model.facts.get("objective"),
        "meaning": calibrating.meaning(model),
        "temperature": calibrated.temperature,
        "at_the_end_of_the_search": _at_an_end(calibrated.temperature),
        **{part: file.as_dict() for part, file in files.items()},
        "figures": figures,
        "seconds": round(time.perf_counter() - began, 3),
    }
    if options.json:
        print_json(facts)
    else:
        _print(facts, files)
    return 0


def _material(options, model: Tagger, columns, threads: int) -> tuple[Features, np.ndarray, np.ndarray | None]:
    """Features, gold codes and base scores of a file."""
    features, gold = model.features(columns, threads=threads), calibrating.gold_codes(model, columns)
    return features, gold, base_of(options, model, columns, threads)


def _measure(path: str, model: Tagger, features, gold: np.ndarray, base: np.ndarray | None, threads: int) -> File:
    before, after = (reliability(marginals(model, features, t, base=base, threads=threads), gold) for t in (1.0, model.temperature))
    return File(path, int(np.count_nonzero(gold == ABSENT)), int(np.count_nonzero(gold == HIDDEN)), before, after)


def _at_an_end(temperature: float) -> bool:
    return min(temperature / COLDEST, HOTTEST / temperature) < NEAR_AN_END


def _draw(path: str, files: dict[str, File], model: Tagger) -> list[str]:
    """PATH with or without the ending of one of the two formats."""
    stem, ending = os.path.splitext(path)
    after = f"temperature {model.temperature:.3g}"
    diagrams = {f"{part}: {os.path.basename(file.name)}": {"temperature 1": file.before, after: file.after} for part, file in files.items()}
    title = f"Reliability of token marginals ({model.facts.get('objective', model.task.name)})"
    return draw_reliability(diagrams, stem if ending in (".png", ".svg") else path, title=title)


def _print(facts: dict, files: dict[str, File]) -> None:
    print(facts["meaning"])
    dev = files["dev"]
    print(f"temperature {facts['temperature']:.4f}: dev NLL {dev.before.nll:.5f} before, {dev.after.nll:.5f} after")
    if facts["at_the_end_of_the_search"]:
        print(
            f"this is the end of the search ({COLDEST:g} to {HOTTEST:g}): the scores have no scale that fits the labels; train on more data"
        )
    for part, file in files.items():
        print(f"\n{part}: {file.name}, {file.before.tokens:,} tokens{_remarks(file)}")
        print(_table(file), end="")
        for measure in ("ece", "nll"):
            print(f"{measure.upper()} {getattr(file.before, measure):.5f} before, {getattr(file.after, measure):.5f} after")
    print()
    if facts["figures"]:
        print(f"figure: {', '.join(facts['figures'])}")
    print(f"model: {facts['output']}" if facts["output"] else "the model was not written; give -o OUT for that")


def _remarks(file: File) -> str:
    absent = f"; {file.absent:,} have labels that the model lacks: they count as wrong, and not in the NLL" if file.absent else ""
    return absent + (f"; {file.hidden:,} more have the label ? and are left out" if file.hidden else "")


def _table(file: File) -> str:
    """Bins that are empty both times are left out."""
    rows = []
    for before, after in zip(file.before.bins(), file.after.bins()):
        if before["count"] or after["count"]:
            row = {"bin": f"{before['low']:.2f}-{before['high']:.2f}"}
            for state, cells in (("before", before), ("after", after)):
                row |= {f"{state} {key}": cells.get(key, math.nan) for key in ("count", "confidence", "accuracy")}
            rows.append(row)
    columns = [Column("bin")]
    for state in ("before", "after"):
        columns += [
            Column(f"{state} count", f"tokens {state}"),
            Column(f"{state} confidence", "confidence", 4),
            Column(f"{state} accuracy", "accuracy", 4),
        ]
    return text_table(rows, columns)
