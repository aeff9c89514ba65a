"""A trained reranker: names of features and their weights, in the features' own scale."""

import dataclasses
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from widemargin.contents import Contents
from widemargin.errors import InputError
from widemargin.families.base import Task
from widemargin.families.model import Model
from widemargin.families.pruning import pruned_tables
from widemargin.families.reranking import FAMILY
from widemargin.families.reranking.bleu import SMOOTHINGS
from widemargin.families.reranking.features import featurised, load_templates
from widemargin.families.reranking.metrics import first_best
from widemargin.families.reranking.pool import Pool

RERANK, FORMAT = "rerank", 3
LARGEST, LOWEST = 1e30, -1e12  # of weights and scales in files, in absolute value; of logarithms


class ListWeights(NamedTuple):
    """The only table of weights."""

    values: np.ndarray  # float64 [D]


@dataclass
class RerankModel(Model):
    """Everything that reranking needs."""

    kind: ClassVar[str] = "reranker"
    family: ClassVar[str] = FAMILY.name
    task: ClassVar[Task] = FAMILY.tasks[RERANK]

    names: tuple[str, ...]  # [D]
    weights: ListWeights
    scale: np.ndarray  # float64 [D]   what features were divided by while learning; 0: nothing could be learnt of this one
    templates: tuple[str, ...]
    metric: str
    smoothing: str
    facts: dict = field(default_factory=dict)
    temperature: float = 1.0
    structure_name: str = "lists"

    # ---- answers ----------------------------------------------------------------------------------------------------------------

    def scores(self, pool: Pool) -> np.ndarray:
        """w . f(h) of every hypothesis, float64 [H]; features that the model does not know count nothing."""
        found = featurised(pool, self.templates, self.names).scores(self.weights.values)
        if not np.isfinite(found).all():
            raise InputError("scores of hypotheses are not finite with these weights; the features of the lists are too large", pool.source)
        return found

    def predict(self, pool: Pool) -> np.ndarray:
        """The best hypothesis of every sentence, as an index into all hypotheses, int64 [S]; the first of equals."""
        return first_best(pool.row_ptr, self.scores(pool))

    def log_probabilities(self, pool: Pool, temperature: float | None = None) -> np.ndarray:
        """log P(h | its list) of every hypothesis, float64 [H]; not below LOWEST, however small the temperature."""
        scores = self.scores(pool)
        with np.errstate(over="ignore"):
            below = (scores - np.maximum.reduceat(scores, pool.row_ptr[:-1])[pool.row]) / (temperature or self.temperature)
        below = np.maximum(below, LOWEST)
        return below - np.log(np.add.reduceat(np.exp(below), pool.row_ptr[:-1]))[pool.row]

    def pruned(self, *, threshold: float | None, keep: int | None) -> "RerankModel":
        """Without weights that move scores by less than the threshold, each by its feature's usual deviation within a list."""
        scale = np.where(self.scale > 0.0, self.scale, 1.0)
        (table,), facts = pruned_tables((self.weights.values * scale,), threshold=threshold, keep=keep)
        return dataclasses.replace(self, weights=ListWeights(table / scale), facts=self.facts | {"pruned": facts})

    @property
    def active(self) -> int:
        """How many weights are not 0."""
        return int(np.count_nonzero(self.weights.values))

    def summary(self) -> dict:
        return {
            "task": RERANK,
            "templates": " ".join(self.templates),
            "features": len(self.names),
            "active": self.active,
            "metric": self.metric + (f", {self.smoothing} for one sentence" if self.metric == "bleu" else ""),
        } | self.trained()

    def trained(self) -> dict:
        facts = self.facts
        more = {"trained on": f"{facts.get('sentences', 0):,} lists, {facts.get('tokens', 0):,} hypotheses"}
        return super().trained() | more

    # ---- on disk ----------------------------------------------------------------------------------------------------------------

    def parts(self) -> tuple[dict, dict[str, np.ndarray]]:
        header = self.header(FORMAT) | {
            "names": list(self.names),
            "templates": list(self.templates),
            "metric": self.metric,
            "smoothing": self.smoothing,
            "facts": self.facts,
            "temperature": self.temperature,
        }
        return header, {"weights": self.weights.values, "scale": self.scale}

    @classmethod
    def from_contents(cls, own: Contents) -> "RerankModel":
        names, templates = own.texts("names", least=1), own.texts("templates", least=1)
        load_templates("\n".join(templates) + "\n")
        weights, scale = (own.array(name, "f8", len(names)) for name in ("weights", "scale"))
        for name, array in (("weights", weights), ("scale", scale)):
            if not (np.abs(array) <= LARGEST).all():
                raise own.wrong(name, f"holds NaN, infinity or numbers beyond {LARGEST:g}")
        if (scale < 0.0).any():
            raise own.wrong("scale", "goes below 0")
        return cls(
            names=names,
            weights=ListWeights(weights),
            scale=scale,
            templates=templates,
            metric=own.field("metric", str),
            smoothing=own.choice("smoothing", SMOOTHINGS),
            facts=own.field("facts", dict),
            temperature=own.positive("temperature"),
        )
