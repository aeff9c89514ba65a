"""What the common list of tests runs over: every family of the registry, with the small data of tests/families/NAME/small.py."""

import dataclasses
import importlib.util
import pathlib
import sys

import numpy as np

from widemargin.cli import main
from widemargin.engine.penalty import Penalty
from widemargin.families.recipes import pose
from widemargin.families.registry import families, family_named

FOLDER = pathlib.Path(__file__).parents[1] / "families"
FAMILIES = [family.name for family in families()]


def small_data(name):
    """The module of a family's small data, None where there is none."""
    path = FOLDER / name / "small.py"
    if not path.exists():
        return None
    spec = importlib.util.spec_from_file_location(f"small_{name}", path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # there, its classes can be pickled
    spec.loader.exec_module(module)
    return module


SMALL = {name: found for name in FAMILIES if (found := small_data(name)) is not None}
RECIPES = [(name, key) for name, small in SMALL.items() for key in small.RECIPES]
FIRST = [(name, next(iter(small.RECIPES))) for name, small in SMALL.items()]  # compiled in `make test`


def posed(name, key, objective="hinge", *, learner="ops", l1=0.0, l2=0.0, unknown=True, rows=6, weighted=True, threads=1, **more):
    """The problem of a recipe of a family on its small data. weighted: rows count differently, one of them not at all."""
    small = SMALL[name]
    data = small.data(rows=rows, unknown=unknown)
    recipe = dataclasses.replace(small.RECIPES[key], learner=learner, objective=objective, l1=l1, l2=l2, **more)
    if objective == "slack":  # which counts costs
        recipe = dataclasses.replace(recipe, cost="hamming")
    weight = np.linspace(0.0, 1.8, len(data.row_ptr) - 1) if weighted else None
    return pose(recipe, data, weight=weight, threads=threads).problem


def random_weights(problem, seed=0, scale=0.5):
    return np.random.default_rng(seed).normal(size=problem.shape) * scale


class Expanded:
    """A problem as twins of learners see it (engine_twins.py): a weight for every copy of a merged row, losses and gradients row by row."""

    def __init__(self, problem):
        self.problem, self.weight, self.lengths = problem, problem.corpus.weight, range(problem.corpus.rows)
        self.l1, self.l2 = problem.penalty.l1, problem.penalty.l2
        self.of = np.repeat(np.arange(len(problem.copies)), problem.copies.astype(int))
        self.alone = [dataclasses.replace(problem.part(np.array([i])), penalty=Penalty()) for i in self.lengths]
        for one in self.alone:
            one.corpus.weight[:] = 1.0

    def spread(self, rows):
        """A number per row of w, handed to each of its copies."""
        return rows[self.of].ravel()

    def row(self, i, w):
        """The loss of row i and its gradient."""
        rows, g = self.problem.zeros(), self.problem.zeros()
        np.add.at(rows, self.of, w.reshape(-1, self.problem.width))
        loss = self.alone[i].value_and_gradient(rows, g)
        return loss, self.spread(g)


def value_of(problem, result):
    """F where a learner ended."""
    return problem.value(result.w * problem.copies[:, None])


# ---- the command line ---------------------------------------------------------------------------------------------------------------


def command(verb, name, folder):
    """A command line of a verb that works for a family; models and files lie in the folder. `compare` has the learner that `train` has, so
    that both run the same kernels."""
    usual = family_named(name).learner
    task, small = SMALL[name].TASK, SMALL[name].SMALL
    train, dev, system, templates, model = (str(folder / f"{name}.{part}") for part in ("train", "dev", "system", "templates", "model"))
    sizes = ["--set", ",".join(f"{key}={value}" for key, value in small.items())] if small else []
    recipe = ["--templates", templates, "--epochs", "1", *sizes]
    return {
        "train": ["train", task, train, "-o", "out", *recipe, "--json"],
        "predict": ["predict", model, dev, "--json"],
        "evaluate": ["evaluate", model, dev, "--json"],
        "score": ["score", task, dev, system, "--json"],
        "calibrate": ["calibrate", model, dev, "--json"],
        "compare": ["compare", task, train, dev, *recipe, "--learners", usual, "--samples", "50", "-o", "out", "--json"],
        "curve": ["curve", task, train, dev, *recipe, "--points", "2", "--how", "train", "-o", "out", "--json"],
        "inspect": ["inspect", model, "--json"],
        "explain": ["explain", model, dev, "--json"],
        "prune": ["prune", model, "-o", "out", "--threshold", "0.01", "--json"],
    }[verb]


def write_samples(folder, *, epochs=1):
    """Files and a model of every family."""
    for name, small in SMALL.items():
        small.files(folder)
        arguments = command("train", name, folder)
        arguments[arguments.index("-o") + 1] = str(folder / f"{name}.model")
        arguments[arguments.index("--epochs") + 1] = str(epochs)
        assert main(arguments) == 0
