"""What a tagger has got wrong."""

import numpy as np

from widemargin.families.answers import Answers, Told
from widemargin.families.mistakes import NOTHING, Poor, told_mistakes, worst_rows
from widemargin.families.tagging.gold import HIDDEN, written_in
from widemargin.families.tagging.model import Tagger
from widemargin.families.tagging.spans import spans
from widemargin.readers.columns import Columns
from widemargin.readers.items import ItemFile


def mistakes(model: Tagger, data: Columns | ItemFile, answers: Answers, *, top: int) -> Told:
    """Labels that were confused, or spans: missed, too many, of another type or with other ends; and the sentences with most wrong."""
    gold, (codes, values) = written_in(data, model.label_column), answers.best
    right, guess = np.array(gold.values, object)[gold.codes], np.array(values, object)[codes]
    wrong = (right != guess) & (right != HIDDEN)
    bounds = list(zip(gold.row_ptr.tolist(), gold.row_ptr[1:].tolist()))
    confused: list[tuple[str, str]] = []
    if model.task.spans:
        for low, high in (pair for pair in bounds if wrong[pair[0] : pair[1]].any() and HIDDEN not in right[pair[0] : pair[1]]):
            confused += confused_spans(spans(right[low:high].tolist()), spans(guess[low:high].tolist()))
    else:
        confused = list(zip(right[wrong].tolist(), guess[wrong].tolist()))
    words = [NOTHING] * len(right) if isinstance(data, ItemFile) else data.cells(0)
    counts = np.add.reduceat(wrong, gold.row_ptr[:-1]) if len(bounds) else np.zeros(0)
    poor = []
    for i in worst_rows(counts, top):
        low, high = bounds[i]
        rows = [{"word": words[t], "gold": right[t], "guess": guess[t], "wrong": "<" if wrong[t] else ""} for t in range(low, high)]
        poor.append(Poor(i + 1, f"{gold.where(low)}: {int(counts[i])} of {high - low} labels are wrong", rows))
    return told_mistakes(confused, poor, top=top, of="wrong spans" if model.task.spans else "wrong labels")


def confused_spans(gold: list[tuple[int, int, str]], guess: list[tuple[int, int, str]]) -> list[tuple[str, str]]:
    """Each gold span that was not found with what was guessed in its place, if anything, and each guessed span in place of nothing."""
    missed, extra = [span for span in gold if span not in guess], [span for span in guess if span not in gold]
    out = []
    for first, end, kind in missed:
        other = next((span for span in extra if span[0] < end and first < span[1]), None)
        if other is None:
            out.append((kind, NOTHING))
            continue
        extra.remove(other)
        out.append((kind, other[2] + ("" if other[:2] == (first, end) else ", other ends")))
    return out + [(NOTHING, kind) for _, _, kind in extra]
