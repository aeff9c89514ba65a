r"""Regular expressions whose work is bounded by their form, since Python's `re` goes back and forth and cannot be interrupted.

`re` tries one way through a pattern after another. How many there are for a text of n characters is read off the pattern's automaton, whose
states are the pattern's characters (Glushkov 1961). With two ways round a loop for the same text they are exponentially many, as in
(a+)+; such patterns are refused. Else they are at most  ways C(n + d, d),  where d - 1 is the number of pairs of loops that compete for
the same characters one behind the other (Weber and Seidl 1991: the degree of ambiguity), and `ways` counts the paths between the loops.
A pattern is shown as many characters of a text as keep this below MOST_STEPS, and refused when these would be fewer than SHORTEST.
"""

import functools
import math
import re

from widemargin.errors import InputError
from widemargin.features.automata import Automaton, TooMuch, automaton_of

MOST_STEPS, SHORTEST = 20_000_000, 64


class Bounded:
    """A compiled pattern that looks at the first `most` characters of a text."""

    def __init__(self, pattern: str):
        try:
            self.compiled = re.compile(pattern)
            self.most = longest_text(automaton_of(pattern))
        except re.error as error:
            raise InputError(f"the regular expression /{pattern}/ is broken ({error}); mend it.") from None
        except (RecursionError, OverflowError, MemoryError, ValueError):  # ValueError: a number of thousands of digits
            raise InputError(f"the regular expression /{pattern}/ nests too deep or is too large; make it simpler.") from None
        except TooMuch as reason:
            raise InputError(f"the regular expression /{pattern}/ {reason}.") from None

    def search(self, text: str) -> re.Match[str] | None:
        """The first place where the pattern is found."""
        return self.compiled.search(text if len(text) <= self.most else text[: self.most])


@functools.lru_cache(256)
def bounded(pattern: str) -> Bounded:
    """A pattern to search with, or an InputError that says why not."""
    return Bounded(pattern)


def longest_text(automaton: Automaton) -> int:
    """How many characters of a text can be searched within MOST_STEPS; TooMuch where they are too few."""
    degree, ways = automaton.degree(), automaton.ways()
    if ways * math.comb(SHORTEST + degree, degree) > MOST_STEPS:
        raise TooMuch("can be matched in too many ways, which may take forever; use fewer repeats or alternatives of the same characters")
    low, high = SHORTEST, MOST_STEPS  # find the largest by halving
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if ways * math.comb(middle + degree, degree) <= MOST_STEPS else (low, middle - 1)
    return low
