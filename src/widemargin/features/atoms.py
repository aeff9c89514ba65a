"""What templates are made of: columns, functions of columns, marks, and how far away to look."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from widemargin.engine.settings import whole_number
from widemargin.errors import InputError
from widemargin.features.functions import FUNCTIONS
from widemargin.features.lexicons import Lexicon

MARKS = ("first", "last", "bias")
FARTHEST = 99  # tokens away


@dataclass(frozen=True)
class Column:
    """A column by name or number."""

    name: str
    where: str | None = field(default=None, compare=False, repr=False)  # file:line:character

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Call:
    """A function of a column or of another function; arguments as FUNCTIONS says."""

    function: str
    of: "Column | Call"
    arguments: tuple[str | int, ...] = ()
    lexicon: Lexicon | None = field(default=None, compare=False, repr=False)
    where: str | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return self.text

    @property
    def alternatives(self) -> int:
        """How many strings it has learnt for a value: 0, it learns nothing."""
        return int(self.arguments[1]) if self.function == "had" else int(self.function == "seen")

    @cached_property
    def text(self) -> str:
        kinds = FUNCTIONS[self.function].arguments
        forms = {"pattern": lambda a: "/" + a.replace("/", r"\/") + "/", "lexicon": lambda a: f'"{a}"'}
        rest = (forms.get(kind, str)(argument) for kind, argument in zip(kinds, self.arguments))
        return f"{self.function}({','.join([str(self.of), *rest])})"


@dataclass(frozen=True)
class Mark:
    """first, last or bias."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Atom:
    """Something to look at, so many tokens away."""

    what: Column | Call | Mark
    offset: int = 0

    def __str__(self) -> str:
        return str(self.what) if isinstance(self.what, Mark) else f"{self.what}[{self.offset}]"


@dataclass(frozen=True)
class Template:
    """A conjunction of atoms, with the previous label or without; no atom and the previous label: the plain transitions.

    Templates of the same name share their features: what they see counts, not where.
    """

    atoms: tuple[Atom, ...]
    previous_label: bool = False
    name: str | None = None

    def __str__(self) -> str:
        return " ".join([*([self.title] if self.name else []), *(["label[-1]"] if self.previous_label else []), *map(str, self.atoms)])

    @property
    def columns(self) -> set[str]:
        """Names of the columns that it looks at."""
        return {column.name for atom in self.atoms if not isinstance(atom.what, Mark) for column in columns_of(atom.what)}

    @property
    def of_documents(self) -> bool:
        """Does it look at the rest of the document?"""
        return any(isinstance(atom.what, Call) and atom.what.function == "document" for atom in self.atoms)

    @property
    def title(self) -> str:
        """The name as it is written."""
        return '"' + (self.name or "").replace("\\", r"\\").replace('"', r"\"") + '"'


def check_column(column: Column, names: Sequence[str]) -> None:
    """An InputError that lists the columns there are, unless this is one of them."""
    number = whole_number(column.name)
    if column.name not in names and (number is None or not 0 <= number < len(names)):
        there = ", ".join(f"{c} ({n})" if n != str(c) else n for c, n in enumerate(names))
        raise InputError(f"there is no column {column.name!r}; the columns are {there}.", column.where or "<templates>")


def columns_of(what: Column | Call) -> list[Column]:
    """The columns that an expression looks at."""
    if isinstance(what, Column):
        return [what]
    kinds = FUNCTIONS[what.function].arguments
    named = [Column(str(a), what.where) for kind, a in zip(kinds, what.arguments) if kind == "column"]
    return columns_of(what.of) + named
