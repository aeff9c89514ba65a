"""Regular expressions as automata, to count the ways in which a text can be matched (features/patterns.py).

A state is a character of the pattern, with the set of characters that it takes; follow[p][q] is in how many ways q can be the next after
p. Sets are bits of the alphabet: the characters of ASCII one by one, and the rest cut into stretches where the pattern's own sets begin and
end. What is not known exactly (classes such as \\w beyond ASCII, letters of any case, looking ahead and behind) counts as more, never less.
"""

import importlib
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from typing import Any, NamedTuple

from widemargin.features.loops import components, reachable

parser: Any = importlib.import_module("re._parser")  # the parser of Python's own `re`: what it reads is what is matched

ASCII = 128
MOST_COPIES = 8  # of a repeat that is written out
MOST_STATES, MOST_EDGES, MOST_LOOPS, MOST_PAIRS = 2000, 20_000, 30, 200_000  # so that counting takes no longer than a second
CLASSES = {"CATEGORY_DIGIT": r"\d", "CATEGORY_SPACE": r"\s", "CATEGORY_WORD": r"\w"}


class TooMuch(Exception):
    """Why a pattern is refused."""


class Part(NamedTuple):
    """A part of a pattern: in how many ways it matches the empty text, begins and ends with a state."""

    empty: int
    first: dict[int, int]
    last: dict[int, int]


NOTHING = Part(1, {}, {})


class Automaton:
    """States and what follows what, built part by part."""

    def __init__(self, tree: Any):
        self.cuts = sorted({0, *range(ASCII + 1), *_bounds(tree)})  # where stretches of the alphabet begin
        self.every = (1 << len(self.cuts)) - 1
        self.beyond = self.every & ~((1 << ASCII) - 1)
        self.sets: list[int] = []
        self.edges = 0
        self.follow: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        start = self.loop(self.state(self.every))  # a search may begin anywhere
        body = self.sequence(tree, tree.state.flags)
        self.join(start, body) if not _anchored(tree) else None
        self.starts = self.alternatives([start, body]).first

    def state(self, characters: int) -> Part:
        """A new state."""
        if len(self.sets) == MOST_STATES:
            raise TooMuch(TOO_LARGE)
        self.sets.append(characters)
        return Part(0, {len(self.sets) - 1: 1}, {len(self.sets) - 1: 1})

    def join(self, one: Part, two: Part) -> Part:
        """One part behind the other."""
        self.connect(one.last, two.first)
        return Part(one.empty * two.empty, _added(one.first, two.first, one.empty), _added(two.last, one.last, two.empty))

    def connect(self, last: dict[int, int], first: dict[int, int]) -> None:
        """Each of the first can come after each of the last."""
        self.edges += len(last) * len(first)
        if self.edges > MOST_EDGES:
            raise TooMuch(TOO_LARGE)
        for p, a in last.items():
            for q, b in first.items():
                self.follow[p][q] += a * b

    def alternatives(self, parts: list[Part]) -> Part:
        """One of several parts."""
        out = Part(0, {}, {})
        for part in parts:
            out = Part(out.empty + part.empty, _added(out.first, part.first, 1), _added(out.last, part.last, 1))
        return out

    def loop(self, part: Part) -> Part:
        """A part again and again; an empty round can come before the others, and behind them."""
        self.connect(part.last, part.first)
        both = (_added(states, states, part.empty) for states in (part.first, part.last))
        return Part(part.empty * (1 + part.empty), *both)

    def sequence(self, items: Any, flags: int) -> Part:
        """What the parser read, one item behind the other."""
        out = NOTHING
        for code, what in items:
            out = self.join(out, self.item(str(code), what, flags))
        return out

    def item(self, code: str, what: Any, flags: int) -> Part:
        """One item of the parser."""
        if code in ("LITERAL", "NOT_LITERAL", "IN", "ANY"):
            return self.state(self.characters(code, what, flags))
        if code == "AT":
            return NOTHING
        if code == "BRANCH":
            return self.alternatives([self.sequence(branch, flags) for branch in what[1]])
        if code == "SUBPATTERN":
            return self.sequence(what[3], (flags | what[1]) & ~what[2])
        if code == "ATOMIC_GROUP":
            return self.sequence(what, flags)
        if code in ("ASSERT", "ASSERT_NOT"):
            return Part(1, self.sequence(what[1], flags).first, {})  # tried, and left again
        if code in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            return self.repeated(what[0], int(what[1]), what[2], flags)
        raise TooMuch("refers back to a group, which may take forever; write it without")

    def repeated(self, least: int, most: int, body: Any, flags: int) -> Part:
        """A repeat: written out when it is short, else a loop."""
        if most > MOST_COPIES:
            part = self.sequence(body, flags)
            if part.empty and least > 1:  # unlike a loop, it goes on after an empty round
                raise TooMuch(TWO_WAYS)
            loop = self.loop(part)
            return loop if least else Part(loop.empty + 1, loop.first, loop.last)
        out = NOTHING
        for copy in range(most, 0, -1):  # x{1,3} is x(x(x)?)?
            out = self.join(self.sequence(body, flags), out)
            out = out if copy <= least else Part(out.empty + 1, out.first, out.last)
        return out

    def characters(self, code: str, what: Any, flags: int) -> int:
        """The set of a state."""
        if code == "ANY":
            return self.every & ~(0 if flags & re.DOTALL else 1 << ord("\n"))
        items = what if code == "IN" else [(code.removeprefix("NOT_"), what)]
        negated, some, sure = code == "NOT_LITERAL", 0, 0
        for kind, value in ((str(kind), value) for kind, value in items):
            if kind == "NEGATE":
                negated = True
            elif kind == "CATEGORY":
                some |= self.category(str(value))
                sure |= self.category(str(value)) & ~self.beyond
            else:
                low, high = (value, value) if kind == "LITERAL" else value
                found = (1 << bisect_right(self.cuts, high)) - (1 << bisect_left(self.cuts, low))
                sure |= found
                some |= self.any_case(found) if flags & re.IGNORECASE else found
        return self.every & ~sure if negated else some

    def category(self, name: str) -> int:
        r"""The set of \d and the like."""
        test = re.compile(CLASSES[name.replace("_NOT_", "_")])
        ascii = sum(1 << c for c in range(ASCII) if bool(test.match(chr(c))) != ("_NOT_" in name))
        return ascii | self.beyond

    def any_case(self, found: int) -> int:
        """With the letters of the other case."""
        letters = [c for c in range(ASCII) if chr(c).isalpha() and found >> c & 1]
        return found | sum(1 << ord(chr(c).swapcase()) for c in letters if not found >> ord(chr(c).swapcase()) & 1) | self.beyond

    def degree(self) -> int:
        """d of features/patterns.py: 1, and the longest chain of pairs of loops that compete; TooMuch where a loop competes with itself."""
        after = {p: tuple(q for q in self.follow.get(p, ())) for p in range(len(self.sets))}
        groups = components(after)  # those behind come first
        loops = [group for group in groups if len(group) > 1 or group[0] in after[group[0]]]
        if len(loops) > MOST_LOOPS:
            raise TooMuch(TOO_LARGE)
        for loop in loops:
            self.refuse_two_ways(loop, after)
        alphabets = [_union(self.sets[p] for p in loop) for loop in loops]
        chain = [1] * len(loops)
        for i, loop in enumerate(loops):
            every = reachable(loop, after)
            for j in range(i):
                if loops[j][0] in every:
                    shared = alphabets[i] & alphabets[j]
                    taken = {p for p, characters in enumerate(self.sets) if characters & shared}
                    competes = bool(shared) and not reachable(loop, after, taken).isdisjoint(loops[j])
                    chain[i] = max(chain[i], chain[j] + competes)
        return max(chain, default=1)

    def refuse_two_ways(self, loop: list[int], after: dict[int, tuple[int, ...]]) -> None:
        """No text leads round a loop in two ways: no pair of different states is reached from one state, and comes back to one."""
        inside, most = set(loop), MOST_PAIRS
        if any(self.follow[p][q] > 1 for p in loop for q in after[p] if q in inside):
            raise TooMuch(TWO_WAYS)
        pairs: dict[tuple[int, int], tuple[tuple[int, int], ...]] = {}
        waiting = [(p, p) for p in loop]
        while waiting:
            pair = waiting.pop()
            if pair in pairs:
                continue
            nexts = [[q for q in after[p] if q in inside] for p in pair]
            most -= 1 + len(nexts[0]) * len(nexts[1])
            if most < 0:
                raise TooMuch(TOO_LARGE)
            pairs[pair] = tuple((a, b) for a in nexts[0] for b in nexts[1] if self.sets[a] & self.sets[b])
            waiting += pairs[pair]
        if any(p != q for group in components(pairs) for p, q in group if any(a == b for a, b in group)):
            raise TooMuch(TWO_WAYS)

    def ways(self) -> int:
        """How many paths there are, if a loop is entered and left but once."""
        after = {p: tuple(self.follow.get(p, ())) for p in range(len(self.sets))}
        paths, group_of = dict[int, int](), dict[int, list[int]]()
        for group in components(after):
            group_of |= dict.fromkeys(group, group)
            out = sum(self.follow[p][q] * paths[q] for p in group for q in after[p] if group_of[q] is not group)
            paths |= dict.fromkeys(group, len(group) + out)
        return max(1, sum(count * paths[p] for p, count in self.starts.items()))


TOO_LARGE = "is too large; make it shorter, or use in(...) with a file of words"
TWO_WAYS = "repeats a repeat of the same characters, as in (a+)+, which may take forever; use one repeat"


def automaton_of(pattern: str) -> Automaton:
    """The automaton of a search for a pattern that `re` can compile."""
    return Automaton(parser.parse(pattern))


def _bounds(tree: Any) -> set[int]:
    """Where the sets of a parsed pattern begin, and where they are over."""
    found: set[int] = set()
    stack = [tree]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple) and len(item) == 2 and str(item[0]) in ("LITERAL", "NOT_LITERAL"):
            found |= {item[1], item[1] + 1}
        elif isinstance(item, tuple) and len(item) == 2 and str(item[0]) == "RANGE":
            found |= {item[1][0], item[1][1] + 1}
        elif isinstance(item, tuple | list | parser.SubPattern):
            stack.extend(item)
    return found


def _anchored(tree: Any) -> bool:
    """Does the pattern begin at the beginning of the text, or nowhere?"""
    return (
        bool(len(tree))
        and str(tree[0][0]) == "AT"
        and str(tree[0][1]) in ("AT_BEGINNING", "AT_BEGINNING_STRING")
        and not tree.state.flags & re.MULTILINE
    )


def _added(one: dict[int, int], two: dict[int, int], times: int) -> dict[int, int]:
    """one + times * two; counts above 2^20 stay there."""
    if not times:
        return one
    out = dict(one)
    for state, count in two.items():
        out[state] = min(out.get(state, 0) + times * count, 1 << 20)
    return out


def _union(sets) -> int:
    out = 0
    for each in sets:
        out |= each
    return out
