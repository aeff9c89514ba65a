"""Dependencies of noun phrases: names, possessors, coordinations, modifiers before and behind the noun, and amounts."""

from .parts import Arcs, Part, clausal, coordinate
from .tree import PUNCTUATION

NOUNS = frozenset(["NN", "NNS", "NNP", "NNPS"])
NOMINAL = NOUNS | frozenset(["NP", "NX", "PRP", "QP", "CD"])
ADJECTIVES = frozenset(["JJ", "JJR", "JJS", "VBN", "VBG"])
BEFORE = {"DT": "det", "PDT": "det", "PRP$": "nmod:poss", "WP$": "nmod:poss", "WDT": "det", "CD": "nummod", "QP": "nummod", "POS": "case"}
BEFORE |= {"ADJP": "amod", "ADVP": "advmod", "NX": "compound", "RB": "advmod", "RBR": "advmod", "WRB": "advmod", "CC": "cc", "IN": "case"}
BEFORE |= dict.fromkeys(ADJECTIVES, "amod") | dict.fromkeys(NOUNS, "compound") | dict.fromkeys(PUNCTUATION, "punct")
# In order of preference where there is no noun: groups of kinds, the last (or, for phrases, the first) of which is the head.
FALLBACK = (("NP", "NX"), ("PRP", "EX", "WP"), ("CD", "QP"), ("JJ", "JJR", "JJS"), ("DT", "WDT", "PRP$"))


def noun_phrase(arcs: Arcs, part: Part) -> int:
    """The head of a noun phrase, or of the first of its conjuncts."""
    kids = part.parts
    joints = [kid for kid in kids if kid.symbol == "CC" and kid.leaf and kid.leaf.entity == "O"]
    if not joints or not any(kid.symbol in NOMINAL for kid in kids[: kids.index(joints[0])]):
        return base(arcs, kids)
    marks = [kid for kid in kids if kid in joints or (kid.symbol == "," and kid.start < joints[-1].start)]
    conjuncts: list[tuple[int, int]] = []  # where each begins, and its head
    run: list[Part] = []
    for kid in [*kids, *marks[-1:]]:
        if kid not in marks:
            run.append(kid)
        elif run:
            conjuncts.append((run[0].start, base(arcs, run)))
            run = []
    first = conjuncts[0][1]
    for _, head in conjuncts[1:]:
        _joined(arcs, first, head, "conj")
    for mark in marks:
        after = next((head for start, head in conjuncts if start >= mark.stop), conjuncts[-1][1])
        arcs.hang(mark, after, "cc" if mark.symbol == "CC" else "punct")
    return first


def base(arcs: Arcs, kids: list[Part]) -> int:
    """The head of a noun phrase without conjuncts; a name may hold a possessor (Miller 's Daughter), a preposition or a conjunction."""
    for at, kid in enumerate(kids):
        before, after = kids[:at], kids[at + 1 :]
        if not (kid.leaf and any(other.symbol in NOMINAL for other in before)):
            continue
        owns = any(other.symbol in NOUNS for other in after)
        if kid.symbol == "POS":
            owner = base(arcs, before)
            arcs.hang(kid, owner, "case")
            if not owns:
                for other in after:
                    _modifier(arcs, other, owner, behind=True)
                return owner
            return _joined(arcs, base(arcs, after), owner, "nmod:poss")
        if kid.symbol == "IN" and owns and any(other.symbol in NOUNS for other in before):
            governed = base(arcs, after)
            arcs.hang(kid, governed, "case")
            return _joined(arcs, base(arcs, before), governed, "nmod")
        if kid.symbol == "CC" and owns:
            second = base(arcs, after)
            arcs.hang(kid, second, "cc")
            return _joined(arcs, base(arcs, before), second, "conj")
    return _simple(arcs, kids)


def _joined(arcs: Arcs, head: int, other: int, relation: str) -> int:
    arcs.heads[other], arcs.relations[other] = head, relation
    return head


def _simple(arcs: Arcs, kids: list[Part]) -> int:
    main = _head(kids)
    for at, kid in enumerate(kids):
        if kid is main:
            continue
        follower = next((other for other in kids[at + 1 :] if other.symbol not in ("RB", "IN")), None)
        counted = follower is not None and follower is not main and follower.symbol in ("CD", "QP", "JJ", "DT")
        before = kids[at - 1] if at else None
        after_adjective = kid.symbol in ADJECTIVES and before is not None and before.symbol == "CC" and at > 1
        if kid.start > main.start:
            _modifier(arcs, kid, main.head, behind=True)
        elif kid.symbol == "RB" and counted and follower is not None:
            arcs.hang(kid, follower.head, "advmod")  # only 40 people, too many houses
        elif kid.symbol == "JJR" and at + 1 < len(kids) and kids[at + 1].symbol == "IN" and follower is not None:
            arcs.hang(kid, follower.head, "advmod")  # more than 40 people
            arcs.hang(kids[at + 1], kid.head, "fixed")
        elif kid.symbol == "IN" and before is not None and before.symbol == "JJR":
            continue
        elif after_adjective:  # old and young people
            coordinate(arcs, kids[at - 2], [kid], [kids[at - 1]])
        elif kid.symbol == "PRT" and before is not None:
            arcs.hang(kid, before.head, "compound:prt")  # taken down windmills
        elif kid.symbol != "CC":
            _modifier(arcs, kid, main.head, behind=False)
    _flatten_name(arcs, kids, main)
    return main.head


def _head(kids: list[Part]) -> Part:
    """A person's name is headed by its first word; other noun phrases by their last noun."""
    nouns = [kid for kid in kids if kid.symbol in NOUNS]
    if nouns:
        last = kids.index(nouns[-1])
        if nouns[-1].leaf and nouns[-1].leaf.entity.endswith("-PER"):
            while last and (leaf := kids[last].leaf) and leaf.entity == "I-PER":
                last -= 1
        return kids[last]
    for group in FALLBACK:
        found = [kid for kid in kids if kid.symbol in group]
        if found:
            return found[0] if found[0].symbol in ("NP", "NX") else found[-1]
    return next((kid for kid in reversed(kids) if kid.symbol not in PUNCTUATION), kids[-1])


def _flatten_name(arcs: Arcs, kids: list[Part], main: Part) -> None:
    for kid in kids[kids.index(main) + 1 :]:
        if not (kid.leaf and kid.leaf.entity == "I-PER"):
            return
        arcs.hang(kid, main.head, "flat")


def _modifier(arcs: Arcs, kid: Part, head: int, *, behind: bool) -> None:
    """Hang a modifier on a noun."""
    symbol = kid.symbol
    if symbol == "PP":
        relation = "acl" if clausal(kid) else "nmod"
    elif symbol == "SBAR":
        relation = "acl:relcl" if kid.first("WHNP", "WHADVP") is not None else "acl"
    elif symbol in ("VP", "S"):
        relation = "acl"
    elif symbol == "NP":
        owner = kid.parts[-1].symbol in ("POS", "PRP$")
        relation = "nmod:tmod" if arcs.temporal(kid) and behind else "nmod:poss" if owner else "appos" if behind else "compound"
    elif symbol == "ADVP" and kid.first("VP") is not None:
        relation = "acl"
    else:
        relation = BEFORE.get(symbol, "dep")
    arcs.hang(kid, head, relation)


def quantity(arcs: Arcs, part: Part) -> int:
    """The number of an amount (nearly 40, more than 40, 2.5 million), or its currency ($ 40 million)."""
    kids = part.parts
    sign, numbers = part.first("$"), [kid for kid in kids if kid.symbol == "CD"]
    toward = part.first("TO")
    main = sign or (numbers[0] if toward else numbers[-1])
    if sign:
        arcs.hang(numbers[-1], sign.head, "nummod")
    phrase: Part | None = None
    for kid in kids:
        if kid is main or (sign and kid is numbers[-1]):
            continue
        if kid.symbol == "CD":
            arcs.hang(kid, main.head if toward else numbers[-1].head, "nmod" if toward else "compound")
        elif kid is toward:
            arcs.hang(kid, numbers[-1].head, "case")
        else:
            arcs.hang(kid, main.head if phrase is None else phrase.head, "advmod" if phrase is None else "fixed")
            phrase = phrase or kid
    return main.head
