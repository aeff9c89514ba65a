"""Table 2: seven methods on the same features, tuned on the development data, each looked at once on the test data.

The search goes along one axis after the other (C, then m, then averaging) instead of over all combinations. Significance on the test data:
paired bootstrap of every pair of methods. Besides, softmax-margin with hidden variables (3.3) learns from partly hidden labels.
"""

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from widemargin.metrics.bootstrap import f1_from_counts, paired_bootstrap

from ..bench import Bench
from ..tables import Column
from .data import Data, as_iob2, hide
from .methods import BASE, EPOCHS, METHODS, PATIENCE, Point, text_of, tune

Listener = Callable[[str, dict], None]
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

    def columns(self) -> list[Column]:
        """The cells of the paper beside ours."""
        ours = [
            Column("dev", "dev F1", 2),
            Column("paper_dev", "theirs", 2),
            Column("test", "test F1", 2),
            Column("paper_test", "theirs", 2),
        ]
        return [
            Column("method"),
            *ours,
            Column("p", "p against best", 4),
            Column("chosen", "chosen on dev"),
            Column("paper_chosen", "theirs"),
        ]

    def pair_rows(self) -> list[dict]:
        """A line per method, best first: p of being no worse than each better one."""
        order = [row["method"] for row in sorted(self.rows, key=lambda row: -row["test"])]
        return [{"method": worse} | {better: self.pairs.get(better, {}).get(worse) for better in order[:-1]} for worse in order]

    def pair_columns(self) -> list[Column]:
        """One column per method that is better than another."""
        return [Column("method", "test F1 below"), *(Column(name, name, 4) for name in self.pair_rows()[0] if name != "method")]

    def hidden_columns(self) -> list[Column]:
        """Ways of learning from partly hidden labels."""
        return [
            Column("way"),
            Column("sentences"),
            Column("dev", "dev F1", 2),
            Column("test", "test F1", 2),
            Column("p", "p against latent", 4),
        ]

    def as_dict(self) -> dict:
        """Everything, for programs."""
        return dataclasses.asdict(self)


def table2(
    data: Data, *, epochs: int | None = None, seed: int = 1, samples: int = 10_000, threads: int = 1, listen: Listener | None = None
) -> Table2:
    """Tune, test, compare."""
    began = time.perf_counter()
    settings = {"epochs": epochs or EPOCHS, "patience": PATIENCE, "seed": seed}
    bench = Bench(BASE, data.train, threads=threads)
    dev, test = bench.judge(data.dev), bench.judge(data.test)
    table = Table2(data.name, bench.features, samples)
    counts: dict[str, np.ndarray] = {}
    chosen: dict[str, Point] = {}
    likelihood = None
    for method in METHODS:
        point, fitted, tried = tune(method, bench, dev, settings, start=likelihood if method.from_likelihood else None, listen=listen)
        if method.objective == "likelihood":
            likelihood = fitted.w
        counts[method.name], chosen[method.name] = bench.counts(fitted.w, test), point
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
    table.hidden = learn_from_hidden(data, chosen["Softmax-Margin"], settings, samples=samples, threads=threads, listen=listen)
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


def learn_from_hidden(data: Data, point: Point, settings: dict, *, samples: int, threads: int, listen: Listener | None = None) -> dict:
    """Softmax-margin where labels are hidden: summed over (latent), their sentences left out, or taken for O; and with all labels known."""
    method = next(method for method in METHODS if method.objective == "softmax-margin")
    known = as_iob2(data.train)
    partial = hide(known, sentences=HIDDEN_SENTENCES, tokens=HIDDEN_TOKENS, seed=int(settings["seed"]))
    ways = {
        "latent: summed over": partial.hidden,
        "sentences left out": partial.complete,
        "taken for O": partial.outside,
        "all labels known": known,
    }
    rows, counts = [], []
    for way, columns in ways.items():
        # labels as they are in the file, IOB2 by now, because hidden ones cannot be converted
        base: dict = {"labels": "as-is", "constraints": "iob2"}
        bench = Bench(dataclasses.replace(BASE, **base), columns, threads=threads)
        dev, test = bench.judge(data.dev), bench.judge(data.test)
        recipe = dataclasses.replace(method.recipe(point, bench.problem.corpus.rows, settings), **base)
        tell = None if listen is None else (lambda facts, way=way: listen(way, facts))
        fitted = bench.fit(recipe, dev, listen=tell)
        counts.append(bench.counts(fitted.w, test))
        score = float(f1_from_counts(counts[-1].sum(axis=0)))
        best = max(facts["dev"]["f1"] for facts in fitted.history)
        p = None if len(counts) == 1 else paired_bootstrap(counts[0], counts[-1], samples=samples).p_value
        rows.append({"way": way, "sentences": bench.problem.corpus.rows, "dev": best, "test": score, "p": p})
    return {"hidden tokens": partial.tokens, "sentences with hidden labels": partial.sentences, "rows": rows}
