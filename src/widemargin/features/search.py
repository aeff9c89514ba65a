"""Features by what their names say. Names are put together from the distinct strings of each template, a million in seconds."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable

import numpy as np

from widemargin.errors import InputError
from widemargin.features.expansion import CONSTANT, ConjunctionIndex
from widemargin.features.explicit import ColumnIndex, NameIndex
from widemargin.features.index import AND, FeatureIndex, HashedIndex, heads, is_bias
from widemargin.features.monomials import mark_descendants

Index = FeatureIndex | HashedIndex | NameIndex | ColumnIndex | ConjunctionIndex


def search(index: Index, text: str) -> np.ndarray:
    """int64: the features whose name contains a text or, for /text/, in whose name that regular expression is found."""
    wanted, values = _test(text), defaultdict[str, dict[int, str]](dict)
    if isinstance(index, ConjunctionIndex):
        return _search_conjunctions(index, text, wanted)
    if not isinstance(index, FeatureIndex):
        return np.array([f for f, name in enumerate(index.names()) if wanted(name)], np.int64)
    found = [np.empty(0, np.int64)]
    for m in range(len(index.templates)):
        rows = np.flatnonzero(index.template == m)
        hits = np.fromiter(map(wanted, _names(index, m, rows, values)), bool, len(rows))
        found.append(rows[hits])
    return np.sort(np.concatenate(found))


def _search_conjunctions(index: ConjunctionIndex, text: str, wanted: Callable[[str], bool]) -> np.ndarray:
    """A text that cannot reach from one feature's name into the next is looked for in those names alone."""
    if " " in text or "&" in text or text.startswith(("(", "/")) or text.endswith(")"):
        return np.array([f for f, name in enumerate(index.each_name()) if wanted(name)], np.int64)
    hit, found = np.zeros(len(index.base), bool), np.zeros(len(index), bool)
    hit[search(index.base, text)] = True
    mark_descendants(index.link, hit, found)
    found[0] = wanted(CONSTANT)
    return np.flatnonzero(found)


def _names(index: FeatureIndex, m: int, rows: np.ndarray, values: dict[str, dict[int, str]]) -> Iterable[str]:
    """The names of these features of template m; `values` remembers the texts of each column's codes, so that each is made once."""
    template, k = index.templates[m], 0
    parts = [["label[-1]"] * len(rows)] if template.previous_label else []
    for atom, front in heads(template):
        if is_bias(atom):
            parts.append([front] * len(rows))
            continue
        codes, place = np.unique(index.atoms[rows, k], return_inverse=True)
        known = values[str(atom.what)]
        known.update((code, index.value_text(atom, code)) for code in codes.tolist() if code not in known)
        texts = [front + known[code] for code in codes.tolist()]
        parts.append([texts[i] for i in place.tolist()])
        k += 1
    return map(AND.join, zip(*parts))


def _test(text: str) -> Callable[[str], bool]:
    if len(text) < 2 or not (text.startswith("/") and text.endswith("/")):
        return lambda name: text in name
    try:
        found = re.compile(text[1:-1]).search
    except (re.error, RecursionError, OverflowError) as error:
        raise InputError(f"{text} is not a regular expression ({error}); without the slashes it is searched for as it stands.") from None
    return lambda name: found(name) is not None
