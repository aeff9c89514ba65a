"""Structures over spans against lists of all trees up to 6 words, every operation, cost, known bracket and mask; sums over long ones."""

import math

import engine_enumeration as brute
import numpy as np
import pytest
import span_enumeration as twin
from modes import cases, wide
from span_cases import (
    KINDS,
    SIZES,
    Case,
    argmax,
    augment,
    cost_and_score,
    gold_numbers,
    take_gold,
    through_numbers,
)

from widemargin.engine.objectives import OBJECTIVES
from widemargin.engine.terms import Expect, LogSum, Max, answer
from widemargin.errors import InputError
from widemargin.structures.spans.gold import bracketed, known, prices
from widemargin.structures.spans.trees import Bigrams, Factored, Rules

# numbers that overflow are found out afterwards, and then logarithms are used; plain Python warns of them
quiet = pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value", "ignore:divide by zero")
pytestmark = [pytest.mark.twice, quiet]
PLAIN = ("bigrams with splits", "factored")  # compiled by `make test`; others have their like among them
CHEAP = PLAIN[:1]  # where kernels of their own would be compiled
COMPLEX = PLAIN[1:]  # where complex numbers would be
ALL, INSIDE = False, True


def matrix(sizes=SIZES, compiled=PLAIN):
    return pytest.mark.parametrize(("kind", "size"), cases(KINDS, sizes, wide=lambda kind, size: kind not in compiled))


def random_prices(case, production=True):
    wrong, missed = case.random.random((2, case.symbols)), case.random.random((2, case.symbols))
    return prices(case.structure, wrong, missed, case.random.random(case.symbols) if production else 0.0)


def loaded(case):
    s = case.structure.workspace(case.n + 2, dtype=np.float64)
    assert case.structure.load(s, case.scores) == case.n
    return s


def costs(case, gold, price):
    return np.array([twin.cost(nodes.tolist(), gold.tolist(), price) for nodes in case.trees])


def place_in(case, nodes):
    """Where the list of all trees has this one; of equal ones any may be best."""
    return next(y for y, tree in enumerate(case.trees) if (tree == nodes).all())


@matrix()
def test_argmax_is_the_best_tree(kind, size):
    for seed in range(5):
        case = Case(kind, size, seed)
        value, nodes = case.structure.argmax(case.scores)
        totals = case.phi @ case.numbers
        assert value == pytest.approx(totals.max())
        assert totals[place_in(case, nodes)] == pytest.approx(totals.max())


@matrix(compiled=CHEAP)
def test_indicators_are_the_parts_of_trees(kind, size):
    case = Case(kind, size, 4)
    for y in range(0, len(case.trees), 1 + len(case.trees) // 20):
        np.testing.assert_array_equal(twin.flat(case.structure.indicator(case.trees[y])), case.phi[y])


@matrix()
@pytest.mark.parametrize("scale", [1.0, 30.0, 400.0])
def test_logsum_sums_over_all_trees(kind, size, scale):
    for seed in range(3):
        case = Case(kind, size, seed, scale)
        value, mu = case.structure.logsum(case.scores)
        expected, marginals = brute.log_of_sum(case.found, case.numbers)
        assert value == pytest.approx(expected, rel=1e-12)
        np.testing.assert_allclose(twin.flat(mu), marginals, atol=1e-8)


@matrix(compiled=())  # compiled with costs, below
@pytest.mark.parametrize("scale", [1.0, 30.0, 400.0])
def test_tilt_is_the_covariance_with_a_direction(kind, size, scale):
    for seed in range(2):
        case = Case(kind, size, seed, scale)
        direction = case.noise().span
        mean, mu = case.structure.tilt(case.scores, direction)
        slope = np.array([sum(direction[i, j, a] for i, _, j, a in nodes) for nodes in case.trees])
        p, _ = brute.probabilities(case.found, case.numbers)
        assert mean == pytest.approx(p @ slope, abs=1e-8)
        np.testing.assert_allclose(twin.flat(mu), (p * (slope - p @ slope)) @ case.phi, atol=1e-8)


def priced(case, kind):
    """A case in a workspace with a gold and prices: what kernels take, the costs of all trees, and their scores."""
    nodes = case.random_tree()
    gold, price = known(case.structure, nodes), random_prices(case, kind != "factored")
    return (loaded(case), gold, price, case.n), costs(case, nodes, price), case.phi @ case.numbers


@matrix()
def test_costs_are_in_the_maximum_and_the_sum(kind, size):
    for seed in range(4):
        case = Case(kind, size, seed)
        row, cost, totals = priced(case, kind)
        s, n, augmented = row[0], case.n, totals + 0.7 * cost
        assert answer(Max(0.7, ALL), *row) == pytest.approx(augmented.max())
        assert augmented[place_in(case, s.spans.output[0][: 2 * n - 1])] == pytest.approx(augmented.max())
        assert answer(LogSum(0.7, ALL), *row) == pytest.approx(np.logaddexp.reduce(augmented))
        p = np.exp(augmented - np.logaddexp.reduce(augmented))
        np.testing.assert_allclose(twin.flat(case.structure.mu(s, n)), p @ case.phi, atol=1e-9)


@matrix(compiled=COMPLEX)
def test_costs_are_in_the_tilt(kind, size):
    for seed in range(4):
        case = Case(kind, size, seed)
        row, cost, totals = priced(case, kind)
        p = np.exp(totals - np.logaddexp.reduce(totals))
        assert answer(Expect(1.0), *row) == pytest.approx(p @ cost)
        np.testing.assert_allclose(twin.flat(case.structure.mu(row[0], case.n)), (p * (cost - p @ cost)) @ case.phi, atol=1e-9)


@matrix(compiled=CHEAP)
def test_outputs_have_costs_scores_and_numbers(kind, size):
    case = Case(kind, size, 3)
    gold, price, s, n = known(case.structure, case.trees[0]), random_prices(case, kind != "factored"), loaded(case), case.n
    out, other = s.spans.output
    cost, totals = costs(case, case.trees[0], price), case.phi @ case.numbers
    assert take_gold(s, gold, n, out)
    np.testing.assert_array_equal(out[: 2 * n - 1], case.trees[0])
    for y in range(0, len(case.trees), 1 + len(case.trees) // 20):
        assert through_numbers(s, n, case.trees[y], out) == 2 * n - 1
        gold_numbers(s, n, gold, other)
        np.testing.assert_array_equal(out[: 2 * n - 1], case.trees[y])
        np.testing.assert_array_equal(other[: 2 * n - 1], case.trees[0])
        assert cost_and_score(s, gold, price, n, out) == pytest.approx((cost[y], totals[y]))


@matrix([(3, 3), (4, 2), (5, 2)], compiled=CHEAP)
def test_known_brackets_leave_the_trees_that_have_them(kind, size):
    for seed in range(6):
        case = Case(kind, size, seed)
        sets = case.random.random((2, case.symbols)) < 0.6
        nodes, s, n = case.random_tree(), loaded(case), case.n
        chosen = nodes[case.random.random(len(nodes)) < 0.4]
        which = [-1 if case.random.random() < 0.3 else next((c for c in (0, 1) if sets[c, a]), -1) for a in chosen[:, 3]]
        bracket = np.array([(i, j, c) for (i, _, j, _), c in zip(chosen.tolist(), which)], np.int32).reshape(-1, 3)
        gold, price = bracketed(case.structure, n, bracket, sets), random_prices(case, kind != "factored")
        keep = np.array([twin.agrees(y.tolist(), bracket.tolist(), sets) for y in case.trees])
        assert keep.any()
        cost = np.array([twin.partial_cost(y.tolist(), bracket.tolist(), sets, price) for y in case.trees])
        totals, out = case.phi @ case.numbers, s.spans.output[0]
        assert not take_gold(s, gold, n, out)
        assert answer(Max(1.5, INSIDE), s, gold, price, n) == pytest.approx((totals + 1.5 * cost)[keep].max())
        assert answer(Max(1.5, ALL), s, gold, price, n) == pytest.approx((totals + 1.5 * cost).max())
        assert cost_and_score(s, gold, price, n, out)[0] == pytest.approx(cost[place_in(case, out[: 2 * n - 1])])
        assert answer(LogSum(1.0, INSIDE), s, gold, price, n) == pytest.approx(np.logaddexp.reduce((totals + cost)[keep]))


@matrix([(4, 2)], compiled=())
def test_a_known_gold_leaves_itself(kind, size):
    case = Case(kind, size, 5)
    nodes, s, n = case.random_tree(), loaded(case), case.n
    augment(s, known(case.structure, nodes), random_prices(case, False), n, 0.0, True)
    assert argmax(s, n, s.spans.output[0]) == pytest.approx(twin.score(case.structure, case.scores, nodes.tolist()))
    np.testing.assert_array_equal(s.spans.output[0][: 2 * n - 1], nodes)


SUMS_AND_MAXIMA = [name for name in OBJECTIVES if name not in ("slack", "risk", "rm")]
EVERY = cases(KINDS, SUMS_AND_MAXIMA, wide=lambda kind, name: kind not in PLAIN)


@pytest.mark.parametrize(("kind", "objective"), EVERY + cases(KINDS, ["risk"], wide=lambda kind, name: kind not in COMPLEX))
def test_objectives(kind, objective):
    case = Case(kind, (4, 2), 9)
    nodes, price, s, n = case.random_tree(), random_prices(Case(kind, (4, 2), 9), kind != "factored"), loaded(case), case.n
    cost, totals = costs(case, nodes, price), case.phi @ case.numbers
    with_cost = brute.Outputs(np.zeros(0), np.hstack([case.phi, cost[:, None]]))
    right = place_in(case, nodes)
    numbers, one = np.append(case.numbers, 0.0), np.zeros(len(case.numbers) + 1)
    one[-1] = 1.0
    loss, _ = brute.objective_value(objective, with_cost, numbers, one, brute.Outputs(np.zeros(0), with_cost.phi[right : right + 1]))
    gold, terms = known(case.structure, nodes), OBJECTIVES[objective]
    assert totals[right] == pytest.approx(numbers @ with_cost.phi[right])
    found = answer(terms.upper, s, gold, price, n) - answer(terms.lower, s, gold, price, n)
    assert found == pytest.approx(loss)


@pytest.mark.parametrize("kind", cases(KINDS, wide=lambda kind: kind not in PLAIN))
def test_ties_give_a_tree_that_is_a_tree(kind):
    case = Case(kind, (5, 2), holes=0.0)
    nothing = case.scores._replace(span=case.scores.span * 0.0, grammar=tuple(x * 0.0 for x in case.scores.grammar))
    nothing = nothing._replace(root=nothing.root * 0.0, left=nothing.left * 0.0, right=nothing.right * 0.0)
    value, nodes = case.structure.argmax(nothing)
    assert value == 0.0
    assert place_in(case, nodes) >= 0
    assert case.structure.logsum(nothing)[0] == pytest.approx(np.log(len(case.trees)))


@pytest.mark.parametrize("kind", cases(KINDS, wide=lambda kind: kind not in COMPLEX))
def test_no_tree_at_all(kind):
    case = Case(kind, (3, 3), holes=0.0)
    hopeless = case.scores._replace(root=np.full(3, -np.inf))
    s = loaded(case)
    case.structure.load(s, hopeless)
    gold, price = bracketed(case.structure, 3, np.zeros((0, 3))), prices(case.structure)
    for term in (Max(0.0, ALL), LogSum(0.0, ALL), Expect(1.0)):
        assert answer(term, s, gold, price, 3) == -np.inf
    assert not twin.flat(case.structure.mu(s, 3)).any()
    for operation in (case.structure.argmax, case.structure.logsum):
        with pytest.raises(InputError, match="no tree is allowed"):
            operation(hopeless)


# ---- sentences so long that sums overflow ---------------------------------------------------------------------------------------------


def catalan(n):
    """log of the number of binary trees over n words."""
    return sum(np.log((n - 1 + k) / k) for k in range(2, n))


def canonical(n):
    """log of the number of binary trees over n words with three symbols, in which wide left children have one of two."""
    many = [0, 3]  # by words, of three symbols at the top
    for d in range(2, n + 1):
        many.append(3 * sum((many[k] if k == 1 else many[k] // 3 * 2) * many[d - k] for k in range(1, d)))
    return math.log(many[n])


RULES = Rules(3, np.argwhere(np.ones((3, 3, 3))))


@pytest.mark.compiled
@pytest.mark.parametrize("structure", [Bigrams(3, splits=True), Factored(3), *wide((RULES,))], ids=lambda s: s.name)
def test_sums_over_more_trees_than_numbers_hold(structure):
    """Catalan(n-1) 3^(2n-1) trees: 1e290 over 190 words, too many for numbers as they are; fewer without a grammar."""
    n = 250 if structure.name == "factored" else 190
    value, mu = structure.logsum(structure.zeros(n))
    assert value == pytest.approx(canonical(n) if structure.name == "factored" else catalan(n) + (2 * n - 1) * np.log(3.0))
    np.testing.assert_allclose(mu.span[np.arange(n), np.arange(1, n + 1)], 1 / 3)
    assert mu.span.sum() == pytest.approx(2 * n - 1)
