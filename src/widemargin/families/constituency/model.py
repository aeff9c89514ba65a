"""A trained constituency parser: symbols and grammar, features and weights; answers sentences with trees."""

import warnings
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from widemargin.contents import Contents
from widemargin.errors import InputError, several
from widemargin.families.base import Task
from widemargin.families.constituency import FAMILY
from widemargin.families.constituency.binary import DIRECTIONS, NO_SPLIT, Binariser, restore
from widemargin.families.constituency.confidence import RankedTree, Scored, bracket_marginals
from widemargin.families.constituency.decoding import Guess, Scorer
from widemargin.families.constituency.features import SpanFeatures
from widemargin.families.constituency.inventory import Inventory
from widemargin.families.constituency.kinds import KINDS
from widemargin.families.constituency.problem import Features, Gold, SpanCorpus, SpanWeights, grammar_in, grammar_rows, structure_of
from widemargin.families.constituency.room import check_room
from widemargin.families.constituency.tag_features import TagFeatures, WordFeatures
from widemargin.families.constituency.trees import NO_TAG, TAG, Trees
from widemargin.families.explanations import Explanation
from widemargin.families.model import Model
from widemargin.families.packing import label_columns, restored, stored

CONSTPARSE = "constparse"
FORMAT = 3  # of model files; versions without this family refuse its name
FLAT, NONE, RAISE = "flat", "none", "raise"
GIVEN, WORDS = "given", "words"  # where tags come from
LARGEST = 1e30  # of weights
MOST_LISTED = 5  # sentences or tags in a message


@dataclass(frozen=True)
class Failures:
    """What becomes of a sentence that has no tree: one bracket over all its words, no tree, or an error.

    max_words: longer sentences are not parsed, and have none. prune_chart: symbols that score so much less than the best one of their span
    are not looked at, unless nothing else is left."""

    on_failure: str = FLAT
    max_words: int | None = None
    prune_chart: float | None = None


@dataclass(frozen=True)
class Parsed:
    """Sentences with a parser's trees."""

    trees: Trees
    failed: np.ndarray  # int64, which sentences it had no tree for
    score: np.ndarray  # float64 [S], of the trees; -inf where it had none


@dataclass
class ChartParser(Model):
    """Everything that parsing needs. Weights are float32 and may be memory-mapped."""

    kind: ClassVar[str] = "constituency parser"
    family: ClassVar[str] = FAMILY.name
    task: ClassVar[Task] = FAMILY.tasks[CONSTPARSE]

    inventory: Inventory
    binariser: Binariser  # how trees were made binary, for going on
    features: Features
    weights: SpanWeights
    facts: dict = field(default_factory=dict)  # how it was trained, for people
    temperature: float = 1.0

    def __post_init__(self):
        self.structure = structure_of(self.inventory, self.features)

    @property
    def structure_name(self) -> str:  # type: ignore[override]
        return self.inventory.kind.name

    # ---- parsing --------------------------------------------------------------------------------------------------------------------

    def corpus(self, trees: Trees) -> SpanCorpus:
        """The words of sentences as the kernels see them; their trees are not looked at. A sentence must have words."""
        if not np.diff(trees.row_ptr).all():
            raise InputError(
                "this sentence has no words, so it has no trees; leave it out", trees.where(int(np.diff(trees.row_ptr).argmin()))
            )
        nothing = Gold.nothing(trees.sentences, len(self.inventory))
        return SpanCorpus(trees.row_ptr, nothing, np.ones(trees.sentences), self.features.transform(trees), self.features, self.inventory)

    @property
    def scorer(self) -> Scorer:
        return Scorer(self.structure, self.weights)

    def asked(self, trees: Trees, max_words: int | None = None) -> np.ndarray:
        """bool [S]: sentences of some words, and of no more than that."""
        lengths = np.diff(trees.row_ptr)
        return (lengths > 0) & (lengths <= (lengths.max(initial=0) if max_words is None else max_words))

    def guess(self, trees: Trees, *, max_words: int | None = None, threads: int = 1, beam: float | None = None) -> Guess:
        """The best binary tree of every sentence; sentences of no words, and longer ones than that, have none."""
        asked = self.asked(trees, max_words)
        found = Guess(np.zeros(1, np.int64), np.zeros((0, 4), np.int32), np.zeros(0))
        if asked.any():
            check_room(self.structure, trees.part(asked), self.weights.spans.dtype)
            found = self.scorer.parse(self.corpus(trees.part(asked)), threads=threads, beam=beam)
        return found.among(np.diff(trees.row_ptr), asked)

    def predict(self, trees: Trees, failures: Failures | None = None, *, threads: int = 1) -> Parsed:
        """The best tree of every sentence; words stay as they are, and so do tags unless the parser predicts them."""
        failures = failures or Failures()
        if not self.inventory.kind.words:
            self._tell_unseen(trees)
        guess = self.guess(trees, max_words=failures.max_words, threads=threads, beam=failures.prune_chart)
        if guess.pruned is not None:
            kept, every = guess.pruned.kept.sum(axis=0)
            text = f"the beam looked at {100 * kept / every:.1f} % of the symbols of spans, and left no tree for"
            warnings.warn(
                f"{text} {several(guess.pruned.again.sum(), 'sentence')}, which were parsed in full instead", RuntimeWarning, stacklevel=2
            )
        failed = np.flatnonzero(~np.isfinite(guess.score) & (np.diff(trees.row_ptr) > 0))
        if len(failed) and failures.on_failure == RAISE:
            raise InputError("the grammar has no tree for this sentence; use on_failure=flat or none", trees.where(int(failed[0])))
        if len(failed):
            listed = ", ".join(trees.where(int(i)) for i in failed[:MOST_LISTED]) + (", ..." if len(failed) > MOST_LISTED else "")
            done = "one bracket" if failures.on_failure == FLAT else "no bracket"
            text = f"the grammar has no tree for {several(len(failed), 'sentence')}; the answer there is {done}: {listed}"
            warnings.warn(text, RuntimeWarning, stacklevel=2)
        return Parsed(with_guess(trees, guess, self.inventory, failures.on_failure), failed, guess.score)

    def scored(self, trees: Trees, temperature: float | None = None, *, threads: int = 1) -> Scored:
        """Sentences, each of some words, for questions about probabilities; temperature: the parser's own unless given."""
        check_room(self.structure, trees, np.float64, sums=True)
        return Scored(self.scorer, self.corpus(trees), self.temperature if temperature is None else temperature, threads)

    def marginals(self, trees: Trees, *, threads: int = 1) -> tuple[Parsed, np.ndarray, np.ndarray]:
        """The best trees, the probability of each of their brackets [M], and the log-probabilities of the trees [S]: those of the binary
        trees that they were found as. Brackets of a sentence without a tree have 0. A sentence must have words."""
        guess, scored = self.guess(trees, threads=threads), self.scored(trees, threads=threads)
        found = with_guess(trees, guess, self.inventory)
        parsed = Parsed(found, np.flatnonzero(~np.isfinite(guess.score)), guess.score)
        return parsed, bracket_marginals(scored, found), scored.guess_log_probability(guess)

    def kbest(self, trees: Trees, k: int, *, threads: int = 1) -> list[list[RankedTree]]:
        """The k best trees of every sentence, best first; fewer where there are fewer."""
        return self.scored(trees, threads=threads).kbest(k)

    def explain(self, trees: Trees, sentence: int = 0) -> Explanation:
        """Why a sentence gets its tree: for every bracket the margin to the best tree without it, split by feature."""
        from widemargin.families.constituency.explanations import explain

        return explain(self, trees, sentence)

    def _tell_unseen(self, trees: Trees) -> None:
        """One warning about tags that the parser was not trained on: their features, and those of their words, then say less."""
        values = trees.columns.values[TAG]
        count = np.bincount(trees.columns.codes[TAG], minlength=len(values))
        if trees.tokens and set(values) == {NO_TAG} and NO_TAG not in self.inventory.tags:
            told = f"the parser was trained with tags, and {trees.sources[0]} has none: its trees will be poor"
            warnings.warn(f"{told}; a model of `train tag` gives tags (--tagger MODEL)", RuntimeWarning, stacklevel=3)
            return
        known = set(self.inventory.tags)
        if unseen := [tag for tag, often in zip(values, count.tolist()) if often and tag not in known]:
            listed = ", ".join(unseen[:MOST_LISTED]) + (", ..." if len(unseen) > MOST_LISTED else "")
            words = sum(often for tag, often in zip(values, count.tolist()) if tag not in known)
            told = f"{several(words, 'word')} with tags that did not occur in training"
            warnings.warn(f"{told}: {listed}", RuntimeWarning, stacklevel=3)

    @property
    def nonzero(self) -> int:
        """How many weights are not 0."""
        return sum(int(np.count_nonzero(table)) for table in self.weights)

    def summary(self) -> dict:
        inventory, binariser = self.inventory, self.binariser
        return {
            "task": CONSTPARSE,
            "structure": self.structure_name,
            "tags": "predicted from words" if inventory.kind.words else GIVEN,
            "grammar": f"{len(inventory):,} symbols, {len(inventory.rules):,} productions",
            "binarised": f"{binariser.direction}, horizontal {binariser.horizontal}, vertical {binariser.vertical}",
            "templates": len(self.features.texts),
            "weights": int(sum(table.size for table in self.weights)),
            "nonzero": f"{self.nonzero:,}",
            "labels": " ".join(inventory.symbols.labels),
        } | self.trained()

    # ---- on disk --------------------------------------------------------------------------------------------------------------------

    def parts(self) -> tuple[dict, dict[str, np.ndarray]]:
        binariser = self.binariser
        header = self.header(FORMAT) | {
            "structure": self.structure_name,
            "tags": WORDS if self.inventory.kind.words else GIVEN,
            "binariser": {"direction": binariser.direction, "horizontal": binariser.horizontal, "vertical": binariser.vertical},
            "grammar": self.inventory.header(),
            "features": self.features.header(),
            "facts": self.facts,
            "temperature": self.temperature,
        }
        columns = label_columns(len(self.inventory))[0]
        tables = {"weights.spans": self.weights.spans, "weights.grammar": grammar_in(columns, self.weights.grammar, self.inventory)}
        packed, arrays = stored(tables, dict.fromkeys(tables, columns))
        arrays |= {f"grammar.{name}": array for name, array in self.inventory.arrays().items()}
        return header | packed, arrays | {f"features.{name}": array for name, array in self.features.arrays().items()}

    @classmethod
    def from_contents(cls, own: Contents) -> "ChartParser":
        kind = KINDS[own.choice("structure", KINDS)]
        if "tags" in own.header and own.choice("tags", (GIVEN, WORDS)) == WORDS:  # earlier files do not say
            kind = kind.from_words()
        inventory = Inventory.from_contents(own.part("grammar"), kind)
        features = features_from(own.part("features"), inventory)
        if features.splits and not kind.grammar:
            raise own.refusal("it has templates of splits, which its structure does not score")
        how = own.part("binariser")
        horizontal = None if how.header.get("horizontal") is None else how.whole("horizontal", 0)
        columns, width = label_columns(len(inventory))
        grammar = restored(own, "weights.grammar", grammar_rows(inventory, columns), columns, columns)
        weights = SpanWeights(restored(own, "weights.spans", features.rows, columns, width), grammar_in(width, grammar, inventory))
        for name, table in zip(("weights.spans", "weights.grammar"), weights):
            if np.abs(table).max(initial=0.0) > LARGEST:  # a tree whose score is infinite cannot be compared with others
                raise own.wrong(name, "has numbers that are too large to be summed")
        return cls(
            inventory=inventory,
            binariser=Binariser(how.choice("direction", DIRECTIONS), horizontal, how.whole("vertical", 1)),
            features=features,
            weights=weights,
            facts=own.field("facts", dict),
            temperature=own.positive("temperature"),
        )


def features_from(own: Contents, inventory: Inventory) -> Features:
    """The features that a model file describes."""
    kind = inventory.kind
    if kind.templates is None:
        return WordFeatures.from_contents(own, inventory) if kind.words else TagFeatures(inventory)
    features = SpanFeatures.from_contents(own)
    if features.sees_tags and kind.words:
        raise own.refusal("it has templates of tags, and predicts them")
    return features


def with_guess(trees: Trees, guess: Guess, inventory: Inventory, on_failure: str = FLAT) -> Trees:
    """Sentences with the brackets that binary trees stand for, and their tags where symbols say them. One without a binary tree has a
    bracket over all words, or no tree."""
    if inventory.kind.words:
        trees = with_tags_of(trees, guess, inventory)
    node_ptr, node = restore(guess.node_ptr, guess.node, inventory.symbols)
    failed = ~np.isfinite(guess.score)
    if not failed.any():
        return trees.with_trees(node_ptr, node, inventory.symbols.labels)
    flat = inventory.symbols.label_code[slice(*inventory.symbols.label_ptr[inventory.top : inventory.top + 2])]
    lengths = np.diff(trees.row_ptr).tolist()
    found = []
    for i, fails in enumerate(failed.tolist()):
        if not fails:
            found.append(node[node_ptr[i] : node_ptr[i + 1]])
        else:
            brackets = [(0, lengths[i], label) for label in flat.tolist()] if on_failure == FLAT and lengths[i] else []
            found.append(np.array(brackets, np.int32).reshape(-1, 3))
    bounds = np.concatenate([[0], np.cumsum([len(part) for part in found])]).astype(np.int64)
    parsed = ~failed if on_failure == NONE else np.array(lengths) > 0
    return trees.with_trees(bounds, np.concatenate(found), inventory.symbols.labels, parsed=parsed)


def with_tags_of(trees: Trees, guess: Guess, inventory: Inventory) -> Trees:
    """Sentences with the tags that the symbols of their words say; those without a binary tree keep their own."""
    found = np.isfinite(guess.score)
    node = guess.node[np.repeat(found, np.diff(guess.node_ptr))]
    values = {tag: t for t, tag in enumerate(inventory.tags)}
    old = np.array([values.setdefault(tag, len(values)) for tag in trees.columns.values[TAG]] or [0], np.int64)
    codes = old[trees.columns.codes[TAG]]
    codes[np.repeat(found, np.diff(trees.row_ptr))] = inventory.tag_of[node[node[:, 1] == NO_SPLIT, 3]]  # words in their order
    return trees.with_tags(codes, list(values))
