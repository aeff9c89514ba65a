"""Mixed learners: the obvious loop over K plain learners gives the same bytes, whoever runs them; K = 1 is the plain learner."""

import dataclasses
import os
import signal

import numpy as np
import pytest
from conformance import FIRST, SMALL, posed, random_weights
from modes import cases

from widemargin.errors import InputError
from widemargin.families.registry import family_named
from widemargin.learners import LEARNERS, learner_named, mixing
from widemargin.learners.mixing import MIX_WEIGHTS, in_memory
from widemargin.learners.online import Online
from widemargin.learners.online_run import Run, slot_of
from widemargin.workers import Engine

pytestmark = pytest.mark.twice
ONLINE = [name for name, row in LEARNERS.items() if row[0] is Online and name != "rda"]  # which is not mixed
PLAIN = ("perceptron", "mira")


def taken(recipe, learner):
    name, key = recipe
    try:
        family_named(name).check(dataclasses.replace(SMALL[name].RECIPES[key], learner=learner), "train")
    except InputError:
        return False
    return learner != "smd" or "tilt" in family_named(name).structures[SMALL[name].RECIPES[key].structure].offers


every_learner = pytest.mark.parametrize(
    ("recipe", "learner"),
    [case for case in cases(FIRST, ONLINE, wide=lambda recipe, learner: recipe != FIRST[0] or learner != "ops") if taken(*case.values)],
)


def problem_for(recipe, learner, l2=0.01, rows=7):
    return posed(*recipe, "hinge", learner=learner, l2=0.0 if learner in PLAIN else l2, rows=rows)


def same(a, b):
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()


def mixed(learner, problem, count, engine="threads", workers=1, heard=None, **more):
    with Engine(engine, workers).crew() as crew:
        return learner.fit(problem, shards=in_memory(problem, count, crew, heard), **more)


class Noted(Run):
    """A plain learner that notes in which weight rows it had a step."""

    def finish(self, before, now):
        self.noted = [had | (table.last != 0) for had, table in zip(self.noted, self.weights_of)]
        return super().finish(before, now)

    def epoch(self, number):
        self.noted = [np.zeros(len(table.last), bool) for table in self.weights_of]
        return super().epoch(number)


def twin(learner, problem, count):
    """K plain learners on every K-th row; their weights are set to the mix, densely, before every epoch."""
    runs = [Noted(learner, problem.part(np.arange(k, problem.corpus.rows, count)), None) for k in range(count)]
    rows = np.array([run.problem.corpus.rows for run in runs])
    for number in range(1, learner.epochs + 1):
        moved = np.array([run.epoch(number)["moved"] for run in runs])
        even = np.ones(count)
        share = {"uniform": even, "active": even, "size": rows, "errors": moved if moved.any() else even}[learner.mix_weights]
        for t in range(len(runs[0].weights_of)):
            views = [slot_of(run.weights_of[t], 0) for run in runs]
            mix = sum(view.dtype.type(mu) * view for mu, view in zip(share / share.sum(), views))
            if learner.mix_weights == "active":
                for f in range(len(mix)):
                    there = [view[f] for view, run in zip(views, runs) if run.noted[t][f]]
                    mix[f] = sum(there) / len(there) if there else mix[f]
            for view in views:
                view[:] = mix
    if not learner.average:
        return runs[0].weights()
    steps = sum(run.steps for run in runs)
    return sum(run.weights() * (run.steps / steps) for run in runs)


@every_learner
def test_one_mixed_learner_is_the_plain_one(recipe, learner):
    problem, how = problem_for(recipe, learner), learner_named(learner, {"epochs": 3, "dtype": "float64"})
    plain, alone = how.fit(problem), mixed(how, problem, 1)
    assert same(plain.w, alone.w)
    assert [facts["loss"] for facts in plain.history] == [facts["loss"] for facts in alone.history]


@every_learner
def test_mixing_is_the_obvious_loop(recipe, learner):
    problem = problem_for(recipe, learner)
    for weights in MIX_WEIGHTS:
        how = learner_named(learner, {"epochs": 3, "dtype": "float64", "mix": 3, "mix_weights": weights})
        np.testing.assert_allclose(how.fit(problem).w, twin(how, problem, 3), rtol=1e-9, atol=1e-12)


@pytest.mark.wide
@pytest.mark.parametrize("learner", ONLINE)
@pytest.mark.parametrize("average", [False, True])
def test_averages_are_over_all_steps_of_all_learners(learner, average):
    problem = problem_for(FIRST[0], learner, l2=0.0)
    how = learner_named(learner, {"epochs": 3, "dtype": "float64", "mix": 2, "average": average})
    np.testing.assert_allclose(how.fit(problem).w, twin(how, problem, 2), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("l2", "weights", "average"), [(0.0, "uniform", True), (0.01, "uniform", True), (0.0, "active", True), (0.0, "active", False)]
)
def test_workers_do_not_decide(l2, weights, average):
    """With a penalty all weights travel, without one those that had a step. By activity threads keep rows that nobody else has."""
    problem = problem_for(FIRST[0], "ops", l2)
    how = learner_named("ops", {"epochs": 3, "average": average, "mix_weights": weights})
    first = mixed(how, problem, 4)
    for engine, workers in (("threads", 2), ("processes", 2), ("processes", 3)):
        found = mixed(how, problem, 4, engine, workers)
        assert same(first.w, found.w)
        assert first.history == found.history


def test_a_worker_killed_in_an_epoch_changes_nothing(monkeypatch):
    """REPLAYED = 2: some of the replacements go on from a state that was asked for, and run epochs again."""
    monkeypatch.setattr(mixing, "REPLAYED", 2)
    problem, how = problem_for(FIRST[0], "ops"), learner_named("ops", {"epochs": 6, "average": True})
    killed, notes = [], []
    with Engine("processes", 2).crew(notes.append) as crew:

        def heard(facts):
            if facts["epoch"] in (2, 5, 6) and facts["epoch"] not in killed:
                killed.append(facts["epoch"])
                for worker in list(crew.workers.values()):
                    os.kill(worker.process.pid, signal.SIGKILL)

        found = how.fit(problem, shards=in_memory(problem, 4, crew, heard))
    assert killed == [2, 5, 6]
    assert len(notes) >= 3
    assert same(found.w, mixed(how, problem, 4).w)


@pytest.mark.wide
@pytest.mark.parametrize(
    ("learner", "weights"), [("ops", "uniform"), ("perceptron", "uniform"), ("perceptron", "active"), ("mira", "active")]
)
@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_a_resumed_mixture_goes_on_to_the_same_bytes(learner, weights, engine):
    """mira hands out its last weights, not their average: by activity they are with the learners until they are asked for."""
    problem = problem_for(FIRST[0], learner)
    how = learner_named(learner, {"epochs": 5, "mix_weights": weights} | ({"average": False} if learner == "mira" else {}))
    states = []

    def keep(epoch, state, history, final):
        if epoch == 2:
            states.append(({name: array.copy() for name, array in state().items()}, list(history)))

    whole = mixed(how, problem, 3, engine, 2, keep=keep)
    again = mixed(how, problem, 3, engine, 1, state=states[0])
    assert same(whole.w, again.w)
    assert whole.history == again.history
    with pytest.raises(InputError, match="checkpoint"):
        mixed(how, problem, 2, engine, 1, state=states[0])


@pytest.mark.parametrize("recipe", FIRST)
def test_a_learner_without_penalty_has_the_rows_of_its_shard_alone(recipe):
    """Families that do not say which rows those are keep all of them; scores are the same."""
    problem = problem_for(recipe, "ops", l2=0.0)
    some = problem.part(np.arange(1, problem.corpus.rows, 3))
    narrow, own = some.narrowed()
    w, parts = random_weights(problem), []
    for spec, small, table, rows in zip(some.specs, narrow.specs, some.split(w), own):
        assert small.rows == (spec.rows if rows is None else len(rows))
        numbers = np.arange(spec.rows) if rows is None else rows
        assert (np.diff(numbers) > 0).all()
        parts.append(table.reshape(spec.rows, spec.height * spec.width)[numbers].reshape(-1, problem.width))
    assert narrow.loss(np.concatenate(parts)) == some.loss(w)
    if recipe == FIRST[0]:
        assert sum(map(len, own)) < sum(spec.rows for spec in some.specs)


@pytest.mark.wide
def test_rows_of_transitions_are_those_of_the_shard_too():
    problem = posed("tagging", "chain, transitions by words", "hinge", learner="perceptron", rows=7)
    for weights in MIX_WEIGHTS:
        how = learner_named("perceptron", {"epochs": 3, "dtype": "float64", "mix": 3, "mix_weights": weights})
        np.testing.assert_allclose(how.fit(problem).w, twin(how, problem, 3), rtol=1e-9, atol=1e-12)


@pytest.mark.wide
@pytest.mark.parametrize("l2", [0.0, 0.01])
@pytest.mark.parametrize("recipe", [FIRST[0], ("tagging", "choice")])
def test_f_is_over_all_shards(recipe, l2):
    problem, how = problem_for(recipe, "ops", l2), learner_named("ops", {"epochs": 3, "dtype": "float64", "mix": 3, "delta": 1e-9})
    found = how.fit(problem)
    assert found.history[-1]["primal"] == pytest.approx(problem.value(found.w * problem.copies[:, None]), rel=1e-9)


@pytest.mark.wide
def test_the_best_epoch_on_dev_is_kept():
    problem, how = problem_for(FIRST[0], "perceptron"), learner_named("perceptron", {"epochs": 4, "mix": 2})
    seen = {}

    def watch(epoch, facts, weigh):
        seen[epoch] = weigh()
        return -abs(epoch - 2)

    found = how.fit(problem, watch=watch)
    assert found.epoch == 2
    assert same(found.w, seen[2])


@pytest.mark.wide
def test_what_cannot_be_mixed_is_refused():
    problem = problem_for(FIRST[0], "ops")
    with pytest.raises(InputError, match="cannot be shared out among 99"):
        learner_named("ops", {"mix": 99}).fit(problem)
    with pytest.raises(InputError, match="choose one of uniform, size, errors, active"):
        learner_named("ops", {"mix_weights": "some"})
    with pytest.raises(InputError, match="no setting 'mix'"):
        learner_named("lbfgs", {"mix": 2})
    carry = learner_named("ops", {"epochs": 1}).fit(problem).carry()
    with pytest.raises(InputError, match="cannot go on with more"):
        learner_named("ops", {"mix": 2}).fit(problem, carry=carry)
