"""What the makers of dependencies share: the parts of a sentence, its arcs as they are found, and what hangs on any predicate."""

from .lemmas import lemma
from .lexicon import NOUNS
from .tree import Leaf, Node

FINITE = frozenset(["VBD", "VBZ", "VBP", "MD"])
VERBAL = FINITE | frozenset(["VB", "VBN", "VBG", "TO"])
PERIODS = frozenset([*NOUNS["period"], "weekday", "month", "yesterday", "hour", "time"])
VEHICLES = frozenset(entry.partition("/")[0] for entry in NOUNS["vehicle"])


class Part:
    """A phrase or word of the sentence, with its bounds in words and, when resolved, its head word."""

    __slots__ = ("head", "leaf", "parts", "start", "stop", "symbol", "there")

    def __init__(self, child: Node | Leaf, start: int, there: bool = False):
        self.start, self.head, self.there = start, start, there  # there: the clause's subject is an empty `there`
        self.leaf = child if isinstance(child, Leaf) else None
        self.symbol = child.pos if isinstance(child, Leaf) else child.label
        self.parts: list[Part] = []
        self.stop = start + 1
        for kid in [] if isinstance(child, Leaf) else child.children:
            there = self.there or any(part.symbol == "NP" and part.parts[0].symbol == "EX" for part in self.parts)
            self.parts.append(Part(kid, start, there and isinstance(kid, Node) and kid.label == "VP"))
            start = self.parts[-1].stop
            self.stop = start

    def first(self, *symbols: str) -> "Part | None":
        """The first part of one of these kinds."""
        return next((part for part in self.parts if part.symbol in symbols), None)


class Arcs:
    """The arcs of a sentence as they are found: head (a word's index, -1 for the root) and relation of each word."""

    def __init__(self, tree: Node):
        self.leaves = list(tree.leaves())
        self.lemmas = [lemma(leaf) for leaf in self.leaves]
        self.heads, self.relations = [-1] * len(self.leaves), ["root"] * len(self.leaves)
        self.passive: set[int] = set()
        self.clause_behind: set[int] = set()  # predicates whose true subject is a clause: it was hard to build
        self.top = Part(tree, 0)

    def hang(self, part: Part, head: int, relation: str) -> None:
        """Hang a part's head word on another word."""
        self.heads[part.head], self.relations[part.head] = head, relation

    def temporal(self, part: Part) -> bool:
        """Does a noun phrase say when?"""
        leaf = self.leaves[part.head]
        return part.symbol == "NP" and (self.lemmas[part.head] in PERIODS or leaf.lemma in PERIODS)

    def pos(self, part: Part) -> str:
        """The part of speech of a part's head word."""
        return self.leaves[part.head].pos


def infinite(part: Part) -> bool:
    """Is a clause without a finite verb (to build, building, people working)?"""
    verb = part.first("VP")
    while verb is not None and verb.parts[0].symbol == "VP":
        verb = verb.parts[0]
    return verb is not None and not any(kid.symbol in FINITE for kid in verb.parts)


def clausal(part: Part) -> bool:
    """Does a prepositional phrase hold a clause (after finding it)?"""
    return part.symbol == "PP" and part.first("S") is not None


def adverbial(arcs: Arcs, part: Part, head: int) -> None:
    """Hang what says when, where, why or how on a predicate."""
    relation = "advmod"
    if part.symbol == "PP":
        relation = "advcl" if clausal(part) else "obl"
        word, by = arcs.leaves[part.head], part.parts[0].leaf
        if relation == "obl" and arcs.leaves[head].pos == "VBN" and by is not None and by.word == "by":
            relation = "obl" if word.lemma in VEHICLES or word.word == "end" or arcs.temporal(part.parts[1]) else "obl:agent"
    elif part.symbol == "NP":
        relation = "obl:tmod" if arcs.temporal(part) else "obl"
    elif part.symbol in ("S", "SBAR", "VP"):
        relation = "advcl"
    arcs.hang(part, head, relation)


def coordinate(arcs: Arcs, first: Part, others: list[Part], between: list[Part]) -> None:
    """Hang conjuncts on the first, and conjunctions and commas on the conjunct that follows."""
    for other in others:
        arcs.hang(other, first.head, "conj")
    for mark in between:
        after = next((other for other in others if other.start >= mark.stop), others[-1])
        arcs.hang(mark, after.head, "cc" if mark.symbol == "CC" else "punct")
