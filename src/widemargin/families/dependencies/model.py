"""A trained dependency parser: features, weights and relations; reads treebanks, answers with trees, probabilities, alternatives."""

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from widemargin.contents import Contents
from widemargin.families.base import Task
from widemargin.families.dependencies import FAMILY
from widemargin.families.dependencies.confidence import RankedTree, Scored
from widemargin.families.dependencies.conllu import Treebank
from widemargin.families.dependencies.decoding import Guess, parse_corpus
from widemargin.families.dependencies.features import ArcFeatures, refuse_other_order
from widemargin.families.dependencies.metric import compare_treebanks
from widemargin.families.dependencies.problem import ArcCorpus, TreeWeights
from widemargin.families.model import Model
from widemargin.families.packing import label_columns, restored, stored
from widemargin.scoring.hashed import LINE
from widemargin.structures.arcs.trees import TREES

if TYPE_CHECKING:
    from widemargin.families.explanations import Explanation

DEPPARSE = "depparse"
TABLES = "weights.arcs", "weights.labels"
FORMAT = 3  # of model files with trees; older versions refuse them with a sentence


@dataclass
class Parser(Model):
    """Everything that parsing needs. Weights are float32 and may be memory-mapped."""

    kind: ClassVar[str] = "parser"
    family: ClassVar[str] = FAMILY.name
    task: ClassVar[Task] = FAMILY.tasks[DEPPARSE]

    relations: tuple[str, ...]  # () for a parser of heads alone
    structure_name: str
    single_root: bool
    features: ArcFeatures
    weights: TreeWeights  # arcs [F, 16], relations [G, L]
    facts: dict = field(default_factory=dict)  # how it was trained, for people
    temperature: float = 1.0

    def __post_init__(self):
        kind = TREES[self.structure_name]
        self.structure = kind(len(self.relations), single_root=self.single_root and kind.counts_roots)

    # ---- parsing ----------------------------------------------------------------------------------------------------------------

    def corpus(self, treebank: Treebank) -> ArcCorpus:
        """The words of a treebank as the kernels see them; its trees are not looked at."""
        words = np.full((treebank.tokens, 2), -1, np.int32)
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

    def scored(self, treebank: Treebank, temperature: float | None = None, *, threads: int = 1) -> Scored:
        """The words of a treebank under the parser's weights, at a temperature (its own): see confidence.py."""
        temperature = self.temperature if temperature is None else temperature
        return Scored(self.structure, self.weights, self.corpus(treebank), temperature, threads)

    def marginals(
        self, treebank: Treebank, temperature: float | None = None, *, relations: bool = False, threads: int = 1
    ) -> list[np.ndarray]:
        """P(head -> word) of every sentence, float32 [n+1, n+1] by (head, word); relations: P(head -> word, relation) [n+1, n+1, R]."""
        return self.scored(treebank, temperature, threads=threads).sums(relations=relations).arcs

    def kbest(self, treebank: Treebank, k: int, *, threads: int = 1) -> list[list[RankedTree]]:
        """For each sentence its k best trees, best first: score, log-probability, heads [n], relations [n]."""
        return self.scored(treebank, threads=threads).kbest(k)

    def explain(self, treebank: Treebank, sentence: int = 0) -> "Explanation":
        """Why a sentence (numbered from 0) is parsed as it is: for every word the difference to the best tree with another head there."""
        from widemargin.families.dependencies.explanations import explain

        return explain(self, treebank, sentence)

    @property
    def nonzero(self) -> int:
        """How many weights are not 0."""
        return sum(int(np.count_nonzero(table)) for table in self.weights)

    def summary(self) -> dict:
        nonzero = [int(np.count_nonzero(table)) for table in self.weights]
        return {
            "task": DEPPARSE,
            "structure": self.structure_name + (", one root" if self.structure.single_root else ""),
            "templates": len(self.features.templates),
            "weights": int(sum(table.size for table in self.weights)),
            "nonzero": f"{nonzero[0]:,} of arcs, {nonzero[1]:,} of relations",
            "relations": " ".join(self.relations),
        } | self.trained()

    # ---- on disk ----------------------------------------------------------------------------------------------------------------

    def parts(self) -> tuple[dict, dict[str, np.ndarray]]:
        header = self.header(FORMAT) | {
            "labels": list(self.relations),
            "structure": self.structure_name,
            "single_root": self.single_root,
            "features": self.features.header(),
            "facts": self.facts,
            "temperature": self.temperature,
        }
        tables = dict(zip(TABLES, self.weights))
        packed, arrays = stored(tables, dict(zip(TABLES, (LINE, label_columns(len(self.relations))[0]))))
        return header | packed, arrays

    @classmethod
    def from_contents(cls, own: Contents) -> "Parser":
        relations, features = own.texts("labels"), ArcFeatures.from_contents(own.part("features"))
        structure = own.choice("structure", TREES)
        refuse_other_order(structure, features)
        if relations and not features.label_rows:
            raise own.refusal("it has relations and no templates for them")
        rows = features.label_rows if relations else 0
        shapes = (features.arc_rows, LINE, LINE), (rows, *label_columns(len(relations)))
        return cls(
            relations=relations,
            structure_name=structure,
            single_root=own.field("single_root", bool),
            features=features,
            weights=TreeWeights(*(restored(own, name, *shape) for name, shape in zip(TABLES, shapes))),
            facts=own.field("facts", dict),
            temperature=own.positive("temperature"),
        )
