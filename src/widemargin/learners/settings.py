"""Which settings a learner looks at: classes have fields for all of their learners, and some are for one of these alone."""

import dataclasses

STEPPING = ("mira", "sgd", "ops", "rda", "adadelta", "smd")

# of Online and of Dual: the learners that a field is for; fields that are not named here are for all of the class
ONLY = {
    "rate": STEPPING,
    "schedule": ("sgd",),
    "decay": ("sgd",),
    "batch": ("perceptron", "sgd", "ops", "rda", "adadelta", "smd"),
    "summed": ("perceptron", "sgd", "ops", "rda", "adadelta", "smd"),
    "initial": ("ops", "rda"),
    "k": ("mira",),
    "mu": ("smd",),
    "rho": ("adadelta",),
    "epsilon": ("adadelta",),
    "tolerance": ("mira", "cutting-plane", "one-slack", "bcfw", "ocp", "smo", "cccp"),
    "memory": ("smd", "lbfgs", "cutting-plane", "one-slack", "bcfw", "ocp"),
    "cache": ("perceptron", "mira", "sgd", "smo"),
    "average": ("perceptron", *STEPPING, "bcfw"),
    "mix": ("perceptron", "mira", "sgd", "ops", "adadelta", "smd"),
    "mix_weights": ("perceptron", "mira", "sgd", "ops", "adadelta", "smd"),
    "passes": ("cutting-plane", "ocp"),
    "solved": ("cutting-plane",),
    "wait": ("cutting-plane",),
    "prune": ("cutting-plane", "one-slack", "ocp"),
    "steps": ("smo",),
}
UNRANDOM = ("lbfgs", "one-slack")  # one seed is as good as another


def fields_of(kind: type) -> dict[str, dataclasses.Field]:
    """The settings of a class of learners."""
    return {f.name: f for f in dataclasses.fields(kind) if f.name != "name"}


def own_settings(name: str, kind: type) -> dict[str, dataclasses.Field]:
    """Those that the learner of this name looks at. Each takes a seed; it is named where something is random."""
    return {key: f for key, f in fields_of(kind).items() if name in ONLY.get(key, (name,)) and not (key == "seed" and name in UNRANDOM)}
