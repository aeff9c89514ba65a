"""Words out of their place, as in any language: what belongs together stands apart, and arcs cross.

    behind    the people opposed the plan who work near the mill     a modifier of the subject or object, behind the verb phrase
    in front  of the shares the bank owns 12 percent                 a modifier of the object, or the object of a clause inside

Only the dependency layer has these sentences; the other layers keep theirs. Where a phrase goes depends on the tree and one stream alone.
"""

from dataclasses import dataclass

from .parts import Arcs, Part
from .stream import Stream

SHARE = 0.33  # of the sentences that have something to move
BEHIND, FRONT = frozenset(["PP", "SBAR", "VP"]), frozenset(["PP"])


@dataclass(frozen=True)
class Move:
    """Words start to stop go before word `to`."""

    start: int
    stop: int
    to: int

    def order(self, n: int) -> list[int]:
        """The words' old places in their new order."""
        block, rest = range(self.start, self.stop), [i for i in range(n) if not self.start <= i < self.stop]
        at = self.to if self.to <= self.start else self.to - len(block)
        return [*rest[:at], *block, *rest[at:]]


def moves(arcs: Arcs) -> list[Move]:
    """Everything that could stand elsewhere."""
    found: list[Move] = []
    top = arcs.top
    _behind(arcs, top, found)
    if len(top.parts) > 1 and top.parts[0].symbol == "NP" and top.parts[1].symbol == "VP":
        _front(arcs, top.parts[1], found, deep=False)
    return found


def chosen(arcs: Arcs, stream: Stream) -> Move | None:
    """What is moved in a sentence, if anything; a sentence draws the same numbers whether or not it can change."""
    move, which = stream.chance(SHARE), stream.uniform()
    words = [leaf.word for leaf in arcs.leaves]
    options = moves(arcs) if move and not all(word.isupper() for word in words if word.isalpha()) else []
    return options[int(which * len(options))] if options else None


def _modified(part: Part, kinds: frozenset[str]) -> Part | None:
    """The modifier of a noun phrase that is a noun phrase and a modifier."""
    if part.symbol == "NP" and len(part.parts) == 2 and part.parts[0].symbol == "NP" and part.parts[1].symbol in kinds:
        return part.parts[1]
    return None


def _common(arcs: Arcs, part: Part) -> bool:
    """Neither a name nor a pronoun, next to which another noun phrase would read as one with it."""
    leaf = arcs.leaves[part.head]
    return leaf.pos in ("NN", "NNS") and leaf.entity == "O"


def _of(arcs: Arcs, part: Part) -> bool:
    return arcs.leaves[part.start].word == "of"


def _behind(arcs: Arcs, part: Part, found: list[Move]) -> None:
    for i, kid in enumerate(part.parts):
        modifier = _modified(kid, BEHIND)
        after = part.parts[i + 1 :]
        if modifier is not None and not _of(arcs, modifier) and after:
            if part.symbol == "S" and after[0].symbol == "VP":
                found.append(Move(modifier.start, modifier.stop, after[0].stop))
            elif part.symbol == "VP":
                end = next((j for j, other in enumerate(after) if other.symbol not in ("PP", "ADVP", "NP")), len(after))
                if end:
                    found.append(Move(modifier.start, modifier.stop, after[end - 1].stop))
        _behind(arcs, kid, found)


def _front(arcs: Arcs, part: Part, found: list[Move], *, deep: bool) -> None:
    """Into verb phrases and the clauses that are their complements; `deep` says that a verb stands above."""
    for i, kid in enumerate(part.parts):
        if i and part.parts[i - 1].symbol == "``":
            continue
        modifier = _modified(kid, FRONT)
        if part.symbol == "VP" and modifier is not None:
            found.append(Move(modifier.start, modifier.stop, 0))
        elif part.symbol == "VP" and deep and arcs.relations[kid.head] == "obj" and kid.symbol == "NP" and _common(arcs, kid):
            found.append(Move(kid.start, kid.stop, 0))
        if kid.symbol in ("VP", "S", "SBAR") and arcs.relations[kid.head] not in ("advcl", "acl:relcl", "parataxis", "conj"):
            _front(arcs, kid, found, deep=deep or kid.symbol in ("S", "SBAR"))
