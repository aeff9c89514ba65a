"""Table 4: systems of others as the paper lists them, and ours on all sentences; each of ours is looked at once on the test data."""

import time

from widemargin.show.tables import Column
from widemargin.study.papers.yulam.data import open_np
from widemargin.study.papers.yulam.methods import RICH_CRF, RICH_MEAN, WHOLE_META, WHOLE_OPS_PAIRS, WHOLE_PAIRS
from widemargin.study.papers.yulam.tables import epochs_of, learnt_row, slice_of
from widemargin.study.reproduction import Report, Section, Settings

# F1 where the paper's text, as we have it, shows a number
PUBLISHED = {
    "SVMs, polynomial kernel (Kudo and Matsumoto 2000)": 93.79,
    "SVM combination (Kudo and Matsumoto 2001)": 94.39,
    "Generalised winnow (Zhang et al. 2002)": 94.38,
    "Voted perceptron (Collins 2002)": None,
    "CRFs (Sha and Pereira 2003)": None,
    "Second-order CRFs (McDonald et al. 2005)": None,
    "Charniak's parser (Hollingshead et al. 2005)": None,
    "Latent-dynamic CRFs (Sun et al. 2008)": None,
    "M3N, quadratic kernel, SGD (the paper's own)": 94.69,
}
OURS = (WHOLE_META, WHOLE_PAIRS, WHOLE_OPS_PAIRS, RICH_CRF, RICH_MEAN)


def report(settings: Settings) -> Report:
    """Theirs, then ours."""
    began, data = time.perf_counter(), open_np(settings.place)
    size = slice_of(settings, data)
    count = size if settings.quick or settings.sentences is not None else data.sentences
    found = [learnt_row(method.lasting(epochs_of(settings)), data, count, settings).row for method in OURS]
    rows = [{"system": name, "f1": f1} for name, f1 in PUBLISHED.items()]
    rows += [{"system": f"ours: {row['method']}", "f1": row["f1"], "seconds": row["seconds"]} for row in found]
    columns = [Column("system"), Column("f1", "test F1", 2), Column("seconds", "CPU s", 2)]
    title = f"Table 4: noun phrases, {data.name}, ours trained on {count:,} of {data.sentences:,} sentences"
    return Report([Section(title, rows, columns)], {"data": data.name, "rows": rows, "seconds": time.perf_counter() - began})
