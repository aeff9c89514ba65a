"""Figure 2: how much more of a sentence is lost when F1 of the original trees was optimised than when that of binarised ones was.

The loss is 1 - F1 of a sentence; sentences without a difference are left out, as in the paper. Left of zero, the original trees are better.
"""

import numpy as np

from widemargin.metrics.wilcoxon import signed_rank
from widemargin.show.figures import draw_histogram
from widemargin.show.tables import Column
from widemargin.study.papers.bauer.data import FOLDS, SHORT, open_folds
from widemargin.study.papers.bauer.methods import BINARISED, METHODS, ORIGINAL
from widemargin.study.papers.bauer.runs import Runs
from widemargin.study.reproduction import Report, Section, Settings

BINS = 20  # on each side of zero
WIDTH = 0.05


def report(settings: Settings) -> Report:
    """The bins as a table and a figure, from the runs of bauer-table1 where they are kept in the folder."""
    data = open_folds(settings)[SHORT]
    runs = Runs(data, settings)
    folds = min(settings.folds or FOLDS, 2 if settings.quick else FOLDS)
    found = runs.cross_validated([method for method in METHODS if method.name in (ORIGINAL, BINARISED)], folds)
    f1 = {name: np.concatenate([run.f1 for run in of.runs]) for name, of in found.items()}
    difference = (f1[BINARISED] - f1[ORIGINAL]) / 100.0
    edges, counts = bins_of(difference)
    rows = [{"from": low, "to": high, "count": count} for low, high, count in zip(edges, edges[1:], counts.tolist()) if count]
    test = signed_rank(f1[ORIGINAL], f1[BINARISED])
    better, worse = int((difference < 0).sum()), int((difference > 0).sum())
    about = f"{better} sentences are better, {worse} worse, {len(difference) - better - worse} alike; W {test.w:.1f}, p {test.p_value:.4f}"
    title = f"Loss when original trees are counted, less binarised: {data.name}"
    facts = {"data": data.name, "better": better, "worse": worse, "n": test.n, "w": test.w, "p": test.p_value, "bins": rows}
    columns = [Column("from", "from", 2), Column("to", "to", 2), Column("count", "sentences")]

    def draw(stem: str) -> list[str]:
        label = "1 - F1 when original trees are counted, less 1 - F1 when binarised ones are"
        return draw_histogram(edges.tolist(), counts.tolist(), stem, title=title, x_label=label, y_label="sentences", note=about)

    return Report([Section(f"{title} ({about})", rows, columns)], facts, draw)


def bins_of(difference: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Edges [2 BINS + 1] from -1 to 1, and how many differences but 0 lie between two of them; an edge belongs to the bin nearer 0."""
    edges = WIDTH * np.arange(-BINS, BINS + 1)
    some = difference[difference != 0]
    number = np.ceil(np.round(np.abs(some) / WIDTH, 9)).astype(int)  # 1: the bin beside 0
    counts = np.zeros(2 * BINS, np.int64)
    np.add.at(counts, np.where(some > 0, BINS - 1 + number, BINS - number), 1)
    return edges, counts
