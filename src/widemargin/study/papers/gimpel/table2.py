"""Table 2: seven methods on the same features, tuned on the development data, each looked at once on the test data.

The search goes along one axis after the other (m, C, the step) instead of over all combinations. Significance on the test data:
paired bootstrap of every pair of methods. Besides, softmax-margin with hidden variables (3.3) learns from partly hidden labels.
"""

import dataclasses
import time
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from widemargin.metrics.bootstrap import f1_from_counts, paired_bootstrap
from widemargin.show.tables import Column
from widemargin.study.experiment import Bench
from widemargin.study.papers.gimpel.data import Data, as_iob2, hide, open_data
from widemargin.study.papers.gimpel.methods import BASE, EPOCHS, METHODS, PATIENCE, Point, text_of, tune
from widemargin.study.reproduction import Report, Section, Settings

HIDDEN_SENTENCES, HIDDEN_TOKENS = 0.9, 0.5  # in nine of ten sentences, half of the labels


@dataclass
class Table2:
    """Ours beside theirs, the p-values between the methods, and the hidden-label runs."""

    data: str
    features: int
    samples: int
    rows: list[dict] = field(default_factory=list)
    pairs: dict[str, dict[str, float]] = field(default_factory=dict)  # p[better][worse], by F1 on the test data
    hidden: dict = field(default_factory=dict)
    seconds: float = 0.0

    def methods(self) -> Section:
        """The cells of the paper beside ours."""
        cells = [
            Column("dev", "dev F1", 2),
            Column("paper_dev", "theirs", 2),
            Column("test", "test F1", 2),
            Column("paper_test", "theirs", 2),
        ]
        chosen = [Column("chosen", "chosen on dev"), Column("paper_chosen", "theirs (C, m, averaged)")]
        title = f"Seven methods: {self.data}, {self.features:,} features"
        return Section(title, self.rows, [Column("method"), *cells, Column("p", "p against best", 4), *chosen])

    def significance(self) -> Section:
        """A line per method, best first: p of its being no worse than each better one."""
        order = [row["method"] for row in sorted(self.rows, key=lambda row: -row["test"])]
        rows = [{"method": worse} | {better: self.pairs[better].get(worse) for better in order} for worse in order]
        columns = [Column("method", "lower"), *(Column(name, f"than {name}", 4) for name in order[:-1])]
        return Section(f"p on the test data, paired bootstrap, {self.samples:,} samples", rows, columns)

    def hiding(self) -> Section:
        """Ways of learning from partly hidden labels."""
        share = f"{self.hidden['tokens']:.0%} of the labels hidden, in {self.hidden['sentences']:.0%} of the sentences"
        columns = [Column("way"), Column("sentences"), Column("dev", "dev F1", 2), Column("test", "test F1", 2)]
        return Section(f"Softmax-margin, {share}", self.hidden["rows"], [*columns, Column("p", "p against latent", 4)])


def report(settings: Settings) -> Report:
    """Three tables: the methods, what is significant, and learning from hidden labels."""
    found = table2(open_data(settings.data, settings.sentences), settings)
    return Report([found.methods(), found.significance(), found.hiding()], dataclasses.asdict(found))


def table2(data: Data, settings: Settings) -> Table2:
    """Tune, test, compare."""
    began = time.perf_counter()
    learning = {"epochs": settings.epochs or EPOCHS, "patience": PATIENCE, "seed": settings.seed}
    bench = Bench(BASE, data.train, threads=settings.threads)
    dev, test = bench.judge(data.dev), bench.judge(data.test)
    table = Table2(data.name, bench.features, settings.samples)
    counts: dict[str, np.ndarray] = {}
    chosen: dict[str, Point] = {}
    likelihood = None
    for method in METHODS:
        start = likelihood if method.from_likelihood else None
        point, fitted, tried = tune(method, bench, dev, learning, start=start, listen=settings.listen)
        if method.objective == "likelihood":
            likelihood = fitted.w
        counts[method.name], chosen[method.name] = test.scores(fitted.w).counts, point
        table.rows.append(
            {
                "method": method.name,
                "dev": max(facts["dev"]["f1"] for facts in fitted.history),
                "test": float(f1_from_counts(counts[method.name].sum(axis=0))),
                "paper_dev": method.dev,
                "paper_test": method.test,
                "chosen": text_of(point),
                "paper_chosen": method.published,
                "epoch": fitted.epoch,
                "cpu_per_epoch": fitted.cpu_per_epoch,
                "tried": tried,
            }
        )
    _compare_all(table, counts)
    table.hidden = learn_from_hidden(data, chosen["Softmax-Margin"], learning, settings)
    table.seconds = time.perf_counter() - began
    return table


def _compare_all(table: Table2, counts: dict[str, np.ndarray]) -> None:
    """p-values of every pair on the test data; that against the best goes into the table."""
    order = [row["method"] for row in sorted(table.rows, key=lambda row: -row["test"])]
    for i, better in enumerate(order):
        table.pairs[better] = {
            worse: paired_bootstrap(counts[better], counts[worse], samples=table.samples).p_value for worse in order[i + 1 :]
        }
    for row in table.rows:
        row["p"] = table.pairs[order[0]].get(row["method"])


def learn_from_hidden(data: Data, point: Point, learning: dict, settings: Settings) -> dict:
    """Softmax-margin where labels are hidden: summed over (latent), their sentences left out, or taken for O; and with all labels known."""
    method = next(method for method in METHODS if method.objective == "softmax-margin")
    known = as_iob2(data.train)
    some = hide(known, sentences=HIDDEN_SENTENCES, tokens=HIDDEN_TOKENS, seed=settings.seed)
    ways = {
        "latent: summed over": some.hidden,
        "sentences left out": some.complete,
        "taken for O": some.outside,
        "all labels known": known,
    }
    rows, counts = [], []
    for way, columns in ways.items():
        # labels as they are in the file, IOB2 by now, because hidden ones cannot be converted
        base: dict = {"labels": "as-is", "constraints": "iob2"}
        bench = Bench(dataclasses.replace(BASE, **base), columns, threads=settings.threads)
        dev, test = bench.judge(data.dev), bench.judge(data.test)
        recipe = dataclasses.replace(method.recipe(point, bench.problem.corpus.rows, learning), **base)
        tell = None if settings.listen is None else partial(settings.listen, way)
        fitted = bench.fit(recipe, dev, listen=tell)
        counts.append(test.scores(fitted.w).counts)
        score = float(f1_from_counts(counts[-1].sum(axis=0)))
        best = max(facts["dev"]["f1"] for facts in fitted.history)
        p = None if len(counts) == 1 else paired_bootstrap(counts[0], counts[-1], samples=settings.samples).p_value
        rows.append({"way": way, "sentences": bench.problem.corpus.rows, "dev": best, "test": score, "p": p})
    return {"tokens": some.tokens, "sentences": some.sentences, "rows": rows}
