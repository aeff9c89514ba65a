"""rate=auto: the rate that lowers F of a sample most, the same for the same seed, kept by whoever goes on."""

import numpy as np
import pytest
from engine_corpora import pose, random_sample

from widemargin.errors import InputError
from widemargin.learners import learner_named, rates

pytestmark = pytest.mark.twice


def problem_of(rows=40, **more):
    return pose(random_sample(3, rows=rows, longest=3, labels=3, nodes=8, edges=2), more.pop("objective", "likelihood"), l2=0.01, **more)


@pytest.mark.parametrize("name", ["sgd", "smd", "ops"])
def test_the_walk_ends_where_f_of_the_sample_is_lowest(name, monkeypatch):
    monkeypatch.setattr(rates, "SAMPLE", 15)
    problem = problem_of()
    learner = learner_named(name, {"rate": "auto", "epochs": 2, "dtype": "float64"})
    result = learner.fit(problem)
    tried = result.history[0]["trials"]
    rate, value = min(tried, key=lambda trial: trial[1])
    assert [facts["rate"] for facts in result.history] == [rate] * 2
    assert "trials" not in result.history[1]
    rows = np.sort(np.random.default_rng([learner.seed, 0]).permutation(40)[:15])
    sample = pose(part_of(random_sample(3, rows=40, longest=3, labels=3, nodes=8, edges=2), rows), "likelihood", l2=0.01, merged=False)
    for rate, value in tried:
        settings = {"rate": rate, "epochs": 1, "dtype": "float64", "decay": learner_named(name, {"rate": rate}).decay_on(problem)}
        w = learner_named(name, settings).fit(sample).w
        np.testing.assert_allclose(sample.value(w), value, rtol=1e-9)
    direct = learner_named(name, {"rate": result.history[0]["rate"], "epochs": 2, "dtype": "float64"}).fit(problem)
    assert direct.w.tobytes() == result.w.tobytes()


def part_of(sample, rows):
    """Some rows of a sample; the others are not there."""
    tokens = np.concatenate([np.arange(*sample.bounds[i : i + 2]) for i in rows])
    sample.lengths = [sample.lengths[i] for i in rows]
    sample.gold, sample.node, sample.edge = sample.gold[tokens], sample.node[tokens], sample.edge[tokens]
    return sample


def test_the_seed_decides(monkeypatch):
    monkeypatch.setattr(rates, "SAMPLE", 5)
    tried = [learner_named("ops", {"rate": "auto", "epochs": 1, "seed": seed}).fit(problem_of()).history[0]["trials"] for seed in (1, 1, 2)]
    assert tried[0] == tried[1] != tried[2]


def test_going_on_keeps_the_rate(monkeypatch):
    problem = problem_of()
    learner = learner_named("sgd", {"rate": "auto", "epochs": 1, "dtype": "float64"})
    first = learner.fit(problem)
    monkeypatch.setattr("widemargin.learners.online.choose_rate", None)
    again = learner.fit(problem, carry=first.carry())
    assert again.history[0]["rate"] == first.history[0]["rate"]
    assert again.history[0]["epoch"] == 2


def test_a_rate_that_explodes_is_not_chosen():
    problem = problem_of(objective="hinge")
    rate, trials = rates.choose_rate(learner_named("sgd", {"rate": "auto", "schedule": "fixed"}), problem, None)
    assert min(value for _, value in trials) < problem.value(problem.zeros())
    assert rate in [tried for tried, _ in trials]


def test_a_value_that_is_no_number_is_told_as_none(monkeypatch):
    values = iter([1.0, np.nan, 0.5, np.inf])
    monkeypatch.setattr(rates.Run, "value", lambda run: next(values))
    rate, trials = rates.choose_rate(learner_named("sgd", {"rate": "auto"}), problem_of(), None)
    assert (rate, trials) == (0.05, [[0.1, 1.0], [0.2, None], [0.05, 0.5], [0.025, None]])


@pytest.mark.parametrize("name", ["mira", "perceptron", "adadelta"])
def test_only_where_there_is_a_step_size_to_choose(name):
    with pytest.raises(InputError, match=r"rate=auto is for sgd, smd, ops"):
        learner_named(name, {"rate": "auto"})


def test_anything_else_is_refused():
    with pytest.raises(InputError, match="rate=fast is not a number or auto"):
        learner_named("sgd", {"rate": "fast"})
    with pytest.raises(InputError, match="no setting 'rate'"):
        learner_named("lbfgs", {"rate": "auto"})
    assert learner_named("sgd", {"rate": "0.5"}).step == 0.5
