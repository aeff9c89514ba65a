"""Changes of trees, each by its name; the trees as they were stay in `original`.

    functions   NP-SBJ-1, NP=2 and ADVP|PRT become NP, NP and ADVP. A label that begins with a separator (-LRB-, -NONE-) stays.
    nulls       words tagged -NONE- go, and brackets that then hold nothing
    root        an outer bracket without a label, or called TOP, ROOT or S1, goes where one tree is in it; where several are, one without a
                label becomes TOP

The usual order for English is that of USUAL. A sentence of nulls alone is left without words.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from widemargin.errors import InputError
from widemargin.families.constituency.trees import END, FIRST, LABEL, TAG, Trees

SEPARATORS = "-=|"
NULL = "-NONE-"
ROOTS = ("", "TOP", "ROOT", "S1")
TOP = "TOP"


def bare(label: str) -> str:
    """A label without function tags and indices."""
    cut = min((at for at in (label.find(mark, 1) for mark in SEPARATORS) if at > 0), default=len(label))
    return label if label[:1] in SEPARATORS else label[:cut]


def remove_functions(trees: Trees) -> Trees:
    """Labels of brackets without function tags and indices; tags stay as they are."""
    index: dict[str, int] = {}
    code = np.array([index.setdefault(bare(label), len(index)) for label in trees.labels], np.int32)
    node = trees.node.copy()
    node[:, LABEL] = code[node[:, LABEL]]
    return replace(trees, node=node, labels=tuple(index), original=trees.original or trees)


def remove_nulls(trees: Trees) -> Trees:
    """Trees of the words that are really there: null elements go, and brackets over nothing else."""
    columns = trees.columns
    keep = np.array([tag != NULL for tag in columns.values[TAG]], bool)[columns.codes[TAG]]
    place = np.concatenate([[0], np.cumsum(keep)]).astype(np.int64)  # of each word among those that stay
    row_ptr = place[trees.row_ptr]
    sentence = np.repeat(np.arange(trees.sentences), np.diff(trees.node_ptr))
    node = trees.node.copy()
    for side in (FIRST, END):
        node[:, side] = place[trees.row_ptr[sentence] + node[:, side]] - row_ptr[sentence]
    changed = replace(
        columns,
        codes=np.ascontiguousarray(columns.codes[:, keep]),
        row_ptr=row_ptr,
        line=columns.line[keep],
        begin=columns.begin[keep],
        stop=columns.stop[keep],
    )
    return _kept(
        replace(trees, columns=changed, node=node, format=trees.format if keep.all() else "brackets", original=trees.original or trees),
        node[:, FIRST] < node[:, END],
    )


def remove_root(trees: Trees) -> Trees:
    """Trees without an outer bracket that says no more than that it is one."""
    sentence = np.repeat(np.arange(trees.sentences), np.diff(trees.node_ptr))
    root = np.array([label in ROOTS for label in trees.labels] + [False], bool)[trees.node[:, LABEL]]
    whole = (trees.node[:, FIRST] == 0) & (trees.node[:, END] == np.diff(trees.row_ptr)[sentence])
    stays = np.concatenate([[0], np.cumsum(~(root & whole))])  # brackets before each that are no roots
    outer = root & whole & (stays[:-1] == stays[trees.node_ptr[sentence]])
    has_one = np.append(whole[1:] & (sentence[1:] == sentence[:-1]), False) | (np.diff(trees.row_ptr)[sentence] == 1)
    out = _kept(replace(trees, original=trees.original or trees), ~(outer & has_one[: len(outer)]))
    if "" in out.labels:
        names = tuple(dict.fromkeys([label or TOP for label in out.labels]))
        node = out.node.copy()
        node[:, LABEL] = np.array([names.index(label or TOP) for label in out.labels], np.int32)[node[:, LABEL]]
        out = replace(out, node=node, labels=names)
    return out


TRANSFORMS = {"functions": remove_functions, "nulls": remove_nulls, "root": remove_root}
USUAL = ("functions", "nulls", "root")
NONE = "none"


def transformed(trees: Trees, names: str | Sequence[str] = USUAL) -> Trees:
    """Trees changed by transforms in the order of their names. A text has commas between them, or says none."""
    if isinstance(names, str):
        names = () if names == NONE else names.split(",")
    for name in names:
        if name not in TRANSFORMS:
            raise InputError(f"there is no transform {name!r}; they are {', '.join(TRANSFORMS)}, or {NONE}.")
        trees = TRANSFORMS[name](trees)
    return trees


def _kept(trees: Trees, keep: np.ndarray) -> Trees:
    """Some of the brackets, bool [M]."""
    place = np.concatenate([[0], np.cumsum(keep)]).astype(np.int64)
    return replace(trees, node=np.ascontiguousarray(trees.node[keep]), node_ptr=place[trees.node_ptr])
