"""Gold trees as a structure can have them: what can be mended is, and sentences with no tree at all are left out."""

import dataclasses

import numpy as np

from widemargin.errors import InputError, several
from widemargin.families.dependencies.conllu_scan import lift_crossed
from widemargin.families.dependencies.problem import ArcCorpus
from widemargin.structures.arcs.trees import TREES, Trees

PROJECTIVE = ("eisner", "siblings")


def legal_gold(corpus: ArcCorpus, structure: Trees, source: str) -> tuple[ArcCorpus, tuple[str, ...]]:
    """Gold trees that the structure has, and remarks on what was left out.

    If it is projective, arcs that cross others are lifted. Several roots cannot be mended, nor known heads that no tree has together: the
    arcs above an unknown head cannot be lifted.
    """
    if structure.name in PROJECTIVE:
        heads = np.ascontiguousarray(corpus.gold[:, 0])
        lift_crossed(heads, corpus.token)
        corpus = dataclasses.replace(corpus, gold=np.stack([heads, corpus.gold[:, 1]], axis=1))
    remarks = []
    if structure.single_root:
        rooted = np.add.reduceat((corpus.gold[:, 0] == 0).astype(np.int64), corpus.token[:-1]) <= 1
        if not rooted.any():
            raise InputError("every sentence has several roots; use single_root=false", source)
        if not rooted.all():
            remarks.append(f"{(~rooted).sum()} sentences with several roots are left out; --set single_root=no keeps them")
            corpus = corpus.part(np.flatnonzero(rooted))
    possible = has_tree(corpus, structure)
    if not possible.any():
        raise InputError(f"no sentence has a tree of {structure.name} with the heads that are known; use structure=arborescence", source)
    if not possible.all():
        left = several(int((~possible).sum()), "sentence")
        remarks.append(f"{left} left out: no tree of {structure.name} has all heads that are known there")
        corpus = corpus.part(np.flatnonzero(possible))
    return corpus, tuple(remarks)


def has_tree(corpus: ArcCorpus, structure: Trees) -> np.ndarray:
    """Which sentences have a tree with all heads that are known, bool [n]; asked where some are not."""
    name = "eisner" if structure.name in PROJECTIVE else structure.name  # the same trees, without parts of higher order
    plain = TREES[name](0, single_root=structure.single_root)
    found = np.ones(corpus.rows, bool)
    for i in np.flatnonzero(np.add.reduceat((corpus.gold[:, 0] < 0).astype(np.int64), corpus.token[:-1])):
        heads = corpus.gold[corpus.token[i] : corpus.token[i + 1], 0]
        across = len(heads) + 1
        allowed = np.ones((across, across), bool)
        known = np.flatnonzero(heads >= 0)
        allowed[:, known + 1] = np.arange(across)[:, None] == heads[known]
        try:
            plain.argmax(np.zeros((across, across)), allowed)
        except InputError:  # nothing is left to choose from
            found[i] = False
    return found
