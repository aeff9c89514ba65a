"""Columns to sparse features, by templates: what a model keeps of its features."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from widemargin.contents import Contents
from widemargin.engine.hash import MOST_FEATURES, fill_table
from widemargin.errors import InputError
from widemargin.features import extract as kernels
from widemargin.features.atoms import Call, Template
from widemargin.features.derived import Deriver, hashes_of
from widemargin.features.index import FeatureIndex, HashedIndex
from widemargin.features.lexicons import Learnt, Lexicon, Strings, read_only
from widemargin.features.outline import Outline, edge_templates, learnt_call, node_templates
from widemargin.features.templates import parse_templates
from widemargin.parallel import joined_rows
from widemargin.readers.columns import Columns
from widemargin.scoring.token_features import Features

MOST_BITS = 28
MEMO = 1 << 15  # a template of several atoms is memorised up to so many combinations; larger memos leave the cache
_NONE = np.empty(0, np.uint64)
NO_GROWTH = kernels.Growth(_NONE, _NONE, np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.int64))


class Extractor:
    """Templates, the lexicons they need, and the features found in training.

    cutoff: features that fire less often in training are left out. bits: not 0, node features are hashed to so many bits, not stored.
    """

    nodes: FeatureIndex | HashedIndex
    edges: FeatureIndex

    def __init__(self, templates: Sequence[Template], *, cutoff: int = 1, bits: int = 0):
        if len(set(templates)) < len(templates):
            twice = next(template for i, template in enumerate(templates) if template in templates[:i])
            raise InputError(f"the template {twice} is given twice; give it once.")
        self.templates, self.cutoff = tuple(templates), cutoff
        self.learnt: dict[str, Learnt] = {}
        check_bits(bits, cutoff)
        nodes = node_templates(templates)
        self.nodes = HashedIndex(nodes, bits) if bits else FeatureIndex(nodes, {}, *_empty())
        self.edges = FeatureIndex(edge_templates(templates), {}, *_empty())

    @cached_property
    def outline(self) -> Outline:
        """What the templates look at."""
        return Outline(self.templates)

    def fit(self, columns: Columns) -> Features:
        """Learn the features of these columns: every one that fires `cutoff` times or more, numbered in order of first firing."""
        self.learnt = {}
        with np.errstate(over="ignore"):
            layout = _Layout(columns, self.outline, self.learnt, learning=True)
            nodes, edges = _Plan(layout, self.nodes, 0), _Plan(layout, self.edges, 1)
            if self.nodes.bits:
                node_ptr, node_ind = nodes.find(self.nodes.table, 1)
            else:
                self.nodes, node_ptr, node_ind = nodes.grow(self.cutoff)
            self.edges, edge_ptr, edge_ind = edges.grow(self.cutoff)
        if self.nodes.bits and not self.edges.templates:
            self.edges = FeatureIndex((), {}, *_empty())  # nothing has a name, so no string is kept
        return Features(columns.row_ptr, node_ptr, node_ind, edge_ptr, edge_ind)

    def transform(self, columns: Columns, *, threads: int = 1) -> Features:
        """The known features of these columns."""
        with np.errstate(over="ignore"):
            layout = _Layout(columns, self.outline, self.learnt)
            nodes, edges = (_Plan(layout, index, skip).find(index.table, threads) for skip, index in enumerate((self.nodes, self.edges)))
        return Features(columns.row_ptr, *nodes, *edges)

    def header(self) -> dict[str, Any]:
        """What is not an array, for a model's JSON header."""
        return {
            "templates": [str(template) for template in self.templates],
            "cutoff": self.cutoff,
            "lexicons": list(_lexicons(self.templates)),
            "learnt": list(self.learnt),
            "columns": list(self.edges.columns),
            "bits": self.nodes.bits,
        }

    def to_arrays(self) -> dict[str, np.ndarray]:
        """The arrays of a model."""
        arrays = {f"{kind}.{name}": array for kind in ("nodes", "edges") for name, array in getattr(self, kind).to_arrays().items()}
        for j, strings in enumerate(self.edges.columns.values()):
            arrays |= {f"strings.{j}.pool": strings.pool, f"strings.{j}.bounds": strings.bounds}
        for j, lexicon in enumerate(_lexicons(self.templates).values()):
            arrays[f"lexicon.{j}.keys"] = lexicon.keys
        for j, learnt in enumerate(self.learnt.values()):
            arrays |= {f"learnt.{j}.keys": learnt.keys, f"learnt.{j}.ranks": learnt.ranks}
            arrays |= {f"learnt.{j}.pool": learnt.strings.pool, f"learnt.{j}.bounds": learnt.strings.bounds}
        return arrays

    @classmethod
    def from_contents(cls, own: Contents) -> "Extractor":
        """The extractor as it was; arrays mapped from a file are used where they lie, and no string is decoded before a name is wanted."""
        lexicons = {name: Lexicon(name, own.keys(f"lexicon.{j}.keys")) for j, name in enumerate(own.texts("lexicons"))}
        templates = parse_templates("\n".join(own.texts("templates")), source=own.path, folder=None, lexicons=lexicons)
        self = cls(templates, cutoff=own.whole("cutoff", 0), bits=own.whole("bits", 0, MOST_BITS, default=0))
        columns = {text: Strings(*own.strings(f"strings.{j}")) for j, text in enumerate(own.texts("columns"))}
        widths = {str(call): call.alternatives for template in templates for atom in template.atoms if (call := learnt_call(atom.what))}
        if set(names := own.texts("learnt")) != set(widths):
            raise own.refusal("what its templates learnt is not what is listed as learnt")
        for j, text in enumerate(names):
            self.learnt[text] = Learnt.from_contents(own.below(f"learnt.{j}"), widths[text])
        for kind in ("edges",) if self.nodes.bits else ("nodes", "edges"):
            setattr(self, kind, FeatureIndex.from_contents(getattr(self, kind).templates, columns, own.below(kind)))
        return self


def check_bits(bits: int, cutoff: int) -> None:
    """Refuse sizes that cannot be hashed to."""
    if bits and (cutoff > 1 or not 1 <= bits <= MOST_BITS):
        raise InputError(f"features are hashed to 1 to {MOST_BITS} bits and without a cutoff; {bits} bits and cutoff {cutoff} were given.")


class _Layout:
    """All derived columns of some templates, laid out for the kernels (see features/extract.py)."""

    def __init__(self, columns: Columns, outline: Outline, learnt: dict[str, Learnt], *, learning: bool = False):
        self.columns, self.outline, self.pad = columns, outline, outline.pad
        self.derive = Deriver(columns, learnt, learning=learning)
        self.width = columns.tokens + 2 * self.pad * (len(columns.row_ptr) - 1)
        found = [derived for what in outline.whats for derived in self.derive(what)]
        hashes, none = hashes_of(found), np.zeros(1, np.uint64)
        values = [[none, *([outline.outside] if bounded else []), own] for own, bounded in zip(hashes, outline.bounded)]
        self.sizes = outline.first + np.array(list(map(len, hashes)), np.int64)
        self.start = np.concatenate([[0], np.cumsum(self.sizes)])
        self.values = np.concatenate([array for column in values for array in column] or [none])
        low, high = columns.row_ptr[:-1], columns.row_ptr[1:]
        row = np.arange(len(low))
        inside = np.arange(columns.tokens) + (2 * np.repeat(row, high - low) + 1) * self.pad
        frame = np.zeros(self.width, np.uint32)
        for k in range(self.pad):
            frame[low + 2 * self.pad * row + k] = self.pad - k
            frame[high + 2 * self.pad * row + self.pad + k] = self.pad + k + 1
        self.codes = np.zeros((len(found), self.width), np.uint32)
        self.codes[outline.bounded] = frame
        for own, derived, first in zip(self.codes, found, outline.first.tolist()):
            number = derived.number + first
            number[derived.number < 0] = 0
            own[inside] = number[derived.codes]

    @property
    def strings(self) -> dict[str, Strings]:
        """The strings of each expression."""
        return {str(what): self.derive.done[str(what)][0].strings for what in self.outline.whats}


class _Plan:
    """Some templates, ready to extract from a layout. skip: 0 for templates of tokens, 1 for those of a token and the label before."""

    def __init__(self, layout: _Layout, index: FeatureIndex | HashedIndex, skip: int):
        self.layout, self.templates, self.skip = layout, index.templates, skip
        own = layout.outline.kinds[skip]
        self.owner, self.most, self.expressions, self.first = own.owner, own.most, own.expressions, layout.outline.first[own.column]
        sizes = np.append(layout.sizes, 1)[own.grid].astype(np.uint64)
        through = np.cumprod(sizes, axis=1)  # may wrap around, where it is not memorable
        memorable = (own.count <= 1) | (np.prod(sizes, axis=1, dtype=float) <= min(MEMO, 4 * layout.columns.tokens))
        room = np.where(memorable, through[:, -1], np.uint64(0))
        ends, strides = np.cumsum(room), np.ones_like(through)
        strides[:, 1:] = through[:, :-1]
        self.memo = int(ends[-1]) if len(ends) else 0
        self.plan = kernels.Plan(
            index.seeds[self.owner],
            own.atom,
            (own.column * layout.width + layout.pad + own.offset).astype(np.uint64),
            layout.start[own.column].astype(np.uint64),
            strides[own.filled],
            np.where(memorable, ends - room, kernels.NO_MEMO),
            np.uint64(64 - index.bits if index.bits else 0),
        )

    def grow(self, cutoff: int) -> tuple[FeatureIndex, np.ndarray, np.ndarray]:
        """A new index, and the features of every token."""
        if not self.templates:
            return FeatureIndex((), self.layout.strings, *_empty()), np.zeros(1, np.int64), np.empty(0, np.int32)
        rows = len(self.layout.columns.row_ptr) - 1
        ptr, ind, memo = self._room(0, rows)
        state = np.zeros(5, np.int64)
        growth = kernels.Growth(*_grown(NO_GROWTH, 0, self.layout.columns.tokens, self), state=state)
        while not self._extract(growth.table, growth, rows, ptr, ind, memo):
            growth = kernels.Growth(*_grown(growth, int(state[kernels.COUNT]), 2 * len(growth.keys), self), state=state)
        count, entries = int(state[kernels.COUNT]), int(state[kernels.ENTRIES])
        ind.resize(entries, refcheck=False)
        ptr = np.maximum.accumulate(ptr) if self.skip else ptr
        table, keys, template, first = growth.table, growth.keys[:count], growth.template[:count], growth.first[:count]
        if cutoff > 1:
            kept = np.bincount(ind, minlength=count) >= cutoff
            new = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
            ind.resize(int(kernels.keep_frequent(ptr, ind, new)), refcheck=False)
            keys, template, first = keys[kept], template[kept], first[kept]
        if cutoff > 1 or len(table) > 8 * count:
            table = _table(keys, len(keys))
        return FeatureIndex(self.templates, self.layout.strings, table, self.owner[template], self.atoms(template, first)), ptr, ind

    def atoms(self, template: np.ndarray, first: np.ndarray) -> np.ndarray:
        """What each feature is made of, int32 [F, most atoms].

        0 and more: that string's number; -1: no such atom; -2k: k before the row; -2k - 1: k after it.
        """
        codes, pad, out = self.layout.codes.reshape(-1), self.layout.pad, np.full((len(template), self.most), -1, np.int32)
        begin, end = self.plan.atom.astype(np.int64)[template], self.plan.atom.astype(np.int64)[template + 1]
        for k in range(self.most):
            (some,) = np.nonzero(begin + k < end)
            a = begin[some] + k
            code, string = codes[self.plan.place.astype(np.int64)[a] + first[some]].astype(np.int64), self.first.astype(np.int64)[a]
            out[some, k] = np.where(code >= string, code - string, np.where(code <= pad, -2 * code, -2 * (code - pad) - 1))
        return out

    def find(self, table: np.ndarray, threads: int) -> tuple[np.ndarray, np.ndarray]:
        """The features of every token that are in the table."""
        if not self.templates:
            return np.zeros(1, np.int64), np.empty(0, np.int32)
        row_ptr = self.layout.columns.row_ptr
        cuts = np.searchsorted(row_ptr, np.linspace(0, row_ptr[-1], max(1, threads) + 1)[1:-1])

        def part(start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
            ptr, ind, memo = self._room(start, stop)
            state = np.array([start, 0, 0, 0, row_ptr[start]], np.int64)
            self._extract(table, NO_GROWTH._replace(state=state), stop, ptr, ind, memo)
            ind.resize(int(state[kernels.ENTRIES]), refcheck=False)
            return np.maximum.accumulate(ptr) if self.skip else ptr, ind

        return joined_rows(part, [0, *cuts.tolist(), len(row_ptr) - 1])

    def _room(self, start: int, stop: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """ptr, ind and memo for some rows; pages of ind that are never written cost nothing."""
        row_ptr = self.layout.columns.row_ptr
        tokens = int(row_ptr[stop] - row_ptr[start])
        return np.zeros(tokens + 1, np.int64), np.empty(tokens * len(self.owner), np.int32), np.full(self.memo, kernels.UNSEEN, np.int32)

    def _extract(self, table, growth, stop, ptr, ind, memo) -> bool:
        own, work = self.layout, np.empty(kernels.BLOCK, np.uint64)
        layout = kernels.Layout(own.codes.reshape(-1), own.values, own.columns.row_ptr, own.pad, self.skip, memo, work)
        return kernels.extract(self.plan, layout, read_only(table), growth, stop, ptr, ind)


def _grown(growth: kernels.Growth, count: int, wanted: int, plan: _Plan) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """table, keys, template, first with room for `wanted` features, and always for those of a block more."""
    wanted = max(wanted, count + 2 * kernels.BLOCK * len(plan.owner))
    if count >= MOST_FEATURES // 2:
        raise InputError(f"there are more than {MOST_FEATURES // 2:,} features; use fewer templates or data.")
    keys, template, first = (np.empty(wanted, old.dtype) for old in (growth.keys, growth.template, growth.first))
    for new, old in ((keys, growth.keys), (template, growth.template), (first, growth.first)):
        new[:count] = old[:count]
    return _table(keys[:count], wanted), keys, template, first


def _table(keys: np.ndarray, wanted: int) -> np.ndarray:
    """A table of these keys with room for `wanted` of them."""
    table = np.zeros(1 << max(2, (2 * wanted - 1).bit_length()), np.uint64)
    fill_table(keys, table)
    return table


def _empty() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.zeros(4, np.uint64), np.empty(0, np.int32), np.empty((0, 0), np.int32)


def _lexicons(templates: Sequence[Template]) -> dict[str, Lexicon]:
    """The lexicons of these templates, by name."""
    whats = (atom.what for template in templates for atom in template.atoms)
    return {lexicon.name: lexicon for what in whats if isinstance(what, Call) and (lexicon := what.lexicon)}
