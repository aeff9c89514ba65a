"""What commands say of a tagger's decisions and of column files. Sentences and tokens are counted from 1 here, as lines are."""

from typing import Any

import numpy as np

from widemargin.errors import InputError
from widemargin.families.base import Told
from widemargin.families.explanations import Comparison, Contribution, Decision, Explanation
from widemargin.families.tagging.answers import base_scores
from widemargin.families.tagging.explanations import explain
from widemargin.families.tagging.model import Tagger
from widemargin.readers.columns import Columns
from widemargin.readers.items import ItemFile
from widemargin.show.tables import Column, text_table


def explanation(model: Tagger, data: Columns | ItemFile, sentence: int, *, token: int | None, top: int, base: Tagger | None = None) -> Told:
    """The sentence with its labels, then for each token why not another label, then why not another sequence."""
    found = explain(model, data, sentence - 1, base=base_scores(base, model, data, 1))
    words = [cells[0] for cells in found.tokens]
    if token is not None and not 1 <= token <= len(words):
        raise InputError(f"there is no token {token}; sentence {sentence} has {len(words)}")
    lines = _sentence_lines(found, words)
    for decision in (d for d in found.decisions if token in (None, d.token + 1)):
        lines += _decision_lines(decision, words, top)
    if token is None and (second := found.second_best):
        lines += ["", f"second-best sequence: {_changes(second, words)}; behind by {second.difference:.4f}"]
    return Told({"task": model.task.name, "sentence": sentence} | found.as_json(top, token), "\n".join(lines) + "\n")


def _sentence_lines(found: Explanation, words: list[str]) -> list[str]:
    """The labels; those of the file's scheme too where they are others."""
    rows = [{"token": t, "word": word, "label": label} for t, (word, label) in enumerate(zip(words, found.labels), 1)]
    columns = [Column("token"), Column("word"), Column("label")]
    if found.written != found.labels:
        rows = [row | {"written": written} for row, written in zip(rows, found.written)]
        columns.append(Column("written", "as written"))
    return text_table(rows, columns).splitlines()


def _decision_lines(decision: Decision, words: list[str], top: int) -> list[str]:
    head = f"{decision.token + 1} {words[decision.token]}: {decision.label}"
    comparison = decision.comparison
    if comparison is None:
        return ["", f"{head}; no other label is legal here"]
    lines = ["", f"{head}, not {decision.runner_up}; margin {comparison.difference:.4f}"]
    if sum(a != b for a, b in zip(comparison.ours, comparison.theirs)) > 1:
        lines.append(f"  the other sequence has {_changes(comparison, words)}")
    pro, contra, rest = comparison.shown(top)
    for sign, contributions in (("for", pro), ("against", contra)):
        for contribution in contributions:
            lines.append(f"  {sign:8}{contribution.value:+9.4f}  {_line(contribution, decision.token, words)}")
            sign = ""
    if rest:
        lines.append(f"  {'rest':8}{sum(c.value for c in rest):+9.4f}  {len(rest)} more")
    return lines


def _line(contribution: Contribution, token: int, words: list[str]) -> str:
    """The feature, the labels of a transition, and the token when it is another one."""
    line = contribution.feature
    if len(contribution.ours) == 2:
        line += f"  {' '.join(contribution.ours)}, not {' '.join(contribution.theirs)}"
    elif contribution.token != token:
        line += f"  {contribution.ours[0]}, not {contribution.theirs[0]}"
    return line if contribution.token == token else f"{line}  (at {contribution.token + 1} {words[contribution.token]})"


def _changes(comparison: Comparison, words: list[str]) -> str:
    """The labels in which the other sequence differs."""
    pairs = zip(range(1, len(words) + 1), words, comparison.ours, comparison.theirs)
    return ", ".join(f"{theirs} at {t} {word}" for t, word, ours, theirs in pairs if ours != theirs)


def column_facts(columns: Columns) -> dict[str, Any]:
    """What a column file holds."""
    lengths = np.diff(columns.row_ptr)
    counts = np.bincount(columns.codes[-1], minlength=len(columns.values[-1]))
    order = np.argsort(-counts, kind="stable")[:40]
    return {
        "file": columns.source,
        "documents": len(columns.doc_ptr) - 1,
        "sentences": len(lengths),
        "tokens": columns.tokens,
        "longest": int(lengths.max()),
        "mean length": round(float(lengths.mean()), 2),
        "columns": {name: len(values) for name, values in zip(columns.names, columns.values)},
        "labels": {columns.values[-1][i]: int(counts[i]) for i in order},
    }
