"""Table 4: systems of others as the paper lists them, and ours on all sentences; each of ours is looked at once on the test data."""

import time

from widemargin.show.tables import Column
from widemargin.study.papers.yulam.data import epochs_of, open_np, slice_of
from widemargin.study.papers.yulam.methods import RICH_CRF, RICH_MEAN, WHOLE_META, WHOLE_OPS_PAIRS, WHOLE_PAIRS
from widemargin.study.papers.yulam.tables import compare, learnt_row
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
    found = [learnt_row(method.lasting(epochs_of(settings)), data, count, settings) for method in OURS]
    compare(found, RICH_CRF.name, settings.samples)
    rows = [{"system": name, "f1": f1} for name, f1 in PUBLISHED.items()]
    for row in (own.row for own in found):
        rows.append({"system": f"ours: {row['method']}"} | {key: row.get(key) for key in ("f1", "spread", "p", "seeds", "seconds")})
    columns = [Column("system"), Column("f1", "test F1", 2), Column("spread", "s.d.", 2)]
    columns += [Column("p", "p beside our CRF", 4), Column("seconds", "CPU s", 2)]
    title = f"Table 4: noun phrases, {data.name}, ours trained on {count:,} of {data.sentences:,} sentences"
    return Report([Section(title, rows, columns)], {"data": data.name, "rows": rows, "seconds": time.perf_counter() - began})
