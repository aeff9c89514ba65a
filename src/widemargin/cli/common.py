"""What commands share: reading data and options, saying how things go."""

import json
import os
import re
import sys
import time

from widemargin import models
from widemargin.errors import InputError
from widemargin.readers.columns import Columns
from widemargin.readers.items import ItemFile, read_items
from widemargin.tasks.base import Task
from widemargin.tasks.opening import open_columns


def columns_of(path: str, options, task: Task | None) -> Columns:
    """The data that a command names, with --columns and --encoding."""
    names = tuple(options.columns.split(",")) if options.columns else None
    return open_columns(path, task, names=names, encoding=options.encoding)


def data_of(path: str, options, task: Task | None, *, items: bool) -> Columns | ItemFile:
    """The same, or CRFsuite's items."""
    return items_of(path, options) if items else columns_of(path, options, task)


def items_of(path: str, options) -> ItemFile:
    """An item file with attributes: a column file, read as one, has none."""
    items = read_items(path, encoding=options.encoding)
    if not len(items.ind):
        raise InputError("no item has an attribute; a line is a label and attributes, with tabs between them", items.where(0))
    return items


def threads_of(options) -> int:
    """--threads, or one per core that this process may use."""
    if options.threads < 0:
        raise InputError(f"--threads is {options.threads}; it must be at least 0")
    return options.threads or len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1))


def is_parser(path: str) -> bool:
    """Is the model a dependency parser?"""
    return models.load(path)[0].get("task") == "depparse"


def settings_in(items: list[str]) -> list[str]:
    """--set KEY=VALUE,KEY=VALUE is two settings; what follows a comma without a KEY= is another value of the same."""
    return [part for item in items for part in re.split(r",(?=[\w.-]+=)", item)]


def print_json(facts: dict) -> None:
    """One object on standard output."""
    print(json.dumps(facts, ensure_ascii=False))


class Progress:
    """Lines about work under way, on standard error: rewritten in place on a terminal, plain in a log."""

    def __init__(self):
        self.live = sys.stderr.isatty()

    def __call__(self, text: str, *, last: bool = False) -> None:
        if self.live:
            sys.stderr.write("\r\x1b[K" + text + ("\n" if last else ""))
        else:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def note(self, text: str) -> None:
        """A line that stays."""
        self(text, last=True)


def epoch_line(facts: dict, metric: str) -> str:
    """One epoch in words."""
    line = f"epoch {facts['epoch']:3d}  loss {facts['loss']:.5f}"
    if "trials" in facts:
        line = f"rate {facts['rate']:g} (the best of {len(facts['trials'])} on a sample)\n{line}"
    if "dev" in facts:
        line += f"  dev {metric} {facts['dev'][metric]:.2f}"
    return line + f"  {facts['seconds']:.1f} s"


def training_end(options, model, progress: Progress, began: float, task: str, counts: dict[str, int]) -> int:
    """Save a model that has been trained, drop its checkpoint, and say what it is."""
    from widemargin.tasks.checkpoints import forget

    size = model.save(options.output)
    forget(options.output + ".checkpoint")
    seconds, facts = time.perf_counter() - began, model.facts
    kept: dict = next((h for h in facts["history"] if h["epoch"] == facts["epoch"]), {})
    if options.json:
        told = {name: facts[name] for name in ("epoch", "stopped")} | {"metrics": kept.get("dev", {}), "history": facts["history"]}
        print_json({"task": task, "model": options.output, "bytes": size, **counts, **told, "seconds": round(seconds, 3)})
        return 0
    progress.note(f"{facts['stopped']}; kept epoch {facts['epoch']}")
    found = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    print(f"{options.output}: {found}, {size / 1e6:.1f} MB, {seconds:.1f} s")
    return 0


def say_if_compiling(progress: Progress) -> None:
    """Compiling takes seconds, once: say so rather than seem stuck."""
    from widemargin.kernels.jit import cache_folder

    if not os.path.isdir(cache_folder()):
        progress.note("compiling kernels (first run only)")
