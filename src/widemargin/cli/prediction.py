"""widemargin predict, evaluate, score."""

import dataclasses
import time

import numpy as np

from widemargin.cli.common import columns_of, is_parser, items_of, print_json, threads_of
from widemargin.errors import InputError
from widemargin.features.expansion import plain
from widemargin.features.given import Given
from widemargin.metrics.bootstrap import paired_bootstrap
from widemargin.readers.columns import Columns, read_columns, stream_columns, write_columns
from widemargin.readers.files import atomic_writer
from widemargin.readers.items import ItemFile
from widemargin.study.significance import score_of, sentence_counts
from widemargin.tasks.base import task_named
from widemargin.tasks.confidence import log_probability
from widemargin.tasks.constraints import legal_of
from widemargin.tasks.gold import written_in
from widemargin.tasks.opening import TOWN, with_spans_of
from widemargin.tasks.tagger import Tagger, score_labels


def load(options) -> Tagger:
    """The model, with other constraints if so asked."""
    model = Tagger.load(options.model)
    if getattr(options, "constraints", None):
        name, legal = legal_of(options.constraints, model.labels)
        model = dataclasses.replace(model, constraints=name, legal=legal)
    return model


def base_of(options, model: Tagger, data, threads: int) -> np.ndarray | None:
    """The scores of --base for these data."""
    return Tagger.load(options.base).part_scores(data, labels=model.labels, threads=threads)[0] if options.base else None


def predict(options) -> int:
    """Label the input piece by piece: memory stays bounded, whatever its length."""
    if is_parser(options.model):
        from widemargin.cli.parsing import predict_trees

        return predict_trees(options)
    began, tokens = time.perf_counter(), 0
    model, threads = load(options), threads_of(options)
    if options.json:
        return _predict_json(options, model, threads)
    with atomic_writer(options.output) as out:
        for data in _pieces(options, model):
            tokens += len(data)
            answers = _answers(options, model, data, threads)
            if isinstance(data, ItemFile):
                write_answers(data, answers, out)
            else:
                write_columns(data, answers, out)
    seconds = time.perf_counter() - began
    if options.output != "-":
        print(f"{options.output}: {tokens:,} tokens, {tokens / seconds:,.0f} tokens/s")
    return 0


def write_answers(items: ItemFile, answers: list[tuple[np.ndarray, list[str]]], out) -> None:
    """As `crfsuite tag` does: a line per item, an empty line after each sequence; more answers than one are separated by tabs."""
    cells = [[values[code] for code in codes.tolist()] for codes, values in answers]
    lines = list(map("\t".join, zip(*cells)))
    for low, high in zip(items.row_ptr.tolist(), items.row_ptr[1:].tolist()):
        out.write(("\n".join(lines[low:high]) + "\n\n").encode())


def takes_items(model: Tagger) -> bool:
    """Was the model trained on items, not on columns?"""
    return isinstance(plain(model.extractor), Given)


def _pieces(options, model: Tagger):
    if takes_items(model):
        yield items_of(options.input, options)
        return
    if options.input.startswith(TOWN):
        yield columns_of(options.input, options, model.task)
        return
    names = tuple(options.columns.split(",")) if options.columns else None
    for columns in stream_columns(options.input, names=names, encoding=options.encoding):
        yield named_for(model, columns) if names is None else columns


def named_for(model: Tagger, columns: Columns) -> Columns:
    """Columns under the names that the model was trained with; the label column may be missing."""
    names = tuple(model.facts.get("columns", ()))
    width = len(columns.names)
    if names and width == len(names):
        return dataclasses.replace(columns, names=names)
    if names and width == len(names) - 1:
        at = model.label_place()
        return dataclasses.replace(columns, names=names[:at] + names[at + 1 :])
    if names:
        raise InputError(
            f"the file has {width} columns, the model was trained on {len(names)} ({' '.join(names)}); the label alone may be missing",
            columns.where(0),
        )
    return columns


def labelled_columns(path: str, options, model: Tagger) -> Columns | ItemFile:
    """A file with gold labels under the names that the model was trained with."""
    if takes_items(model):
        return items_of(path, options)
    columns = columns_of(path, options, model.task)
    return columns if options.columns or path.startswith(TOWN) else named_for(model, columns)


def _answers(options, model: Tagger, columns: Columns | ItemFile, threads: int) -> list[tuple[np.ndarray, list[str]]]:
    """The columns to add."""
    base = base_of(options, model, columns, threads)
    if options.kbest:
        return _kbest_columns(model, columns, options.kbest, base)
    codes = model.predict_codes(columns, base=base, threads=threads)
    answers = [model.as_written(codes, columns.row_ptr)]
    if options.marginals:
        answers.append(_probability_column(model.marginals(columns, base=base, threads=threads)[np.arange(len(codes)), codes]))
    if options.probability:
        whole = _sequence_probability(model, columns, codes, base, threads)
        answers.append(_probability_column(np.repeat(whole, np.diff(columns.row_ptr))))
    return answers


def _probability_column(probability: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Four digits: as many as the file should show, and few enough to code."""
    cells = np.rint(np.clip(probability, 0.0, 1.0) * 10_000).astype(np.int32)
    return cells, [f"{i / 10_000:.4f}" for i in range(10_001)]


def _sequence_probability(model: Tagger, columns, codes: np.ndarray, base: np.ndarray | None, threads: int) -> np.ndarray:
    """Of each sentence's labels as a whole [S]."""
    return np.exp(log_probability(model, model.features(columns, threads=threads), codes, base=base, threads=threads))


def _kbest_columns(model: Tagger, columns: Columns | ItemFile, k: int, base: np.ndarray | None) -> list[tuple[np.ndarray, list[str]]]:
    """One column per rank; `_` where a sentence has fewer sequences."""
    ranks: list[list[str]] = [[] for _ in range(k)]
    for found, n in zip(model.kbest(columns, k, base=base), np.diff(columns.row_ptr)):
        for rank in range(k):
            ranks[rank] += found[rank][1] if rank < len(found) else ["_"] * int(n)
    values = sorted({label for rank in ranks for label in rank})
    at = {label: i for i, label in enumerate(values)}
    return [(np.array([at[label] for label in rank], np.int32), values) for rank in ranks]


def _predict_json(options, model: Tagger, threads: int) -> int:
    """Sentences with labels, and with probabilities or alternatives if so asked."""
    began, sentences = time.perf_counter(), []
    for columns in _pieces(options, model):
        base = base_of(options, model, columns, threads)
        own = model.predict_codes(columns, base=base, threads=threads)
        codes, values = model.as_written(own, columns.row_ptr)
        whole = _sequence_probability(model, columns, own, base, threads) if options.probability else None
        chance = model.marginals(columns, base=base, threads=threads) if options.marginals else None
        alternatives = model.kbest(columns, options.kbest, base=base) if options.kbest else None
        words = [""] * len(columns) if isinstance(columns, ItemFile) else columns.cells(0)
        for i, (low, high) in enumerate(zip(columns.row_ptr, columns.row_ptr[1:])):
            row: dict = {"tokens": words[low:high], "labels": [values[c] for c in codes[low:high]]}
            if chance is not None:
                row["marginals"] = [{label: round(float(p), 6) for label, p in zip(model.labels, token)} for token in chance[low:high]]
            if whole is not None:
                row["probability"] = round(float(whole[i]), 6)
            if alternatives is not None:
                row["kbest"] = [{"score": round(score, 6), "labels": labels} for score, labels in alternatives[i]]
            sentences.append(row)
    seconds = time.perf_counter() - began
    tokens = sum(len(row["tokens"]) for row in sentences)
    print_json(
        {"task": model.task.name, "sentences": sentences, "seconds": round(seconds, 4), "tokens_per_second": round(tokens / seconds)}
    )
    return 0


def evaluate(options) -> int:
    """Predict and compare with the gold labels of the file."""
    if is_parser(options.model):
        from widemargin.cli.parsing import evaluate_trees

        return evaluate_trees(options)
    model = load(options)
    columns = labelled_columns(options.gold, options, model)
    began = time.perf_counter()
    threads = threads_of(options)
    codes, values = model.predict(columns, base=base_of(options, model, columns, threads), threads=threads)
    seconds = time.perf_counter() - began
    return _report(options, model.task, columns, model.label_column, codes, values, seconds)


def score(options) -> int:
    """Compare two files; both keep their label in the last column. Treebanks have scores of their own."""
    if options.task == "depparse":
        from widemargin.cli.treebanks import score_trees

        return score_trees(options)
    task = task_named(options.task)
    options.columns = options.columns or None
    gold = _any_columns(options.gold, options, task)
    system = _same_sentences(gold, _any_columns(options.system, options, task))
    if options.against:
        return _compare_systems(options, task, gold, system)
    return _report(options, task, gold, "-1", system.codes[-1], system.values[-1], None)


def _any_columns(path: str, options, task) -> Columns:
    """Scoring needs only the last column, so any number of columns will do."""
    if path.startswith(TOWN):
        return columns_of(path, options, task)
    columns = read_columns(path, encoding=options.encoding)
    return with_spans_of(task.keep, columns) if task.keep else columns


def _same_sentences(gold: Columns, system: Columns) -> Columns:
    if len(gold) != len(system) or not np.array_equal(gold.row_ptr, system.row_ptr):
        raise InputError(
            f"{gold.source} has {len(gold):,} tokens in {len(gold.row_ptr) - 1:,} sentences, {system.source} {len(system):,} in "
            f"{len(system.row_ptr) - 1:,}; both files must hold the same sentences"
        )
    return system


def _compare_systems(options, task, gold: Columns, system: Columns) -> int:
    """Two systems on the same sentences: the difference, its 95 % interval and p-value (Koehn 2004)."""
    other = _same_sentences(gold, _any_columns(options.against, options, task))
    counts = [
        sentence_counts(task, written_in(gold, "-1"), found.codes[-1], found.values[-1], strict=options.strict) for found in (system, other)
    ]
    score = score_of(task)
    found = paired_bootstrap(*counts, score=score, samples=options.samples)
    both = [float(score(part.sum(axis=0))) for part in counts]
    facts = {"task": task.name, "metric": task.metric, "system": both[0], "against": both[1], **dataclasses.asdict(found)}
    if options.json:
        print_json(facts)
    else:
        print(f"{task.metric}: {both[0]:.2f} against {both[1]:.2f}, difference {found.difference:+.2f}")
        print(f"95 % interval {found.low:+.2f} to {found.high:+.2f}, p = {found.p_value:.4f} ({found.samples:,} paired bootstrap samples)")
    return 0


def _report(options, task, columns: Columns | ItemFile, label_column, codes, values, seconds: float | None) -> int:
    metrics, spans = score_labels(task, written_in(columns, label_column), codes, values, strict=options.strict)
    if options.json:
        facts: dict = {"task": task.name, "metrics": metrics}
        if seconds is not None:
            facts |= {"seconds": round(seconds, 4), "tokens_per_second": round(len(columns) / seconds)}
        print_json(facts)
    elif spans is not None:
        print(spans.report(), end="")
    else:
        print(f"accuracy: {metrics['accuracy']:6.2f}%  ({len(columns):,} tokens)")
    return 0
