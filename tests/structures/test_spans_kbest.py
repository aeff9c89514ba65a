"""Lists of the best trees over spans, against lists of all trees: each once, best first, with costs or without."""

import numpy as np
import pytest
import span_enumeration as twin
from modes import cases
from span_cases import KINDS, Case, augment, listed

from widemargin.engine.terms import kbest_row
from widemargin.structures.spans.gold import known, prices

pytestmark = pytest.mark.twice
PLAIN = ("bigrams with splits",)
matrix = pytest.mark.parametrize(
    ("kind", "size"), cases(KINDS, [(1, 3), (2, 3), (3, 3), (4, 2), (5, 2)], wide=lambda kind, size: kind not in PLAIN)
)


def is_list_of(case, found, totals):
    """Trees of the list of all, none twice, whose scores are the highest in order."""
    places = [next(y for y, tree in enumerate(case.trees) if (tree == nodes).all()) for _, nodes in found]
    assert len(set(places)) == len(places)
    np.testing.assert_allclose([value for value, _ in found], np.sort(totals)[::-1][: len(found)], atol=1e-9)
    np.testing.assert_allclose(totals[places], [value for value, _ in found], atol=1e-9)


@matrix
def test_kbest_lists_every_tree_once_and_best_first(kind, size):
    for seed in range(3):
        case = Case(kind, size, seed, holes=0.4)
        totals = case.phi @ case.numbers
        for k in (1, 2, 7, 100) if len(totals) > 300 else (1, 2, 7, len(totals), len(totals) + 3):
            found = case.structure.kbest(case.scores, k)
            assert len(found) == min(k, len(totals))
            is_list_of(case, found, totals)


@matrix
def test_lists_with_costs_fit_into_the_memory_that_is_counted_for_them(kind, size):
    for seed in range(3):
        case = Case(kind, size, seed)
        nodes, n, k = case.trees[seed % len(case.trees)], case.n, 6
        production = 0.0 if kind == "factored" else 2.0 * case.random.random(case.symbols)
        gold, price = known(case.structure, nodes), prices(case.structure, case.random.random(case.symbols), 0.5, production)
        totals = case.phi @ case.numbers + [twin.cost(y.tolist(), nodes.tolist(), price) for y in case.trees]
        s, found = case.structure.workspace(n, dtype=np.float64), case.structure.kbest_memory(n, k)
        case.structure.load(s, case.scores)
        augment(s, gold, price, n, 1.0, False)
        count = kbest_row(s, n, found)
        assert count == min(k, len(totals))
        is_list_of(case, list(zip(found.value[:count], found.node)), totals)
        out = s.spans.output[1]
        listed(found, count - 1, n, out)
        np.testing.assert_array_equal(out, found.node[count - 1])


@pytest.mark.parametrize("kind", cases(KINDS, wide=lambda kind: kind not in PLAIN))
def test_ties_are_listed_once_each(kind):
    case = Case(kind, (4, 2), holes=0.0)
    nothing = case.structure.zeros(4)
    found = case.structure.kbest(nothing, len(case.trees) + 1)
    assert len(found) == len(case.trees)
    is_list_of(case, found, np.zeros(len(case.trees)))
