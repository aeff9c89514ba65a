"""DependencyParser: dependency trees in scikit-learn's conventions.

X is a treebank (widemargin.open_treebank), or an iterable of sentences: lists of words, each a form, a tuple (form, lemma, upos, xpos,
feats) that may be cut short, or a dict of these. y is an iterable of trees: for each word its head, counted from 1 with 0 for the root, or
a pair (head, relation); None where it is not known, which is latent. A treebank brings its own trees, so that fit(treebank) is enough.
"""

import io
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from widemargin.answers import numbers_in
from widemargin.errors import InputError
from widemargin.kept import Kept
from widemargin.metrics.dependencies import compare_treebanks
from widemargin.readers.conllu import NOTHING, Treebank, read_treebank
from widemargin.tasks.calibrating import fitting, held_heads
from widemargin.tasks.parser import Parser
from widemargin.tasks.parsing import TreeRecipe, train_parser

WORD = ("form", "lemma", "upos", "xpos", "feats")


class DependencyParser(Kept):
    """Trees for sentences: any objective, any learner, projective (eisner, siblings) or not (arborescence).

    learner, objective, cost, l1, l2: see `widemargin list`; F(w) = mean loss + l2/2 |w|^2 + l1 |w|_1. cost: head=1,label=1 with weights of
    relations behind. epochs, rate: sweeps and step size; settings: a dict of any other settings of the learner. templates: a named set, a
    file or template text (docs/parsing.md), None: the structure's usual set. structure: eisner, siblings, arborescence or heads;
    single_root: one child of the root. labelled: relations too. bits, label_bits: sizes of the tables of weights. patience: epochs without
    a better dev score. n_jobs: threads, None: 1.
    """

    _kind, _place = Parser, "parser_"

    def __init__(
        self,
        learner: str = "mira",
        *,
        objective: str | None = None,
        cost: str = "hamming",
        l1: float = 0.0,
        l2: float | None = None,
        epochs: int | None = None,
        rate: float | str | None = None,
        settings: dict | None = None,
        templates: str | None = None,
        structure: str = "eisner",
        single_root: bool = True,
        labelled: bool = True,
        bits: int = 20,
        label_bits: int = 16,
        patience: int = 0,
        random_state: int | None = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
        verbose: int = 0,
    ):
        self.learner, self.objective, self.cost, self.l1, self.l2 = learner, objective, cost, l1, l2
        self.epochs, self.rate, self.settings, self.templates = epochs, rate, settings, templates
        self.structure, self.single_root, self.labelled = structure, single_root, labelled
        self.bits, self.label_bits, self.patience, self.random_state = bits, label_bits, patience, random_state
        self.n_jobs, self.warm_start, self.verbose = n_jobs, warm_start, verbose

    def fit(self, X: Treebank | Iterable, y: Iterable | None = None, *, sample_weight=None, dev=None) -> "DependencyParser":
        """Train. sample_weight [sentences]: how much each counts. dev: a treebank, or (X, y), to choose the best epoch on."""
        treebank = treebank_of(X, y)
        held = treebank_of(*dev) if isinstance(dev, tuple) else dev
        weight = None
        if sample_weight is not None:
            weight = numbers_in(sample_weight, "sample_weight")
            if weight.shape != (len(treebank.row_ptr) - 1,) or not np.isfinite(weight).all() or (weight < 0).any() or not weight.any():
                raise InputError(f"sample_weight needs one number of at least 0 per sentence, not all 0; its shape is {weight.shape}")
        start = self.parser_ if self.warm_start and hasattr(self, "parser_") else None
        listen = self._say if self.verbose else None
        found = train_parser(self._recipe(), treebank, dev=held, start=start, weight=weight, threads=self._threads, listen=listen)
        return self._adopt(found)

    def predict(self, X: Treebank | Iterable) -> list[list]:
        """For each sentence its tree: pairs (head, relation), or heads where relations are not learnt."""
        check_is_fitted(self, "parser_")
        treebank = treebank_of(X)
        guess = self.parser_.predict(treebank, threads=self._threads)
        return [self._tree(guess.heads[a:b], guess.relation[a:b]) for a, b in _bounds(treebank)]

    def predict_proba(self, X: Treebank | Iterable) -> list[np.ndarray]:
        """P(head -> word) of each sentence, [n+1, n+1] by (head, word), 0 being the root."""
        check_is_fitted(self, "parser_")
        return self.parser_.marginals(treebank_of(X))

    def predict_kbest(self, X: Treebank | Iterable, k: int) -> list[list[tuple[float, list]]]:
        """For each sentence its k best trees with their scores, best first."""
        check_is_fitted(self, "parser_")
        return [[(value, self._tree(h, r)) for value, h, r in trees] for trees in self.parser_.kbest(treebank_of(X), k)]

    def score(self, X: Treebank | Iterable, y: Iterable | None = None) -> float:
        """The labelled attachment score (unlabelled where relations are not learnt), from 0 to 1."""
        check_is_fitted(self, "parser_")
        gold = treebank_of(X, y)
        found = compare_treebanks(gold, self.parser_.parsed(gold, threads=self._threads))
        return (found.las if self.parser_.relations else found.uas) / 100.0

    def calibrate(self, X: Treebank | Iterable, y: Iterable | None = None) -> "DependencyParser":
        """Choose the temperature at which the heads of held-out trees are most probable; predicted trees stay the same."""
        check_is_fitted(self, "parser_")
        parser: Parser = self.parser_
        return self._adopt(replace(parser, temperature=fitting(held_heads(parser, treebank_of(X, y)))))

    @classmethod
    def load(cls, path: str) -> "DependencyParser":
        """Read a model, with the parameters that it was trained with; no code is run."""
        parser = Parser.load(path)
        facts, features = parser.facts, parser.features
        learner = dict(facts["learner"])
        chosen = {"learner": learner.pop("name"), "random_state": learner.pop("seed", None)}
        chosen |= {name: learner.pop(name) for name in ("epochs", "rate", "patience") if name in learner}
        chosen |= {name: facts[name] for name in ("objective", "cost", "l1", "l2")}
        self = cls(
            **chosen,
            settings=learner,
            templates="\n".join(template.text for template in features.templates) + "\n",
            structure=parser.structure_name,
            single_root=parser.single_root,
            labelled=bool(parser.relations),
            bits=features.bits,
            label_bits=features.label_bits,
        )
        return self._adopt(parser)

    def _recipe(self) -> TreeRecipe:
        given = {"epochs": self.epochs, "rate": self.rate, "patience": self.patience or None, "seed": self.random_state}
        settings = dict(self.settings or {}) | {name: value for name, value in given.items() if value is not None}
        same = ("learner", "objective", "cost", "l1", "l2", "templates", "structure", "single_root", "labelled", "bits", "label_bits")
        return TreeRecipe(**{name: getattr(self, name) for name in same}, settings=settings)

    def _adopt(self, parser: Parser) -> "DependencyParser":
        self.parser_, self.relations_, self.history_ = parser, list(parser.relations), parser.facts["history"]
        return self

    def _tree(self, heads: np.ndarray, relation: np.ndarray) -> list:
        if not self.parser_.relations:
            return [int(head) for head in heads]
        return [(int(head), self.parser_.relations[r]) for head, r in zip(heads, relation)]


def _bounds(treebank: Treebank) -> list[tuple[int, int]]:
    return list(zip(treebank.row_ptr.tolist(), treebank.row_ptr[1:].tolist()))


def treebank_of(X: Treebank | Iterable, y: Iterable | None = None) -> Treebank:
    """Sentences, and trees if there are any, as a treebank."""
    if isinstance(X, Treebank):
        if y is not None:
            raise InputError("a treebank brings its own trees; give no y beside it")
        return X
    sentences, trees = list(X), None if y is None else list(y)
    if not sentences:
        raise InputError("there is no sentence; give a treebank or lists of words")
    if trees is not None and len(trees) != len(sentences):
        raise InputError(f"there are {len(sentences)} sentences and {len(trees)} trees; give one tree for each sentence")
    lines = []
    for i, sentence in enumerate(sentences):
        words = [_cells(word, i) for word in sentence]
        arcs = [None] * len(words) if trees is None else list(trees[i])
        if not words or len(arcs) != len(words):
            raise InputError(f"sentence {i} has {len(words)} words and its tree {len(arcs)} heads; give one head per word, and words")
        for t, (cells, arc) in enumerate(zip(words, arcs), 1):
            lines.append("\t".join([str(t), *cells, *_arc(arc), NOTHING, NOTHING]))
        lines.append("")
    data = io.BytesIO(("\n".join(lines) + "\n").encode())
    data.name = "<sentences>"
    return read_treebank(data, format="conllu")


def _cells(word: Any, sentence: int) -> list[str]:
    """The five columns of a word; `_` where one is not given."""
    if isinstance(word, str):
        word = (word,)
    elif isinstance(word, dict):
        if unknown := set(word) - set(WORD):
            raise InputError(f"a word of sentence {sentence} has {sorted(unknown)[0]!r}; the keys are {', '.join(WORD)}")
        word = [word.get(name, NOTHING) for name in WORD]
    cells = [NOTHING if cell is None or cell == "" else str(cell) for cell in word]
    if not 1 <= len(cells) <= len(WORD) or any(mark in cell for cell in cells for mark in "\t\n\r"):
        raise InputError(
            f"a word of sentence {sentence} is {word!r}; give a form, or up to five of {', '.join(WORD)}, without tabs and newlines"
        )
    return cells + [NOTHING] * (len(WORD) - len(cells))


def _arc(arc: Any) -> tuple[str, str]:
    """Head and relation as a treebank writes them."""
    head, relation = arc if isinstance(arc, tuple | list) and len(arc) == 2 else (arc, None)
    return NOTHING if head is None else str(int(head)), NOTHING if relation is None else str(relation)
