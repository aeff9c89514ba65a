"""Column files and item files as material of learning."""

from typing import Any

import numpy as np

from widemargin.errors import InputError
from widemargin.families.recipes import Recipe
from widemargin.families.tagging.doubts import doubt_many, doubt_spans
from widemargin.families.tagging.formats import reading_of
from widemargin.families.tagging.gold import HIDDEN, Gold, as_model_labels, column_key, with_labels, written_in
from widemargin.families.tagging.model import Tagger
from widemargin.families.tagging.posed import Material, PosedLabels, check_kernel, kernel_of, pose
from widemargin.families.tagging.tasks import task_named
from widemargin.features.atoms import Template
from widemargin.features.expansion import Expansion, expanded, plain
from widemargin.features.explicit import Given
from widemargin.features.extractor import Extractor
from widemargin.features.named import adapted_set, load_templates, named_sets
from widemargin.features.templates import parse_templates
from widemargin.readers.columns import Columns
from widemargin.readers.items import ItemFile
from widemargin.scoring.token_features import Features


def pose_file(
    recipe: Recipe,
    data: Columns | ItemFile,
    *,
    start: Tagger | None = None,
    base: Tagger | None = None,
    weight: np.ndarray | None = None,
    threads: int = 1,
) -> PosedLabels:
    """Labels and features of a file as a problem; base: a model whose scores are added to the new one's."""
    check_kernel(recipe, start)
    gold = read_gold(recipe, data, start)
    source, features = features_of(recipe, data, start)
    material = Material(gold, source, features, facts={"columns": [] if isinstance(data, ItemFile) else list(data.names or ())})
    if isinstance(data, Columns) and (reading := reading_of(data).facts()):
        material.facts["reading"] = reading
    if isinstance(data, Columns) and start is None and isinstance(own := plain(source), Extractor):
        material.remarks = remarks_on_columns(recipe, data, own.templates)
    if isinstance(data, ItemFile) and (data.weight != 1.0).any():
        material.weight = data.weight
    if weight is not None:
        material.weight = np.asarray(weight, float) * (1.0 if material.weight is None else material.weight)
    if base is not None:
        material.base, material.base_edge = base.part_scores(data, labels=gold.labels, threads=threads)
    return pose(recipe, material, start=start, threads=threads)


def read_gold(recipe: Recipe, columns: Columns | ItemFile, start: Tagger | None = None) -> Gold:
    """Labels of the label column, converted to the model's scheme; `?` becomes unknown. A model to start from keeps its labels."""
    task, labels = task_named(recipe.task), recipe.option("labels")
    if isinstance(columns, ItemFile) and "label_column" in recipe.options:
        raise InputError("the label of an item stands first on its line; leave --label out", columns.source)
    if isinstance(columns, Columns) and columns.format == "conllu" and "label_column" not in recipe.options:
        raise InputError("a treebank has several columns to learn; choose one with --label upos, xpos, feats or lemma", columns.source)
    if isinstance(columns, Columns) and len(columns.names) < 2:
        keys = "; give a list of labels beside tokens, or spans beside text" if columns.format == "jsonl" else ""
        raise InputError(f"the file has words alone, and no labels to learn{keys}", columns.source)
    written = written_in(columns, recipe.option("label_column"))
    strangers = [value for value in written.values if task.keep and value not in ("O", HIDDEN) and not value.endswith(f"-{task.keep}")]
    if strangers:
        raise InputError(
            f"task {task.name} learns spans of type {task.keep} and a label is {strangers[0]}; let the label column be the last, and open "
            f'files with open_columns(path, "{task.name}"), which reads other labels as O'
        )
    if isinstance(columns, Columns):
        doubt_many(written.values, len(columns.values[0]), columns.source)
    gold = as_model_labels(written, labels or task.labels, asked=labels is not None)
    if task.spans and not task.keep:
        doubt_spans(task, written)
    return gold if start is None else with_labels(gold, start.labels)


def features_of(recipe: Recipe, columns: Columns | ItemFile, start: Tagger | None = None) -> tuple[Any, Features]:
    """Where features come from, and those of the training file."""
    if isinstance(columns, ItemFile):
        if recipe.templates:
            raise InputError("items bring their own features; drop --templates", columns.source)
        templates = None
    else:
        chosen = recipe.templates or (task_named(recipe.task).templates if start is None else None)
        templates = None if chosen is None else templates_of(chosen, input_names(recipe, columns), documents=columns.has_documents)
    if start is not None:
        refuse_other_features(recipe, start, templates)
        return start.extractor, start.extractor.transform(columns)
    cut: dict[str, Any] = {"cutoff": recipe.option("cutoff"), "bits": recipe.option("hash_bits")}
    source: Any = Given(**cut) if templates is None else Extractor(templates, **cut)
    source = expanded(source, kernel_of(recipe), recipe.option("expand"), recipe.option("conjunction_cutoff"))
    return source, source.fit(columns)


def refuse_other_features(recipe: Recipe, start: Tagger, templates: Any) -> None:
    """A model to start from keeps its features and its structure; a recipe that asks for others is refused."""
    source = plain(start.extractor)
    asked = recipe.options
    if recipe.structure != start.structure_name:
        raise InputError(f"the model to start from is a {start.structure_name} and cannot go on as a {recipe.structure}; drop --init")
    if recipe.option("expand") and not (isinstance(start.extractor, Expansion) and start.extractor.kernel == kernel_of(recipe)):
        raise InputError("the model to start from was trained with another kernel; drop the settings of the kernel, or --init")
    other = None
    if templates is not None and (isinstance(source, Given) or list(map(str, templates)) != list(map(str, source.templates))):
        other = "--templates"
    elif asked.get("cutoff", source.cutoff) != source.cutoff:
        other = f"--cutoff {asked['cutoff']}"
    elif asked.get("hash_bits", source.nodes.bits) != source.nodes.bits:
        other = f"--hash-bits {asked['hash_bits']}"
    if other is not None:
        raise InputError(f"the model to start from brings its own features, and {other} asks for others; leave it out, or drop --init")


def templates_of(chosen: str, columns: list[str], *, documents: bool = False):
    """A named set without what looks at columns that are not there or at documents that are not marked, a file, or with a newline the
    text itself."""
    if "\n" in chosen:
        return parse_templates(chosen, columns=columns)
    return (
        adapted_set(chosen, columns, documents=documents).templates if chosen in named_sets() else load_templates(chosen, columns=columns)
    )


def remarks_on_columns(recipe: Recipe, columns: Columns, templates: tuple[Template, ...]) -> tuple[str, ...]:
    """What the templates of a named set lack in a file, and what in the file no template looks at."""
    task, remarks = task_named(recipe.task), []
    chosen = recipe.templates or task.templates
    inputs = input_names(recipe, columns)
    numbers = {str(columns.names.index(name)) for name in inputs}
    if chosen in named_sets() and (task.spans or recipe.templates):
        found = adapted_set(chosen, inputs, documents=columns.has_documents)
        lacks = [f"has no column {' or '.join(found.missing)}"] * bool(found.missing) + ["marks no documents"] * found.documents
        if lacks:
            remarks.append(f"the file {' and '.join(lacks)}: templates of {chosen} that look there are left out")
    used = set().union(*(template.columns for template in templates))
    unused = [name for name in inputs if name not in used and str(columns.names.index(name)) not in used & numbers]
    if unused and columns.format != "conllu":  # a treebank has them all
        remarks.append(f"no template looks at column {', '.join(unused)}; name columns with --columns, or give --templates of your own")
    return tuple(remarks)


def input_names(recipe: Recipe, columns: Columns) -> list[str]:
    """Names of a file's columns, the label left out."""
    label = columns.column(column_key(recipe.option("label_column")))
    return [name for i, name in enumerate(columns.names) if i != label]
