"""More features for an index that is in use: old ones keep their numbers, new ones come behind them, in order of first firing."""

from collections.abc import Mapping

import numpy as np

from widemargin.features import extract as kernels
from widemargin.features.expansion import ConjunctionIndex, Expansion
from widemargin.features.explicit import Given, NameIndex
from widemargin.features.extractor import NO_GROWTH, Extractor, _grown, _Layout, _Plan
from widemargin.features.index import FeatureIndex
from widemargin.features.lexicons import Strings
from widemargin.features.subset import feature_keys
from widemargin.readers.columns import Columns
from widemargin.readers.items import Items
from widemargin.scoring.token_features import Features


def grown(source: Extractor | Given | Expansion, data: Columns | Items) -> tuple[Extractor | Given | Expansion, Features]:
    """A source that also knows the features of these data, whatever its cutoffs, and those features. Hashed ones are all known already."""
    if isinstance(source, Expansion):
        base, features = grown(source.base, data)
        assert not isinstance(base, Expansion)
        larger = Expansion(base, source.kernel, cutoff=source.conjunction_cutoff)
        larger.nodes = ConjunctionIndex(base.nodes, source.nodes.link, source.nodes.slots)
        return larger, larger.grow(features)
    if isinstance(source, Given):
        assert isinstance(data, Items)
        return _grown_names(source, data)
    assert isinstance(data, Columns)
    out = Extractor(source.templates, cutoff=source.cutoff, bits=source.nodes.bits)
    out.learnt = source.learnt
    with np.errstate(over="ignore"):
        layout = _Layout(data, out.outline, source.learnt)
        columns, number = _united(source.edges.columns, layout.strings)
        parts = []
        for skip, index in enumerate((source.nodes, source.edges)):
            plan = _Plan(layout, index, skip)
            if isinstance(index, FeatureIndex) and index.templates:
                index, found = _grown_index(plan, index, columns, number)
            else:
                found = plan.find(index.table, 1)
            parts.append((index, found))
    (out.nodes, nodes), (edges, found) = parts
    assert isinstance(edges, FeatureIndex)
    out.edges = edges if edges.templates else FeatureIndex((), columns, edges.table, edges.template, edges.atoms)
    return out, Features(data.row_ptr, *nodes, *found)


def _grown_names(source: Given, items: Items) -> tuple[Given, Features]:
    out = Given(cutoff=source.cutoff, bits=source.nodes.bits)
    out.nodes = source.nodes
    if isinstance(source.nodes, NameIndex) and items.names is not None:
        known = source.nodes.numbers(items.names)
        fresh = [name for name, number in zip(items.names, known.tolist()) if number < 0]
        if fresh:
            out.nodes = NameIndex.of(Strings.of([*source.nodes.strings, *fresh]))
    return out, out.transform(items)


def _grown_index(plan: _Plan, index: FeatureIndex, columns, number) -> tuple[FeatureIndex, tuple[np.ndarray, np.ndarray]]:
    """The same extraction as in training, into a table that holds the old keys."""
    old, rows = len(index), len(plan.layout.columns.row_ptr) - 1
    ptr, ind, memo = plan._room(0, rows)
    state = np.zeros(5, np.int64)
    state[kernels.COUNT] = old
    known = NO_GROWTH._replace(keys=feature_keys(index), template=np.zeros(old, np.int32), first=np.zeros(old, np.int64))
    growth = kernels.Growth(*_grown(known, old, 2 * old + plan.layout.columns.tokens, plan), state=state)
    while not plan._extract(growth.table, growth, rows, ptr, ind, memo):
        growth = kernels.Growth(*_grown(growth, int(state[kernels.COUNT]), 2 * len(growth.keys), plan), state=state)
    count = int(state[kernels.COUNT])
    ind.resize(int(state[kernels.ENTRIES]), refcheck=False)
    template, first = growth.template[old:count], growth.first[old:count]
    atoms = plan.atoms(template, first)
    _renumber(atoms, plan, template, number)
    both = np.full((count, max(plan.most, index.atoms.shape[1])), -1, np.int32)
    both[:old, : index.atoms.shape[1]], both[old:, : plan.most] = index.atoms, atoms
    out = FeatureIndex(index.templates, columns, growth.table, np.concatenate([index.template, plan.owner[template]]), both)
    return out, (np.maximum.accumulate(ptr) if plan.skip else ptr, ind)


def _renumber(atoms: np.ndarray, plan: _Plan, template: np.ndarray, number: Mapping[str, np.ndarray]) -> None:
    """From the string numbers of the new data to those of the united columns."""
    for m, wanted in enumerate(plan.expressions):
        rows = np.flatnonzero(template == m)
        for k, text in enumerate(wanted):
            inside = rows[atoms[rows, k] >= 0]
            atoms[inside, k] = number[text][atoms[inside, k]]


def _united(old: Mapping[str, Strings], new: Mapping[str, Strings]) -> tuple[dict[str, Strings], dict[str, np.ndarray]]:
    """The strings of both, the old ones first, and where each new string has gone."""
    columns, numbers = {}, {}
    for text, strings in new.items():
        index = {string: i for i, string in enumerate(old[text])} if text in old else {}
        numbers[text] = np.array([index.setdefault(string, len(index)) for string in strings], np.int32)
        columns[text] = Strings.of(index)
    return columns, numbers
