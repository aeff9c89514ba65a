"""The template language: text to frozen Template objects. docs/templates.md explains it with examples.

*word[-1..1]            # the words around, alone and with the previous label
lower(word) pos[1]      # conjunctions are written side by side
label[-1] shape(word)   # a transition that looks at the input
"near" word[-2..2]      # templates of one name share their features
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from widemargin.engine.settings import whole_number
from widemargin.errors import InputError
from widemargin.features.atoms import FARTHEST, MARKS, Atom, Call, Column, Mark, Template, check_column, columns_of
from widemargin.features.functions import FUNCTIONS
from widemargin.features.lexicons import Lexicon, read_lexicon
from widemargin.features.patterns import bounded

MOST_ALTERNATIVES, DEEPEST = 8, 20  # of had(...); functions of functions
_NAME, _NUMBER, _BLANK = re.compile(r"\w[\w:.-]*"), re.compile(r"[+-]?[0-9]+"), re.compile(r"[ \t]*")
_REGEX, _QUOTED = re.compile(r"/((?:[^/\\]|\\.)*)/"), re.compile(r'"([^"]*)"')
_TITLE, LINE_END = re.compile(r'"((?:[^"\\]|\\["\\])+)"'), re.compile(r"\r\n?|\n")


def read_templates(
    path: str | os.PathLike[str], *, columns: Sequence[str] | None = None, lexicons: Mapping[str, Lexicon] | None = None
) -> tuple[Template, ...]:
    """The templates in a file; the lexicons it names lie beside it."""
    folder = os.path.dirname(os.path.abspath(path))
    return parse_templates(read_text(path), source=os.fspath(path), folder=folder, columns=columns, lexicons=lexicons)


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a template file."""
    try:
        with open(path, encoding="utf-8-sig") as handle:
            return handle.read()
    except (OSError, ValueError) as error:
        raise InputError(f"the templates cannot be read ({error}); give a UTF-8 text file.", os.fspath(path)) from None


def parse_templates(
    text: str,
    *,
    source: str = "<templates>",
    folder: str | os.PathLike[str] | None = ".",
    columns: Sequence[str] | None = None,
    lexicons: Mapping[str, Lexicon] | None = None,
    first: int = 1,
) -> tuple[Template, ...]:
    """The templates of a text whose first line has number `first`, in order, ranges and stars written out.

    columns: the column names there are, to check against. lexicons: by name; those not there are read from `folder`, if there is one.
    """
    found: dict[Template, str] = {}
    for number, line in enumerate(LINE_END.split(text), first):
        for template in _Line(line, f"{source}:{number}", folder, columns, lexicons or {}).templates():
            if template in found:
                here = f"this repeats {template}, which stands at {found[template]}; remove one of the two."
                raise InputError(here, f"{source}:{number}:1")
            found[template] = f"{source}:{number}"
    if not found:
        raise InputError("there is no template here; write one per line, e.g. word[-1..1].", source)
    return tuple(found)


class _Line:
    """One line of templates and how far it has been read."""

    def __init__(self, text, where, folder, columns, lexicons):
        self.text, self.at, self.where = text, 0, where
        self.folder, self.columns, self.lexicons = folder, columns, lexicons
        self.missing = False  # an optional lexicon is not there

    def templates(self) -> list[Template]:
        """All templates of the line; none for a comment, or when an optional lexicon is not there."""
        self.skip()
        name = self.title()
        starred = self.take("*")
        atoms: list[Atom] = []
        ranges: list[tuple[int, int, str]] = []  # index in atoms, length, text
        label: int | None = None
        while self.more():
            begin = self.at
            atom, length = self.atom()
            if atom is None:
                if starred or label is not None:
                    raise self.error("label[-1] is there already; write it once, or a * at the start of the line.", begin)
                label = begin
            else:
                if length is not None:
                    ranges.append((len(atoms), length, self.text[begin : self.at]))
                    if length != ranges[0][1]:
                        one, two = ranges[0][2], ranges[-1][2]
                        raise self.error(f"{one} and {two} are ranges of different lengths; make them equally long.", begin)
                atoms.append(atom)
            if self.at < len(self.text) and self.text[self.at] not in " \t\r#":
                raise self.error(f"{self.text[self.at]!r} does not belong here; separate atoms by blanks, e.g. word[-1] word[0].")
        if starred and not atoms:
            raise self.error("there is nothing after the *; write a template there, e.g. *word[0].")
        if name is not None and not atoms:
            raise self.error('a name alone is not a template; write atoms after it, e.g. "near" word[-2..2].')
        if self.missing or (not atoms and label is None):
            return []
        moving = {index for index, _, _ in ranges}

        def moved(step: int) -> tuple[Atom, ...]:
            return tuple(replace(atom, offset=atom.offset + step) if i in moving else atom for i, atom in enumerate(atoms))

        expanded = [moved(step) for step in range(ranges[0][1] if ranges else 1)]
        plain = [Template(each, label is not None, name) for each in expanded]
        return plain + [Template(each, True, name) for each in expanded] if starred else plain

    def title(self) -> str | None:
        """The name of the line's templates, if it begins with one."""
        if not self.text.startswith('"', self.at):
            return None
        found = _TITLE.match(self.text, self.at)
        if not found:
            raise self.error(
                'a name has two quotes and something between them, e.g. "near" word[-2..2]; a quote or \\ inside has a \\ before it.'
            )
        self.at = found.end()
        self.skip()
        return re.sub(r"\\(.)", r"\1", found[1])

    def atom(self) -> tuple[Atom | None, int | None]:
        """An atom, at the low end of its range if it has one, and the range's length; no atom for label[-1]."""
        begin = self.at
        what = self.expression()
        name = what.name if isinstance(what, Column) else ""
        at = self.at
        bounds = self.offsets() if self.take("[") else None
        if name == "label":
            if bounds != (-1, None):
                raise self.error("the only label a template can see is the previous one; write label[-1].", begin)
            return None, None
        if name in MARKS:
            if bounds:
                raise self.error(f"{name} takes no offset; write {name} alone.", at)
            return Atom(Mark(name)), None
        for column in columns_of(what):
            if self.columns is not None:
                check_column(column, self.columns)
        low, high = bounds or (0, None)
        return Atom(what, low), None if high is None else high - low + 1

    def expression(self, deep: int = 0) -> Column | Call:
        """A column or a function call, itself inside so many calls."""
        begin = self.at
        if deep > DEEPEST:
            raise self.error(f"functions can be nested {DEEPEST} deep at most; use fewer.")
        name = self.read(_NAME)
        if not name:
            raise self.error("a column or function should stand here, e.g. word[-1] or lower(word).")
        optional = self.text.startswith("?(", self.at)
        self.at += optional
        if not self.take("("):
            return Column(name, self.place(begin))
        if name not in FUNCTIONS:
            usages = ", ".join(function.usage for function in FUNCTIONS.values())
            raise self.error(f"there is no function {name!r}; the functions are {usages}.", begin)
        if optional and name != "in":
            raise self.error(f"only in?(...) can be optional; write {FUNCTIONS[name].usage}.", begin)
        self.skip()
        inside = self.at
        of = self.expression(deep + 1)
        if isinstance(of, Call) and FUNCTIONS[of.function].final:
            raise self.error(f"{of.function}(...) gives no text for {name}(...); write it the other way round.", inside)
        if isinstance(of, Column) and of.name in (*MARKS, "label"):
            raise self.error(f"{name}(...) needs a column and {of.name} is not one; give a column, e.g. {FUNCTIONS[name].usage}.", inside)
        if isinstance(of, Call) and FUNCTIONS[name].plain:
            raise self.error(f"{name}(...) needs a column as it is written, with its capitals; write {FUNCTIONS[name].usage}.", inside)
        arguments, lexicon = [], None
        for kind in FUNCTIONS[name].arguments:
            self.expect(",", name)
            self.skip()
            at = self.at
            arguments.append(self.argument(kind, name))
            if kind == "lexicon":
                lexicon = self.lexicon(str(arguments[-1]), optional, at)
        self.expect(")", name)
        return Call(name, of, tuple(arguments), lexicon, self.place(begin))

    def argument(self, kind: str, function: str) -> str | int:
        """One argument after the first."""
        begin, usage = self.at, FUNCTIONS[function].usage
        if kind == "number":
            digits = self.read(_NUMBER)
            most = MOST_ALTERNATIVES if function == "had" else FARTHEST
            number = whole_number(digits)
            if number is None or not 1 <= number <= most:
                raise self.error(f"{function} needs a number from 1 to {most} here, e.g. {usage}.", begin)
            return number
        if kind == "pattern":
            found = _REGEX.match(self.text, self.at)
            if not found:
                raise self.error(f"{function} needs a regular expression between slashes here, e.g. {usage}.", begin)
            self.at = found.end()
            pattern = found[1].replace(r"\/", "/")
            try:
                bounded(pattern)
            except InputError as error:
                raise self.error(error.sentence, begin) from None
            return pattern
        if kind == "lexicon" and (found := _QUOTED.match(self.text, self.at)):
            self.at = found.end()
            return found[1]
        name, choices = self.read(_NAME), FUNCTIONS[function].choices
        if kind == "choice" and name not in choices:
            raise self.error(f"{function} needs one of {', '.join(choices)} here, e.g. {usage}.", begin)
        if not name:
            raise self.error(f"{function} needs a {kind} here, e.g. {usage}.", begin)
        return name

    def lexicon(self, name: str, optional: bool, begin: int) -> Lexicon | None:
        """The lexicon of this name, read from its file if need be."""
        if name in self.lexicons:
            return self.lexicons[name]
        if self.folder is None:
            raise self.error(f"the lexicon {name[:40]!r} is not there, and no file is read here; leave it out.", begin)
        path = os.path.join(self.folder, name)
        if os.path.exists(path):
            return read_lexicon(name, path)
        if not optional:
            raise self.error(f'there is no lexicon {path}; make it, or write in?(...,"{name}") to do without.', begin)
        self.missing = True
        return None

    def offsets(self) -> tuple[int, int | None]:
        """What stands in [...]: an offset, or the two ends of a range."""
        begin = self.at
        written = [self.read(_NUMBER)]
        if written[0] and self.take(".."):
            written.append(self.read(_NUMBER))
            if not written[1]:
                raise self.error("a range needs two ends, e.g. word[-2..2].", begin)
        if not written[0] or not self.take("]"):
            raise self.error("an offset or a range should stand in the brackets, e.g. word[-1] or word[-2..2].", begin)
        low, high = [whole_number(digits) for digits in (written * 2)[:2]]
        if low is None or high is None or max(abs(low), abs(high)) > FARTHEST:
            raise self.error(f"an offset can be {FARTHEST} tokens away at most; bring it nearer.", begin)
        if high < low:
            raise self.error(f"the range {low}..{high} runs backwards; write {high}..{low}.", begin)
        return low, high if len(written) > 1 else None

    def more(self) -> bool:
        self.skip()
        return self.at < len(self.text) and self.text[self.at] not in "#\r"

    def skip(self) -> None:
        self.read(_BLANK)

    def read(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found[0] if found else ""

    def take(self, mark: str) -> bool:
        there = self.text.startswith(mark, self.at)
        self.at += len(mark) if there else 0
        return there

    def expect(self, mark: str, function: str) -> None:
        self.skip()
        if not self.take(mark):
            raise self.error(f"a {mark!r} should stand here; {function} is written {FUNCTIONS[function].usage}.")

    def place(self, at: int) -> str:
        return f"{self.where}:{at + 1}"

    def error(self, sentence: str, at: int | None = None) -> InputError:
        return InputError(sentence, self.place(self.at if at is None else at))
