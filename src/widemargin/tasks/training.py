"""Training a tagger from column files: columns in, a Tagger out."""

import dataclasses
from collections.abc import Callable
from typing import Any

from widemargin.errors import InputError
from widemargin.features.expansion import Expansion, expanded
from widemargin.features.extractor import Extractor, Features
from widemargin.features.given import Given
from widemargin.features.named import load_templates
from widemargin.features.templates import parse_templates
from widemargin.readers.columns import Columns
from widemargin.readers.items import ItemFile

from .base import Task, task_named
from .checkpoints import Keeper, fingerprint
from .fitting import Listener, Material, Recipe, fit
from .gold import HIDDEN, Gold, as_model_labels, with_labels, written_in
from .tagger import Tagger


def train(
    recipe: Recipe,
    columns: Columns | ItemFile,
    *,
    dev: Columns | ItemFile | None = None,
    start: Tagger | None = None,
    base: Tagger | None = None,
    threads: int = 1,
    listen: Listener | None = None,
    notice: Callable[[str], None] | None = None,
    checkpoint: str | None = None,
    every: float = 30.0,
    resume: bool = False,
) -> Tagger:
    """Fit a tagger on columns or items; with dev data the best epoch is kept. `listen` gets one dict per epoch, `notice` remarks in words.

    base: a model whose scores are added to the new one's, in training and in prediction. checkpoint: a file to which the whole state goes
    at most every `every` seconds, so that `resume` continues to the same bytes; it is left there until the caller, having saved the model,
    forgets it (checkpoints.forget).
    """
    task = task_named(recipe.task)
    gold = read_gold(task, recipe, columns, start)
    if gold.remark and notice is not None:
        notice(gold.remark)
    extractor, features = extract(task, recipe, columns, start)
    items = isinstance(columns, ItemFile)
    material = Material(gold, extractor, features, facts={"columns": [] if items else list(columns.names or ())})
    if isinstance(columns, ItemFile) and (columns.weight != 1.0).any():
        material.weight = columns.weight
    if base is not None:
        material.base, material.base_edge = base.part_scores(columns, labels=gold.labels, threads=threads)
    held = None
    if dev is not None:
        scores = base.part_scores(dev, labels=gold.labels, threads=threads)[0] if base is not None else None
        held = extractor.transform(dev, threads=threads), written_in(dev, recipe.label_column), scores
    keeper = Keeper(checkpoint, fingerprint(dataclasses.asdict(recipe), columns, dev, start, base), every) if checkpoint else None
    return fit(recipe, material, dev=held, start=start, threads=threads, listen=listen, keeper=keeper, resume=resume).tagger


def read_gold(task: Task, recipe: Recipe, columns: Columns | ItemFile, start: Tagger | None = None) -> Gold:
    """Labels of the label column, converted to the model's scheme; `?` becomes unknown. A model to start from keeps its labels."""
    written = written_in(columns, recipe.label_column)
    strangers = [value for value in written.values if task.keep and value not in ("O", HIDDEN) and not value.endswith(f"-{task.keep}")]
    if strangers:
        raise InputError(
            f"task {task.name} learns spans of type {task.keep} and a label is {strangers[0]}; let the label column be the last, and open "
            f'files with open_columns(path, "{task.name}"), which reads other labels as O'
        )
    gold = as_model_labels(written, recipe.labels or task.labels, asked=recipe.labels is not None)
    return gold if start is None else with_labels(gold, start.labels)


def extract(task: Task, recipe: Recipe, columns: Columns | ItemFile, start: Tagger | None) -> tuple[Any, Features]:
    """Where features come from, and those of the training file."""
    source: Any
    if start is not None:
        source = start.extractor
        if recipe.expand and not (isinstance(source, Expansion) and source.kernel == recipe.kernel):
            raise InputError("the model to start from was trained with another kernel; drop the settings of the kernel, or --init")
        return source, source.transform(columns)
    if isinstance(columns, ItemFile):
        if recipe.templates:
            raise InputError("items bring their own features; drop --templates", columns.source)
        source = expanded(Given(cutoff=recipe.cutoff, bits=recipe.bits), recipe.kernel, recipe.expand, recipe.conjunction_cutoff)
        return source, source.fit(columns)
    key = recipe.label_column
    label = columns.column(int(key) if key.lstrip("-").isdigit() else key)
    names = [name for i, name in enumerate(columns.names) if i != label]
    extractor = Extractor(templates_of(recipe.templates or task.templates, names), cutoff=recipe.cutoff, bits=recipe.bits)
    source = expanded(extractor, recipe.kernel, recipe.expand, recipe.conjunction_cutoff)
    return source, source.fit(columns)


def templates_of(chosen: str, columns: list[str]):
    """A named set, a file, or with a newline the text itself."""
    return parse_templates(chosen, columns=columns) if "\n" in chosen else load_templates(chosen, columns=columns)
