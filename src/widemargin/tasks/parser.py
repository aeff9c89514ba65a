"""A trained dependency parser: features, weights and relations; reads treebanks, answers with trees, probabilities, alternatives."""

import dataclasses
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from widemargin import models
from widemargin.errors import InputError
from widemargin.features.arcs import ArcFeatures
from widemargin.kernels.arc_batch import parse, score_sentence
from widemargin.kernels.arc_features import Sentences, Tables
from widemargin.kernels.decode import answer
from widemargin.kernels.score import Linear
from widemargin.kernels.terms import LogSum, augment_row
from widemargin.metrics.dependencies import compare_treebanks
from widemargin.parallel import together
from widemargin.problem_arcs import ArcCorpus, sentences_of, weights_of
from widemargin.readers.conllu import Treebank
from widemargin.structures.trees import TREES, unknown

DEPPARSE = "depparse"
FORMAT = 3  # of model files with trees; older versions refuse them with a sentence


@dataclass(frozen=True)
class Guess:
    """Trees of all sentences of a treebank."""

    heads: np.ndarray  # int32 [N], from 1 inside the sentence, 0: the root
    relation: np.ndarray  # int32 [N], index into the parser's relations; -1 where it has none


@dataclass
class Parser:
    """Everything that parsing needs. Weights are float32 and may be memory-mapped."""

    relations: tuple[str, ...]  # () for a parser of heads alone
    structure_name: str
    single_root: bool
    features: ArcFeatures
    weights: Linear  # arcs [F, 16], relations [G, L]
    facts: dict = field(default_factory=dict)  # how it was trained, for people
    temperature: float = 1.0

    def __post_init__(self):
        self.structure = TREES[self.structure_name](len(self.relations), **self._root())

    def _root(self) -> dict:
        return {} if self.structure_name == "heads" else {"single_root": self.single_root}

    # ---- parsing ----------------------------------------------------------------------------------------------------------------

    def corpus(self, treebank: Treebank) -> ArcCorpus:
        """The words of a treebank as the kernels see them; its trees are not looked at."""
        words = np.full((len(treebank), 2), -1, np.int32)
        return ArcCorpus(
            treebank.row_ptr, words, np.ones(len(treebank.row_ptr) - 1), self.features.transform(treebank.columns), self.features
        )

    def predict(self, treebank: Treebank, *, threads: int = 1) -> Guess:
        """The best tree of every sentence."""
        return parse_corpus(self.structure, self.weights, self.corpus(treebank), threads=threads)

    def evaluate(self, treebank: Treebank, *, punctuation: bool = True, subtypes: bool = False, threads: int = 1) -> dict:
        """Attachment scores, in per cent, of predictions against the treebank's trees."""
        return compare_treebanks(treebank, self.parsed(treebank, threads=threads), punctuation=punctuation, subtypes=subtypes).as_dict()

    def parsed(self, treebank: Treebank, *, threads: int = 1) -> Treebank:
        """The same words with the parser's trees."""
        guess = self.predict(treebank, threads=threads)
        return dataclasses.replace(treebank, heads=guess.heads, relation=guess.relation, relations=self.relations)

    def sentences(self, treebank: Treebank, temperature: float | None = None):
        """For each sentence the structure with its scores divided by a temperature (the parser's own), and its number of words."""
        temperature = self.temperature if temperature is None else temperature
        corpus = self.corpus(treebank)
        w, rows = fixed(self.structure, self.weights, corpus)
        s = self.structure.workspace(corpus.longest, dtype=np.float32)
        for low, high in zip(treebank.row_ptr.tolist(), treebank.row_ptr[1:].tolist()):
            n = high - low
            score_sentence(s, rows, low, n, w)
            self.structure.cool(s, n, temperature)
            yield s, n

    def marginals(self, treebank: Treebank, temperature: float | None = None) -> list[np.ndarray]:
        """P(head -> word) of every sentence, [n+1, n+1] by (head, word)."""
        out = []
        for s, n in self.sentences(treebank, temperature):
            answer(LogSum(0.0, False), s, unknown(n), self.structure.prices(dtype=np.float32), n)
            out.append(s.arcs.mu[: n + 1, : n + 1].astype(np.float64))
        return out

    def kbest(self, treebank: Treebank, k: int) -> list[list[tuple[float, np.ndarray, np.ndarray]]]:
        """For each sentence its k best trees, best first: score, heads [n], relations [n]."""
        out = []
        for s, n in self.sentences(treebank):
            augment_row(s, unknown(n), self.structure.prices(dtype=np.float32), n)
            values, heads, labels = self.structure.kbest_trees(s, n, k)
            out.append([(float(v) * self.temperature, h[1 : n + 1], r[1 : n + 1]) for v, h, r in zip(values, heads, labels)])
        return out

    # ---- on disk ----------------------------------------------------------------------------------------------------------------

    def save(self, path: str) -> int:
        """Write the model to one file, atomically; returns its size in bytes."""
        return models.save(path, *self.parts())

    def parts(self) -> tuple[dict, dict[str, np.ndarray]]:
        """All of it as plain data: a JSON object and arrays."""
        header = {
            "format": FORMAT,
            "kind": "model",
            "task": DEPPARSE,
            "labels": list(self.relations),
            "structure": self.structure_name,
            "single_root": self.single_root,
            "features": self.features.header(),
            "facts": self.facts,
            "temperature": self.temperature,
        }
        return header, {"weights.arcs": self.weights.node, "weights.labels": self.weights.edge}

    @classmethod
    def load(cls, path: str) -> "Parser":
        """Read a model; arrays stay on disk until they are touched, and no code is run."""
        return cls.of_parts(*models.load(path), path)

    @classmethod
    def of_parts(cls, header: dict, arrays: dict[str, np.ndarray], path: str = "<model>") -> "Parser":
        """The parser that these plain data describe."""
        if header.get("kind") != "model" or header.get("task") != DEPPARSE:
            raise InputError("this is no model of a dependency parser; train one with `widemargin train depparse`", path)
        try:
            return cls(
                relations=tuple(header["labels"]),
                structure_name=header["structure"],
                single_root=header["single_root"],
                features=ArcFeatures.from_header(header["features"]),
                weights=Linear(arrays["weights.arcs"], arrays["weights.labels"]),
                facts=header["facts"],
                temperature=header["temperature"],
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"the model lacks something that its kind needs ({error}); write it again", path) from None


def fixed(structure: Any, weights: Linear, corpus: ArcCorpus) -> tuple[Tables, Sentences]:
    """Weights and sentences, with scratch of one thread, for kernels."""
    node, edge = weights
    return Tables(weights_of(node), weights_of(edge)), sentences_of(corpus, structure.prices(dtype=node.dtype), node, edge.shape[1])


def parse_corpus(structure: Any, weights: Linear, corpus: ArcCorpus, *, threads: int = 1) -> Guess:
    """The best trees; sentences are shared out by their arcs."""
    heads, label = np.zeros(int(corpus.token[-1]), np.int32), np.zeros(int(corpus.token[-1]), np.int32)
    arcs = np.concatenate([[0], np.cumsum(np.diff(corpus.token).astype(np.float64) ** 2)])
    cuts = np.searchsorted(arcs, np.linspace(0, arcs[-1], threads + 1))
    words = unknown(corpus.longest)

    def job(low, high):
        w, rows = fixed(structure, weights, corpus)
        s = structure.workspace(corpus.longest, dtype=weights.node.dtype)
        return lambda: parse(low, high, rows, s, w, words, heads, label)

    together([job(a, b) for a, b in zip(cuts, cuts[1:]) if b > a], threads=threads)
    return Guess(heads, label if structure.labels else np.full_like(label, -1))
