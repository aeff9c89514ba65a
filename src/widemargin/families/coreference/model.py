"""A trained resolver: features and weights; reads documents, answers with chains, link probabilities and alternatives."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from widemargin.contents import Contents
from widemargin.families.base import Task
from widemargin.families.coreference import FAMILY, MENTIONS
from widemargin.families.coreference.attributes import attributes
from widemargin.families.coreference.decoding import Scored, best_candidates, chains_of
from widemargin.families.coreference.detection import detected
from widemargin.families.coreference.documents import Documents, Span
from widemargin.families.coreference.features import LinkFeatures
from widemargin.families.coreference.problem import LinkCorpus, link_corpus
from widemargin.families.model import Model
from widemargin.families.packing import restored, stored
from widemargin.scoring.hashed import LINE

COREF = "coref"
FORMAT = 4
LARGEST_WINDOW = 1_000_000
LARGEST_WEIGHT = 1e30


class LinkWeights(NamedTuple):
    """Weights of a resolver."""

    links: np.ndarray  # [rows, 16]


@dataclass
class Resolver(Model):
    """Everything that resolving needs. Weights are float32."""

    kind: ClassVar[str] = "resolver"
    family: ClassVar[str] = FAMILY.name
    task: ClassVar[Task] = FAMILY.tasks[COREF]

    structure_name: str
    features: LinkFeatures
    weights: LinkWeights
    window: int  # a mention may be linked to so many before it
    mentions: str  # where mentions come from: one of MENTIONS
    singletons: bool  # chains of one mention are answers too
    facts: dict = field(default_factory=dict)  # how it was trained, for people
    temperature: float = 1.0

    def ready(self, documents: Documents, mentions: Any = None) -> Documents:
        """The documents with the mentions that are to be linked, chains as they are.

        mentions: "file", those that the documents have; "found", those that rules find; None: as in training, or found where there are
        none; or spans of every document, pairs of its first word and the one behind the last.
        """
        how: Any = mentions if mentions is not None else self.mentions if documents.mentions else "found"
        if how == "file":
            return documents
        return detected(documents) if how == "found" else documents.with_mentions(how)

    def corpus(self, documents: Documents) -> LinkCorpus:
        """The mentions of documents as the kernels see them."""
        return link_corpus(documents.mention_ptr, documents.chain, attributes(documents), self.features, self.window)

    def candidates(self, documents: Documents, *, threads: int = 1) -> np.ndarray:
        """For every mention of the documents 0, it is new, or how many mentions before it its antecedent stands, int32 [M]."""
        return best_candidates(self.corpus(documents), self.weights.links, threads=threads)

    def predict(self, documents: Documents, mentions: Any = None, *, threads: int = 1, keep: bool = False) -> Documents:
        """The documents with the model's chains. mentions: see `ready`. keep: all mentions are in the answer, each once, even if the model
        has learnt from data without chains of one mention."""
        ready = self.ready(documents, mentions)
        chain = chains_of(self.candidates(ready, threads=threads))
        return chained(ready, chain, singletons=self.singletons or keep)

    def scored(self, documents: Documents, temperature: float | None = None, *, threads: int = 1) -> Scored:
        """The documents' mentions under the model's weights, at a temperature (its own): see decoding.py."""
        return Scored(self.corpus(documents), self.weights.links, self.temperature if temperature is None else temperature, threads)

    def marginals(self, documents: Documents, temperature: float | None = None, *, threads: int = 1) -> list[np.ndarray]:
        """For every mention the probabilities of NEW and of a link to the mention before it, the one before that, ..."""
        scored = self.scored(documents, temperature, threads=threads)
        return np.split(np.exp(scored.log_probabilities()), scored.corpus.at[1:-1]) if documents.mentions else []

    def explain(self, documents: Documents, document: int = 0) -> Any:
        """Why the mentions of a document (numbered from 0) are linked as they are."""
        from widemargin.families.coreference.explanations import explain

        return explain(self, documents, document)

    @property
    def nonzero(self) -> int:
        """How many weights are not 0."""
        return int(np.count_nonzero(self.weights.links))

    def summary(self) -> dict:
        return {
            "task": COREF,
            "structure": self.structure_name,
            "templates": len(self.features.templates),
            "weights": int(self.weights.links.size),
            "nonzero": f"{self.nonzero:,}",
            "window": self.window,
            "mentions": self.mentions,
            "singletons": "kept" if self.singletons else "dropped",
        } | self.trained()

    # ---- on disk ----------------------------------------------------------------------------------------------------------------

    def parts(self) -> tuple[dict, dict[str, np.ndarray]]:
        header = self.header(FORMAT) | {
            "structure": self.structure_name,
            "window": self.window,
            "mentions": self.mentions,
            "singletons": self.singletons,
            "features": self.features.header(),
            "facts": self.facts,
            "temperature": self.temperature,
        }
        packed, arrays = stored({"weights.links": self.weights.links}, {"weights.links": LINE})
        return header | packed, arrays

    @classmethod
    def from_contents(cls, own: Contents) -> "Resolver":
        features, facts = LinkFeatures.from_contents(own.part("features")), own.field("facts", dict)
        links = restored(own, "weights.links", features.rows, LINE, LINE)
        if links.size and not np.abs(links).max() <= LARGEST_WEIGHT:
            raise own.wrong("weights.links", f"has weights above {LARGEST_WEIGHT:g}, whose sums could be infinite")
        return cls(
            structure_name=own.choice("structure", FAMILY.structures),
            features=features,
            weights=LinkWeights(links),
            window=own.whole("window", 1, LARGEST_WINDOW),
            mentions=own.choice("mentions", MENTIONS),
            singletons=own.field("singletons", bool),
            facts=facts,
            temperature=own.positive("temperature"),
        )


def chained(documents: Documents, chain: np.ndarray, *, singletons: bool = True) -> Documents:
    """The documents with these chains of their mentions [M]; chains of one mention may be left out."""
    kept = np.bincount(chain, minlength=1)[chain] > 1 if len(chain) and not singletons else np.ones(len(chain), bool)
    spans: list[list[Span]] = []
    names: list[list[int]] = []
    for d in range(len(documents.given)):
        at = slice(*documents.mention_ptr[d : d + 2].tolist())
        spans.append([span for span, keep in zip(documents.spans(d), kept[at]) if keep])
        names.append(chain[at][kept[at]].tolist())
    return documents.with_mentions(spans, names)
