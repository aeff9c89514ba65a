"""Features of spans: templates (templates.py) as the kernels read them, and columns of words as hashed values.

Nothing is stored but the templates' texts and the classes of words: values of columns are hashed (kernels/codes.py).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from widemargin.contents import Contents
from widemargin.engine.tables import aligned
from widemargin.errors import InputError
from widemargin.families.constituency.kernels import codes as kernels
from widemargin.families.constituency.kernels.codes import BINS, Codes, Form, FormCodes, Plan
from widemargin.families.constituency.kernels.grammars import Seen
from widemargin.families.constituency.kernels.span_scores import Sentences
from widemargin.families.constituency.templates import COLUMNS, RUNS, TABLES, SpanTemplate, parse_span_templates
from widemargin.families.constituency.trees import TAG, WORD, Trees
from widemargin.families.constituency.word_classes import WordClasses
from widemargin.features.atoms import Atom, Call, Column, columns_of
from widemargin.features.derived import Deriver

LEAST_BITS, MOST_BITS = 10, 26
SEED = 30071


class SpanFeatures:
    """Templates of spans, the classes of words, and the size of the table that weights are hashed to."""

    def __init__(self, templates: Sequence[SpanTemplate], classes: WordClasses, *, bits: int):
        if not LEAST_BITS <= bits <= MOST_BITS:
            raise InputError(f"hash_bits is {bits}; it must be from {LEAST_BITS} to {MOST_BITS}")
        self.templates, self.classes, self.bits = tuple(templates), classes, bits
        self.columns: dict[str, Column | Call] = {}
        for template in templates:
            for what in [atom.what for atom in template.begin + template.end] + [w for _, w in filter(None, [template.whole])]:
                self.columns.setdefault(str(what), what)  # type: ignore[arg-type]

    @classmethod
    def of(cls, templates: Sequence[SpanTemplate], trees: Trees, *, bits: int) -> "SpanFeatures":
        """With the classes of the words of these trees."""
        columns = trees.columns
        return cls(templates, WordClasses.of(columns.values[WORD], columns.codes[WORD]), bits=bits)

    only_words = False  # spans of more words have scores of their own

    @property
    def rows(self) -> int:
        """Of the table of weights."""
        return 1 << self.bits

    @property
    def texts(self) -> tuple[str, ...]:
        """The templates as they are written."""
        return tuple(template.text for template in self.templates)

    @property
    def splits(self) -> bool:
        """Does any template look at splits?"""
        return any(template.table != "span" for template in self.templates)

    @property
    def sees_tags(self) -> bool:
        """Does any template look at tags?"""
        return any(column.name == COLUMNS[TAG] for what in self.columns.values() for column in columns_of(what))

    def transform(self, trees: Trees) -> np.ndarray:
        """Hashed values of every word in the columns that templates look at, uint64 [N, C]."""
        columns = trees.columns
        found: dict[str, int] = {}
        classes = np.array([found.setdefault(self.classes(word), len(found)) for word in columns.values[WORD]] or [0], np.int32)
        codes = np.stack([columns.codes[WORD], columns.codes[TAG], classes[columns.codes[WORD]]])
        seen = replace(columns, names=COLUMNS, codes=codes, values=(columns.values[WORD], columns.values[TAG], list(found)))
        derive = Deriver(seen, {})
        atom = np.zeros((columns.tokens, len(self.columns)), np.uint64)
        for c, what in enumerate(self.columns.values()):
            atom[:, c] = derive(what)[0].token_hashes()
        return atom

    def input(self, token: np.ndarray, atoms: np.ndarray, seen: Seen, room: int) -> Sentences:
        """What scores the sentences whose words begin at `token`, with scratch of one thread for up to `room` words."""
        plan = self.plan()
        return Sentences(token, atoms, plan, self.codes(plan, room, seen.root.shape[1], seen.root.dtype), seen)

    def by_form(self, table: str) -> tuple[list[SpanTemplate], ...]:
        """The templates of one table in the order of the fields of Form: begin, begin_length, end, end_length, both."""
        own = [template for template in self.templates if template.table == table]
        both = sorted((t for t in own if t.whole or (t.begin and t.end)), key=lambda t: t.whole is not None)
        one = [t for t in own if t not in both]
        ends = ((is_end, long) for is_end in (False, True) for long in (False, True))
        return *([t for t in one if (bool(t.end), t.length) == end] for end in ends), both

    # ---- for kernels ----------------------------------------------------------------------------------------------------------------

    def plan(self) -> Plan:
        """The templates as the kernels read them."""
        number = {text: c for c, text in enumerate(self.columns)}
        sides: dict[tuple, int] = {(): 0}
        wholes: dict[tuple[int, int], int] = {}

        def side(atoms: tuple[Atom, ...]) -> int:
            return sides.setdefault(tuple((number[str(atom.what)], atom.offset) for atom in atoms), len(sides))

        random = np.random.default_rng(SEED)

        def odd(count: int) -> np.ndarray:
            """Odd numbers [count]; the order of calls is that of the numbers in every model."""
            return random.integers(0, 2**64 - 1, count, np.uint64) | np.uint64(1)

        def alone(places: list[int]) -> np.ndarray:
            return np.stack([np.array(places, np.uint64), odd(len(places))], axis=1)

        def form(table: str) -> Form:
            *one, both = self.by_form(table)
            number_of = {t.text: side(t.begin or t.end) for t in self.templates if any(t in group for group in one)}
            begin, begin_length, end, end_length = ([number_of[t.text] for t in group] for group in one)
            pairs = np.array([[side(t.begin), side(t.end)] for t in both], np.uint64).reshape(len(both), 2)
            whole = [
                wholes.setdefault((kernels.RUNS if how == RUNS else kernels.ALL, number[str(what)]), len(wholes))
                for how, what in (t.whole for t in both if t.whole)
            ]
            bins = random.integers(1, 2**32 - 1, (BINS, len(both)), np.uint32) * np.array([t.length for t in both], np.uint32)
            return Form(
                begin=alone(begin),
                begin_length=alone(begin_length),
                end=alone(end),
                end_length=alone(end_length),
                both=np.stack([pairs, odd(pairs.size).reshape(pairs.shape)], axis=2),
                length=np.ascontiguousarray(bins),
                whole=np.array(whole, np.int32),
            )

        span, left, right = (form(table) for table in TABLES)
        atoms = np.full((len(sides), max(1, *map(len, sides)), 2), -1, np.int32)
        for cells, s in sides.items():
            for j, cell in enumerate(cells):
                atoms[s, j] = cell
        return Plan(atoms, np.array(list(wholes), np.int32).reshape(-1, 2), span, left, right, self.bits)

    def codes(self, plan: Plan, longest: int, width: int, dtype) -> Codes:
        """Scratch of one thread for sentences of up to `longest` words; width: L."""
        bounds, most = longest + 1, max(len(form.both) for form in (plan.span, plan.left, plan.right))

        def coded(form: Form) -> FormCodes:
            return FormCodes(*(np.zeros((bounds, len(form.both)), np.uint32) for _ in range(2)))

        return Codes(
            side=np.zeros((bounds, len(plan.atom)), np.uint64),
            span=coded(plan.span),
            left=coded(plan.left),
            right=coded(plan.right),
            whole=np.zeros((longest * bounds // 2, len(plan.whole)), np.uint32),
            ends=aligned((bounds * BINS, width), dtype),
            row=np.zeros((2, most), np.int64),
        )

    # ---- on disk --------------------------------------------------------------------------------------------------------------------

    def header(self) -> dict[str, Any]:
        """For a model's JSON header."""
        return {"templates": list(self.texts), "bits": self.bits}

    def arrays(self) -> dict[str, np.ndarray]:
        """For a model file."""
        return {f"classes.{name}": array for name, array in self.classes.arrays().items()}

    @classmethod
    def from_contents(cls, own: Contents) -> "SpanFeatures":
        """The features that `header` and `arrays` described."""
        templates = parse_span_templates("\n".join(own.texts("templates")) + "\n", source=own.path)
        return cls(templates, WordClasses.from_contents(own.below("classes")), bits=own.field("bits", int))
