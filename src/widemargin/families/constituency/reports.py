"""What commands say of trees."""

import numpy as np

from widemargin.families.constituency.trees import Trees


def facts_of(trees: Trees) -> dict:
    """What trees hold, for people."""
    lengths, labels = np.diff(trees.row_ptr), np.bincount(trees.node[:, 2], minlength=len(trees.labels))
    order = np.argsort(-labels, kind="stable")[:40]
    return {
        "file": trees.source,
        "format": trees.format,
        "sentences": trees.sentences,
        "words": len(trees),
        "longest": int(lengths.max(initial=0)),
        "mean length": round(float(lengths.mean()), 2) if len(lengths) else 0.0,
        "without a tree": int((~trees.parsed).sum()),
        "known in part": int(trees.partial.sum()),
        "brackets": len(trees.node),
        "columns": {name: len(values) for name, values in zip(trees.columns.names, trees.columns.values)},
        "labels": {trees.labels[i]: int(labels[i]) for i in order if labels[i]},
    }
