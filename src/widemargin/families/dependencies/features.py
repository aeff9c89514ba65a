"""Features of dependency arcs: templates (templates.py) as the kernels read them, and columns of words as hashed values.

Nothing is stored but the templates' texts: values of columns are hashed (kernels/codes.py), so an unknown word needs no vocabulary.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from widemargin.contents import Contents
from widemargin.engine.tables import aligned
from widemargin.errors import InputError
from widemargin.families.dependencies.conllu import FORMATS, NO_VALUE
from widemargin.families.dependencies.kernels.codes import MAX_COUNTED, Codes, NoSiblings, Plan, SiblingCodes, SiblingPlan
from widemargin.families.dependencies.templates import ArcTemplate, parse_arc_templates
from widemargin.features.atoms import Atom, Call, Column, columns_of
from widemargin.features.derived import Deriver
from widemargin.readers.columns import Columns
from widemargin.scoring.hashed import LINE

STAND_IN = {"xpos": "upos", "upos": "xpos", "lemma": "form"}  # what is looked at where a whole column is empty
SEED = 20051
SIBLINGS = "siblings"


@dataclass(frozen=True, eq=False)
class Atoms:
    """Hashed values of the columns that templates look at."""

    atom: np.ndarray  # uint64 [N, C]
    mark: np.ndarray  # uint8 [N, M]


class ArcFeatures:
    """Templates of arcs, and the size of the tables that their weights are hashed to."""

    def __init__(self, templates: Sequence[ArcTemplate], *, bits: int = 20, label_bits: int = 16, empty: Sequence[str] = ()):
        if not 10 <= bits <= 28 or not 6 <= label_bits <= 24:
            raise InputError(f"hash_bits is {bits} and label_bits {label_bits}; they must be from 10 to 28 and from 6 to 24")
        self.templates, self.bits, self.label_bits, self.empty = tuple(templates), bits, label_bits, tuple(empty)
        self.columns: dict[str, Column | Call] = {}
        self.marks: dict[str, Call] = {}
        for template in templates:
            for atom in template.head + template.mod + template.sib + (() if template.counted else template.between):
                self.columns.setdefault(str(atom.what), atom.what)  # type: ignore[arg-type]
            for atom in template.between if template.counted else ():
                self.marks.setdefault(str(atom.what), atom.what)  # type: ignore[arg-type]

    @property
    def siblings(self) -> bool:
        """Does any template look at siblings?"""
        return any(template.sib for template in self.templates)

    @property
    def unigram_bits(self) -> int:
        """Rows of 16 for words alone: twice as many weights as pairs have."""
        return self.bits - 3

    @property
    def arc_rows(self) -> int:
        """Rows of 16 weights."""
        return (1 << self.bits) // LINE + (1 << self.unigram_bits)

    @property
    def label_rows(self) -> int:
        return 1 << self.label_bits if any(template.label for template in self.templates) else 0

    def fit(self, columns: Columns) -> "ArcFeatures":
        """These templates, with other columns in the place of those that say nothing in these data."""
        names = FORMATS["conllu"]
        empty = [name for name in STAND_IN if set(columns.values[names.index(name)]) <= {NO_VALUE}]
        return ArcFeatures(self.templates, bits=self.bits, label_bits=self.label_bits, empty=empty)

    def transform(self, columns: Columns) -> Atoms:
        """Hashed values of every word."""
        derive = Deriver(replace(columns, names=FORMATS["conllu"]), {})
        atom = np.zeros((columns.tokens, len(self.columns)), np.uint64)
        for c, what in enumerate(self.columns.values()):
            atom[:, c] = self._hashed(derive, what)
        mark = np.zeros((columns.tokens, len(self.marks)), np.uint8)
        for c, call in enumerate(self.marks.values()):
            (found,) = derive(self._looked_at(call))
            mark[:, c] = found.number[found.codes] >= 0
        return Atoms(atom, mark)

    def _hashed(self, derive: Deriver, what: Column | Call) -> np.ndarray:
        (found,) = derive(self._looked_at(what))
        return found.token_hashes()

    def _looked_at(self, what: Any) -> Any:
        """The expression with stand-ins for empty columns."""
        if isinstance(what, Call):
            return replace(what, of=self._looked_at(what.of))
        return Column(STAND_IN[what.name], what.where) if what.name in self.empty else what

    def looks_at(self) -> set[str]:
        """Names of the columns that it looks at, those that were empty in training left out."""
        found = [*self.columns.values(), *self.marks.values()]
        return {column.name for what in found for column in columns_of(what)} - set(self.empty)

    def plan(self) -> Plan:
        """The templates as the kernels read them."""
        return self._plan

    @cached_property
    def _plan(self) -> Plan:
        sides: dict[tuple, int] = {}
        number = {text: c for c, text in enumerate(self.columns)}
        marks = {text: c for c, text in enumerate(self.marks)}

        def side(atoms: tuple[Atom, ...]) -> int:
            key = tuple((number[str(atom.what)], atom.offset) for atom in atoms)
            return sides.setdefault(key, len(sides))

        bigram, between, counting, counted, unigram, label_bigram, label_unigram, sibling_pair, sibling_triple = ([] for _ in range(9))  # type: ignore[var-annotated]
        for t in self.templates:
            if t.sib:
                (sibling_triple if t.head else sibling_pair).append([*([side(t.head)] if t.head else []), side(t.sib), side(t.mod)])
            elif t.counted:
                counting.append([side(t.head), side(t.mod)])
                counted.append([marks[str(atom.what)] for atom in t.between] + [-1] * (3 - len(t.between)))
            elif t.between:
                between.append([side(t.head), side(t.mod), side(t.between)])
            elif bool(t.head) == bool(t.mod):
                (label_bigram if t.label else bigram).append([side(t.head), side(t.mod)])
            else:
                (label_unigram if t.label else unigram).append([side(t.head or t.mod), int(not t.head)])
        width = max(map(len, sides)) if sides else 1
        table = np.full((len(sides), max(width, 1), 2), -1, np.int32)
        for atoms, s in sides.items():
            for j, cell in enumerate(atoms):
                table[s, j] = cell
        random = np.random.default_rng(SEED)

        def with_odd(rows: list, across: int) -> np.ndarray:
            """uint64 [rows, across, 2]: each side with an odd number of its own."""
            sides = np.array(rows, np.uint64).reshape(len(rows), across)
            return np.stack([sides, random.integers(0, 2**64 - 1, sides.shape, np.uint64) | np.uint64(1)], axis=2)

        def alone(rows: list) -> np.ndarray:
            """uint64 [rows, 3]: side, odd number, whose."""
            whose = np.array(rows, np.uint64).reshape(len(rows), 2)
            return np.column_stack([with_odd(whose[:, 0].tolist(), 1)[:, 0], whose[:, 1]])

        # the order of these lines is that of the odd numbers in every model
        unigrams, label_unigrams = alone(unigram), alone(label_unigram)
        bigrams, betweens = with_odd(bigram, 2), with_odd(between, 3)
        counts, label_bigrams = with_odd(counting, 2), with_odd(label_bigram, 2)
        return Plan(
            atom=table,
            bigram=bigrams,
            between=betweens,
            between_count=counts,
            counted=np.array(counted, np.int32).reshape(-1, 3),
            unigram=unigrams,
            label_bigram=label_bigrams,
            label_unigram=label_unigrams,
            siblings=SiblingPlan(with_odd(sibling_pair, 2), with_odd(sibling_triple, 3)) if self.siblings else NoSiblings(0),
            bits=self.bits,
            unigram_bits=self.unigram_bits,
            label_bits=self.label_bits,
        )

    def codes(self, plan: Plan, longest: int, width: int, dtype) -> Codes:
        """Scratch of one thread; width: L of labels."""
        across = longest + 1
        random = np.random.default_rng(SEED + 1)
        many = random.integers(0, 1 << self.bits, (MAX_COUNTED + 1) ** 3, np.uint32)
        listed = len(plan.between)
        return Codes(
            side=np.zeros((across + 1, len(plan.atom)), np.uint64),
            bigram=np.zeros((2, across, len(plan.bigram)), np.uint32),
            between=np.zeros((3, across, listed), np.uint32),
            seen=np.zeros((listed, across), np.uint32),
            known=np.zeros(listed, np.int64),
            between_count=np.zeros((2, across, len(plan.between_count)), np.uint32),
            before=np.zeros((across + 1, len(self.marks)), np.int32),
            count_codes=many,
            unigram=np.zeros((across, len(plan.unigram)), np.int64),
            sums=aligned((2 * across, LINE), dtype),
            label_bigram=np.zeros((2, across, len(plan.label_bigram)), np.uint32),
            label_unigram=np.zeros((2 * across, len(plan.label_unigram)), np.int64),
            label_sums=aligned((4 * across, width), dtype),
            siblings=_sibling_codes(plan.siblings, across, dtype),
            row=aligned((1, LINE), dtype),
        )

    def header(self) -> dict[str, Any]:
        """All of it, for a model's JSON header."""
        texts = [template.text for template in self.templates]
        return {"templates": texts, "bits": self.bits, "label_bits": self.label_bits, "empty": list(self.empty)}

    @classmethod
    def from_contents(cls, own: Contents) -> "ArcFeatures":
        """The features that `header` described."""
        templates = parse_arc_templates("\n".join(own.texts("templates")) + "\n", source=own.path)
        empty = own.texts("empty")
        if not set(empty) <= set(STAND_IN):
            raise own.refusal("it stands in for columns that are unknown")
        return cls(templates, bits=own.field("bits", int), label_bits=own.field("label_bits", int), empty=empty)


def refuse_other_order(structure: str, features: ArcFeatures) -> None:
    """Templates of siblings are for the structure that has siblings, and it needs some."""
    if features.siblings and structure != SIBLINGS:
        raise InputError(f"templates with sib. are not for {structure}, which scores arcs alone; use structure=siblings or leave them out")
    if structure == SIBLINGS and not features.siblings:
        raise InputError("structure=siblings needs templates of siblings; use the set arcs-siblings or add one, e.g. sib.xpos mod.xpos")


def _sibling_codes(plan: NoSiblings | SiblingPlan, across: int, dtype) -> NoSiblings | SiblingCodes:
    """Scratch for templates of siblings, if there are any."""
    if isinstance(plan, NoSiblings):
        return plan
    return SiblingCodes(
        pair=np.zeros((2, across + 1, len(plan.pair)), np.uint32),
        triple=np.zeros((3, across + 1, len(plan.triple)), np.uint32),
        head_codes=np.zeros(len(plan.triple), np.uint32),
        left=np.zeros((across, across), dtype),
    )
