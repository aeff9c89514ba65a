"""The problem of links: for every mention one of its candidates, by hashed features (features.py). n, and steps, are per mention."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from widemargin.compiler.lanes import lanes_of
from widemargin.engine.problem import Problem
from widemargin.engine.rows import Rows
from widemargin.engine.tables import Reader, TableSpec, Weights, fixed, fixed_table
from widemargin.errors import InputError
from widemargin.families.coreference.attributes import Mentions
from widemargin.families.coreference.costs import LinkCost
from widemargin.families.coreference.features import LinkFeatures
from widemargin.families.coreference.kernels.links import Antecedents, Candidates, LinkTable
from widemargin.families.coreference.kernels.pairs import RELATION_COUNT, Codes, Facts
from widemargin.scoring.hashed import LINE
from widemargin.structures.links.arrays import Links
from widemargin.structures.lists.arrays import Lists
from widemargin.structures.lists.mixture import CandidateMixture, candidate_mixture


@dataclass(frozen=True, eq=False)
class LinkCorpus:
    """n mentions to be linked, among all of some documents."""

    mention: np.ndarray  # int64 [n]
    lowest: np.ndarray  # int64 [n]  the first mention that is a candidate
    chain: np.ndarray  # int64 [M]
    weight: np.ndarray  # [n]
    mentions: Mentions
    codes: tuple[np.ndarray, np.ndarray, np.ndarray]  # of templates (features.codes)
    features: LinkFeatures

    @property
    def rows(self) -> int:
        return len(self.mention)

    @property
    def sizes(self) -> np.ndarray:
        """Candidates of every row [n]."""
        return self.mention - self.lowest + 1

    @property
    def longest(self) -> int:
        return int(self.sizes.max(initial=1))

    @cached_property
    def at(self) -> np.ndarray:
        """Where the candidates of each row begin, int64 [n+1]."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    def correct(self, i: int) -> np.ndarray:
        """Which candidates of row i are, bool [K]; none where its chain is not known."""
        m, low = int(self.mention[i]), int(self.lowest[i])
        own = self.chain[m]
        same = np.concatenate([[False], (self.chain[low:m] == own)[::-1]]) & (own >= 0)
        same[0] = own >= 0 and not same.any()
        return same

    @cached_property
    def counts(self) -> np.ndarray:
        """How many candidates of each row are correct, int64 [n]."""
        return np.array([int(self.correct(i).sum()) for i in range(self.rows)], np.int64)

    def part(self, rows: np.ndarray) -> "LinkCorpus":
        """Some of the mentions, which still have all before them as candidates."""
        return LinkCorpus(self.mention[rows], self.lowest[rows], self.chain, self.weight[rows], self.mentions, self.codes, self.features)


def link_corpus(mention_ptr: np.ndarray, chain: np.ndarray, mentions: Mentions, features: LinkFeatures, window: int) -> LinkCorpus:
    """All mentions of documents; each may be linked to the `window` mentions before it. mention_ptr: int64 [D+1]."""
    mention = np.arange(int(mention_ptr[-1]))
    lowest = np.maximum(np.repeat(mention_ptr[:-1], np.diff(mention_ptr)), mention - window)
    codes = features.codes(mentions)
    seen = replace(mentions, column=mentions.column[:0].copy())  # what templates look at has become codes, and is large
    return LinkCorpus(mention, lowest, chain, np.ones(len(mention)), seen, codes, features)


def rows_of(corpus: LinkCorpus, prices: tuple[float, float, float], dtype, room: int) -> Rows:
    """Rows with scratch of one thread for up to `room` candidates."""
    target = Antecedents(
        corpus.mention, corpus.lowest, corpus.chain, np.array(prices, dtype), np.zeros(room, np.int8), np.zeros(room, dtype)
    )
    facts = Facts(corpus.mentions.fact, corpus.mentions.content, corpus.mentions.word)
    link = np.zeros(corpus.codes[0].shape[1], np.uint32)
    codes = Codes(*corpus.codes, np.zeros(RELATION_COUNT, np.int64), link, np.zeros((1, LINE), dtype))
    return Rows(target, Candidates(corpus.at, corpus.mention, corpus.features.plan, facts, codes), corpus.weight)


def link_table(weights: Weights) -> LinkTable:
    """The bundle, with its view."""
    return LinkTable(weights, weights.row.reshape(-1))


def reader_of(weights: np.ndarray) -> Reader:
    """Reads weights [rows, 16] that nobody moves."""
    return fixed(link_table(fixed_table(np.ascontiguousarray(weights))))


@dataclass
class LinkProblem(Problem):
    """Mentions, prices of wrong links, an objective and a penalty."""

    corpus: LinkCorpus
    structure: Lists | Links
    cost: LinkCost

    pieces = 4  # each has a gradient of its own, of all weights

    def __post_init__(self):
        super().__post_init__()
        if "strata" in self.objective.needs and self.latent:
            text = "one correct antecedent of every mention; with several use hinge or ramp"
            raise InputError(f"objective {self.objective.name!r} needs {text}")

    @property
    def latent(self) -> bool:
        """Has a mention several correct antecedents, or is its chain not known? A structure of links brings a correct one of its own."""
        return not isinstance(self.structure, Links) and bool((self.corpus.counts != 1).any())

    def tables(self) -> tuple[TableSpec]:
        rows = self.corpus.features.rows
        return (TableSpec(rows, 1, lanes_of(LINE), np.ones(rows), planes=True),)

    def bundle(self, *tables: Weights) -> LinkTable:
        return link_table(*tables)

    def rows(self, dtype, room: int) -> Rows:
        return rows_of(self.corpus, self.cost.prices, dtype, room)

    def workspace(self, dtype, room: int) -> tuple:
        return self.structure.workspace(room, dtype=dtype)

    def mixture(self, dtype, memory: float) -> CandidateMixture:
        """bcfw's mixture, all on the gold."""
        return candidate_mixture(self.corpus.rows, int(self.corpus.at[-1]), memory)

    def slots(self) -> np.ndarray:
        """An output is one number."""
        return np.arange(self.corpus.rows + 1)

    def cuts(self) -> np.ndarray:
        """Candidates are shared out evenly."""
        return np.searchsorted(self.corpus.at, np.linspace(0, self.corpus.at[-1], self.pieces + 1))
