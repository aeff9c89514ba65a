"""The feature index: a hash table to find features, and arrays to name them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import numpy as np

from widemargin.contents import Contents
from widemargin.engine.hash import NUMBER
from widemargin.features.atoms import FARTHEST, Atom, Mark, Template
from widemargin.features.derived import is_textless
from widemargin.features.extract import find_key
from widemargin.features.lexicons import Strings, read_only

AND = " & "
MOST_STRINGS = np.iinfo(np.int32).max
_AMPERSANDS, _MORE = re.compile(r"(?<= )&+(?= )"), re.compile(r"(?<= )&(&+)(?= )")
_OUTSIDE = re.compile(r" (before|after) ([1-9][0-9]{0,8})")


@dataclass(frozen=True, eq=False)
class FeatureIndex:
    """F features of some templates. Their names look like "word[-1]=the & pos[0]=NN".

    Outside the sentence it is "word[-2] before 1", one before the first token; what just fires has no value: "match(word,/[0-9]/)[0]". A
    value that holds an & between blanks shows it doubled, so that names can be read back. Templates with a name show it in place of their
    atoms: '"near"=the', '"pair"=the & =NN'.
    """

    templates: tuple[Template, ...]
    columns: Mapping[str, Strings]  # the strings of each derived column, by expression
    table: np.ndarray  # uint64 [2^b], see engine/hash.py
    template: np.ndarray  # int32 [F]
    atoms: np.ndarray  # int32 [F, A]: string numbers of the template's atoms; below 0 see _Plan.atoms in features/extractor.py
    bits = 0  # a table, and not a fixed number of bits

    def __len__(self) -> int:
        return len(self.template)

    @cached_property
    def seeds(self) -> np.ndarray:
        """uint64 [M]: what the keys of each template begin with."""
        return Strings.of(map(_seed, self.templates)).hashes()

    @cached_property
    def _heads(self) -> list[list[tuple[Atom, str]]]:
        """What names show before the values of each template."""
        return list(map(heads, self.templates))

    def name(self, feature: int) -> str:
        """The name of a feature."""
        if not 0 <= feature < len(self):
            raise IndexError(f"there is no feature {feature}; there are {len(self)}")
        number = self.template[feature]
        codes = iter(self.atoms[feature].tolist())
        parts = ["label[-1]"] if self.templates[number].previous_label else []
        parts += [head if is_bias(atom) else head + self.value_text(atom, next(codes)) for atom, head in self._heads[number]]
        return AND.join(parts)

    def names(self) -> list[str]:
        """All names, in order."""
        return [self.name(f) for f in range(len(self))]

    def find(self, name: str) -> int:
        """The feature of that name, or -1."""
        for template, seed in zip(self.templates, self.seeds):
            rest = name
            if template.previous_label:
                if not name.startswith("label[-1]" + AND):
                    continue
                rest = name.removeprefix("label[-1]" + AND)
            for values in _readings(heads(template), rest):
                hashes = Strings.of_bytes([value for value in values if value is not None]).hashes()
                with np.errstate(over="ignore"):
                    feature = int(find_key(read_only(self.table), seed, hashes))
                if feature >= 0 and self.name(feature) == name:
                    return feature
        return -1

    def value_text(self, atom: Atom, code: int) -> str:
        """What a name shows behind an atom: "=the", " before 1", or nothing."""
        if is_textless(atom.what):
            return ""
        if code < 0:
            return f" {'after' if code % 2 else 'before'} {-code // 2}"
        return "=" + _AMPERSANDS.sub(r"&\g<0>", self.columns[str(atom.what)][code])

    def to_arrays(self) -> dict[str, np.ndarray]:
        """All but the strings."""
        return {"table": self.table, "template": self.template, "atoms": self.atoms}

    @classmethod
    def from_contents(cls, templates: tuple[Template, ...], columns: Mapping[str, Strings], own: Contents) -> "FeatureIndex":
        """The index as it was; the arrays are used as they are."""
        template = own.numbers("template", None, below=len(templates))
        table = own.table("table", "u8", int(NUMBER), len(template))
        return cls(templates, columns, table, template, _stored_atoms(templates, columns, template, own))


@dataclass(frozen=True, eq=False)
class HashedIndex:
    """2^bits features, told apart by that many bits of their keys: nothing is stored, and features that collide share a weight."""

    templates: tuple[Template, ...]
    bits: int
    columns: Mapping[str, Strings] = field(default_factory=dict)
    table: np.ndarray = field(default_factory=lambda: np.zeros(4, np.uint64))

    def __len__(self) -> int:
        return 1 << self.bits

    @cached_property
    def seeds(self) -> np.ndarray:
        """uint64 [M]: what the keys of each template begin with."""
        return Strings.of(map(_seed, self.templates)).hashes()

    def name(self, feature: int) -> str:
        """All that is known of a hashed feature."""
        return f"#{feature}"

    def names(self) -> list[str]:
        """All names, in order."""
        return [self.name(f) for f in range(len(self))]

    def find(self, name: str) -> int:
        """The feature of that name, or -1."""
        return int(name[1:]) if re.fullmatch("#[0-9]{1,18}", name) and int(name[1:]) < len(self) else -1

    def to_arrays(self) -> dict[str, np.ndarray]:
        """The arrays of a model: none, for a hashed feature is its own number."""
        return {}


def boundary(distance: int, *, after: bool) -> bytes:
    """What stands outside a sentence, as bytes that are no UTF-8 and hence no word."""
    return b"\xff%+d" % (distance if after else -distance)


def is_bias(atom: Atom) -> bool:
    """Whether an atom always fires and so has no string."""
    return isinstance(atom.what, Mark) and atom.what.name == "bias"


def _seed(template: Template) -> str:
    """The text of a template; or its name and what kinds of atoms it has, so that what has the same name and values is the same feature."""
    kinds = ("b" if is_bias(atom) else "." if is_textless(atom.what) else "=" for atom in template.atoms)
    return template.title + "".join(kinds) if template.name else str(template)


def heads(template: Template) -> list[tuple[Atom, str]]:
    """The atoms, and what feature names show before the value of each."""
    if not template.name:
        return [(atom, str(atom)) for atom in template.atoms]
    shown = [template.title] + [""] * (len(template.atoms) - 1)
    return [(atom, f"{head} bias".lstrip() if is_bias(atom) else head) for atom, head in zip(template.atoms, shown)]


def _stored_atoms(templates: tuple[Template, ...], columns: Mapping[str, Strings], template: np.ndarray, own: Contents) -> np.ndarray:
    """int32 [F, A]: for each atom of a feature's template a string of its column, or a place outside; more columns say nothing."""
    atoms = own.array("atoms", "i4", len(template), None)
    seen = [[str(atom.what) for atom in each.atoms if not is_bias(atom)] for each in templates] if len(template) else []
    most = max(map(len, seen), default=0)
    if atoms.shape[1] < most:
        raise own.wrong("atoms", f"has {atoms.shape[1]} columns for templates of {most} atoms")
    missing = next((text for texts in seen for text in texts if text not in columns), None)
    if missing is not None:
        raise own.refusal(f"there are no strings of {missing[:60]}")
    if atoms.min(initial=0) < -2 * FARTHEST - 1:
        raise own.wrong("atoms", "looks too far outside")
    which = template.astype(np.intp)
    for k in range(most):
        sizes = np.array([len(columns[texts[k]]) if k < len(texts) else MOST_STRINGS for texts in seen], np.int32)
        if (atoms[:, k] >= sizes.take(which)).any():
            raise own.wrong("atoms", "names strings that do not exist")
    return atoms


def _readings(atoms: list[tuple[Atom, str]], text: str) -> Iterator[list[bytes | None]]:
    """The ways to read a name as values of these atoms: one, but for names made to deceive."""
    if not atoms:
        return
    atom, head = atoms[0]
    if not text.startswith(head):
        return
    rest, silent = text.removeprefix(head), None if is_bias(atom) else b""
    stops = [len(rest)] if len(atoms) == 1 else [found.start() for found in re.finditer(" (?=& )", rest)]
    for stop in islice(stops, 1000):
        value = rest[:stop]
        if is_textless(atom.what):
            read = [silent] if not value else []
        elif value.startswith("="):
            read = [_MORE.sub(r"\1", value[1:]).encode()]
        else:
            found = _OUTSIDE.fullmatch(value)
            read = [boundary(int(found[2]), after=found[1] == "after")] if found else []
        for first in read:
            if len(atoms) == 1:
                yield [first]
            else:
                for others in _readings(atoms[1:], rest[stop + len(AND) :]):
                    yield [first, *others]
