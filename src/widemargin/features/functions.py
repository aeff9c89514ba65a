"""The functions of the template language: what each takes, and what it makes of one value."""

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass

from widemargin.features.patterns import bounded


class _Classes(dict[int, str]):
    """For str.translate: upper-case letters become X, others x, digits d; the rest stays."""

    def __missing__(self, point: int) -> str:
        character = chr(point)
        self[point] = (
            ("X" if character.isupper() or character.istitle() else "x")
            if character.isalpha()
            else "d"
            if character.isdecimal()
            else character
        )
        return self[point]


class _Digits(dict[int, str]):
    """For str.translate: every decimal digit becomes 0."""

    def __missing__(self, point: int) -> str:
        self[point] = "0" if chr(point).isdecimal() else chr(point)
        return self[point]


_CLASSES, _DIGITS = _Classes(), _Digits()
_RUN = re.compile(r"(.)\1+", re.DOTALL)


def shape(value: str) -> str:
    """
    >>> shape("McDonald's-1990")
    "XxXxxxxx'x-dddd"
    """
    return value.translate(_CLASSES)


def brief(value: str) -> str:
    """
    >>> brief("McDonald's-1990")
    "XxXx'x-d"
    """
    return _collapsed(value.translate(_CLASSES))


@functools.lru_cache(1 << 16)  # shapes are few
def _collapsed(shape: str) -> str:
    return _RUN.sub(r"\1", shape)


def digits(value: str) -> str:
    """
    >>> digits("Sept-14")
    'Sept-00'
    """
    return value.translate(_DIGITS)


def traits(value: str) -> str:
    """One letter for each thing that is true of a value, in a fixed order.

    A initial capital, U all upper case, L all lower case, N all digits, n some digit, - hyphen, . period, ' apostrophe, * something that is
    neither letter nor digit, 1 one character, C a capital after the first character.

    >>> traits("McDonald"), traits("U.S."), traits("1990s")
    ('AC', 'AU.*C', 'Ln')
    """
    tests = (
        value[:1].isupper(),
        value.isupper(),
        value.islower(),
        value.isdigit(),
        any(map(str.isdigit, value)),
        "-" in value,
        "." in value,
        "'" in value,
        not value.isalnum(),
        len(value) == 1,
        value[1:].lower() != value[1:],
    )
    return "".join(letter for letter, true in zip("AULNn-.'*1C", tests) if true)


def prefix(length: int) -> Callable[[str], str | None]:
    """The first `length` characters; nothing when the value is shorter."""
    return lambda value: value[:length] if len(value) >= length else None


def suffix(length: int) -> Callable[[str], str | None]:
    """The last `length` characters; nothing when the value is shorter."""
    return lambda value: value[-length:] if len(value) >= length else None


def match(pattern: str) -> Callable[[str], str | None]:
    """Whether the pattern occurs in the value: the empty string, or nothing."""
    search = bounded(pattern).search
    return lambda value: "" if search(value) else None


def test(pattern: str) -> Callable[[str], str]:
    """Whether the pattern occurs in the value, both outcomes being values."""
    search = bounded(pattern).search
    return lambda value: "true" if search(value) else "false"


def extract(pattern: str) -> Callable[[str], str]:
    """The first place where the pattern is found; the empty string when there is none."""
    search = bounded(pattern).search
    return lambda value: found[0] if (found := search(value)) else ""


@dataclass(frozen=True)
class Function:
    """What the parser and the extraction need to know of a function."""

    usage: str
    arguments: tuple[str, ...]  # after the value: "number", "pattern", "lexicon", "column" or "choice"
    make: Callable[..., Callable[[str], str | None]] | None  # from the arguments; None: it looks at more than the value
    choices: tuple[str, ...] = ()  # what a "choice" can be
    plain: bool = False  # takes a column, not another function
    bounded: bool = False  # has values outside the sentence
    final: bool = False  # what it gives is no text for another function
    textless: bool = False  # fires or does not: the feature's name shows no value


FUNCTIONS: dict[str, Function] = {
    "lower": Function("lower(word)", (), lambda: str.lower, bounded=True),
    "shape": Function("shape(word)", (), lambda: shape, bounded=True),
    "brief": Function("brief(word)", (), lambda: brief, bounded=True),
    "digits": Function("digits(word)", (), lambda: digits, bounded=True),
    "traits": Function("traits(word)", (), lambda: traits, bounded=True),
    "prefix": Function("prefix(word,3)", ("number",), prefix),
    "suffix": Function("suffix(word,3)", ("number",), suffix),
    "match": Function("match(word,/[0-9]/)", ("pattern",), match, final=True, textless=True),
    "test": Function("test(word,/[0-9]/)", ("pattern",), test, bounded=True),
    "extract": Function("extract(word,/[0-9]+/)", ("pattern",), extract, bounded=True),
    "in": Function('in(word,"FILE")', ("lexicon",), None, final=True, textless=True),
    "had": Function("had(word,pos,3)", ("column", "number"), None, final=True),
    "seen": Function("seen(word,pos)", ("column",), None, final=True),
    "pair": Function("pair(word)", (), None, plain=True),
    "document": Function("document(word,next)", ("choice",), None, choices=("case", "next", "previous", "name", "place"), plain=True),
}
