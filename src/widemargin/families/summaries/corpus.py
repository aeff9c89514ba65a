"""Clusters as rows of a problem: covers, feature vectors, gold sets and prices."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from widemargin.engine.tables import aligned
from widemargin.families.summaries.candidates import Candidates
from widemargin.families.summaries.costs import SummaryCost
from widemargin.families.summaries.templates import Template
from widemargin.scoring.list_corpus import DenseFeatures
from widemargin.scoring.parts import PartVectors
from widemargin.structures.subset.arrays import Subset, cover_of
from widemargin.structures.subset.cover import Cover, Covers


@dataclass(frozen=True)
class ClusterRow:
    """One cluster: B bigrams and S sentences, n = B + S parts."""

    candidates: Candidates
    x: np.ndarray  # [n, D]
    gold: np.ndarray  # int8 [n], 0 where it is not known
    known: bool
    price: np.ndarray  # [n]
    offset: float


def features_of(candidates: Candidates, templates: tuple[Template, ...]) -> np.ndarray:
    """Feature vectors of bigrams and of sentences [B + S, D]; each kind has 0 where the other's features stand."""
    B, S = candidates.facts.size, candidates.sentence_facts.size
    blocks = []
    for template in templates:
        found = template.matrix(candidates.sentence_facts if template.sentence else candidates.facts)
        other = np.zeros(((B if template.sentence else S), found.shape[1]))
        blocks.append(np.concatenate([other, found] if template.sentence else [found, other]))
    return np.concatenate(blocks, axis=1)


def gold_of(candidates: Candidates, structure: Subset) -> np.ndarray:
    """The set of highest bigram recall within the budget, int8 [n]; of several the one that the search meets first."""
    reference, _ = candidates.reference_weights()
    return structure.argmax(np.concatenate([reference, np.zeros(len(candidates.sentences))]), candidates.coverage).parts


def row_of(candidates: Candidates, templates: tuple[Template, ...], structure: Subset, cost: SummaryCost | None) -> ClusterRow:
    """A cluster to learn from, or, without a cost, to be answered."""
    x, n = features_of(candidates, templates), candidates.facts.size + candidates.sentence_facts.size
    if cost is None or not candidates.cluster.references:
        return ClusterRow(candidates, x, np.zeros(n, np.int8), False, np.zeros(n), 0.0)
    gold = gold_of(candidates, structure)
    return ClusterRow(candidates, x, gold, True, *cost.prices(gold, *candidates.reference_weights()))


@dataclass(frozen=True)
class SummaryCorpus:
    """n clusters (engine.problem.Problem says what it needs of them)."""

    clusters: tuple[ClusterRow, ...]
    weight: np.ndarray  # [n]

    @property
    def rows(self) -> int:
        return len(self.clusters)

    @property
    def longest(self) -> int:
        return int(np.diff(self.cover.at).max())

    @cached_property
    def cover(self) -> Cover:
        return cover_of([row.candidates.coverage for row in self.clusters])

    @cached_property
    def features(self) -> DenseFeatures:
        return DenseFeatures(np.concatenate([row.x for row in self.clusters]))

    @cached_property
    def _made(self) -> dict[np.dtype, tuple[Covers, PartVectors]]:
        """Target and input by precision."""
        return {}

    def target_and_input(self, dtype) -> tuple[Covers, PartVectors]:
        """Both as kernels read them; what they write to is new."""
        dtype = np.dtype(dtype)
        if dtype not in self._made:
            gold, price = (np.concatenate([getattr(row, name) for row in self.clusters]) for name in ("gold", "price"))
            known, offset = (np.array([getattr(row, name) for row in self.clusters]) for name in ("known", "offset"))
            target = Covers(self.cover.at, gold, known, price.astype(dtype), offset.astype(np.float64), np.zeros(1, np.int64))
            self._made[dtype] = target, PartVectors(self.cover.at, self.features.input(self.cover.at, dtype))
        target, given = self._made[dtype]
        scratch = aligned(given.vectors.scratch.shape, dtype)
        return target._replace(stopped=np.zeros(1, np.int64)), given._replace(vectors=given.vectors._replace(scratch=scratch))

    def part(self, rows: np.ndarray) -> "SummaryCorpus":
        """Some of the clusters."""
        return SummaryCorpus(tuple(self.clusters[i] for i in rows), self.weight[rows])
