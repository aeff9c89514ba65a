"""Learners: frozen hyperparameters with fit(problem). A name chooses the class and what it usually goes with."""

from typing import Any

from widemargin.engine import names
from widemargin.engine.settings import as_bool, as_number, shown
from widemargin.errors import InputError
from widemargin.learners.base import Result, Watch, Weigh
from widemargin.learners.batch import Lbfgs
from widemargin.learners.concave import INNER, Concave
from widemargin.learners.duals import DUALS, Dual
from widemargin.learners.online import Online
from widemargin.learners.rates import AUTO
from widemargin.learners.settings import fields_of, own_settings

# name -> (class, settings, usual objective)
LEARNERS: dict[str, tuple[type, dict, str]] = {
    "perceptron": (Online, {"average": True}, "perceptron"),
    "mira": (Online, {"average": True, "rate": 0.01}, "hinge"),
    "sgd": (Online, {"rate": 0.1, "schedule": "inverse"}, "likelihood"),
    "ops": (Online, {"rate": 0.1}, "hinge"),
    "rda": (Online, {"rate": 0.1, "average": True, "epochs": 8}, "hinge"),
    "adadelta": (Online, {"rate": 1.0}, "softmax-margin"),
    "smd": (Online, {"rate": 0.1}, "likelihood"),
    "lbfgs": (Lbfgs, {}, "likelihood"),
    "cutting-plane": (Dual, {"passes": 10, "check": 1, "dtype": "float32"}, "hinge"),
    "one-slack": (Dual, {"epochs": 500, "prune": 50}, "hinge"),
    "bcfw": (Dual, {"dtype": "float32"}, "hinge"),
    "ocp": (Dual, {"dtype": "float32"}, "hinge"),
    "smo": (Dual, {"check": 1}, "hinge"),
    "cccp": (Concave, {"inner": "lbfgs"}, "likelihood"),
}

# other names under which a learner may be asked for; with its usual objective, crf and svm are what they say
ALIASES = {
    "adagrad": "ops",
    "averaged-perceptron": "perceptron",
    "crf": "lbfgs",
    "l-bfgs": "lbfgs",
    "svm": "bcfw",
    "max-margin": "bcfw",
    "frank-wolfe": "bcfw",
    "dca": "ocp",
    "dual-averaging": "rda",
    "meta": "smd",
    "meta-descent": "smd",
}

# name -> what it is
ABOUT = {
    "perceptron": "averaged perceptron (averaged-perceptron)",
    "mira": "margin-infused relaxed algorithm: the smallest step that gives a margin",
    "sgd": "stochastic gradient descent",
    "ops": "online primal subgradient descent: AdaGrad (adagrad)",
    "rda": "dual averaging of AdaGrad: l1 over all steps at once, few weights left (dual-averaging)",
    "adadelta": "steps from running means of squared gradients and moves",
    "smd": "stochastic meta-descent: a gain per weight (meta)",
    "lbfgs": "limited-memory BFGS; OWL-QN with l1 (crf)",
    "cutting-plane": "a working set of outputs per row",
    "one-slack": "cutting planes of the mean loss",
    "bcfw": "block-coordinate Frank-Wolfe (svm, max-margin)",
    "ocp": "dual coordinate ascent over pairs of outputs (dca)",
    "smo": "sequential minimal optimisation on marginals, with kernels",
    "cccp": "concave-convex procedure, for ramp, jensen and unknown labels: rounds of inner, with its settings",
}


def canonical(name: str) -> str:
    """The name under which a learner is known here, and in models."""
    return names.canonical(name, LEARNERS, ALIASES)


def learner_named(name: str, settings: dict | None = None):
    """A learner by name with settings changed; unknown names and settings are refused with those that exist."""
    name = names.known("learner", name, LEARNERS, ALIASES)
    kind, usual, _ = LEARNERS[name]
    fields, own = fields_of(kind), own_settings(name, kind)
    values, others = {"name": name} | usual, {}
    for key, value in (settings or {}).items():
        if key in fields:
            values[key] = _converted(key, value, fields[key].type)
        elif kind is Concave:
            others[key] = value
        else:
            raise InputError(f"{name} has no setting {key!r}; its settings are {', '.join(own)}{names.hint(key, own)}")
    if kind is Concave:
        values["inner"] = _inner(values, others)
    return kind(**values)


def chosen_learner(name: str, settings: dict | None = None):
    """The same for settings that a person has chosen: those that this learner does not look at are refused too."""
    learner, usual = learner_named(name, settings), learner_named(name)
    own = settings_of(learner.name)
    for key in settings or ():
        if key != "seed" and key not in own and hasattr(usual, key) and getattr(learner, key) != getattr(usual, key):
            raise InputError(f"{learner.name} does not use {key}; its settings are {', '.join(own)}")
    return learner


def settings_of(name: str) -> dict[str, Any]:
    """The settings that a learner looks at, each with its usual value."""
    kind, usual, _ = LEARNERS[name]
    return {key: usual.get(key, field.default) for key, field in own_settings(name, kind).items()}


def _inner(values: dict, settings: dict):
    """The inner learner of cccp: values["inner"] is its name, or all that it was as a model tells it; settings are more of its own."""
    told = values["inner"] if isinstance(values["inner"], dict) else {"name": values["inner"]}
    name, settings = canonical(told["name"]), {k: v for k, v in told.items() if k != "name"} | settings
    if name not in INNER:
        raise InputError(f"inner={name} is not known; choose one of {', '.join(INNER)}{names.hint(name, INNER)}")
    fields, own = fields_of(LEARNERS[name][0]), settings_of(values["name"])
    for key in settings:
        if key not in fields:
            has = f"its settings are {', '.join(own)}, and those of {name}: {', '.join(settings_of(name))}"
            raise InputError(f"cccp has no setting {key!r}; {has}{names.hint(key, [*own, *fields])}")
    if "tolerance" in fields and "tolerance" in values:
        settings["tolerance"] = values["tolerance"]
    return learner_named(name, settings)


def _converted(key: str, value, kind):
    """Settings may come as text from the command line."""
    if kind is bool:
        return as_bool(key, value)
    if kind == float | str:
        return value if isinstance(value, str) and value == AUTO else as_number(key, value, float, f" or {AUTO}")
    if kind in (int, float):
        return as_number(key, value, kind)
    return value if kind is Any or isinstance(value, str) else shown(value)


# learners whose usual l2 is 2/n, CRFsuite's c2 = 1: they go on until F has converged, and overfit without it
REGULARISED = ("lbfgs", "cccp")


def usual_l1(name: str, rows: int) -> float:
    """The l1 that a learner gets unless told otherwise: rda's leaves a weight at 0 until its gradients sum to 4 per pass over the rows."""
    return 4.0 / rows if canonical(name) == "rda" else 0.0


def usual_l2(name: str, rows: int) -> float:
    """The l2 that a learner gets unless told otherwise."""
    name = canonical(name)
    if name in DUALS:  # yu-lam2008's C = 1; without l2 there is no dual
        return 1.0 / rows
    return 2.0 / rows if name in REGULARISED else 0.0


def usual_patience(name: str) -> int:
    """After how many epochs without a better development score a learner stops unless told otherwise; 0: never. Learners that take all
    data at once, and duals, go on until they have converged. benchmarks/defaults.py says what 1, 2, 3 and 4 cost."""
    return 3 if LEARNERS[learner_named(name).name][0] is Online else 0


def usual_objective(name: str) -> str:
    """The objective that a learner minimises unless told otherwise."""
    return LEARNERS[learner_named(name).name][2]


__all__ = [
    "ABOUT",
    "ALIASES",
    "LEARNERS",
    "Concave",
    "Dual",
    "Lbfgs",
    "Online",
    "Result",
    "Watch",
    "Weigh",
    "canonical",
    "chosen_learner",
    "learner_named",
    "settings_of",
    "usual_l1",
    "usual_l2",
    "usual_objective",
    "usual_patience",
]
