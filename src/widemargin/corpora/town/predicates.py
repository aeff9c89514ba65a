"""Dependencies of verb phrases: auxiliaries and copulas hang on the main verb or predicate, objects and complements too."""

from .lexicon import VERBS
from .parts import VERBAL, Arcs, Part, adverbial, coordinate, infinite
from .tree import PUNCTUATION

AUXILIARIES = frozenset(["be", "have", "do"])
NAMING = frozenset(["name", "appoint", "call", "make"])  # @who chairman: the second noun phrase says what the first is or becomes
MEASURES = frozenset(["percent", "metre", "mile", "kilometre", "foot"])
RISING = frozenset(entry.partition("_")[0] for entry in VERBS["rise"])


def verb_phrase(arcs: Arcs, part: Part) -> int:
    """The main verb, or the predicate behind a form of be."""
    kids = part.parts
    phrases = [kid for kid in kids if kid.symbol == "VP"]
    joints = [kid for kid in kids if kid.symbol in ("CC", ",")]
    if len(phrases) > 1 and any(kid.symbol == "CC" for kid in joints):
        coordinate(arcs, phrases[0], phrases[1:], joints)
        main, rest = phrases[0], [kid for kid in kids if kid not in phrases and kid not in joints]
    else:
        main = _main(arcs, part)
        rest = [kid for kid in kids if kid is not main]
    naming = arcs.lemmas[main.head] in NAMING
    objects = [kid for kid in rest if kid.symbol == "NP" and not arcs.temporal(kid)] if main.leaf else []
    objects = [kid for kid in objects if not _measure(arcs, kid, main, len(objects))]
    pairs = [kid for kid in rest if kid.symbol == "CC"]  # sold beer and bread: one object with a conjunct
    if pairs and len(objects) == 2 and objects[0].stop <= pairs[0].start < objects[1].start:
        coordinate(arcs, objects[0], [objects[1]], pairs)
        rest = [kid for kid in rest if kid not in (*pairs, objects[1])]
        objects = objects[:1]
    before: Part | None = None
    for kid in rest:
        if kid in objects:
            first = kid is objects[0]
            if part.there:
                relation = "nsubj"
            elif naming and (not first or main.symbol == "VBN"):
                relation = "xcomp"
            else:
                relation = "iobj" if first and len(objects) > 1 and not naming else "obj"
            arcs.hang(kid, main.head, relation)
        else:
            _complement(arcs, kid, main, before, objects)
        before = kid
    return main.head


def _main(arcs: Arcs, part: Part) -> Part:
    """The part of a verb phrase whose head is the head of all."""
    verb = next((kid for kid in part.parts if kid.symbol in VERBAL), None)
    inner = part.first("VP")
    if verb is None:
        return inner or part.parts[0]
    word = arcs.lemmas[verb.head]
    helping = verb.symbol in ("MD", "TO") or word in AUXILIARIES
    if inner is not None and helping and not (word == "have" and inner.parts[0].symbol == "TO"):
        return inner
    if word == "be" and not part.there:
        predicates = [kid for kid in part.parts if kid.symbol in ("NP", "ADJP") and not arcs.temporal(kid)]
        return next(iter(predicates), part.first("PP") or verb)
    return verb


def _measure(arcs: Arcs, kid: Part, main: Part, objects: int) -> bool:
    """Does a noun phrase say by how much (rose 5 percent, won 3-1)?"""
    word = arcs.leaves[kid.head]
    if word.pos == "CD":
        return "-" in word.word or arcs.lemmas[main.head] == "vote"
    return arcs.lemmas[kid.head] in MEASURES and (arcs.lemmas[main.head] in RISING or objects > 1)


def _complement(arcs: Arcs, kid: Part, main: Part, before: Part | None, objects: list[Part]) -> None:
    """Hang anything but an object on the head of its verb phrase."""
    head, symbol = main.head, kid.symbol
    if symbol in PUNCTUATION:
        arcs.hang(kid, head, "punct")
    elif symbol == "TO":
        arcs.hang(kid, head, "mark")
    elif symbol in VERBAL:
        passive = main.symbol == "VP" and arcs.lemmas[kid.head] == "be" and arcs.leaves[head].pos == "VBN"
        if passive:
            arcs.passive.add(head)
        arcs.hang(kid, head, "aux:pass" if passive else "aux" if main.symbol == "VP" else "cop")
    elif symbol == "PRT":
        arcs.hang(kid, head, "compound:prt")
    elif symbol == "ADJP":
        arcs.hang(kid, head, "xcomp")
    elif symbol == "VP":
        arcs.hang(kid, head, "xcomp" if kid.parts[0].symbol == "TO" else "advcl")
    elif symbol == "S":
        _clause_complement(arcs, kid, head, before)
    elif symbol == "SBAR":
        subject = kid.first("WHNP")
        if subject is not None and objects and before is not None:
            arcs.hang(kid, objects[-1].head, "acl:relcl")
            if before.symbol == ",":
                arcs.hang(before, kid.head, "punct")
        else:
            asks = kid.first("WHADVP") is not None and not objects
            arcs.hang(kid, head, "ccomp" if asks or subject is not None or kid.parts[0].symbol == "S" or _that(kid) else "advcl")
    else:
        adverbial(arcs, kid, head)


def _that(part: Part) -> bool:
    """Does a clause begin with that or whether?"""
    leaf = part.parts[0].leaf
    return leaf is not None and leaf.word.lower() in ("that", "whether")


def _clause_complement(arcs: Arcs, kid: Part, head: int, before: Part | None) -> None:
    """A clause without a conjunction behind a verb."""
    if kid.first("VP", "S") is None:  # called it a problem: the subject is the verb's object
        arcs.hang(kid.parts[0], head, "obj")
        arcs.hang(kid, head, "xcomp")
    elif not infinite(kid):
        arcs.hang(kid, head, "parataxis" if before is not None and before.symbol == "," else "ccomp")
    else:
        purpose = (before is not None and before.symbol == "ADVP") or arcs.lemmas[head] == "need"
        arcs.hang(kid, head, "advcl" if purpose else "xcomp")
