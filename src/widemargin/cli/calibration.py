"""widemargin calibrate."""

import dataclasses
import math
import os
import time

import numpy as np

from widemargin.cli.common import is_parser, print_json, threads_of
from widemargin.cli.prediction import base_of, labelled_columns, load
from widemargin.errors import InputError
from widemargin.metrics.calibration import ABSENT, COLDEST, HIDDEN, HOTTEST, Reliability, reliability
from widemargin.study.reliability import draw_reliability
from widemargin.study.tables import Column, text_table
from widemargin.tasks import calibrating
from widemargin.tasks.calibrating import Held
from widemargin.tasks.parser import Parser
from widemargin.tasks.tagger import Tagger
from widemargin.tasks.treebanks import open_treebank

NEAR_AN_END = 1.02  # a temperature so close to an end of the search, as a factor, was stopped by it


@dataclasses.dataclass(frozen=True)
class File:
    """A file with gold labels or trees, and the model's reliability on it at temperature 1 and at the one found."""

    name: str
    absent: int  # tokens with a label that the model lacks
    hidden: int  # tokens with the label ?, or whose head is not known
    before: Reliability
    after: Reliability

    def as_dict(self) -> dict:
        counts = {"file": self.name, "absent": self.absent, "hidden": self.hidden}
        return counts | {"before": self.before.as_dict(), "after": self.after.as_dict()}


def calibrate(options) -> int:
    """Choose the temperature on DEV, report reliability before and after, write the model and the figure if so asked."""
    began, threads = time.perf_counter(), threads_of(options)
    model: Tagger | Parser = Parser.load(options.model) if is_parser(options.model) else load(options)
    held = _held_out(options, model, options.dev, threads)
    calibrated = dataclasses.replace(model, temperature=calibrating.fitting(held))
    files = {"dev": _measure(options.dev, calibrated, held)}
    if options.test:
        files["test"] = _measure(options.test, calibrated, _held_out(options, model, options.test, threads))
    figures = _draw(options.figure, files, calibrated) if options.figure else []
    if options.output:
        calibrated.save(options.output)
    facts = {
        "model": options.model,
        "output": options.output,
        "objective": model.facts.get("objective"),
        "meaning": calibrating.meaning(model.facts, "heads" if isinstance(model, Parser) else "labels"),
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


def _held_out(options, model: Tagger | Parser, path: str, threads: int) -> Held:
    """What a file says of the model's probabilities."""
    if isinstance(model, Parser):
        if options.base:
            raise InputError("--base is not for dependency parsers; leave it out")
        return calibrating.held_heads(model, open_treebank(path, encoding=options.encoding))
    columns = labelled_columns(path, options, model)
    features, gold = model.features(columns, threads=threads), calibrating.gold_codes(model, columns)
    return calibrating.held_labels(model, features, gold, base=base_of(options, model, columns, threads), threads=threads)


def _measure(path: str, model: Tagger | Parser, held: Held) -> File:
    before, after = (reliability(held.chance(temperature), held.gold) for temperature in (1.0, model.temperature))
    return File(path, int(np.count_nonzero(held.gold == ABSENT)), int(np.count_nonzero(held.gold == HIDDEN)), before, after)


def _at_an_end(temperature: float) -> bool:
    return min(temperature / COLDEST, HOTTEST / temperature) < NEAR_AN_END


def _draw(path: str, files: dict[str, File], model: Tagger | Parser) -> list[str]:
    """PATH with or without the ending of one of the two formats."""
    stem, ending = os.path.splitext(path)
    after = f"temperature {model.temperature:.3g}"
    diagrams = {f"{part}: {os.path.basename(file.name)}": {"temperature 1": file.before, after: file.after} for part, file in files.items()}
    what = "head" if isinstance(model, Parser) else "token"
    title = f"Reliability of {what} marginals ({model.facts.get('objective', 'objective not recorded')})"
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
    return absent + (f"; {file.hidden:,} more are not labelled and are left out" if file.hidden else "")


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
