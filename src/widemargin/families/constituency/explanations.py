"""Why a parser gives a sentence its tree: for every bracket the best tree without it, and what features say of the difference.

A tree's score is a sum over its nodes: features of its span and of its split, its production, and the root's symbol. So the difference of
two trees is a sum over the nodes that only one of them has, and over the features of each.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from widemargin.engine.gradient import score_row
from widemargin.errors import InputError
from widemargin.families.constituency.answers import brackets_of, tags_of
from widemargin.families.constituency.binary import NO_SPLIT
from widemargin.families.constituency.confidence import LabelSets, Scored, repeats, row_of
from widemargin.families.constituency.kernels.codes import rows_of_span
from widemargin.families.constituency.model import ChartParser
from widemargin.families.constituency.problem import SpanCorpus, structure_of
from widemargin.families.constituency.tag_features import TagFeatures
from widemargin.families.constituency.templates import TABLES
from widemargin.families.constituency.trees import Trees
from widemargin.families.explanations import Comparison, Contribution, Decision, Explanation
from widemargin.families.shown import BRACKETS

Bracket = tuple[int, int, str]


class Part(NamedTuple):
    """Something of a tree that has a score: a symbol on a span, at a split, as the root, or over two children."""

    kind: str  # one of TABLES, root or production
    first: int
    end: int  # of span, left and right: the two boundaries that are looked at
    symbol: int
    split: int = NO_SPLIT  # of a production
    children: tuple[int, ...] = ()


def explain(parser: ChartParser, trees: Trees, sentence: int = 0) -> Explanation:
    """One sentence of a file, counted from 0. A decision is a bracket of the parser's best tree."""
    if not 0 <= sentence < trees.sentences:
        raise InputError(f"there is no sentence {sentence + 1}; there are {trees.sentences:,}", trees.source)
    one = trees.part([sentence])
    if not one.tokens:
        raise InputError("this sentence has no words, so there is nothing to explain; choose another", trees.where(sentence))
    compared = ComparedTrees(parser, parser.corpus(one), trees.where(sentence))
    ours = compared.chosen
    brackets = tuple(brackets_of(parser, ours))
    score, decisions = compared.score(ours), []
    for bracket, times in zip(brackets, repeats(brackets)):
        theirs = compared.without(bracket, times)
        sure = compared.probability(bracket, times)
        if theirs is None:
            decisions.append(Decision(bracket[0], bracket, None, None, None, sure))
            continue
        difference, others = score - compared.score(theirs), tuple(brackets_of(parser, theirs))
        comparison = Comparison(brackets, others, difference, compared.split(ours, theirs))
        rather = next((other for other in others if other[:2] == bracket[:2] and other[2] != bracket[2]), None)
        other_sure = None if rather is None else compared.probability(rather, 1)
        decisions.append(Decision(bracket[0], bracket, rather, difference, comparison, sure, other_sure))
    tags = tags_of(parser, ours) or one.tags(0)
    return Explanation(tuple(zip(one.words(0), tags)), brackets, brackets, score, tuple(decisions), BRACKETS)


class ComparedTrees:
    """One sentence under a parser: its scores in float64, the tree that is chosen, others, and their differences."""

    def __init__(self, parser: ChartParser, sentence: SpanCorpus, where: str):
        self.parser, self.n, scorer = parser, sentence.longest, parser.scorer
        rows = scorer.rows(sentence)
        s = parser.structure.workspace(self.n, dtype=parser.weights.spans.dtype)
        score_row(rows, s, 0, scorer.reader)
        self.input, self.scores = rows.input, parser.structure.scores(s, self.n)
        self.structure = structure_of(parser.inventory, parser.features, all_spans=True)
        guess = scorer.parse(sentence)
        if not np.isfinite(guess.score[0]):
            raise InputError("the grammar has no tree for this sentence, so there is nothing to explain; choose another", where)
        self.chosen = guess.node
        self.sets = LabelSets(parser.inventory)
        self.marginal = Scored(scorer, sentence, parser.temperature).sums().spans[0]

    def score(self, node: np.ndarray) -> float:
        """The sum over the tree's parts."""
        return sum(value for part in self.parts(node) for _, value in self.features(part))

    def probability(self, bracket: Bracket, times: int) -> float:
        """That a tree has this bracket so often."""
        first, end, label = bracket
        return float(self.marginal[row_of(first, end, self.n), self.sets(label, times)].sum())

    def without(self, bracket: Bracket, times: int) -> np.ndarray | None:
        """The best tree that does not have this bracket so often, or None when there is none."""
        first, end, label = bracket
        allowed = np.ones(self.scores.span.shape, bool)
        allowed[first, end] = ~self.sets(label, times)
        try:
            return self.structure.argmax(self.scores, allowed)[1]
        except InputError:  # nothing is left to choose from
            return None

    def parts(self, node: np.ndarray) -> Iterator[Part]:
        """The parts of a tree."""
        rows = node.tolist()
        yield Part("root", 0, self.n, rows[0][3])
        for x, (first, split, end, symbol) in enumerate(rows):
            yield Part("span", first, end, symbol)
            if split != NO_SPLIT:
                yield Part("left", first, split, symbol)
                yield Part("right", split, end, symbol)
                yield Part("production", first, end, symbol, split, (rows[x + 1][3], rows[x + 2 * (split - first)][3]))

    def split(self, ours: np.ndarray, theirs: np.ndarray) -> tuple[Contribution, ...]:
        """Contributions to score(ours) - score(theirs), the strongest first."""
        one, two = (list(self.parts(node)) for node in (ours, theirs))
        found = []
        for parts, others, sign in ((one, set(two), 1.0), (two, set(one), -1.0)):
            for part in (part for part in parts if part not in others):
                name = ((part.first, part.end, self._named(part.symbol)),)
                mine, other = (name, ()) if sign > 0 else ((), name)
                found += [Contribution(text, part.first, mine, other, sign * value) for text, value in self.features(part) if value]
        return tuple(sorted(found, key=lambda contribution: -abs(contribution.value)))

    def features(self, part: Part) -> Iterator[tuple[str, float]]:
        """What each feature says of a part."""
        inventory, weights = self.parser.inventory, self.parser.weights
        grammar, kind, symbol = np.asarray(weights.grammar), inventory.kind, part.symbol
        if part.kind == "root":
            yield "root", float(grammar[0, symbol])
        elif part.kind == "production" and kind.rules:
            rule = int(np.flatnonzero((inventory.rules == (symbol, *part.children)).all(axis=1))[0])
            named = " ".join(map(self._named, part.children))
            yield f"{self._named(symbol)} -> {named}", float(grammar[1:].reshape(-1)[rule])
        elif part.kind == "production" and kind.pairs:
            for side, child, row in zip(("left", "right"), part.children, (1, 1 + len(inventory))):
                yield f"{side} child {self._named(child)}", float(grammar[row + child, symbol])
        elif part.kind in TABLES and (kind.grammar or symbol):  # without a grammar, symbol 0 says that there is no constituent
            yield from self._of_span(part)

    def _of_span(self, part: Part) -> Iterator[tuple[str, float]]:
        """Features of two boundaries; of a grammar without any, the tag of a word."""
        features, table = self.parser.features, np.asarray(self.parser.weights.spans)
        if isinstance(features, TagFeatures):
            if part.kind == "span" and part.end - part.first == 1:
                row = int(self.input.tag[part.first])
                name = (*features.names, f"an unknown {features.what}")[row]
                yield f"{features.what} {name}", float(table[row, part.symbol])
            return
        templates = [template.text for group in features.by_form(part.kind) for template in group]
        rows, codes = np.full(len(templates), -1, np.int64), self.input.codes
        plan = self.input.plan
        form, coded = getattr(plan, part.kind), getattr(codes, part.kind)
        rows_of_span(form, coded, codes, part.first, part.end, self.n, plan.bits, rows)
        for text, row in zip(templates, rows.tolist()):
            yield text, float(table[row, part.symbol]) if row >= 0 else 0.0

    def _named(self, symbol: int) -> str:
        return self.parser.inventory.symbols.names[symbol]
