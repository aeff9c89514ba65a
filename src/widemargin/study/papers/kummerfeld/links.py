"""Table 1 and Figure 1 on coreference: LitBank with gold mentions, mention ranking with latent antecedents.

An iteration is a sweep over all mentions. Dual learners keep, with each plane, the correct antecedent that was best when it was found
(structures/links). Observation 1 has an exception, likelihood above margin methods on coreference, where costs had been tuned for
likelihood: a table shows both with those costs (0.1, 3, 1) and with costs that suit data with singletons (0.5, 1, 1).
"""

import time
from functools import partial
from typing import Any

import numpy as np

from widemargin.corpora.catalogue import files_or_town
from widemargin.families.coreference.documents import Documents
from widemargin.families.coreference.sources import open_documents
from widemargin.families.recipes import Recipe
from widemargin.show.figures import draw_curves
from widemargin.show.tables import Column
from widemargin.study.experiment import Bench, Fitted
from widemargin.study.papers.kummerfeld.data import PARTS
from widemargin.study.papers.kummerfeld.methods import NO_CHECKS, PERCEPTRON, Method
from widemargin.study.papers.kummerfeld.table1 import by_iteration, decoding_seconds, per_iteration, times
from widemargin.study.reproduction import Report, Section, Settings

TASK, EPOCHS = "coref", 10
THEIRS, OURS = "durrett-klein", "false_anaphor=0.5,false_new=1,wrong_link=1"
# chosen on the development part of LitBank, with the second set of costs
SLOW, MEANS = {"rate": 0.0004}, {"average": True}
METHODS = (
    Method(PERCEPTRON, "perceptron", "perceptron", published={TASK: 1.0}),
    Method("MIRA", "mira", "hinge", SLOW, published={TASK: 1.0}),
    Method("OPS", "ops", "hinge", published={TASK: 1.3}, l2=0.0),
    Method("OPS, averaged", "ops", "hinge", MEANS, l2=0.0),
    Method("OPS, l2", "ops", "hinge", l2=1e-4),
    Method("OCP", "ocp", "hinge", NO_CHECKS, published={TASK: 1.7}, l2=1e-3),
    Method("BCFW", "bcfw", "hinge", NO_CHECKS | MEANS, l2=1e-3),
    Method(
        "Cutting plane", "cutting-plane", "hinge", {"passes": 10, "tolerance": 0.0}, published={TASK: 2.7}, epochs=5, online=False, l2=1e-3
    ),
    Method("Softmax-margin, AdaGrad", "ops", "softmax-margin", MEANS, l2=0.0),
    Method("Likelihood, AdaGrad", "ops", "likelihood", MEANS, l2=0.0),
)
DUALS = ("ocp", "bcfw", "cutting-plane")
COSTLY = ("MIRA", "OPS, averaged", "Softmax-margin, AdaGrad", "Likelihood, AdaGrad")  # of Observation 1


def open_links(folder: str | None = None, sentences: int | None = None) -> tuple[str, list[Documents]]:
    """LitBank, or the embedded documents; `sentences`: only documents of the first so many of each part."""
    name, places = files_or_town("litbank_coref", "LitBank", folder, PARTS)
    parts = [open_documents(path) for path in places]
    if sentences is not None:
        ends = [np.searchsorted(part.sentence_ptr, part.row_ptr[1:]) for part in parts]
        parts = [part.part(range(max(1, int((end <= sentences).sum())))) for part, end in zip(parts, ends)]
        name += f", documents of the first {sentences} sentences of each part"
    return name, parts


def report(settings: Settings) -> Report:
    """Table 1 and the points of Figure 1, and Observation 1 with both sets of costs."""
    began = time.perf_counter()
    name, (train, dev, test) = open_links(settings.data, settings.sentences)
    study = Study(train, dev, test, settings)
    rows = [study.row(method, OURS) for method in METHODS]
    first = next(row["seconds"] for row in rows if row["method"] == PERCEPTRON)
    for row in rows:
        row["relative"] = row["seconds"] / first
    title = f"CoNLL average on development data by iteration: {TASK}, {name}"
    costs = [study.observed(method, cost, rows) for cost in (OURS, THEIRS) for method in METHODS if method.name in COSTLY]
    columns = [Column("cost"), Column("method"), Column("dev", "dev CONLL", 2), Column("test", "test CONLL", 2)]
    sections = [
        times(rows, TASK, f"{name}, {study.features:,} features", "CONLL"),
        by_iteration(rows, title),
        Section("Observation 1: margin and likelihood, with costs for data with singletons, and with those of the paper", costs, columns),
    ]
    drawn = {method.name for method in METHODS if method.online}
    curves = {row["method"]: [(float(i), mark) for i, mark in enumerate(row["curve"], 1)] for row in rows if row["method"] in drawn}

    def draw(stem: str) -> list[str]:
        return draw_curves(curves, stem, title=title, x_label="iteration", y_label="CONLL")

    facts = {"task": TASK, "data": name, "features": study.features, "rows": rows, "costs": costs, "seconds": time.perf_counter() - began}
    return Report(sections, facts, draw)


class Study:
    """The data on two benches: lists, and links for dual learners."""

    def __init__(self, train: Documents, dev: Documents, test: Documents, settings: Settings):
        self.settings, self.benches = settings, {}
        for structure in ("lists", "links"):
            bench = Bench(Recipe(TASK, structure=structure), train)
            self.benches[structure] = bench, bench.judge(dev), bench.judge(test)
        self.features = self.benches["lists"][0].features

    def fit(self, method: Method, cost: str) -> tuple[Fitted, float]:
        """A method with a look at every epoch, and its score on the test data."""
        structure = "links" if method.learner in DUALS else "lists"
        bench, dev, test = self.benches[structure]
        epochs = min(self.settings.epochs or EPOCHS, method.epochs or EPOCHS)
        given = {"epochs": epochs, "seed": self.settings.seed} | method.settings
        how: dict[str, Any] = {"objective": method.objective, "l1": method.l1, "l2": method.l2, "cost": cost, "settings": given}
        tell = None if self.settings.listen is None else partial(self.settings.listen, f"{method.name}, {cost}")
        fitted = bench.fit(Recipe(TASK, method.learner, structure=structure, **how), dev, listen=tell)
        return fitted, float(test(fitted.w)[bench.metric])

    def row(self, method: Method, cost: str) -> dict:
        """A line of Table 1, without the time of the perceptron."""
        fitted, test = self.fit(method, cost)
        bench = self.benches[fitted.recipe.structure][0]
        curve, seconds = [facts["dev"][bench.metric] for facts in fitted.history], per_iteration(np.array(fitted.epoch_seconds))
        return {
            "method": method.name,
            "learner": method.learner,
            "objective": method.objective,
            "settings": fitted.recipe.settings,
            "l1": method.l1,
            "l2": fitted.l2,
            "published": method.published.get(TASK),
            "decoding": decoding_seconds(bench, fitted) / seconds,
            "published_decoding": 0.2 if method.name == PERCEPTRON else None,
            "seconds": seconds,
            "dev": max(curve),
            "epoch": fitted.epoch,
            "test": test,
            "curve": curve,
        }

    def observed(self, method: Method, cost: str, rows: list[dict]) -> dict:
        """A line of Observation 1; what stands in Table 1 is not fitted again, nor is what takes no cost."""
        known = next(row for row in rows if row["method"] == method.name)
        if cost == OURS or method.objective == "likelihood":
            return {"cost": "none" if method.objective == "likelihood" else cost, "method": method.name} | {
                key: known[key] for key in ("dev", "test")
            }
        fitted, test = self.fit(method, cost)
        return {"cost": cost, "method": method.name, "dev": max(facts["dev"]["conll"] for facts in fitted.history), "test": test}
