"""Template files of CRF++ and pattern files of Wapiti, read as they are.

Both tools make a string of a line and a token, by putting cells in place of %x[offset,column]; equal strings are one feature. A line is a
Template here. It is given a name, its text with the cells left out, where that decides which features are shared: when another line has
the same text ("bag of words"), or another text for the same cells.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from widemargin.engine.settings import whole_number
from widemargin.errors import InputError
from widemargin.features.atoms import FARTHEST, Atom, Call, Column, Mark, Template, check_column
from widemargin.features.patterns import bounded
from widemargin.features.templates import LINE_END
from widemargin.features.wapiti_regex import to_python


@dataclass(frozen=True)
class Dialect:
    """What one of the tools calls a template."""

    tool: str
    kinds: dict[str, tuple[bool, ...]]  # first character of a line: without the previous label, with it
    commands: str
    example: str
    comment: re.Pattern[str]  # to be cut off, with what else does not count


DIALECTS = {
    "crfpp": Dialect("CRF++", {"U": (False,), "B": (True,)}, "x", "%x[-1,0]", re.compile(r"^(#.*|\s*)$")),
    "wapiti": Dialect(
        "Wapiti",
        {"U": (False,), "u": (False,), "B": (True,), "b": (True,), "*": (False, True)},
        "xXtTmM",
        '%x[-1,0], %t[-1,0,"REGEX"], %m[-1,0,"REGEX"]',
        re.compile(r"(?<!\s)\s*(#.*)?$"),
    ),
}
_COMMAND = re.compile(
    r'%(?P<command>\w)\[(?P<mode>[@*]?)\s*(?P<offset>[+-]?[0-9]+)\s*,\s*(?P<column>[0-9]+)(?P<regex>,"(?:[^"\\]|\\.)*")?\s*\]'
)
# In a file of our own, a % stands only where there was a quote, a slash or a bracket before it, or in a comment.
_FOREIGN = re.compile(r'^[UuBb*][^"/(#%\n]*%[xXtTmM]\[', re.MULTILINE)
_WAPITI = re.compile(r"^(?:[ub*]|[UB].*%[XtTmM]\[)", re.MULTILINE)

Key = tuple[str, bool, tuple[Atom, ...]]  # text without cells, with the previous label?, atoms


def is_foreign(text: str) -> bool:
    """Whether this is no text of our own language, but one of CRF++ or Wapiti."""
    return bool(_FOREIGN.search(text))


def parse_foreign(
    text: str, dialect: str | None = None, *, source: str = "<templates>", columns: Sequence[str] | None = None
) -> tuple[Template, ...]:
    """The templates of a text in the language of crfpp or wapiti; not named, the dialect is the one that fits.

    Identical lines count once. columns: the column names there are, to check against.
    """
    if dialect is None and _WAPITI.search(text):
        dialect = "wapiti"
    if dialect is None:
        found, other = (parse_foreign(text, name, source=source, columns=columns) for name in DIALECTS)
        if found != other:
            hint = f"write crfpp:{source} or wapiti:{source}"
            raise InputError(f"CRF++ and Wapiti take the # or the blanks in these lines differently; {hint}.", source)
        return found
    keys: dict[Key, None] = {}
    for number, line in enumerate(LINE_END.split(text), 1):
        keys |= dict.fromkeys(_keys(line, DIALECTS[dialect], f"{source}:{number}", columns))
    if not keys:
        raise InputError(f"there is no template here; write one per line, e.g. U00:{DIALECTS[dialect].example.split(', ')[0]}.", source)
    texts = Counter((text, label) for text, label, _ in keys)
    looks = Counter((atoms, label) for _, label, atoms in keys)
    named = ((text if texts[text, label] > 1 or looks[atoms, label] > 1 else None) for text, label, atoms in keys)
    return tuple(Template(atoms, label, name) for (_, label, atoms), name in zip(keys, named))


def _keys(line: str, dialect: Dialect, where: str, columns: Sequence[str] | None) -> list[Key]:
    """The templates of one line."""
    line = dialect.comment.sub("", line, count=1)
    if not line:
        return []
    kinds = dialect.kinds.get(line[0])
    if kinds is None:
        there = ", ".join(dialect.kinds)
        raise InputError(
            f"a line of {dialect.tool} begins with one of {there}, or with # for a comment; {line[0]!r} is neither.", f"{where}:1"
        )
    texts, atoms, at = [line[0].upper()], list[Atom](), 1
    while (percent := line.find("%", at)) >= 0:
        place = f"{where}:{percent + 1}"
        found = _COMMAND.match(line, percent)
        if not found or found["command"] not in dialect.commands:
            raise InputError(f"this % does not begin a command of {dialect.tool}, which has {dialect.example}.", place)
        atoms.append(_atom(found, place, columns))
        texts += [line[at:percent], "%"]
        at = found.end()
    text = "".join([*texts, line[at:]])
    if atoms:
        return [(text, label, tuple(atoms)) for label in kinds]
    # No cell: a feature of every token. With the previous label it is the plain transitions, however it is called.
    return [("", label, ()) if label else (text, label, (Atom(Mark("bias")),)) for label in kinds]


def _atom(found: re.Match[str], place: str, columns: Sequence[str] | None) -> Atom:
    """What a command looks at."""
    command, offset, regex = found["command"], whole_number(found["offset"]), found["regex"]
    if found["mode"]:
        raise InputError(f"{found[0]} counts from the sentence's ends or by a cell, not from this token; put that cell in a column.", place)
    if offset is None or abs(offset) > FARTHEST:
        raise InputError(f"an offset can be {FARTHEST} tokens away at most; bring it nearer.", place)
    if (regex is None) != (command in "xX"):
        wanted = "no regular expression" if regex else 'a regular expression, e.g. %t[0,0,"^\\u"]'
        raise InputError(f"%{command} takes {wanted}.", place)
    number = whole_number(found["column"])
    if number is None:
        raise InputError(f"there is no column {found['column']!r}; columns are numbered 0, 1, 2, ...", place)
    column = Column(str(number), place)
    if columns is not None:
        check_column(column, columns)
    what: Column | Call = column
    if regex is not None:
        try:
            pattern = to_python(regex[2:-1])
            bounded(pattern)
        except InputError as error:
            raise InputError(error.sentence, place) from None
        except ValueError as error:
            raise InputError(f"the regular expression {regex[1:]} is broken: {error}.", place) from None
        what = Call("test" if command in "tT" else "extract", column, (pattern,), where=place)
    # what a test gives has no capitals
    return Atom(Call("lower", what, where=place) if command in "XM" else what, offset)
