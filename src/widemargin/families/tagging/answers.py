"""What a tagger answers to a file: labels, probabilities and alternatives, to be written beside its columns or as JSON."""

import dataclasses
from typing import Any

import numpy as np

from widemargin.errors import InputError
from widemargin.families.answers import json_lines
from widemargin.families.arguments import check_family
from widemargin.families.base import Alternative, Answers, Wanted
from widemargin.families.calibration import HeldOut
from widemargin.families.tagging import schemes
from widemargin.families.tagging.confidence import log_partition, log_probability, marginals
from widemargin.families.tagging.constraints import legal_of
from widemargin.families.tagging.doubts import doubt_documents, doubt_gold, doubt_spans, doubt_strict
from widemargin.families.tagging.formats.json_lines import Objects
from widemargin.families.tagging.formats.treebanks import TreebankText, conllu_of
from widemargin.families.tagging.gold import HIDDEN, Written, as_model_labels, written_in
from widemargin.families.tagging.model import Tagger
from widemargin.families.tagging.scores import LabelScores
from widemargin.families.tagging.sources import with_spans_of
from widemargin.families.tagging.spans import spans
from widemargin.families.tagging.tasks import Task
from widemargin.families.tagging.written_marginals import written_labels, written_marginals
from widemargin.metrics.calibration import ABSENT, HIDDEN_CODE
from widemargin.readers.columns import Columns, write_columns
from widemargin.readers.items import ItemFile
from widemargin.scoring.token_features import Features
from widemargin.structures.listing import listable


def answer(
    model: Tagger, data: Columns | ItemFile, wanted: Wanted, *, base: Tagger | None = None, constraints: str | None = None
) -> Answers:
    """Labels as (codes, values) in the scheme of the training file, and what else is wanted.

    base: the model on top of which this one was trained; constraints: others than the model's own.
    """
    if constraints is not None:
        name, legal = legal_of(constraints, model.labels)
        model = dataclasses.replace(model, constraints=name, legal=legal)
    doubt_documents(model, data)
    threads = wanted.threads
    scores = base_scores(base, model, data, threads)
    features = model.features(data, threads=threads)
    codes = model.decode(features, base=scores, threads=threads)
    best = model.as_written(codes, data.row_ptr)
    found: dict[str, Any] = {}
    if wanted.marginals:
        every, labels = written_marginals(model, features, base=scores, threads=threads), written_labels(model)
        place = np.array([labels.index(label) for label in best[1]], np.int64)
        found |= {"marginals": every[np.arange(len(codes)), place[best[0]]], "every": (every, labels)}
    if wanted.probability:
        found["log_probability"] = log_probability(model, features, codes, base=scores, threads=threads)
    if wanted.kbest:
        found["kbest"] = _kbest(model, features, wanted.kbest, scores, threads)
    return Answers(best, wanted, spans=model.task.spans, **found)


def _kbest(model: Tagger, features: Features, k: int, base: np.ndarray | None, threads: int) -> list[list[Alternative]]:
    found = model.kbest_of(features, k, base=base)
    total = log_partition(model, features, base=base, threads=threads).tolist()
    return [
        [Alternative(labels, score, score / model.temperature - z) for score, labels in sequences] for sequences, z in zip(found, total)
    ]


def base_scores(base: Tagger | None, model: Tagger, data: Columns | ItemFile, threads: int) -> np.ndarray | None:
    """The scores [N, Y] of a base model for these data."""
    check_family(base, "base", model.family, model.task.name)
    return base.part_scores(data, labels=model.labels, threads=threads)[0] if base is not None else None


def write(data: Columns | ItemFile, answers: Answers, out: Any) -> None:
    """Columns with answers behind them. Items as `crfsuite tag` does: a line per item, an empty line after each sequence, tabs between."""
    if isinstance(data, Columns) and isinstance(data.origin, Objects):
        out.write(json_lines(as_json(data, answers)))
        return
    columns = _answer_columns(data, answers)
    if isinstance(data, Columns) and data.origin is None:
        write_columns(data, columns, out)
        return
    cells = [[values[code] for code in codes.tolist()] for codes, values in columns]
    if isinstance(data, Columns):
        data.origin.write(dict(zip(_column_names(answers), cells)), out)
        return
    lines = list(map("\t".join, zip(*cells)))
    for low, high in zip(data.row_ptr.tolist(), data.row_ptr[1:].tolist()):
        out.write(("\n".join(lines[low:high]) + "\n\n").encode())


def write_as(format: str, data: Columns | ItemFile, answers: Answers, out: Any) -> None:
    """Words and answers as columns, or as CoNLL-U."""
    if isinstance(data, ItemFile):
        raise InputError(f"items have no words to be written as {format}; leave --output-format out", data.source)
    if format == "columns":
        write_columns(data, _answer_columns(data, answers), out)
    elif isinstance(data.origin, TreebankText):
        write(data, answers, out)
    else:
        columns = _answer_columns(data, answers)
        cells = {name: [values[code] for code in codes.tolist()] for name, (codes, values) in zip(_column_names(answers), columns)}
        out.write(conllu_of(data, cells, spans=answers.spans).encode())


def _answer_columns(data: Columns | ItemFile, answers: Answers) -> list[tuple[np.ndarray, list[str]]]:
    """The columns to add, as codes and values: the K best labels, or the best and how probable it and its sentence are."""
    if answers.kbest is not None:
        return _kbest_columns(answers.kbest, answers.wanted.kbest, np.diff(data.row_ptr))
    columns = [answers.best]
    if answers.marginals is not None:
        columns.append(_probability_column(answers.marginals))
    if answers.log_probability is not None:
        columns.append(_probability_column(np.repeat(np.exp(answers.log_probability), np.diff(data.row_ptr))))
    return columns


def _column_names(answers: Answers) -> list[str]:
    """Names of the columns that are added."""
    if answers.kbest is not None:
        return ["labels", *(f"labels{rank}" for rank in range(2, answers.wanted.kbest + 1))]
    more = (("marginals", answers.marginals), ("probability", answers.log_probability))
    return ["labels", *(name for name, value in more if value is not None)]


def _probability_column(probability: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Four digits: as many as the file should show, and few enough to code."""
    cells = np.rint(np.clip(probability, 0.0, 1.0) * 10_000).astype(np.int32)
    return cells, [f"{i / 10_000:.4f}" for i in range(10_001)]


def _kbest_columns(found: list[list[Alternative]], k: int, lengths: np.ndarray) -> list[tuple[np.ndarray, list[str]]]:
    """One column per rank; `_` where a sentence has fewer sequences."""
    ranks: list[list[str]] = [[] for _ in range(listable(k, k, 100 + 16 * int(lengths.sum())))]
    for sequences, n in zip(found, lengths.tolist()):
        for rank, column in enumerate(ranks):
            column += sequences[rank].output if rank < len(sequences) else ["_"] * n
    values = sorted({label for rank in ranks for label in rank})
    at = {label: i for i, label in enumerate(values)}
    return [(np.array([at[label] for label in rank], np.int32), values) for rank in ranks]


def as_json(data: Columns | ItemFile, answers: Answers) -> list[dict]:
    """A dict per sentence (docs/json.md)."""
    codes, values = answers.best
    words = [""] * data.tokens if isinstance(data, ItemFile) else data.cells(0)

    def labelled(labels: list[str]) -> dict:
        found = [{"label": kind, "tokens": [a, b]} for a, b, kind in spans(labels, among=values)] if answers.spans else []
        return {"labels": labels} | ({"spans": found} if answers.spans else {})

    def best(i: int, low: int, high: int) -> dict:
        row: dict = {"tokens": words[low:high]} | labelled([values[c] for c in codes[low:high]])
        if answers.marginals is not None:
            table, names = answers.every
            row["label_marginals"] = [{name: round(float(p), 6) for name, p in zip(names, token)} for token in table[low:high]]
        return row

    rows = answers.json_rows(data.row_ptr, best, lambda labels: {"labels": labels})
    return data.origin.merged(rows) if isinstance(data, Columns) and isinstance(data.origin, Objects) else rows


def score_answers(model: Tagger, data: Columns | ItemFile, answers: Answers, *, strict: str | None, quirks: bool) -> LabelScores:
    """A model's labels against the gold ones of the same data."""
    gold = written_in(data, model.label_column)
    doubt_gold(model, gold)
    if strict is not None and model.task.spans and len(gold.codes) and HIDDEN not in gold.values:
        doubt_strict(gold, strict)
    return LabelScores(model.task, gold, *as_in_gold(model, gold, *answers.best), strict=strict, quirks=quirks)


def as_in_gold(model: Tagger, gold: Written, codes: np.ndarray, values: list[str]) -> tuple[np.ndarray, list[str]]:
    """Answers in the scheme of the gold labels where both mark spans and one has marks that the other lacks: accuracy compares labels.
    Schemes of B and I alone stay, because answers may begin a span with I."""
    own_marks, marks = ({value[:1] for value in some} - set("BIO") for some in (values, gold.values))
    if not model.task.spans or HIDDEN in gold.values or set(gold.values) <= {"O"} or own_marks == marks:
        return codes, values
    try:
        own, theirs = (schemes.detect(*one) for one in ((values, codes, gold.row_ptr), (gold.values, gold.codes, gold.row_ptr)))
        return schemes.convert(codes, values, gold.row_ptr, own, theirs, strict=False)
    except InputError:  # labels that mark no spans
        return codes, values


def score_files(gold: Columns, system: Columns, task: Task, *, strict: str | None, quirks: bool = False) -> LabelScores:
    """Two files whose last columns are labels of the same sentences, whatever other columns they have."""
    if gold.tokens != system.tokens or not np.array_equal(gold.row_ptr, system.row_ptr):
        raise InputError(
            f"{gold.source} has {gold.tokens:,} tokens in {len(gold.row_ptr) - 1:,} sentences, {system.source} {system.tokens:,} in "
            f"{len(system.row_ptr) - 1:,}; both files must hold the same sentences"
        )
    gold, system = (with_spans_of(task.keep, side) if task.keep else side for side in (gold, system))
    labels = written_in(gold, "-1")
    if task.spans:
        doubt_spans(task, labels)
    return LabelScores(task, labels, system.codes[-1], system.values[-1], strict=strict, quirks=quirks)


# ---- held-out labels, for calibration ---------------------------------------------------------------------------------------------------


def held_labels(model: Tagger, data: Columns | ItemFile, *, base: Tagger | None = None, threads: int = 1) -> HeldOut:
    """Tokens of a file with gold labels."""
    gold = gold_numbers(model, written_in(data, model.label_column))
    return held_tokens(model, model.features(data, threads=threads), gold, base=base_scores(base, model, data, threads), threads=threads)


def gold_numbers(model: Tagger, written: Written) -> np.ndarray:
    """Gold labels int32 [N] as numbers of the model's own labels: ABSENT where it has no such label, HIDDEN_CODE where the label is `?`.

    Spans written in another scheme are rewritten in the model's first.
    """
    gold = as_model_labels(written, model.inside or "as-is", asked=bool(model.inside))
    lookup = [model.labels.index(label) if label in model.labels else ABSENT for label in gold.labels]
    return np.array([*lookup, HIDDEN_CODE], np.int32)[gold.codes]


def held_tokens(model: Tagger, features: Features, gold: np.ndarray, *, base: np.ndarray | None = None, threads: int = 1) -> HeldOut:
    """Tokens whose labels are the gold codes int [N]."""
    return HeldOut(lambda temperature: marginals(model, features, temperature, base=base, threads=threads), gold, "labels", "token")
