"""Dependencies of clauses: subjects, clauses side by side, quotations, what stands in front and behind, and subordinate clauses."""

from .parts import VERBAL, Arcs, Part, adverbial, coordinate, infinite
from .tree import PUNCTUATION

NOUNS = ("NN", "NNS", "NNP", "NNPS")


def clause(arcs: Arcs, part: Part) -> int:
    """The head of the first verb phrase; further verb phrases with their subjects are clauses beside it."""
    verbs = [kid for kid in part.parts if kid.symbol == "VP"]
    if not verbs:
        return _verbless(arcs, part)
    main, low = verbs[0].head, 0
    rest = part.parts
    for verb in verbs:
        at = rest.index(verb)
        segment, low = rest[low:at], at + 1
        subject = _subject(segment)
        if subject is None and segment and verb is verbs[-1] and low < len(rest) and rest[low].symbol == "NP":
            subject = rest[low]  # said the mayor
        if subject is not None:
            _hang_subject(arcs, subject, verb)
        if verb.head != main:
            joined = any(kid.symbol == "CC" for kid in segment)
            arcs.hang(verb, main, "conj" if joined else "parataxis")
            for kid in segment:
                if kid is not subject:
                    _beside(arcs, kid, verb.head)
        else:
            _in_front(arcs, segment, subject, main)
    _behind(arcs, [kid for kid in rest[low:] if arcs.relations[kid.head] == "root" or kid.symbol == "."], main, verbs[-1])
    return main


def _subject(segment: list[Part]) -> Part | None:
    """What stands right before the verb phrase, adverbs aside."""
    for kid in reversed(segment):
        if kid.symbol in ("NP", "S", "SBAR", *NOUNS):
            return kid
        if kid.symbol not in ("ADVP", "RB"):
            return None
    return None


def _hang_subject(arcs: Arcs, subject: Part, verb: Part) -> None:
    head = verb.head
    bare = verb.parts[0].symbol == "VBN" and arcs.pos(verb) == "VBN"  # a headline: Smith jailed
    passive = ":pass" if head in arcs.passive or bare else ""
    word = arcs.leaves[subject.head]
    if word.pos == "EX" or (word.lemma == "it" and head in arcs.clause_behind):
        arcs.hang(subject, head, "expl")
    else:
        arcs.hang(subject, head, ("csubj" if subject.symbol in ("S", "SBAR") else "nsubj") + passive)


def _beside(arcs: Arcs, kid: Part, head: int) -> None:
    """Words between two clauses belong to the second."""
    if kid.symbol in PUNCTUATION:
        arcs.hang(kid, head, "punct")
    elif kid.symbol == "CC":
        arcs.hang(kid, head, "cc")
    else:
        adverbial(arcs, kid, head)


def _in_front(arcs: Arcs, segment: list[Part], subject: Part | None, head: int) -> None:
    """What stands before the first verb phrase: phrases, clauses, quotations, and the subject's own company."""
    quoted: Part | None = None
    waiting: list[Part] = []
    for i, kid in enumerate(segment):
        if kid is subject:
            waiting = []
            continue
        before = segment[i - 1] if i else None
        if kid.symbol == "S" and quoted is not None:
            coordinate(arcs, quoted, [kid], waiting)
        elif kid.symbol == "S" and before is not None and before.symbol == "``":
            quoted = kid
            arcs.hang(kid, head, "ccomp")
        elif kid.symbol == "NP" and subject is not None and subject.leaf:
            arcs.hang(kid, subject.head, "compound")  # Orvex profits rise
        elif kid.symbol == "NP" and subject is not None and any(other.symbol == "CC" for other in segment):
            # Veltland and Harrow have been partners: the first is the subject, the other its conjunct
            _hang_first_subject(arcs, kid, subject, [other for other in segment if other.symbol == "CC"])
        elif kid.symbol == "CC" and arcs.relations[kid.head] == "cc":
            continue
        elif kid.symbol in PUNCTUATION:
            arcs.hang(kid, head, "punct")
            waiting.append(kid)
            continue
        elif kid.symbol == "CC":
            waiting.append(kid)
            continue
        elif kid.symbol in VERBAL:
            arcs.hang(kid, head, "aux")
        else:
            adverbial(arcs, kid, head)
        waiting = []


def _hang_first_subject(arcs: Arcs, first: Part, second: Part, joints: list[Part]) -> None:
    arcs.hang(first, arcs.heads[second.head], arcs.relations[second.head])
    coordinate(arcs, first, [second], joints)


def _behind(arcs: Arcs, tail: list[Part], head: int, verb: Part) -> None:
    """What follows the last verb phrase: clauses that are joined or added, reasons, relative clauses, and the full stop."""
    waiting: list[Part] = []
    before: Part | None = None
    for kid in tail:
        kinds = {mark.symbol for mark in waiting}
        if kid.symbol in PUNCTUATION or kid.symbol in ("CC", "IN"):
            arcs.hang(kid, head, "punct")
            waiting.append(kid)
            continue
        if "CC" in kinds and before is not None and kid.symbol == before.symbol == "ADVP":
            coordinate(arcs, before, [kid], [mark for mark in waiting if mark.symbol == "CC"])
        elif "CC" in kinds:
            arcs.hang(kid, head, "conj")
        elif kid.symbol == "S":
            arcs.hang(kid, head, "advcl" if infinite(kid) or "IN" in kinds else "parataxis")
        elif kid.symbol == "NP":
            arcs.hang(kid, head, "obl:tmod" if arcs.temporal(kid) else "parataxis")
        elif kid.symbol == "SBAR" and (relative := kid.first("WHNP")) is not None:
            noun = _last_noun(verb) if relative.parts[0].symbol == "WP" else None
            arcs.hang(kid, head if noun is None else noun.head, "advcl:relcl" if noun is None else "acl:relcl")
        else:
            adverbial(arcs, kid, head)
        if kinds & {"CC", "IN"} or arcs.relations[kid.head] == "acl:relcl":
            for mark in waiting:
                arcs.hang(mark, kid.head, {"CC": "cc", "IN": "mark"}.get(mark.symbol, "punct"))
        waiting, before = [], kid


def _last_noun(part: Part) -> Part | None:
    """The noun phrase that a phrase ends in."""
    while part.parts:
        last = part.parts[-1]
        if last.symbol == "NP" and last.first("NP", "PP") is None:
            return last
        part = last
    return None


def _verbless(arcs: Arcs, part: Part) -> int:
    """Clauses joined without a verb phrase of their own, small clauses (it a problem), and headlines that are noun phrases."""
    kids = [kid for kid in part.parts if kid.parts]
    clauses = [kid for kid in kids if kid.symbol == "S"]
    if clauses:
        main, joints = clauses[0], [kid for kid in part.parts if kid.symbol in ("CC", ",") and clauses[1:]]
        coordinate(arcs, main, clauses[1:], joints)
        rest = [kid for kid in part.parts if kid not in clauses and kid not in joints]
    else:
        small = len(kids) > 1 and kids[0].symbol == "NP" and kids[1].symbol in ("NP", "ADJP")
        main = kids[1 if small else 0]
        rest = [kid for kid in part.parts if kid is not main]
        if small:
            arcs.hang(kids[0], main.head, "nsubj")
            rest.remove(kids[0])
    for kid in rest:
        if kid.symbol == "PP":
            arcs.hang(kid, main.head, "nmod")
        else:
            _beside(arcs, kid, main.head)
    return main.head


def subordinate(arcs: Arcs, part: Part) -> int:
    """The clause; conjunctions mark it, and a relative pronoun is its subject or object."""
    body = part.first("S", "SBAR") or part.parts[-1]
    marker: Part | None = None
    for kid in part.parts:
        if kid is body:
            continue
        if kid.symbol == "WHNP":
            own = any(other.symbol in ("NP", "S") for other in body.parts)
            relation = "obj" if own else "nsubj:pass" if body.head in arcs.passive else "nsubj"
            arcs.hang(kid, body.head, relation)
        elif kid.symbol == "WHADVP":
            arcs.hang(kid, body.head, "advmod")
        elif kid.symbol in PUNCTUATION:
            arcs.hang(kid, body.head, "punct")
        else:
            arcs.hang(kid, body.head if marker is None else marker.head, "mark" if marker is None else "fixed")
            marker = marker or kid
    return body.head
