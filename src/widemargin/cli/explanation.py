"""widemargin explain. Sentences and tokens are counted from 1 here, as lines are."""

import os
import re

from widemargin.cli.common import columns_of, is_parser, items_of, print_json
from widemargin.cli.prediction import base_of, named_for, takes_items
from widemargin.errors import InputError
from widemargin.readers.columns import Columns, from_sentences, read_columns
from widemargin.readers.items import ItemFile
from widemargin.study.tables import Column, text_table
from widemargin.tasks.explaining import Comparison, Contribution, Decision, Explanation, explain
from widemargin.tasks.opening import TOWN
from widemargin.tasks.tagger import Tagger

SLASH = re.compile(r"(?<!\\)/")  # \/ is how treebanks write a slash inside a word


def explaining(options) -> int:
    """The sentence with its labels, then for each token why not another label, then why not another sequence."""
    if options.top < 1:
        raise InputError(f"--top is {options.top}; it must be at least 1")
    if is_parser(options.model):
        from widemargin.cli.parsing import explain_trees

        return explain_trees(options)
    if options.svg:
        raise InputError("--svg draws the tree of a dependency parser; leave it out")
    model = Tagger.load(options.model)
    columns = _columns(options, model)
    base = base_of(options, model, columns, 1)
    found = explain(model, columns, options.sentence - 1, base=base)
    words = [cells[0] for cells in found.tokens]
    if options.token is not None and not 1 <= options.token <= len(words):
        raise InputError(f"there is no token {options.token}; sentence {options.sentence} has {len(words)}")
    chosen = [d for d in found.decisions if options.token in (None, d.token + 1)]
    if options.json:
        print_json(_facts(found, chosen, options))
        return 0
    _print_sentence(found, words)
    for decision in chosen:
        _print_decision(decision, words, options.top)
    if options.token is None and (second := found.second_best):
        print(f"\nsecond-best sequence: {_changes(second, words)}; behind by {second.difference:.4f}")
    return 0


def _columns(options, model: Tagger) -> Columns | ItemFile:
    """A file, a part of the embedded corpus, standard input, or the sentence itself."""
    given = options.input
    if takes_items(model):
        return items_of(given, options)
    if given.startswith(TOWN):
        return columns_of(given, options, model.task)
    if given == "-" or os.path.exists(given):
        names = tuple(options.columns.split(",")) if options.columns else None
        columns = read_columns(given, names=names, encoding=options.encoding)
        return columns if names else named_for(model, columns)
    if len(given.split()) < 2:
        raise InputError('there is no such file, and a sentence has two tokens or more between quotes: "The cat"', given)
    return sentence_columns(model, given)


def sentence_columns(model: Tagger, text: str) -> Columns:
    """ "The/DT cat/NN" as columns: as many parts between slashes as the model has columns without the label; one part needs no slash."""
    at = model.label_place()
    names = [name for i, name in enumerate(model.facts["columns"]) if i != at]
    tokens = []
    for number, piece in enumerate(text.split(), 1):
        parts = [piece] if len(names) == 1 else SLASH.split(piece)
        if len(parts) != len(names) or not all(parts):
            form = "/".join(names)
            raise InputError(
                f"token {number} is {piece!r} and the model needs {len(names)} parts between slashes; write {form} for every token, "
                r"\/ for a slash in a word, or give a column file"
            )
        tokens.append(parts)
    return from_sentences([tokens], names=names)


def _print_sentence(found: Explanation, words: list[str]) -> None:
    """The labels; those of the file's scheme too where they are others."""
    rows = [{"token": t, "word": word, "label": label} for t, (word, label) in enumerate(zip(words, found.labels), 1)]
    columns = [Column("token"), Column("word"), Column("label")]
    if found.written != found.labels:
        rows = [row | {"written": written} for row, written in zip(rows, found.written)]
        columns.append(Column("written", "as written"))
    print(text_table(rows, columns), end="")


def _print_decision(decision: Decision, words: list[str], top: int) -> None:
    head = f"\n{decision.token + 1} {words[decision.token]}: {decision.label}"
    comparison = decision.comparison
    if comparison is None:
        print(f"{head}; no other label is legal here")
        return
    print(f"{head}, not {decision.runner_up}; margin {comparison.difference:.4f}")
    if sum(a != b for a, b in zip(comparison.ours, comparison.theirs)) > 1:
        print(f"  the other sequence has {_changes(comparison, words)}")
    pro, contra, rest = shown(comparison, top)
    for sign, lines in (("for", pro), ("against", contra)):
        for contribution in lines:
            print(f"  {sign:8}{contribution.value:+9.4f}  {_line(contribution, decision.token, words)}")
            sign = ""
    if rest:
        print(f"  {'rest':8}{sum(c.value for c in rest):+9.4f}  {len(rest)} more")


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


def shown(comparison: Comparison, top: int) -> tuple[list[Contribution], list[Contribution], list[Contribution]]:
    """The strongest contributions for and against, and the others that are not zero."""
    pro = [c for c in comparison.contributions if c.value > 0]
    contra = [c for c in comparison.contributions if c.value < 0]
    return pro[:top], contra[:top], pro[top:] + contra[top:]


def _facts(found: Explanation, chosen: list[Decision], options) -> dict:
    """Everything as JSON; what is not among the top is summed as rest, so that the numbers still add up to the margin."""
    second = found.second_best
    return {
        "sentence": options.sentence,
        "tokens": [list(cells) for cells in found.tokens],
        "labels": list(found.labels),
        "written": list(found.written),
        "score": found.score,
        "decisions": [
            {
                "token": d.token + 1,
                "label": d.label,
                "runner_up": d.runner_up,
                "margin": d.margin,
                "against": _comparison_facts(d.comparison, options.top),
            }
            for d in chosen
        ],
        "second_best": _comparison_facts(second, options.top),
    }


def _comparison_facts(comparison: Comparison | None, top: int) -> dict | None:
    if comparison is None:
        return None
    pro, contra, rest = shown(comparison, top)
    features = [
        {"feature": c.feature, "token": c.token + 1, "ours": list(c.ours), "theirs": list(c.theirs), "value": c.value} for c in pro + contra
    ]
    return {
        "labels": list(comparison.theirs),
        "difference": comparison.difference,
        "contributions": features,
        "rest": sum(c.value for c in rest),
        "rest_count": len(rest),
    }
