"""Lists of projective trees by the lazy algorithm and by branching are the same; test_trees_enumerated.py has those of short sentences."""

import numpy as np
import pytest
import tree_enumeration as brute

from widemargin.engine.terms import augment_row
from widemargin.structures.arcs.trees import Eisner, Trees, lists_of, unknown

pytestmark = pytest.mark.twice
SIZES = [(1, 0), (6, 0), (14, 0), pytest.param(30, 0, marks=pytest.mark.compiled), pytest.param(5, 3, marks=pytest.mark.wide)]


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize(("n", "labels"), SIZES)
def test_lists_are_those_of_branching(n, labels, single):
    structure, random = Eisner(labels, single_root=single), np.random.default_rng(n)
    for k in (1, 2, 40):
        scores = random.normal(size=(n + 1, n + 1, labels) if labels else (n + 1, n + 1))
        allowed = random.random(scores.shape) < 0.8
        allowed[np.arange(n), np.arange(1, n + 1)] = True
        found = []
        for way in (Eisner._list_trees, Trees._list_trees):
            s, _ = structure._loaded(scores, allowed)
            augment_row(s, unknown(n), structure.prices(), n)
            memory = structure.kbest_memory(n, k, np.float64)
            count = way(structure, s, n, memory)
            found.append((memory.value[:count], memory.head[:count], memory.label[:count]))
        for mine, theirs in zip(*found):
            np.testing.assert_allclose(mine, theirs, atol=1e-9)


@pytest.mark.parametrize("labels", [0, pytest.param(2, marks=pytest.mark.wide)])
def test_ties_are_listed_once_each(labels):
    random = np.random.default_rng(8)
    for n in (2, 3, 4):
        scores = random.integers(0, 2, size=(n + 1, n + 1, labels) if labels else (n + 1, n + 1)).astype(float)
        trees = brute.every("eisner", n, True, labels)
        found = Eisner(labels).kbest(scores, len(trees.heads) + 1)
        assert len(found) == len({mu.tobytes() for _, mu in found}) == len(trees.heads)
        np.testing.assert_allclose([value for value, _ in found], np.sort(trees.phi @ scores.reshape(-1))[::-1])
        np.testing.assert_allclose([(mu * scores).sum() for _, mu in found], [value for value, _ in found])


def test_lists_grow_when_they_must(monkeypatch):
    scores = np.random.default_rng(0).normal(size=(9, 9))
    plain = Eisner().kbest(scores, 30)
    monkeypatch.setattr("widemargin.structures.arcs.trees.lists_of", lambda n, room: lists_of(n, room // 200))
    few = Eisner().kbest(scores, 30)
    np.testing.assert_array_equal([value for value, _ in few], [value for value, _ in plain])
