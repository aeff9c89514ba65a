"""Lists of candidates against plain NumPy: every operation and every objective, from 1 to 129 candidates, in both precisions."""

import list_data as slow
import numpy as np
import pytest

from widemargin.engine.objectives import OBJECTIVES
from widemargin.engine.rows import row, size
from widemargin.engine.structure import UNKNOWN, copy_output, gold_part, output_cost, outputs, part_at, set_part, slots, take_gold
from widemargin.engine.terms import Nothing, answer
from widemargin.errors import InputError
from widemargin.structures.lists.arrays import Lists
from widemargin.structures.lists.kernel import CORRECT, ILLEGAL, SEVERAL, WRONG, Candidates, Gold

pytestmark = pytest.mark.twice

SIZES = [1, 2, 3, 16, 17, 64, 129]
EXACT = {np.float32: 2e-5, np.float64: 1e-12}


def random_row(n, known=1, seed=0):
    """Scores, prices, marks and which is right, if only one is; known: how many candidates are correct."""
    random = np.random.default_rng([n, known, seed])
    mark = np.where(random.random(n) < 0.3, ILLEGAL, WRONG).astype(np.int8)
    chosen = random.permutation(n)[: max(1, known)]
    mark[chosen] = CORRECT if known else WRONG
    known = int((mark == CORRECT).sum())
    right = UNKNOWN if known == 0 else SEVERAL if known > 1 else int(np.argmax(mark == CORRECT))
    price = np.where(mark == CORRECT, 0.0, random.random(n) + 0.1)
    return 3.0 * random.normal(size=n), price, Gold(np.int32(right), mark)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("n", SIZES)
def test_operations_are_those_of_numpy(n, masked):
    scores, direction, gold = random_row(n)
    allowed = gold.mark != ILLEGAL if masked else None
    may = np.ones(n, bool) if allowed is None else allowed
    for found, expected in (
        (Lists().argmax(scores, allowed), slow.best_of(scores, may)),
        (Lists().logsum(scores, allowed), slow.log_sum_of(scores, may)),
        (Lists().tilt(scores, direction, allowed), slow.tilt_of(scores, direction, may)),
    ):
        np.testing.assert_allclose(found[0], expected[0], atol=1e-12)
        np.testing.assert_allclose(found[1], expected[1], atol=1e-12)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("k", [1, 3, 200])
def test_the_k_best_are_the_first_of_all_sorted(n, k):
    scores, _, gold = random_row(n)
    scores = np.round(scores)  # ties: the earlier candidate first
    allowed = gold.mark != ILLEGAL
    expected = [c for c in np.argsort(-scores, kind="stable") if allowed[c]][:k]
    found = Lists().kbest(scores, k, allowed)
    assert [int(mu.argmax()) for _, mu in found] == expected
    assert all(mu.sum() == 1.0 for _, mu in found)
    np.testing.assert_array_equal([value for value, _ in found], scores[expected])


@pytest.mark.parametrize("dtype", EXACT)
@pytest.mark.parametrize("known", [0, 1, 2])
@pytest.mark.parametrize("n", SIZES)
def test_terms_are_those_of_numpy(n, known, dtype):
    scores, price, gold = random_row(n, known)
    correct, legal = gold.mark == CORRECT, gold.mark != ILLEGAL
    s = Lists().workspace(n + 2, dtype=dtype)
    s.score[:n] = scores
    for name, objective in OBJECTIVES.items():
        if name == "slack" and gold.right < 0:
            continue
        expected, step = slow.row_loss(name, scores, price, correct, legal)
        value, mu = 0.0, np.zeros(n)
        for term, sign in ((objective.upper, 1.0), (objective.lower, -1.0)):
            if not isinstance(term, Nothing):
                value += sign * answer(term, s, gold, price.astype(dtype), n)
                mu += sign * s.mu[:n]
        np.testing.assert_allclose(value, expected, rtol=EXACT[dtype], atol=EXACT[dtype], err_msg=name)
        np.testing.assert_allclose(mu, step, atol=EXACT[dtype], err_msg=name)
        np.testing.assert_array_equal(s.score[:n], scores.astype(dtype), err_msg="scores stay as they are")


def test_scores_far_apart_do_not_overflow():
    value, p = Lists().logsum(np.array([1e4, 0.0, 1e4]))
    np.testing.assert_allclose(value, 1e4 + np.log(2.0))
    np.testing.assert_allclose(p, [0.5, 0.0, 0.5])


def test_outputs_are_one_number():
    s = Lists().workspace(4, dtype=np.float64)
    out, other = outputs(s)
    gold, price = Gold(np.int32(2), np.array([WRONG, WRONG, CORRECT], np.int8)), np.array([3.0, 1.0, 0.0])
    assert take_gold(s, gold, 3, out)
    assert (out[0], gold_part(s, gold, 0), slots(s, 3)) == (2, 2, 1)
    set_part(s, other, 0, 1)
    assert (part_at(s, other, 0), output_cost(s, gold, price, 3, other)) == (1, 1.0)
    assert not take_gold(s, gold._replace(right=np.int32(SEVERAL)), 3, out)
    assert not take_gold(s, gold._replace(right=np.int32(UNKNOWN)), 3, out)
    kept = np.zeros(5, np.int32)
    copy_output(s, 3, other, 4, kept)
    assert kept.tolist() == [0, 0, 0, 0, 1]


def test_a_target_hands_out_rows():
    mark = np.array([WRONG, CORRECT, CORRECT, ILLEGAL], np.int8)
    target = Candidates(np.array([0, 2, 4]), np.array([1, 0], np.int32), mark, np.array([1.0, 0.0, 0.5, 2.0]))
    assert size(target, 1) == 2
    n, gold, price = row(target, 1)
    assert (n, gold.right, gold.mark.tolist(), price.tolist()) == (2, 0, [CORRECT, ILLEGAL], [0.5, 2.0])


@pytest.mark.parametrize(("scores", "allowed"), [([], None), ([1.0, 2.0], [False, False]), ([1.0], [True, True]), ([[1.0]], None)])
def test_nothing_to_choose_from_is_refused(scores, allowed):
    with pytest.raises(InputError):
        Lists().argmax(np.array(scores), allowed)
