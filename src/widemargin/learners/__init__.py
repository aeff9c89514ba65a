"""Learners: frozen hyperparameters with fit(problem). A name chooses the class and what it usually goes with."""

import dataclasses

from widemargin.errors import InputError

from .base import Result, Watch, Weigh
from .batch import Lbfgs
from .duals import DUALS, Dual
from .online import Online
from .rates import AUTO

# name -> (class, settings, usual objective)
LEARNERS: dict[str, tuple[type, dict, str]] = {
    "perceptron": (Online, {"average": True}, "perceptron"),
    "mira": (Online, {"average": True, "rate": 0.01}, "hinge"),
    "sgd": (Online, {"rate": 0.1, "schedule": "inverse"}, "likelihood"),
    "ops": (Online, {"rate": 0.1}, "hinge"),
    "adadelta": (Online, {"rate": 1.0}, "softmax-margin"),
    "smd": (Online, {"rate": 0.1}, "likelihood"),
    "lbfgs": (Lbfgs, {}, "likelihood"),
    "cutting-plane": (Dual, {"passes": 10, "check": 1, "dtype": "float32"}, "hinge"),
    "one-slack": (Dual, {"epochs": 500, "prune": 50}, "hinge"),
    "bcfw": (Dual, {"dtype": "float32"}, "hinge"),
    "ocp": (Dual, {"dtype": "float32"}, "hinge"),
    "smo": (Dual, {"check": 1}, "hinge"),
}


def learner_named(name: str, settings: dict | None = None):
    """A learner by name with settings changed; unknown names and settings are refused with those that exist."""
    if name not in LEARNERS:
        raise InputError(f"learner {name!r} is not known; choose one of {', '.join(LEARNERS)}")
    kind, usual, _ = LEARNERS[name]
    fields = {f.name: f for f in dataclasses.fields(kind) if f.name != "name"}
    values = {"name": name} | usual
    for key, value in (settings or {}).items():
        if key not in fields:
            raise InputError(f"{name} has no setting {key!r}; its settings are {', '.join(fields)}")
        values[key] = _converted(key, value, fields[key].type)
    return kind(**values)


def _converted(key: str, value, kind):
    """Settings may come as text from the command line."""
    try:
        if kind is bool and isinstance(value, str):
            return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[value.lower()]
        if kind == float | str:
            return value if value == AUTO else float(value)
        return kind(value)
    except (ValueError, KeyError):
        name = {bool: "a yes or no", float | str: f"a float or {AUTO}"}.get(kind) or "a " + kind.__name__
        raise InputError(f"{key}={value} is not {name}") from None


# learners whose usual l2 is 2/n, CRFsuite's c2 = 1: they go on until F has converged, and overfit without it
REGULARISED = ("lbfgs",)


def usual_l2(name: str, rows: int) -> float:
    """The l2 that a learner gets unless told otherwise."""
    if name in DUALS:  # yu-lam2008's C = 1; without l2 there is no dual
        return 1.0 / rows
    return 2.0 / rows if name in REGULARISED else 0.0


def usual_objective(name: str) -> str:
    """The objective that a learner minimises unless told otherwise."""
    learner_named(name)
    return LEARNERS[name][2]


__all__ = ["LEARNERS", "Dual", "Lbfgs", "Online", "Result", "Watch", "Weigh", "learner_named", "usual_l2", "usual_objective"]
