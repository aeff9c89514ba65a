"""One list of tests for every family of the registry: its recipes on its small data (tests/families/NAME/small.py) with every objective and
learner. Verbs of the command line are in test_conformance_verbs.py, estimators in test_conformance_estimators.py.

What is not the first recipe of a family, or takes long to compile, is wide: it runs as plain Python.
"""

import dataclasses

import engine_enumeration as brute
import engine_twins as twins
import numpy as np
import pytest
from conformance import FAMILIES, FIRST, RECIPES, SMALL, Expanded, posed, random_weights, value_of
from modes import cases

import widemargin
from widemargin.engine import problem as problems
from widemargin.engine.objectives import OBJECTIVES
from widemargin.errors import InputError
from widemargin.families.base import Wanted
from widemargin.families.recipes import Recipe, fit, open_data, pose, train
from widemargin.families.registry import family_named
from widemargin.learners import LEARNERS, dual_runs, learner_named, usual_objective
from widemargin.learners.duals import DUALS
from widemargin.learners.online_run import Run

pytestmark = pytest.mark.twice
SMOOTH = [name for name, row in OBJECTIVES.items() if "argmax" not in row.needs]
PLAIN = ("perceptron", "mira", "rda")  # which take no l2


def test_every_family_has_small_data():
    missing = [name for name in FAMILIES if name not in SMALL]
    assert not missing, f"the family {missing[0]} needs tests/families/{missing[0]}/small.py; tests/README.md says what stands in it"


def offered(recipe, objective):
    """Can the structure do what the objective needs?"""
    if objective not in OBJECTIVES:
        return True
    family, (name, key) = family_named(recipe[0]), recipe
    return OBJECTIVES[objective].needs <= family.structures[SMALL[name].RECIPES[key].structure].offers


def or_hinge(recipe, objective="likelihood"):
    """The objective, or the hinge where the structure has no sums."""
    return objective if offered(recipe, objective) else "hinge"


def refused(recipe, learner):
    """Does the family refuse the learner with this structure?"""
    name, key = recipe
    try:
        family_named(name).check(dataclasses.replace(SMALL[name].RECIPES[key], learner=learner), "train")
    except InputError:
        return True
    return False


def on_recipes(names, axis, *, compiled=()):
    """Every recipe with every value of an axis that it takes; wide but for the first recipe of a family with the compiled ones."""
    takes = {
        "objective": offered,
        "rule": lambda recipe, rule: not refused(recipe, RULES[rule].learner) and offered(recipe, RULES[rule].objective),
    }
    takes["learner"] = lambda recipe, learner: not refused(recipe, learner)
    found = cases(RECIPES, axis, wide=lambda recipe, value: recipe not in FIRST or value not in compiled)
    return pytest.mark.parametrize(("recipe", names), [case for case in found if takes[names](*case.values)])


# what all families do alike is compiled for those whose kernels take a second each
QUICK = [recipe for recipe in FIRST if recipe[0] in ("tagging", "reranking")]

every_recipe = pytest.mark.parametrize("recipe", cases(RECIPES, wide=lambda recipe: recipe not in FIRST))


# ---- F ------------------------------------------------------------------------------------------------------------------------------


@on_recipes("objective", OBJECTIVES, compiled=("hinge", "likelihood"))
def test_loss_and_gradient_are_those_of_all_outputs(recipe, objective):
    """The gradient by its products: <Phi' mu, d> is what d scores mu."""
    small, problem = SMALL[recipe[0]], posed(*recipe, objective, unknown=objective != "slack")
    w, g, value = random_weights(problem), problem.zeros(), 0.0
    directions, rises = [random_weights(problem, seed) for seed in (1, 2, 3)], np.zeros(3)
    for i, share in enumerate(problem.corpus.weight / problem.corpus.rows):
        found, inside, price = small.outputs(problem, i)
        loss, mu = brute.objective_value(objective, found, small.scores(problem, i, w), price, inside)
        value += share * loss
        rises += [share * mu @ small.scores(problem, i, d) for d in directions]
    assert problem.value(w) == pytest.approx(value, abs=1e-9)
    assert problem.value_and_gradient(w, g) == pytest.approx(value, abs=1e-9)
    np.testing.assert_allclose([(g * d).sum() for d in directions], rises, rtol=0, atol=1e-9)


@on_recipes("objective", OBJECTIVES, compiled=("hinge", "likelihood"))
def test_gradients_are_differences(recipe, objective):
    problem = posed(*recipe, objective, unknown=objective != "slack", l2=0.1)
    w, g = random_weights(problem, 4), problem.zeros()
    problem.value_and_gradient(w, g)
    step = 1e-5 if objective in SMOOTH else 1e-7  # maxima are linear near points without ties
    for seed in (5, 6):
        d = random_weights(problem, seed)
        slope = (problem.value(w + step * d) - problem.value(w - step * d)) / (2 * step)
        assert (g * d).sum() == pytest.approx(slope, rel=1e-5, abs=1e-6)


@every_recipe
def test_f_has_a_penalty_and_rows_count_as_often_as_they_weigh(recipe):
    objective = or_hinge(recipe)
    plain, both = posed(*recipe, objective), posed(*recipe, objective, l1=0.2, l2=0.3)
    rows = random_weights(plain)
    u = rows / plain.copies[:, None]
    penalty = (plain.copies[:, None] * (0.2 * np.abs(u) + 0.15 * u**2)).sum()
    assert both.value(rows) == pytest.approx(plain.value(rows) + penalty, rel=1e-12)
    alone = [plain.part(np.array([i])).value(rows) for i in range(plain.corpus.rows)]
    assert plain.value(rows) == pytest.approx(np.mean(alone), rel=1e-12)
    assert alone[0] == 0.0  # weighs nothing


# ---- steps --------------------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Rule:
    """A way to step, and its eager twin of ten lines."""

    learner: str
    objective: str
    settings: dict
    twin: object
    l1: float = 0.0
    l2: float = 0.0
    unknown: bool = True


FIXED = {"rate": 0.3, "schedule": "fixed"}
META = {"rate": 0.2, "mu": 0.4, "memory": 0.9}


def adagrad(dense):
    return twins.AdaGrad(eta=0.2, initial=0.01)


def averaging(dense):
    return twins.DualAveraging(eta=0.2, initial=0.01)


def adadelta(dense):
    return twins.AdaDelta(eta=1.0, rho=0.95, epsilon=1e-3)


RULES = {
    "perceptron": Rule("perceptron", "perceptron", {}, lambda dense: twins.Sgd(rate=1.0)),
    "mira": Rule("mira", "hinge", {"rate": 0.05}, lambda dense: twins.Mira(cap=0.05)),
    "mira, far": Rule("mira", "hinge", {"rate": 1e9, "average": False}, lambda dense: twins.Mira(cap=1e9)),
    "sgd fixed": Rule("sgd", "hinge", FIXED, lambda dense: twins.Sgd(rate=0.3), l1=0.01),
    "sgd inverse": Rule(
        "sgd", "likelihood", {"rate": 0.3, "average": True}, lambda dense: twins.Sgd(rate=0.3, decay=0.3 * 0.05, power=1.0), l2=0.05
    ),
    "sgd root": Rule(
        "sgd",
        "softmax-margin",
        {"rate": 0.3, "schedule": "root", "batch": 3},
        lambda dense: twins.Sgd(rate=0.3, decay=1 / len(dense.lengths), power=0.5),
        l1=0.01,
        l2=0.05,
    ),
    "ops": Rule("ops", "hinge", {"rate": 0.2}, adagrad),
    "ops, penalties": Rule("ops", "likelihood", {"rate": 0.2, "batch": 3, "average": True}, adagrad, l1=0.01, l2=0.05),
    **{f"ops {name}": Rule("ops", name, {"rate": 0.2}, adagrad, l2=0.05) for name in ("slack", "ramp", "jensen", "risk")},
    "rda": Rule("rda", "hinge", {"rate": 0.2}, averaging, l1=0.02, unknown=False),
    "rda, last": Rule("rda", "hinge", {"rate": 0.2, "average": False, "batch": 3}, averaging, l1=0.01, unknown=False),
    "adadelta": Rule("adadelta", "hinge", {"epsilon": 1e-3, "average": True}, adadelta, l1=0.01, l2=0.05),
    # with known gold: a gradient of exactly 0 leaves a mean alone, and where gold is unknown rounding may make it 1e-17
    "adadelta, sums": Rule("adadelta", "softmax-margin", {"epsilon": 1e-3, "batch": 3}, adadelta, unknown=False),
    # without l2: a gradient of exactly 0 leaves a gain alone, and rounding makes it 1e-17
    "smd": Rule("smd", "likelihood", META | {"batch": 2, "average": True}, lambda dense: twins.Smd(dense, **META)),
    "smd hinge": Rule("smd", "hinge", META, lambda dense: twins.Smd(dense, **META, smooth=False), l2=0.05),
}


@on_recipes("rule", RULES, compiled=("ops",))
def test_a_lazy_sweep_is_an_eager_one(recipe, rule):
    """What a sweep does to a few weights at a time is what a twin does to all of them at every step."""
    rule = RULES[rule]
    problem = posed(*recipe, rule.objective, l1=rule.l1, l2=rule.l2, unknown=rule.unknown and rule.objective != "slack")
    learner = learner_named(rule.learner, {"epochs": 2, "dtype": "float64", "skip": 0.0, **rule.settings})
    dense, start = Expanded(problem), random_weights(problem)
    found = dense.spread(learner.fit(problem, start * problem.copies[:, None]).w)
    more = {"batch": learner.batch, "average": learner.average}
    expected = twins.train(dense, rule.twin(dense), dense.spread(start), epochs=2, **more)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


# ---- one function is minimised by everyone ------------------------------------------------------------------------------------------


def nearly(problem, lowest, share):
    """A value that is left when only a share of what can be gained from 0 on is missing."""
    return lowest + share * (problem.value(problem.zeros()) - lowest)


@pytest.mark.wide
@pytest.mark.parametrize("recipe", [recipe for recipe in RECIPES if offered(recipe, "likelihood")])
def test_learners_of_a_smooth_f_reach_the_same_value(recipe):
    problem = posed(*recipe, "likelihood", l2=0.3, rows=3, unknown=False)
    exact = learner_named("lbfgs", {"dtype": "float64", "delta": 1e-7, "epochs": 30}).fit(problem)
    lowest, g = value_of(problem, exact), problem.zeros()
    problem.value_and_gradient(exact.w * problem.copies[:, None], g)
    assert np.abs(g).max() < 1e-2
    settings = {"dtype": "float64", "skip": 0.0, "epochs": 6}
    for name, more in (("ops", {"rate": 0.3, "initial": 1.0}), ("sgd", {"rate": 1.0}), ("smd", {"rate": 0.2})):
        if not refused(recipe, name):
            reached = value_of(problem, learner_named(name, settings | more).fit(problem))
            assert lowest * (1 - 1e-4) <= reached <= nearly(problem, lowest, 0.2), name


@pytest.mark.parametrize(
    "recipe", cases(RECIPES, wide=lambda recipe: recipe not in FIRST or getattr(SMALL[recipe[0]], "LONG_DUALS", False))
)
def test_learners_of_the_hinge_reach_the_same_value(recipe):
    """Duals know how far they are from the minimum; their gap, their primal and their weights tell the same story."""
    problem = posed(*recipe, "hinge", l2=0.5, rows=3, unknown=False)
    primal, dual = {}, {}
    for name in DUALS:
        if refused(recipe, name) or (name == "smo" and not problem.takes_kernels):
            continue
        tolerance = 2e-2 if name == "bcfw" else 1e-3  # which converges slowly
        settings = {"tolerance": tolerance, "epochs": 200, "dtype": "float64", "check": 5, "prune": 2}
        result = learner_named(name, settings | ({"passes": 3} if name == "ocp" else {})).fit(problem)
        last, primal[name] = result.history[-1], value_of(problem, result)
        assert last["primal"] == pytest.approx(primal[name], rel=1e-9), name
        assert last["gap"] <= tolerance * last["primal"], (name, result.why)
        assert (np.diff([facts["dual"] for facts in result.history]) >= -1e-9).all() or name == "one-slack"
        dual[name] = last["dual"]
    assert max(dual.values()) <= min(primal.values()) * (1 + 1e-12), (primal, dual)
    assert max(primal.values()) <= min(primal.values()) * (1 + 2e-2), primal
    ops = learner_named("ops", {"rate": 0.2, "average": True, "epochs": 30, "dtype": "float64"}).fit(problem)
    assert max(dual.values()) <= value_of(problem, ops) <= nearly(problem, min(primal.values()), 0.2)


@pytest.mark.parametrize("recipe", cases(RECIPES, wide=lambda recipe: recipe not in QUICK))
def test_k_best_mira_solves_the_program_of_a_row(recipe):
    """With margins over all outputs, one step from 0 on one row minimises the hinge with l2 = 1 / C."""
    whole, penalised = (posed(*recipe, "hinge", unknown=False, weighted=False, l2=l2) for l2 in (0.0, 5.0))
    sizes = np.array([len(SMALL[recipe[0]].outputs(whole, i)[0].phi) for i in range(whole.corpus.rows)])
    row = np.array([np.argmax(np.where(sizes <= 64, sizes, 0))])
    settings = {"k": int(sizes[row[0]]), "rate": 0.2, "epochs": 1, "average": False, "dtype": "float64", "tolerance": 1e-9}
    found = learner_named("mira", settings).fit(whole.part(row))
    assert found.history[0]["violation"] <= 1e-9
    exact = learner_named("one-slack", {"epochs": 200, "tolerance": 1e-7}).fit(penalised.part(row))
    assert value_of(penalised.part(row), found) == pytest.approx(value_of(penalised.part(row), exact), rel=1e-6)


# ---- threads, memory, interruptions -------------------------------------------------------------------------------------------------

KEPT = {name: {} for name in LEARNERS} | {
    "ops": {"batch": 2},
    "smd": {"batch": 2, "average": True},
    "cccp": {"rounds": 4},
    "mira k": {"k": 2},
    "sgd auto": {"rate": "auto"},
}


def settings_of(name):
    """A learner of KEPT on a problem that it takes, in float64: learner, objective, l2."""
    learner = name.split()[0]
    more = {"tolerance": 0.0, "passes": 2, "prune": 1} if learner in DUALS else {"delta": 0.0} if learner == "lbfgs" else {}
    objective = usual_objective(learner)
    return learner_named(learner, {"epochs": 4, "dtype": "float64"} | more | KEPT[name]), objective, 0.0 if learner in PLAIN else 0.1


@on_recipes("learner", [name for name in KEPT if " " not in name], compiled=("ops", "lbfgs"))
def test_threads_and_interruptions_change_no_byte(recipe, learner):
    for name in [name for name in KEPT if name.split()[0] == learner]:
        fitted, objective, l2 = settings_of(name)
        if learner == "cccp" and not offered(recipe, objective):
            fitted = learner_named(learner, {"inner": "bcfw", "epochs": 4, "rounds": 4, "dtype": "float64"})
        problem = posed(*recipe, or_hinge(recipe, objective), learner=learner, l2=l2, unknown=learner not in DUALS)
        if learner == "smo" and not problem.takes_kernels:
            return
        kept = []

        def keep(epoch, state, history, final):
            kept.append(({k: np.array(v, copy=True) for k, v in state().items()}, [dict(facts) for facts in history]))  # noqa: B023

        def watch(epoch, facts, weigh):
            return -abs(epoch - 3.0)  # the third epoch is the best

        whole = fitted.fit(problem, watch=watch, keep=keep)
        states = [(whole.w, whole.history)]
        many = dataclasses.replace(problem, threads=3)
        states += [((found := fitted.fit(many, watch=watch)).w, found.history)]
        for arrays, history in kept[:-1]:
            found = fitted.fit(problem, watch=watch, state=(arrays, list(history)))
            states.append((found.w, found.history))
        assert len({w.tobytes() for w, _ in states}) == 1
        assert all(history == whole.history for _, history in states)


class Tight(problems.Desk):
    """Begins with room for rows of one token, and counts how often it grew."""

    grown = 0

    def __init__(self, problem, dtype, make=None, room=0):
        super().__init__(problem, dtype, make, 1)

    def grow(self, i):
        Tight.grown += 1
        super().grow(i)


@pytest.mark.wide
@pytest.mark.parametrize("recipe", RECIPES)
def test_memory_that_grows_changes_no_byte(recipe, monkeypatch):
    """Sweeps, passes of duals and sums stop where a row finds no room, and go on with more."""
    sums, found = posed(*recipe, or_hinge(recipe), l2=0.1), []
    sums.fixed_rows = sums.rows  # which have scratch of their own
    for tight in (False, True):
        if tight:
            monkeypatch.setattr(problems, "Desk", Tight)
            monkeypatch.setattr(dual_runs, "Desk", Tight)
            Tight.grown = 0
        for name, more in (("mira", {}), ("ops", {"batch": 3}), ("mira", {"k": 2})):
            learner = learner_named(name, {"epochs": 2, "dtype": "float64", **more})
            run = Run(learner, posed(*recipe, "hinge"), None, room=int(tight))
            found.append((tight, [run.epoch(epoch) for epoch in (1, 2)], run.weights().tobytes()))
        for name, average in (("bcfw", False), ("bcfw", True), ("ocp", False), ("cutting-plane", False)):
            if not refused(recipe, name):
                result = learner_named(name, {"epochs": 2, "passes": 1, "average": average}).fit(
                    posed(*recipe, "hinge", l2=0.1, unknown=False)
                )
                found.append((tight, result.history, result.w.tobytes()))
        g = sums.zeros()
        value = problems.Problem.value_and_gradient(sums, random_weights(sums), g)
        found.append((tight, pytest.approx(value, rel=1e-13), g.tobytes()))
    half = len(found) // 2
    assert [state[1:] for state in found[:half]] == [state[1:] for state in found[half:]]
    assert Tight.grown > 0 or sums.corpus.longest == 1


# ---- models -------------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def fitted(recipe):
    """A recipe's problem, weights and model after two epochs."""
    small = SMALL[recipe[0]]
    chosen = dataclasses.replace(small.RECIPES[recipe[1]], learner="ops", settings={"epochs": 2})
    ready = pose(chosen, small.data())
    return ready, fit(ready).model


@every_recipe
def test_a_saved_model_answers_the_same(recipe, fitted, tmp_path):
    model = fitted[1]
    family, data = family_named(recipe[0]), SMALL[recipe[0]].data(seed=1)
    paths = [str(tmp_path / name) for name in ("first", "second")]
    model.save(paths[0])
    again = widemargin.load(paths[0])
    again.save(paths[1])
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    assert {**again.facts, "left_out": 0} == {**model.facts, "left_out": 0}  # features without weight, which files do not have
    sums = "marginals" in family.offers
    wanted = Wanted(marginals=sums, probability=sums)
    answers = [
        family.as_json(data, family.answer(m, data, w)) for m in (model, again) for w in (wanted, dataclasses.replace(wanted, threads=3))
    ]
    assert answers[0] == answers[1] == answers[2] == answers[3]
    known = SMALL[recipe[0]].data(seed=1, unknown=False)
    assert model.evaluate(known) == again.evaluate(known, threads=2)


@pytest.mark.parametrize("recipe", cases(RECIPES, wide=lambda recipe: recipe not in QUICK))
def test_alternatives_are_all_outputs_with_their_scores(recipe, fitted):
    """At a temperature: probabilities, marginals and margins are those of the list of all outputs."""
    ready, model = fitted
    family, small, problem, T = family_named(recipe[0]), SMALL[recipe[0]], ready.problem, 1.7
    if getattr(small, "MANY_ROWS", False):  # tests of the family look at alternatives
        return
    sums = "marginals" in family.offers
    data, wanted = small.data(), Wanted(kbest=1000, marginals=sums, probability=sums)
    model = dataclasses.replace(model, temperature=T) if sums else model
    if problem.corpus.rows != len(data.row_ptr) - 1:  # rows are not sentences
        with pytest.raises(InputError, match="need"):
            family.answer(model, data, wanted)
        return
    if recipe[1] in getattr(small, "UNLISTED", ()):
        with pytest.raises(InputError, match="use another structure"):
            family.answer(model, data, wanted)
        return
    w = learner_named("ops", ready.recipe.settings).fit(problem).w * problem.copies[:, None]
    found = family.answer(model, data, wanted)
    for i, (ranked, answer) in enumerate(zip(found.kbest, family.as_json(data, found))):
        score = np.array([alternative.score for alternative in ranked])
        outputs = small.outputs(problem, i)[0].phi
        assert len({repr(alternative.output) for alternative in ranked}) == len(ranked) == len(outputs)
        np.testing.assert_allclose(score, np.sort(outputs @ small.scores(problem, i, w))[::-1], atol=1e-4)
        assert all(answer["kbest"][0][key] == answer[key] for key in answer["kbest"][0] if key in answer)
        same = np.array([small.same(other, answer) for other in answer["kbest"]]).reshape(len(ranked), -1)
        if sums:
            p = np.array([alternative.log_probability for alternative in ranked])
            np.testing.assert_allclose(p, score / T - np.logaddexp.reduce(score / T), atol=1e-5)
            assert found.log_probability[i] == pytest.approx(p[0], abs=1e-5)
            np.testing.assert_allclose(answer["marginals"], np.exp(p) @ same, atol=1e-5)
        if "explain" not in family.offers:
            continue
        told = family.explain(model, data, i + 1, token=None, top=2).facts["decisions"]
        for decision, agrees in zip(told, same.T):
            assert (decision["against"] is None) == agrees.all()
            if not agrees.all():
                assert decision["margin"] == pytest.approx(score[0] - score[~agrees].max(), abs=1e-4)
                shown = sum(part["value"] for part in decision["against"]["contributions"])
                assert shown + decision["against"]["rest"] == pytest.approx(decision["margin"], abs=1e-4)


# ---- from files to a model ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SMALL)
def test_a_training_that_is_killed_goes_on_to_the_same_bytes(name, tmp_path):
    small = SMALL[name]
    small.files(tmp_path)
    files = {part: str(tmp_path / f"{name}.{part}") for part in ("train", "dev", "templates")}
    recipe = Recipe(small.TASK, "ops", templates=files["templates"], settings={"epochs": 3}, **small.SMALL)
    data, dev = (open_data(files[part], small.TASK) for part in ("train", "dev"))
    more = {"dev": dev, "checkpoint": str(tmp_path / "state"), "every": 0.0}

    def killed(facts):
        if facts["epoch"] == 3:
            raise KeyboardInterrupt

    for threads in (1, 2):
        train(recipe, data, dev=dev, threads=threads).save(str(tmp_path / f"whole {threads}"))
    with pytest.raises(KeyboardInterrupt):
        train(recipe, data, listen=killed, **more)
    with pytest.raises(InputError, match="other data or other settings"):
        train(dataclasses.replace(recipe, cost="hamming*2"), data, resume=True, **more)
    resumed = train(recipe, data, resume=True, **more)
    resumed.save(str(tmp_path / "resumed"))
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole 1").read_bytes() == (tmp_path / "whole 2").read_bytes()
    assert [facts["epoch"] for facts in resumed.facts["history"]] == [1, 2, 3]
    metric = family_named(name).tasks[small.TASK].metric
    assert resumed.evaluate(dev)[metric] == pytest.approx(max(facts["dev"][metric] for facts in resumed.facts["history"]), abs=1e-3)
    on = train(dataclasses.replace(recipe, settings={"epochs": 1, "rate": 1e-9}), data, start=resumed)
    for table, before in zip(on.weights, resumed.weights, strict=True):
        np.testing.assert_allclose(table, before, atol=1e-6)


# ---- refusals -----------------------------------------------------------------------------------------------------------------------

REFUSED = {
    "objective": ({"objective": "hingle"}, "objective 'hingle' is not known; choose one of perceptron, hinge"),
    "learner": ({"learner": "adam"}, "learner 'adam' is not known; choose one of perceptron, mira"),
    "structure": ({"structure": "torus"}, "structure 'torus' is not known; choose one of "),
    "option": ({"speed": 3}, "has no option 'speed'; its options are "),
    "setting": ({"settings": {"speed": 3}}, "has no setting 'speed'; its settings are epochs"),
    "number": ({"settings": {"epochs": "many"}}, "epochs=many is not a whole number"),
    "cost": ({"cost": "hammer"}, "hammer"),
    "penalty": ({"l2": -1.0}, "l2 is -1"),
    "lbfgs": ({"learner": "lbfgs", "objective": "hinge"}, "lbfgs needs a smooth objective"),
    "mira": ({"learner": "mira", "l2": 0.1}, "mira takes no penalty"),
    "smd": ({"learner": "smd", "l1": 0.1}, "smd has no l1"),
    "rda": ({"learner": "rda", "l2": 0.1}, "rda has no l2"),
    "rda mixed": ({"learner": "rda", "settings": {"mix": 2}}, "rda is not mixed"),
    "smd risk": ({"learner": "smd", "objective": "risk"}, "curvature of risk"),
    "dual": ({"learner": "bcfw", "objective": "likelihood"}, "bcfw minimises the hinge"),
    "dual l1": ({"learner": "ocp", "l1": 0.1, "l2": 0.1}, "ocp needs l2 above 0 and no l1"),
    "dual l2": ({"learner": "ocp", "l2": 0.0}, "ocp needs l2 above 0"),
    "dual latent": ({"learner": "bcfw", "l2": 0.1}, "bcfw needs every label"),
}


@pytest.mark.parametrize(("name", "case"), [(name, case) for name in SMALL for case in (*REFUSED, *SMALL[name].REFUSED)])
def test_what_cannot_be_is_refused_in_a_sentence(name, case):
    small = SMALL[name]
    change, words = (REFUSED | small.REFUSED)[case]
    if case in REFUSED and "learner" in change and refused((name, next(iter(small.RECIPES))), change["learner"]):
        words = f"^{change['learner']} "  # the family does not have it at all
    elif not offered((name, next(iter(small.RECIPES))), change.get("objective", "hingle") if case in REFUSED else "hinge"):
        words = f"objective '{change['objective']}' needs .*does not offer"
    if "latent" in case and not getattr(small, "LATENT", True):
        return  # whose gold is always known
    with pytest.raises(InputError, match=words):
        train(
            dataclasses.replace(small.RECIPES[next(iter(small.RECIPES))], **{"learner": "ops"} | change),
            small.data(unknown="latent" in case),
        )


@pytest.mark.parametrize("recipe", RECIPES)
def test_what_a_structure_lacks_is_said_with_what_works(recipe):
    for objective in OBJECTIVES:
        if not offered(recipe, objective):
            with pytest.raises(InputError, match=f"objective '{objective}' needs .*does not offer; perceptron, .*work"):
                posed(*recipe, objective)
    for learner in LEARNERS:
        if refused(recipe, learner):
            with pytest.raises(InputError, match=f"^{learner} "):
                posed(*recipe, "hinge", learner=learner, l2=0.1)
