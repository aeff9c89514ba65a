"""Precision, recall and F1 of each class and their averages, laid out as scikit-learn's classification_report."""

from collections.abc import Mapping

from widemargin.metrics.rates import rates

Counts = tuple[int, int, int]  # correct, guessed, gold
ACCURACY, MICRO, MACRO, WEIGHTED = "accuracy", "micro avg", "macro avg", "weighted avg"


def classification(by_class: Mapping[str, Counts], *, accuracy: bool = False) -> dict[str, dict]:
    """Numbers from 0 to 1 by class, then the averages. accuracy: everything has one class and gets one, so that all micro averages are one
    number.

        macro avg      the mean over classes             weighted avg    the same, weighted by support (gold)
        micro avg      from the sums of all counts
    """
    out: dict[str, dict] = {name: _line(*counts) for name, counts in sorted(by_class.items())}
    every = list(out.values())
    correct, guessed, gold = (sum(counts[k] for counts in by_class.values()) for k in range(3))
    micro = _line(correct, guessed, gold)
    averages: dict[str, dict] = {ACCURACY: {"f1-score": micro["recall"], "support": gold}} if accuracy else {MICRO: micro}
    for name, weights in ((MACRO, [1.0] * len(every)), (WEIGHTED, [line["support"] for line in every])):
        total = sum(weights) or 1.0
        mean = {key: sum(w * line[key] for w, line in zip(weights, every)) / total for key in ("precision", "recall", "f1-score")}
        averages[name] = mean | {"support": gold}
    return out | averages


def _line(correct: int, guessed: int, gold: int) -> dict:
    return dict(zip(("precision", "recall", "f1-score"), (rate / 100 for rate in rates(correct, guessed, gold)))) | {"support": gold}


def classification_text(found: Mapping[str, Mapping], digits: int = 2) -> str:
    """What scikit-learn prints of the same numbers."""
    width = max(len(WEIGHTED), *map(len, found))
    lines = [" " * width + " " + "".join(f" {name:>9}" for name in ("precision", "recall", "f1-score", "support")), ""]
    for name, line in found.items():
        if name in (ACCURACY, MICRO):
            lines.append("")
        cells = [f" {line[key]:>9.{digits}f}" if key in line else " " * 10 for key in ("precision", "recall", "f1-score")]
        lines.append(f"{name:>{width}} {''.join(cells)} {line['support']:>9}")
    return "\n".join(lines) + "\n"
