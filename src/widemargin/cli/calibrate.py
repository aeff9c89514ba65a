"""widemargin calibrate."""

import dataclasses
import math
import os
import time
from typing import Any

from widemargin.cli import flags
from widemargin.cli.common import Progress, open_model, print_json, say_if_no_figure, threads_of

NEAR_AN_END = 1.02  # a temperature so close to an end of the search, as a factor, was stopped by it


def declare(command) -> None:
    command.add_argument("model", metavar="MODEL", help="a model file")
    command.add_argument("dev", metavar="DEV", help=flags.FILES + ", with gold labels or trees that the model was not trained on")
    command.add_argument("-o", "--output", metavar="OUT", help="write the calibrated model (not written unless given)")
    command.add_argument("--test", metavar="FILE", help="report on this file too, which the temperature has not seen")
    command.add_argument("--figure", metavar="PATH", help="draw reliability diagrams to PATH.png and PATH.svg")
    flags.reading(command)
    flags.machine(command)


@dataclasses.dataclass(frozen=True)
class File:
    """A file with gold outputs, and the model's reliability on it at temperature 1 and at the one found."""

    name: str
    units: str  # what is counted: tokens, heads, brackets
    absent: int  # those with a label that the model lacks
    hidden: int  # those whose label or head is not known
    before: Any  # metrics.calibration.Reliability
    after: Any

    def as_dict(self) -> dict:
        counts = {"file": self.name, "absent": self.absent, "hidden": self.hidden}
        return counts | {"before": self.before.as_dict(), "after": self.after.as_dict()}


def run(options) -> int:
    """Choose the temperature on DEV, report reliability before and after, write the model and the figure if so asked."""
    from widemargin.families.calibration import fit_temperature, meaning
    from widemargin.metrics.calibration import COLDEST, HOTTEST
    from widemargin.models import check_place

    began, threads, stem = time.perf_counter(), threads_of(options), None
    if options.output is not None:
        check_place(options.output)
    if options.figure is not None:
        stem = _stem(options.figure)
        say_if_no_figure(Progress())
    family, model = open_model(options.model)
    flags.need(family, "calibrate", model.task.name)
    chosen = flags.choices(options, family, model.task.name)

    def held_out(path: str):
        return family.held_out(model, family.labelled(path, model, **chosen.reading), threads=threads, **chosen.answering)

    held = held_out(options.dev)
    calibrated = dataclasses.replace(model, temperature=fit_temperature(held))
    files = {"dev": _measure(options.dev, calibrated.temperature, held)}
    if options.test:
        files["test"] = _measure(options.test, calibrated.temperature, held_out(options.test))
    figures = _draw(stem, files, calibrated, held.unit) if stem is not None else []
    if options.output is not None:
        calibrated.save(options.output)
    facts = {
        "task": model.task.name,
        "model": options.model,
        "output": options.output,
        "objective": model.facts.get("objective"),
        "meaning": meaning(model.facts, held.what),
        "temperature": calibrated.temperature,
        "at_the_end_of_the_search": min(calibrated.temperature / COLDEST, HOTTEST / calibrated.temperature) < NEAR_AN_END,
        **{part: file.as_dict() for part, file in files.items()},
        "figures": figures,
        "seconds": round(time.perf_counter() - began, 3),
    }
    if options.json:
        print_json(facts)
    else:
        _print(facts, files, f"the end of the search ({COLDEST:g} to {HOTTEST:g})")
    return 0


def _measure(path: str, temperature: float, held) -> File:
    from widemargin.metrics.calibration import ABSENT, HIDDEN_CODE, reliability

    before, after = (reliability(held.chance(at), held.gold) for at in (1.0, temperature))
    return File(path, f"{held.unit}s", int((held.gold == ABSENT).sum()), int((held.gold == HIDDEN_CODE).sum()), before, after)


def _stem(path: str) -> str:
    """PATH with or without the ending of one of the two formats; one that cannot be written is refused."""
    from widemargin.readers.outputs import check_output

    stem, ending = os.path.splitext(path)
    stem = stem if path and ending in (".png", ".svg") else path
    for kind in (".png", ".svg"):
        check_output(stem and stem + kind)
    return stem


def _draw(stem: str, files: dict[str, File], model, unit: str) -> list[str]:
    from widemargin.show.figures import can_draw
    from widemargin.show.reliability import draw_reliability

    if not can_draw():
        return []

    after = f"temperature {model.temperature:.3g}"
    diagrams = {f"{part}: {os.path.basename(file.name)}": {"temperature 1": file.before, after: file.after} for part, file in files.items()}
    title = f"Reliability of {unit} marginals ({model.facts.get('objective', 'objective not recorded')})"
    return draw_reliability(diagrams, stem, title=title)


def _print(facts: dict, files: dict[str, File], end: str) -> None:
    print(facts["meaning"])
    dev = files["dev"]
    print(f"temperature {facts['temperature']:.4f}: dev NLL {dev.before.nll:z.5f} before, {dev.after.nll:z.5f} after")
    if facts["at_the_end_of_the_search"]:
        print(f"this is {end}: no temperature makes these scores fit the labels; train on more data")
    for part, file in files.items():
        print(f"\n{part}: {file.name}, {file.before.tokens:,} {file.units}{_remarks(file)}")
        print(_table(file), end="")
        for measure in ("ece", "nll"):
            print(f"{measure.upper()} {getattr(file.before, measure):z.5f} before, {getattr(file.after, measure):z.5f} after")
    print()
    if facts["figures"]:
        print(f"figure: {', '.join(facts['figures'])}")
    print(f"model: {facts['output']}" if facts["output"] else "the model was not written; give -o OUT to write it")


def _remarks(file: File) -> str:
    absent = f"; {file.absent:,} have labels that the model lacks: they count as wrong, and not in the NLL" if file.absent else ""
    return absent + (f"; {file.hidden:,} more are not labelled and are left out" if file.hidden else "")


def _table(file: File) -> str:
    """Bins that are empty both times are left out."""
    from widemargin.show.tables import Column, text_table

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
            Column(f"{state} count", f"{file.units} {state}"),
            Column(f"{state} confidence", "confidence", 4),
            Column(f"{state} accuracy", "accuracy", 4),
        ]
    return text_table(rows, columns)
