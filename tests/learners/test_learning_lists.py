"""Every learner on lists of candidates: they reach the same F, and refuse what they cannot do in a sentence."""

import numpy as np
import pytest
from list_data import pose_lists, random_lists
from modes import cases, wide

from widemargin.engine.objectives import OBJECTIVES
from widemargin.errors import InputError
from widemargin.learners import learner_named
from widemargin.learners.online_run import Run

pytestmark = pytest.mark.twice

DUALS = ["bcfw", "bcfw mean", "ocp", "cutting-plane"]
ONLINE = ["perceptron", "mira", "sgd", "ops", "adadelta", "smd"]
SAMPLE = random_lists(7, rows=20, features=6)


def reached(problem, name, **settings):
    """F where a learner ends."""
    w = learner_named(name, {"dtype": "float64"} | settings).fit(problem).w
    return problem.value(w)


@pytest.mark.compiled  # many epochs
@pytest.mark.parametrize(("objective", "latent"), [("likelihood", False), *wide(("softmax-margin", True))])
def test_smooth_learners_reach_the_same_f(objective, latent):
    problem = pose_lists(random_lists(7, rows=20, features=6, latent=latent, illegal=True), objective, l2=0.05)
    lowest = reached(problem, "lbfgs", epochs=300, delta=1e-12, history="float64")
    for name, settings in (("sgd", {"rate": 0.5, "decay": 0.025}), ("ops", {}), ("smd", {"rate": 0.05, "mu": 0.01})):
        value = reached(problem, name, epochs=600, skip=0.0, **settings)
        assert lowest * (1 - 1e-6) <= value <= lowest * (1 + 3e-3), name


@pytest.mark.compiled  # many epochs
@pytest.mark.parametrize("objective", ["hinge", *wide(("slack",))])
def test_learners_of_maxima_reach_the_same_f(objective):
    problem = pose_lists(SAMPLE, objective, l2=0.1)
    finest = {"cutting-plane": 1e-6, "one-slack": 1e-6, "ocp": 1e-6, "bcfw": 5e-4}
    values = {name: reached(problem, name, epochs=3000, tolerance=tolerance) for name, tolerance in finest.items()}
    lowest = min(values.values())
    for name, value in values.items():
        assert value <= lowest * (1 + 2 * finest[name]), (name, values)
    assert reached(problem, "ops", epochs=1000, rate=0.05) == pytest.approx(lowest, rel=1e-2)


@pytest.mark.parametrize(("objective", "name"), cases(["hinge", "slack"], DUALS, wide=lambda objective, name: objective == "slack"))
@pytest.mark.parametrize("priced", [False, True])
def test_duals_stay_below_f_and_the_gap_closes(name, objective, priced):
    """priced: the gold itself costs something."""
    average = name == "bcfw mean"
    problem = pose_lists(SAMPLE._replace(price=SAMPLE.price + 0.2) if priced else SAMPLE, objective, l2=0.5)
    history = (
        learner_named(name.split()[0], {"epochs": 12, "dtype": "float64", "check": 1, "average": average, "tolerance": 0.0})
        .fit(problem)
        .history
    )
    duals = [facts["dual"] for facts in history]
    assert all(facts["gap"] > -1e-12 for facts in history)
    assert all(later >= dual - 1e-12 for dual, later in zip(duals, duals[1:]))
    assert history[-1]["gap"] < 0.2 * history[0]["gap"]


@pytest.mark.parametrize(("name", "objective", "sparse"), cases(ONLINE, OBJECTIVES, [False, True], wide=lambda *case: True))
def test_online_learners_lower_f(name, objective, sparse):
    problem = pose_lists(random_lists(7, rows=12, features=20, fill=0.5), objective, sparse=sparse)
    learner = learner_named(name, {"epochs": 4, "dtype": "float64", "rate": 0.1, "batch": 1 if name == "mira" else 2})
    # where candidates are equal, nothing is left to do for the perceptron; where they are far apart, the ramp is flat
    start = problem.table(np.random.default_rng(0).normal(size=20) * (objective != "ramp"))
    if name == "smd" and objective == "risk":
        with pytest.raises(InputError, match="smd needs the curvature of risk"):
            learner.fit(problem, start)
        return
    w = learner.fit(problem, start).w
    assert problem.value(w) < problem.value(start)


def test_k_best_mira_gives_every_listed_candidate_its_margin():
    sample = random_lists(2, sizes=[6], features=9)
    problem = pose_lists(sample)
    learner = learner_named("mira", {"k": 5, "epochs": 1, "rate": 1e6, "tolerance": 1e-10, "dtype": "float64", "average": False})
    w = problem.vector(learner.fit(problem).w)
    scores, gold = sample.x @ w, int(sample.correct.argmax())
    margins = scores[gold] - scores - sample.price
    assert np.sort(margins)[-6:].min() > -1e-6, "six candidates: the gold and the five listed ones"


@pytest.mark.parametrize("k", [1, 3])
def test_a_sweep_stops_and_goes_on(k):
    sample, found = random_lists(1, sizes=[1, 3, 129, 2, 40, 5, 60], features=6), []
    learner = learner_named("mira", {"epochs": 2, "dtype": "float64", "k": k})
    for room in (0, 2):
        run = Run(learner, pose_lists(sample), None, room=room)
        facts = [run.epoch(epoch) for epoch in (1, 2)]
        found.append((run.weights().tobytes(), facts))
    assert found[0] == found[1]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_easy_task_is_learned(dtype):
    """The candidate with the largest hidden score is correct."""
    random = np.random.default_rng(0)
    sizes = random.integers(1, 30, 60)
    sample, hidden = random_lists(3, sizes=sizes, features=18), random.normal(size=18)
    best = [part == part.max() for part in np.split(sample.x @ hidden, np.cumsum(sizes)[:-1])]
    problem = pose_lists(sample._replace(correct=np.concatenate(best), price=1.0 - np.concatenate(best)), "hinge")
    w = learner_named("mira", {"epochs": 30, "dtype": dtype, "rate": 1.0}).fit(problem).w
    assert w.dtype == dtype
    assert (problem.choose(w) == problem.corpus.right).mean() > 0.95


@pytest.mark.parametrize("name", cases(["ops", "bcfw", "cutting-plane", "one-slack", "lbfgs"], wide=lambda name: True))
def test_a_fit_resumed_from_any_epoch_ends_in_the_same_bytes(name):
    problem = pose_lists(SAMPLE, "likelihood" if name == "lbfgs" else "hinge", l2=0.2)
    learner, kept = learner_named(name, {"epochs": 4, "dtype": "float64"}), []

    def keep(epoch, state, history, final):
        kept.append(({k: np.array(v, copy=True) for k, v in state().items()}, [dict(facts) for facts in history]))

    whole = learner.fit(problem, keep=keep)
    for arrays, history in kept[:-1]:
        assert learner.fit(problem, state=(arrays, list(history))).w.tobytes() == whole.w.tobytes()


@pytest.mark.parametrize(("objective", "inner"), [("hinge", "ocp"), ("hinge", "bcfw"), ("ramp", "one-slack"), ("likelihood", "lbfgs")])
def test_the_concave_convex_procedure_lowers_f(objective, inner):
    """One slot per row: what is kept of a row is one candidate."""
    problem = pose_lists(random_lists(9, rows=15, latent=True, illegal=True), objective, l2=0.1)
    history = learner_named("cccp", {"inner": inner, "rounds": 4, "tolerance": 1e-3}).fit(problem).history
    values = [facts["loss"] for facts in history]
    assert all(later <= value * (1 + 2e-3) for value, later in zip(values, values[1:]))
    assert values[-1] < problem.value(problem.zeros())


def test_refusals():
    latent = random_lists(0, latent=True)
    for name, sample, objective, message in (
        ("smo", SAMPLE, "hinge", "labels of tokens, not for lists; use bcfw"),
        ("bcfw", latent, "hinge", "bcfw needs"),
        ("lbfgs", SAMPLE, "hinge", "lbfgs needs a smooth objective"),
    ):
        with pytest.raises(InputError, match=message):
            learner_named(name).fit(pose_lists(sample, objective, l2=0.1))
    with pytest.raises(InputError, match="bcfw keeps 0 MB of mixtures, and memory is 0"):
        learner_named("bcfw", {"memory": 0.0}).fit(pose_lists(SAMPLE, l2=0.1))
