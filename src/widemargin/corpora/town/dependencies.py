"""Dependency trees read off phrase structure: content words are heads, function words hang on them, relations are those of UD.

Every phrase gets its head word from the bottom up, and the other parts of the phrase hang on it; the kind of phrase decides how. What
hangs where follows the phrase structure, so a prepositional phrase that means the noun hangs on the noun, and one that means the verb on
the verb.
"""

from .clauses import clause, subordinate
from .nominals import noun_phrase, quantity
from .parts import Arcs, Part, adverbial, clausal
from .predicates import verb_phrase
from .tree import PUNCTUATION, Node


def dependencies(tree: Node) -> Arcs:
    """The arcs of a sentence's tree; projective but for relative clauses that stand apart from their noun."""
    arcs = Arcs(tree)
    _resolve(arcs, arcs.top)
    return arcs


def _resolve(arcs: Arcs, part: Part) -> None:
    """Find the heads of a part and all below it."""
    for kid in part.parts:
        if kid.parts:
            _resolve(arcs, kid)
    part.head = KINDS.get(part.symbol, modifier)(arcs, part)


def prepositional(arcs: Arcs, part: Part) -> int:
    """What the preposition governs; further words of the preposition (because of, in front of) are fixed to its first."""
    governed = next((kid for kid in part.parts if kid.parts), part.parts[0])
    marker: Part | None = None
    for kid in part.parts:
        if kid is governed:
            continue
        if kid.leaf and kid.symbol not in PUNCTUATION and kid.start < governed.start:
            arcs.hang(kid, governed.head if marker is None else marker.head, "fixed" if marker else "mark" if clausal(part) else "case")
            marker = marker or kid
        elif kid.symbol == "PP":
            arcs.hang(kid, governed.head, "nmod")
        elif kid.symbol == "NP":
            arcs.hang(kid, governed.head, "nmod:tmod" if arcs.temporal(kid) else "nmod")
        else:
            arcs.hang(kid, governed.head, "punct" if kid.symbol in PUNCTUATION else "advmod")
    return governed.head


def modifier(arcs: Arcs, part: Part) -> int:
    """The last adjective, participle or adverb of an adjective or adverb phrase; a participle behind an adverb is the head (first run)."""
    inner = part.first("VP")
    wanted = ("JJ", "JJR", "JJS", "VBN", "VBG") if part.symbol == "ADJP" else ("RB", "RBR", "RBS", "IN", "WRB")
    words = [kid for kid in part.parts if kid.leaf and kid.symbol in wanted]
    words = words or [kid for kid in part.parts if kid.leaf and kid.symbol not in PUNCTUATION] or part.parts
    main = inner or words[-1]
    for kid in part.parts:
        if kid is main:
            continue
        if kid.symbol in PUNCTUATION:
            arcs.hang(kid, main.head, "punct")
        elif kid.symbol == "S":
            arcs.clause_behind.add(main.head)
            arcs.hang(kid, main.head, "csubj")
        elif kid.symbol == "NP":
            arcs.hang(kid, main.head, "obl:npmod")
        else:
            adverbial(arcs, kid, main.head)
    return main.head


KINDS = {"S": clause, "SINV": clause, "SQ": clause, "SBAR": subordinate, "VP": verb_phrase, "NP": noun_phrase, "NX": noun_phrase}
KINDS |= {"WHNP": noun_phrase, "QP": quantity, "PP": prepositional, "WHPP": prepositional}
