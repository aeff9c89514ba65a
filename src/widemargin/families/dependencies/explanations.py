"""Why a parser chose a tree: for every word the difference to the best tree with another head there, template by template.

A tree's score is a sum over its arcs, with their siblings and relations, of what each template says of them, so the difference of two
trees is a sum too, over the words at which they differ. Nothing is estimated or left out. `contributions` reads the same tables as the
kernels (arc_scores.py), one template after the other in plain Python: a test holds their sum against the kernels.
"""

import numpy as np

from widemargin.engine.gradient import score_row
from widemargin.errors import InputError
from widemargin.families.dependencies.confidence import Scored
from widemargin.families.dependencies.conllu import NO_VALUE, Treebank
from widemargin.families.dependencies.decoding import fixed_rows, parse_corpus, reader_of
from widemargin.families.dependencies.kernels.codes import BINS, LONGEST_BIN, MAX_COUNTED
from widemargin.families.dependencies.model import Parser
from widemargin.families.dependencies.problem import ArcCorpus
from widemargin.families.dependencies.templates import ArcTemplate
from widemargin.families.explanations import Comparison, Contribution, Decision, Explanation
from widemargin.families.shown import ARCS
from widemargin.structures.arcs.trees import Siblings, TreeParts

Tree = tuple[np.ndarray, np.ndarray]  # heads int [n+1] and labels int [n+1], from place 1 on


def explain(parser: Parser, treebank: Treebank, sentence: int = 0) -> Explanation:
    """Every word of a sentence (from 0). Labels are pairs (head, relation), heads from 1, 0 being the root."""
    if not 0 <= sentence < len(treebank.row_ptr) - 1:
        raise InputError(f"there is no sentence {sentence + 1}; the treebank has {len(treebank.row_ptr) - 1:,}", treebank.source)
    compared = ComparedTrees(parser, parser.corpus(treebank).part(np.array([sentence])))
    ours, marginal = compared.chosen, compared.marginal
    score, named = compared.score(ours), compared.named(ours)
    decisions = []
    for m in range(1, compared.n + 1):
        theirs = compared.without(int(ours[0][m]), m)
        sure = float(marginal[ours[0][m], m])
        if theirs is None:
            decisions.append(Decision(m - 1, named[m - 1], None, None, None, sure))
            continue
        difference, others = score - compared.score(theirs), compared.named(theirs)
        comparison = Comparison(named, others, difference, compared.split(ours, theirs))
        decisions.append(Decision(m - 1, named[m - 1], others[m - 1], difference, comparison, sure, float(marginal[theirs[0][m], m])))
    return Explanation(tuple((word,) for word in treebank.words(sentence)), named, named, score, tuple(decisions), ARCS)


class ComparedTrees:
    """One sentence under a parser: its scores in float64, the tree that is chosen, others, and their differences."""

    def __init__(self, parser: Parser, sentence: ArcCorpus):
        self.parser, labels, n = parser, len(parser.relations), sentence.longest
        self.n = n
        rows = fixed_rows(parser.structure, parser.weights, sentence)
        s = parser.structure.workspace(n, dtype=parser.weights.arcs.dtype)
        score_row(rows, s, 0, reader_of(parser.weights))
        self.input = rows.input
        arcs = s.arcs.score.astype(np.float64)
        if labels:
            arcs = arcs[..., None] + s.arcs.labels.score[:, :labels].reshape(n + 1, n + 1, labels)
        self.arcs = arcs
        self.siblings = parser.structure.sibling_scores(s, n) if isinstance(parser.structure, Siblings) else None
        guess = parse_corpus(parser.structure, parser.weights, sentence)
        self.chosen: Tree = _from_one(guess.heads), _from_one(np.maximum(guess.relation, 0))
        self.marginal = Scored(parser.structure, parser.weights, sentence, parser.temperature).sums().arcs[0]

    def score(self, tree: Tree) -> float:
        """The sum over the tree's parts."""
        heads, labels = tree[0][1:], tree[1][1:]
        words = np.arange(1, self.n + 1)
        total = self.arcs[(heads, words, labels) if self.parser.relations else (heads, words)].sum()
        if self.siblings is not None:
            total += self.siblings[heads, self._inside(tree)[heads, words], words].sum()
        return float(total)

    def without(self, head: int, word: int) -> Tree | None:
        """The best tree in which `word` has another head, or None when there is none."""
        allowed = np.ones(self.arcs.shape[:2], bool)
        allowed[head, word] = False
        scores = self.arcs if self.siblings is None else TreeParts(self.arcs, self.siblings)
        try:
            _, found = self.parser.structure.argmax(scores, allowed)  # type: ignore[arg-type]
        except InputError:  # nothing is left to choose from
            return None
        parts = found if self.siblings is None else found.arc  # type: ignore[attr-defined]
        heads = parts.reshape(self.n + 1, self.n + 1, -1).sum(axis=2).argmax(axis=0)
        labels = parts[heads, np.arange(self.n + 1)].argmax(axis=1) if self.parser.relations else np.zeros_like(heads)
        return heads, labels

    def split(self, ours: Tree, theirs: Tree) -> tuple[Contribution, ...]:
        """Contributions to score(ours) - score(theirs), the strongest first."""
        texts = [template.text for template in self.parser.features.templates if self.parser.relations or not template.label]
        inside, found = (self._inside(ours), self._inside(theirs)), []
        names = self.named(ours), self.named(theirs)
        for m in range(1, self.n + 1):
            parts = [(int(tree[0][m]), int(near[tree[0][m], m]), m, int(tree[1][m])) for tree, near in zip((ours, theirs), inside)]
            if parts[0] != parts[1]:
                values = zip(texts, *(contributions(self.parser, self.input, *part) for part in parts))
                found += [Contribution(text, m - 1, names[0][m - 1 : m], names[1][m - 1 : m], one - two) for text, one, two in values]
        return tuple(sorted(found, key=lambda contribution: -abs(contribution.value)))

    def named(self, tree: Tree) -> tuple[tuple[int, str], ...]:
        """Head and relation of each word, `_` where the parser has no relations."""
        relations = self.parser.relations
        return tuple((int(h), relations[r] if relations else NO_VALUE) for h, r in zip(tree[0][1:], tree[1][1:]))

    def _inside(self, tree: Tree) -> np.ndarray:
        return siblings_inside(tree[0], self.parser.single_root)


def _from_one(words: np.ndarray) -> np.ndarray:
    """Something per word, with a place for the root before."""
    return np.concatenate([[0], words])


def siblings_inside(heads: np.ndarray, single: bool) -> np.ndarray:
    """Of each arc (head, modifier) the nearest child of the head between them in a tree, or the head: always for the root, if single.

    heads: int32 [n+1], from place 1 on.
    """
    across = len(heads)
    inside = np.repeat(np.arange(across)[:, None], across, axis=1)
    for h in range(across):
        for step in (-1, 1):
            nearest, m = h, h + step
            while 0 < m < across:
                inside[h, m] = nearest
                nearest, m = m if heads[m] == h and (h > 0 or not single) else nearest, m + step
    return inside


def contributions(parser: Parser, sentences, h: int, s: int, m: int, label: int) -> list[float]:
    """What each template says of the arc h -> m, of its sibling s (or h) and of its label, in the order of the templates.

    Codes are those of the scored sentence.
    """
    node, edge = np.asarray(parser.weights.arcs), np.asarray(parser.weights.relations)
    flat, codes, plan, right = node.reshape(-1), sentences.codes, sentences.plan, int(m > h)
    one, two = right, 2 + 7 * right + int(BINS[min(abs(m - h), LONGEST_BIN)])
    sibling = len(codes.side) - 1 if s == h else s
    apart = 2 + 7 * right + int(BINS[min(abs(m - s), LONGEST_BIN)])
    place = dict.fromkeys(
        ("bigram", "between", "between_count", "unigram", "label_bigram", "label_unigram", "sibling_pair", "sibling_triple"), 0
    )
    out = []
    for template in parser.features.templates:
        if template.label and not parser.relations:
            continue
        kind = kind_of(template)
        t = place[kind]
        place[kind] += 1
        if kind in ("sibling_pair", "sibling_triple"):
            table = getattr(codes.siblings, kind.removeprefix("sibling_"))
            k = int(table[-2, sibling, t] ^ table[-1, m, t] ^ (table[0, h, t] if template.head else 0))
            out.append(float(flat[k ^ one]) + float(flat[k ^ apart]))
        elif kind == "bigram":
            k = int(codes.bigram[0, h, t] ^ codes.bigram[1, m, t])
            out.append(float(flat[k ^ one]) + float(flat[k ^ two]))
        elif kind == "unigram":
            row = node[codes.unigram[h if plan.unigram[t, 2] == 0 else m, t]]
            out.append(float(row[one]) + float(row[two]))
        elif kind == "between":
            k = int(codes.between[0, h, t] ^ codes.between[1, m, t]) ^ one
            between = {int(codes.between[2, x, t]) for x in range(min(h, m) + 1, max(h, m))}
            out.append(sum(float(flat[k ^ code]) for code in between))
        elif kind == "between_count":
            low, high, code = min(h, m), max(h, m), 0
            for mark in plan.counted[t][plan.counted[t] >= 0]:
                code = code * (MAX_COUNTED + 1) + min(int(codes.before[high, mark] - codes.before[low + 1, mark]), MAX_COUNTED)
            out.append(float(flat[int(codes.between_count[0, h, t] ^ codes.between_count[1, m, t] ^ codes.count_codes[code]) ^ one]))
        elif kind == "label_bigram":
            out.append(float(edge[int(codes.label_bigram[0, h, t] ^ codes.label_bigram[1, m, t]) ^ right, label]))
        else:
            out.append(float(edge[codes.label_unigram[2 * (h if plan.label_unigram[t, 2] == 0 else m) + right, t], label]))
    return out


def kind_of(template: ArcTemplate) -> str:
    """Which of the plan's groups a template belongs to."""
    if template.sib:
        return "sibling_triple" if template.head else "sibling_pair"
    if template.between:
        return "between_count" if template.counted else "between"
    shape = "bigram" if bool(template.head) == bool(template.mod) else "unigram"
    return f"label_{shape}" if template.label else shape
