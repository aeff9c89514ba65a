"""F over lists of candidates, and its gradient, against plain NumPy; vectors written out and sparse ones are the same to everyone."""

import numpy as np
import pytest
from list_data import as_sparse, corpus_of, pose_lists, random_lists, value_and_gradient
from modes import wide

from widemargin.engine.objectives import OBJECTIVES
from widemargin.errors import InputError
from widemargin.learners import learner_named
from widemargin.scoring.list_corpus import DenseFeatures, SparseFeatures, list_corpus

pytestmark = pytest.mark.twice

KINDS = [("hinge", True), ("softmax-margin", True), ("risk", True), ("slack", False)]


LEARNERS = [("ops", {}), *wide(("sgd", {"average": True}), ("ocp", {}), ("mira", {"k": 3}))]


def at_random(problem, seed=0):
    """A vector of weights, and the table of it."""
    vector = np.random.default_rng(seed).normal(size=problem.corpus.features.size)
    return vector, problem.table(vector)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("latent", [False, True])
def test_f_and_its_gradient_are_those_of_numpy(objective, sparse, latent):
    if objective == "slack" and latent:
        with pytest.raises(InputError, match="needs one correct candidate in every row"):
            pose_lists(random_lists(0, latent=True), objective)
        return
    for features in (1, 16, 37):
        sample = random_lists(features, features=features, latent=latent, illegal=True, fill=0.5)
        problem = pose_lists(sample, objective, l2=0.1, sparse=sparse)
        vector, w = at_random(problem)
        expected, g = value_and_gradient(objective, sample, vector, 0.1)
        found = problem.zeros()
        np.testing.assert_allclose(problem.value_and_gradient(w, found), expected, atol=1e-12)
        np.testing.assert_allclose(problem.value(w), expected, atol=1e-12)
        np.testing.assert_allclose(problem.vector(found), g, atol=1e-12)
        assert not found.reshape(-1)[features:].any(), "nothing is gathered where a line is filled up"


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("objective", "latent"), KINDS)
def test_finite_differences(objective, latent, sparse):
    """From 1 to 129 candidates in a row."""
    sample = random_lists(3, sizes=[1, 2, 129, 17, 64, 5], features=19, latent=latent, illegal=True, fill=0.7)
    problem = pose_lists(sample, objective, l2=0.01, sparse=sparse)
    vector, w = at_random(problem)
    g, h = problem.zeros(), 1e-6
    problem.value_and_gradient(w, g)
    for d in range(len(vector)):
        near = [problem.value(problem.table(vector + sign * h * (np.arange(19) == d))) for sign in (1.0, -1.0)]
        np.testing.assert_allclose(g.reshape(-1)[d], (near[0] - near[1]) / (2 * h), atol=1e-7)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("objective", ["hinge", "softmax-margin", "risk"])
def test_float32_is_near(objective, sparse):
    sample = random_lists(1, sizes=[129, 7, 40, 1], features=20, latent=True)
    problem = pose_lists(sample, objective, sparse=sparse)
    vector, w = at_random(problem)
    g = problem.zeros(np.float32)
    value = problem.value_and_gradient(w.astype(np.float32), g)
    expected, step = value_and_gradient(objective, sample, vector)
    assert g.dtype == np.float32
    np.testing.assert_allclose(value, expected, rtol=1e-5)
    np.testing.assert_allclose(problem.vector(g), step, atol=1e-5)


def test_threads_change_no_byte():
    sample, found = random_lists(5, rows=40, latent=True), []
    for threads in (1, 3):
        problem = pose_lists(sample, "likelihood", l2=0.1, threads=threads)
        g = problem.zeros()
        found.append((problem.value_and_gradient(at_random(problem)[1], g), g.tobytes()))
    assert found[0] == found[1]


@pytest.mark.parametrize("sparse", [False, True])
def test_the_best_candidates_are_chosen(sparse):
    sample = random_lists(2, rows=30, illegal=True, latent=True, fill=0.5)
    problem = pose_lists(sample, sparse=sparse)
    vector, w = at_random(problem)
    scores = np.where(sample.legal, sample.x @ vector, -np.inf)
    assert problem.choose(w).tolist() == [int(part.argmax()) for part in np.split(scores, problem.corpus.at[1:-1])]


@pytest.mark.parametrize("sparse", [False, True])
def test_a_part_has_some_of_the_rows(sparse):
    sample = random_lists(4, rows=9, latent=True, illegal=True, fill=0.5)
    problem, rows = pose_lists(sample, "hinge", sparse=sparse), np.array([7, 0, 4])
    _, w = at_random(problem)
    some = problem.part(rows)
    np.testing.assert_array_equal(some.corpus.right, problem.corpus.right[rows])
    np.testing.assert_array_equal(some.choose(w), problem.choose(w)[rows])
    alone = [problem.part(np.array([i])).loss(w) for i in rows]
    np.testing.assert_allclose(some.loss(w), np.mean(alone))


def test_a_feature_may_stand_in_a_vector_twice():
    twice = SparseFeatures(np.array([0, 2, 3]), np.array([1, 1, 0]), np.array([2.0, 0.5, 1.0]), 40)
    problem = pose_lists(random_lists(0, sizes=[2], features=40))
    problem.corpus = list_corpus([2], twice, correct=[True, False])
    w = problem.zeros()
    w[0, :2] = 1.0, 10.0
    assert problem.loss(w) == 0.0
    w[0, :2] = 10.0, 1.0
    assert problem.loss(w) == 10.0 + 1.0 - 2.5


@pytest.mark.parametrize(("name", "settings"), LEARNERS)
def test_several_epochs_on_sparse_and_on_written_out_vectors_end_at_the_same_weights(name, settings):
    sample = random_lists(6, rows=30, features=40, fill=0.2)
    learner = learner_named(name, {"epochs": 3, "dtype": "float64", **settings})
    ends = [learner.fit(pose_lists(sample, l2=0.0 if name == "mira" else 0.1, sparse=sparse)).w for sparse in (False, True)]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-10)


GOOD = dict(sizes=[2, 1], features=np.zeros((3, 2)), correct=[True, False, True])
BAD = [
    (dict(sizes=[]), "nothing to learn from"),
    (dict(sizes=[3, 0]), "row 1 has no candidate"),
    (dict(features=np.zeros((4, 2))), "features is for 4 candidates, and the rows have 3"),
    (dict(correct=[True, False]), "correct is for 2 candidates"),
    (dict(price=[0.0, -1.0, 0.0]), "a candidate of row 0 costs -1.0"),
    (dict(price=[0.0, 1.0, np.inf]), "a candidate of row 1 costs inf"),
    (dict(legal=[False, True, True]), "a correct candidate of row 0 may not be chosen"),
    (dict(correct=[True, False, False], legal=[True, True, False]), "no candidate of row 1 may be chosen"),
    (dict(weight=[1.0]), "weight is for 1 rows, and there are 2"),
    (dict(features=np.full((3, 2), np.nan)), "candidate 0 is not finite"),
    (dict(features=np.zeros(3)), "must be \\[candidates, features\\]"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_what_makes_no_lists_is_refused(change, message):
    given = GOOD | change
    with pytest.raises(InputError, match=message):
        list_corpus(given.pop("sizes"), given.pop("features"), **given)


def test_sparse_features_are_checked():
    for ind, val, message in (([5], [1.0], "from 0 to 3"), ([0], [np.inf], "not finite"), ([0, 1], [1.0], "2 numbers and 1 values for 1")):
        with pytest.raises(InputError, match=message):
            SparseFeatures(np.array([0, 1]), np.array(ind), np.array(val), 4)


def test_features_that_are_all_zero():
    sample = random_lists(0, rows=4, features=3)._replace(x=np.zeros((int(random_lists(0, rows=4, features=3).sizes.sum()), 3)))
    for sparse in (False, True):
        problem = pose_lists(sample, "likelihood", sparse=sparse)
        assert problem.loss(problem.zeros()) > 0.0
    assert isinstance(corpus_of(sample).features, DenseFeatures)
    assert len(as_sparse(sample.x).ind) == 0
