"""How many features: ours by rows of weights, and counted as the paper seems to count, by weights that are seen with gold labels.

"A feature was included if it occurred at least once in training data (total 1,312,255 features)". A feature of the paper has the label in
it (and, where starred, the label before), so that what corresponds is a row's weight for a label, or for a pair of labels, that stands in
the training data.
"""

import numpy as np

from widemargin.families.tagging.training import features_of
from widemargin.readers.columns import Columns
from widemargin.scoring.token_features import Features
from widemargin.show.tables import Column
from widemargin.study.papers.gimpel.data import as_iob2, open_data
from widemargin.study.papers.gimpel.methods import BASE
from widemargin.study.papers.gimpel.published import FEATURES
from widemargin.study.reproduction import Report, Section, Settings

QUICK_SENTENCES = 40


def report(settings: Settings) -> Report:
    """Rows of weights, and weights seen with gold labels as they are in the file (IOB1) and in IOB2."""
    settings = settings.sized(sentences=QUICK_SENTENCES)
    data = open_data(settings.data, settings.sentences)
    features = features_of(BASE, data.train)[1]
    rows: list[dict] = [{"count": "rows of weights here", **row_counts(features)}]
    for name, labelled in (("as in the file", data.train), ("in IOB2", as_iob2(data.train))):
        rows.append({"count": f"weights seen with gold labels, {name}", **seen_with_gold(features, labelled)})
    rows.append({"count": "printed in the paper, with gazetteers", "total": FEATURES})
    for row in rows:
        row["difference"] = row["total"] - FEATURES
    columns = [
        Column("count"),
        *(Column(key, None, 0) for key in ("label", "pair", "plain", "total")),
        Column("difference", "less theirs", 0),
    ]
    return Report([Section(f"How many features: {data.name}", rows, columns)], {"data": data.name, "rows": rows})


def row_counts(features: Features) -> dict[str, int]:
    """Distinct features: those of a label, those of a pair of labels; plain transitions are not counted as one."""
    own = {"label": len(np.unique(features.node_ind)), "pair": len(np.unique(features.edge_ind)), "plain": 0}
    return own | {"total": sum(own.values())}


def seen_with_gold(features: Features, columns: Columns) -> dict[str, int]:
    """Distinct (feature, label), (feature, label before, label) and (label before, label)."""
    labels, many = columns.codes[-1].astype(np.int64), len(columns.values[-1])
    pairs = np.roll(labels, 1) * many + labels  # of first tokens nobody asks
    inside = np.ones(len(labels), bool)
    inside[columns.row_ptr[:-1]] = False
    seen = {
        "label": _distinct(features.node_ptr, features.node_ind, labels, many),
        "pair": _distinct(features.edge_ptr, features.edge_ind, pairs, many * many),
        "plain": len(np.unique(pairs[inside])),
    }
    return seen | {"total": sum(seen.values())}


def _distinct(ptr: np.ndarray, ind: np.ndarray, beside: np.ndarray, many: int) -> int:
    """How many pairs of a feature and what stands beside it."""
    if len(ptr) <= 1:
        return 0
    return len(np.unique(ind.astype(np.int64) * many + np.repeat(beside, np.diff(ptr))))
