"""One function is minimised by everyone: learners reach the same F, threads and interruptions change no byte."""

from functools import partial

import numpy as np
import pytest
from engine_corpora import Dense, pose, random_sample, to_rows

import widemargin.scoring.token_problem
from widemargin.engine.gradient import decode
from widemargin.engine.penalty import Penalty, l2_from
from widemargin.engine.terms import UNKNOWN
from widemargin.learners import learner_named
from widemargin.parallel import together

pytestmark = pytest.mark.twice


def value_reached(problem, name, **settings):
    """F where a learner ends."""
    settings = ({"dtype": "float64"} if name == "lbfgs" else {"dtype": "float64", "skip": 0.0}) | settings
    w = learner_named(name, settings).fit(problem).w
    return problem.value(w * problem.copies[:, None]), w


@pytest.mark.compiled  # many epochs
@pytest.mark.parametrize("objective", ["likelihood", "softmax-margin"])
@pytest.mark.parametrize(("l1", "l2"), [(0.0, 0.03), (0.01, 0.0), (0.01, 0.03)])
def test_all_learners_reach_the_same_f(objective, l1, l2):
    sample = random_sample(7, rows=30, longest=4, labels=3, nodes=8, edges=2)
    problem = pose(sample, objective, l1=l1, l2=l2, cost="hamming")
    reached = {
        "lbfgs": value_reached(problem, "lbfgs", epochs=500, delta=1e-12, history="float64"),
        "sgd": value_reached(problem, "sgd", epochs=1500, rate=0.5, schedule="inverse", decay=l2 * 0.5 or 0.002),
        "ops": value_reached(problem, "ops", epochs=4000, rate=0.1),
    }
    lowest = reached["lbfgs"][0]
    for name, (value, _) in reached.items():
        assert value >= lowest - 1e-6 * abs(lowest), name
        assert value <= lowest * (1 + 1e-3), (name, value, lowest)
    if l1:
        assert (reached["lbfgs"][1][:, :3] == 0.0).any(), "l1 leaves some weights at exactly 0"


def test_each_epoch_reports_the_mean_loss_it_saw():
    """With a step too small to matter, the loss of an epoch is F at the start."""
    sample = random_sample(5, rows=7)
    for objective in ("hinge", "likelihood"):
        problem = pose(sample, objective)
        result = learner_named("ops", {"rate": 1e-12, "dtype": "float64", "epochs": 2}).fit(problem)
        np.testing.assert_allclose([facts["loss"] for facts in result.history], problem.value(problem.zeros()), rtol=1e-9)
        assert result.epoch == 2
        assert result.why == "all 2 epochs done"


def test_patience_keeps_the_best_epoch():
    problem, scores = pose(random_sample(5, rows=7), "hinge"), [1.0, 5.0, 4.0, 4.5, 9.0]
    seen = []
    learner = learner_named("ops", {"epochs": 10, "patience": 2, "dtype": "float64"})
    result = learner.fit(problem, watch=lambda epoch, facts, weigh: seen.append(weigh()) or scores[epoch - 1])
    assert (result.epoch, len(seen)) == (2, 4)
    assert result.why == "no better development score for 2 epochs"
    np.testing.assert_array_equal(result.w, seen[1])


def test_same_seed_same_bytes_other_seed_other_order():
    problem = pose(random_sample(5, rows=9), "hinge")
    first, again, other = (learner_named("ops", {"epochs": 2, "seed": seed, "dtype": "float64"}).fit(problem).w for seed in (3, 3, 4))
    assert first.tobytes() == again.tobytes()
    assert first.tobytes() != other.tobytes()


# ---- threads ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("edges", [0, 2])
@pytest.mark.parametrize("block", [30, 1 << 15])
@pytest.mark.parametrize("objective", ["likelihood", "hinge"])
def test_the_number_of_threads_changes_no_byte(edges, block, objective, monkeypatch):
    monkeypatch.setattr(widemargin.scoring.token_problem, "BLOCK_TOKENS", block)
    sample = random_sample(1, rows=40, longest=5, edges=edges)
    w, found = None, []
    for threads in (1, 2, 4):
        problem = pose(sample, objective, l2=0.1, threads=threads)
        if w is None:
            w = problem.zeros()
            w[:, :3] = np.random.default_rng(0).normal(size=(len(w), 3))
        g = problem.zeros()
        value = [problem.value_and_gradient(w, g) for _ in range(2)]
        assert len(problem._blocks[-1]) == (1 if block > 30 else len(problem.corpus.blocks(block // 3 if edges else block)) - 1)
        found.append((value, g.tobytes(), problem.value(w)))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("edges", [0, 2])
def test_blocks_only_reorder_sums(edges, monkeypatch):
    sample, w, gradients = random_sample(1, rows=40, longest=5, edges=edges), None, []
    for block in (1 << 15, 60, 30, 9):
        monkeypatch.setattr(widemargin.scoring.token_problem, "BLOCK_TOKENS", block)
        problem = pose(sample, "likelihood")
        if w is None:
            w = problem.zeros()
            w[:, :3] = np.random.default_rng(0).normal(size=(len(w), 3))
        g = problem.zeros()
        problem.value_and_gradient(w, g)
        gradients.append(g)
    np.testing.assert_allclose(gradients[1:], [gradients[0]] * 3, atol=1e-13)


def test_decoding_in_pieces_gives_the_same_labels_and_they_are_the_best():
    sample = random_sample(1, rows=30, longest=4, edges=2)
    problem, dense = pose(sample, "perceptron", merged=False), Dense(sample, "perceptron")
    w = np.random.default_rng(0).normal(size=len(dense.zeros()))
    rows, reader = problem.fixed_rows(np.float64, 4), problem.reader(to_rows(problem, dense, w))
    token = rows.target.token
    rows = rows._replace(target=rows.target._replace(gold=np.full_like(rows.target.gold, UNKNOWN)))
    found = []
    for threads in (1, 2, 4):
        out, cuts = np.zeros(len(sample.gold), np.int32), np.linspace(0, 30, threads + 1).astype(int)
        jobs = [partial(decode, a, b, rows, problem.workspace(np.float64, 4), reader, token, out) for a, b in zip(cuts, cuts[1:])]
        together(jobs, threads=threads)
        found.append(out)
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()
    sample.gold = found[0]
    assert Dense(sample, "perceptron").value(w) < 1e-12, "no output is better than the decoded one"


# ---- interruptions ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ops", "lbfgs"])
def test_resuming_leaves_the_kept_state_alone(name):
    problem, kept = pose(random_sample(6, rows=12), "likelihood", l2=0.1), []
    learner = learner_named(name, {"epochs": 3, "dtype": "float64"})
    learner.fit(problem, keep=lambda epoch, state, history, final: kept.append((state(), list(history))))
    arrays, history = {k: np.array(v, copy=True) for k, v in kept[0][0].items()}, list(kept[0][1])
    before = {k: v.tobytes() for k, v in arrays.items()}
    learner.fit(problem, state=(arrays, history))
    assert {k: v.tobytes() for k, v in arrays.items()} == before
    assert len(history) == 1


def test_warm_start_goes_on_from_the_given_weights():
    problem = pose(random_sample(6, rows=12), "likelihood", l2=0.1)
    _, w = value_reached(problem, "lbfgs", epochs=100, delta=0.0, history="float64")
    again = learner_named("lbfgs", {"epochs": 3, "dtype": "float64"}).fit(problem, w * problem.copies[:, None])
    np.testing.assert_allclose(again.w, w, atol=1e-6)


# ---- the penalty --------------------------------------------------------------------------------------------------------------------


def test_other_people_s_constants():
    """Each function, times a constant, is ours with the l2 that is given."""
    loss, square, n, c = 3.7, 1.9, 50, 0.25  # mean loss and |w|^2
    theirs = {
        "kummerfeld2015": (loss + c / 2 * square, 1),
        "yu-lam2008": (n * loss + c / 2 * square, n),
        "gimpel-smith2010": (n * loss + c * square, n),
        "svm-struct": (square / 2 + c * loss, c),
        "crfsuite": (n * loss + c * square, n),
        "crf++": (c * n * loss + square / 2, c * n),
        "wapiti": (n * loss + c / 2 * square, n),
    }
    for source, (value, times) in theirs.items():
        ours = loss + Penalty(l2=l2_from(source, c, n)).l2 / 2 * square
        np.testing.assert_allclose(value, times * ours)
