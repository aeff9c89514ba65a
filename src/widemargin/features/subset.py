"""An extractor with fewer features: the same numbering rules, the same keys, a new table.

A table keeps only the upper bits of its keys (engine/hash.py), so keys are computed again from what names a feature: its template and the
strings of its atoms. That these are the keys of training is not assumed: every one is looked up in the old table first.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from widemargin.engine.hash import GOLDEN, NUMBER, ZERO, fill_table, mix
from widemargin.errors import InputError
from widemargin.features.expansion import ConjunctionIndex, Expansion, relinked
from widemargin.features.explicit import ColumnIndex, Given, NameIndex
from widemargin.features.extract import mix_in
from widemargin.features.extractor import Extractor
from widemargin.features.index import FeatureIndex, HashedIndex, boundary
from widemargin.features.lexicons import Strings
from widemargin.features.monomials import FEATURE, keep_parents
from widemargin.features.outline import seen_atoms

ONE = np.uint64(1)
FULL = 5 / 3  # slots of a table for every feature, at least


def subset(extractor: Extractor | Given | Expansion, nodes: np.ndarray, edges: np.ndarray) -> Extractor | Given | Expansion:
    """The same source with the features that the masks bool [F] and [E] keep, in order; strings that nobody uses are dropped. A conjunction
    stays only with those that it was built on (see with_parents)."""
    if isinstance(extractor, Expansion):
        return _fewer_conjunctions(extractor, nodes, edges)
    if isinstance(extractor.nodes, HashedIndex | ColumnIndex):
        raise InputError("features that are hashed or columns of arrays have fixed numbers and cannot be dropped; prune models with names.")
    if isinstance(extractor, Given):
        given = Given(cutoff=extractor.cutoff)
        given.nodes = NameIndex.of(_chosen(extractor.nodes.strings, nodes))
        return given
    out = Extractor(extractor.templates, cutoff=extractor.cutoff)
    out.learnt = extractor.learnt
    parts = [_thinned(index, kept) for index, kept in ((extractor.nodes, nodes), (extractor.edges, edges))]
    numbers = {text: _renumbering(text, strings, parts) for text, strings in extractor.nodes.columns.items()}
    columns = {text: _chosen(strings, numbers[text] >= 0) for text, strings in extractor.nodes.columns.items()}
    out.nodes, out.edges = (_renumbered(index, columns, numbers) for index in parts)
    return out


def with_parents(extractor: Extractor | Given | Expansion, nodes: np.ndarray) -> np.ndarray:
    """Which node features bool [F] a subset with these needs: of a & b & c also a & b and a, by which it is found, and the constant."""
    nodes = nodes.copy()
    if isinstance(extractor, Expansion):
        keep_parents(extractor.nodes.link, nodes)
    return nodes


def _fewer_conjunctions(source: Expansion, nodes: np.ndarray, edges: np.ndarray) -> Expansion:
    """Features that are in no conjunction leave the base, where it has names."""
    link, base = source.nodes.link, source.base
    used = np.zeros(len(base.nodes), bool)
    used[link[nodes][1:] & FEATURE] = True
    number = np.arange(len(used))
    if not (isinstance(base.nodes, HashedIndex | ColumnIndex) and edges.all()):
        base, number = subset(base, used, edges), np.cumsum(used) - 1  # type: ignore[assignment]
    out = Expansion(base, source.kernel, cutoff=source.conjunction_cutoff)
    out.nodes = ConjunctionIndex.of(base.nodes, relinked(link, nodes, number))
    return out


def feature_keys(index: FeatureIndex) -> np.ndarray:
    """uint64 [F]: the key of every feature, as features/extract.py computes it."""
    keys = np.empty(len(index), np.uint64)
    hashes = {text: strings.hashes() for text, strings in index.columns.items()}
    farthest = int(-index.atoms.min(initial=-2)) // 2
    outside = Strings.of_bytes([boundary(k, after=after) for k in range(1, farthest + 1) for after in (False, True)]).hashes()
    for m, seed in enumerate(index.seeds):
        rows = np.flatnonzero(index.template == m)
        h = np.full(len(rows), seed)
        for k, text in _atom_columns(index, m):
            codes = index.atoms[rows, k]
            values = np.empty(len(rows), np.uint64)
            values[codes >= 0] = hashes[text][codes[codes >= 0]]
            values[codes < 0] = outside[-codes[codes < 0] - 2]
            h = _on_arrays(mix_in)(h, values)
        h = _on_arrays(mix)(h)
        keys[rows] = np.where(h != ZERO, h, GOLDEN)
    return keys


def find_all(table: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """int64 [n]: the feature of each key in a table, or -1; engine/hash.py's find, all keys a probe at a time."""
    out, left = np.full(len(keys), -1, np.int64), np.arange(len(keys))
    mask = np.uint64(len(table) - 1)
    slot = keys & mask
    while len(left):
        held = table[slot[left]]
        same = (held != ZERO) & ((held ^ keys[left]) & ~NUMBER == ZERO)
        out[left[same]] = (held[same] & NUMBER).astype(np.int64) - 1
        left = left[(held != ZERO) & ~same]
        slot[left] = (slot[left] + ONE) & mask
    return out


def _thinned(index: FeatureIndex, kept: np.ndarray) -> FeatureIndex:
    """The kept features; what was dropped is not found in the new table."""
    keys = feature_keys(index)
    if not np.array_equal(find_all(index.table, keys), np.arange(len(keys))):
        raise InputError("the feature index is damaged: its table does not hold the features that it names; copy or train the model again.")
    wanted = np.where(kept, np.cumsum(kept) - 1, -1)
    bits = max(2, int(FULL * kept.sum()).bit_length())
    while True:
        table = np.zeros(1 << bits, np.uint64)
        fill_table(keys[kept], table)
        if np.array_equal(find_all(table, keys), wanted):
            return FeatureIndex(index.templates, index.columns, table, index.template[kept], index.atoms[kept])
        bits += 1  # two keys that agree in all bits that this size compares: a larger table compares more


def _atom_columns(index: FeatureIndex, m: int) -> Iterator[tuple[int, str]]:
    """The columns of `atoms` that template m uses, and the expression of each."""
    for k, atom in enumerate(seen_atoms(index.templates[m])):
        yield k, str(atom.what)


def _renumbering(text: str, strings: Strings, parts: list[FeatureIndex]) -> np.ndarray:
    """int32 [V]: the new number of each string of a column, -1 for those that no feature uses."""
    used = np.zeros(len(strings), bool)
    for index in parts:
        for m in range(len(index.templates)):
            for k, column in _atom_columns(index, m):
                if column == text:
                    codes = index.atoms[index.template == m, k]
                    used[codes[codes >= 0]] = True
    return np.where(used, np.cumsum(used) - 1, -1).astype(np.int32)


def _renumbered(index: FeatureIndex, columns: Mapping[str, Strings], numbers: Mapping[str, np.ndarray]) -> FeatureIndex:
    atoms = index.atoms.copy()
    for m in range(len(index.templates)):
        rows = np.flatnonzero(index.template == m)
        for k, text in _atom_columns(index, m):
            inside = rows[atoms[rows, k] >= 0]
            atoms[inside, k] = numbers[text][atoms[inside, k]]
    return FeatureIndex(index.templates, columns, index.table, index.template, atoms)


def _chosen(strings: Strings, kept: np.ndarray) -> Strings:
    pool, bounds = strings.pool.tobytes(), strings.bounds.tolist()
    return Strings.of_bytes([pool[bounds[i] : bounds[i + 1]] for i in np.flatnonzero(kept)])


def _on_arrays(function):
    """A kernel's inner function as the plain Python that it was written in, which works on whole arrays."""
    return getattr(function, "py_func", function)
