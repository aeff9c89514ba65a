"""Grids: several values for a setting, and every combination of them.

rate=0.05,0.1,0.2          three values for every learner that is compared
mira.rate=0.01,0.1         two values for mira alone; the other learners keep theirs
"""

import dataclasses
import itertools
from dataclasses import dataclass

from widemargin.engine.objectives import objective_named
from widemargin.engine.settings import as_number, in_range
from widemargin.errors import InputError
from widemargin.families.options import RECIPE
from widemargin.families.recipes import Recipe
from widemargin.learners import LEARNERS, canonical, learner_named, settings_of, usual_objective

RECIPE_FIELDS = ("structure", "cost")
UNPENALISED = ("perceptron", "mira")  # learners that take no penalty


@dataclass(frozen=True)
class Axis:
    """A setting, its values as they were written, and the learner that it is for ("": all)."""

    key: str
    values: tuple[str, ...]
    learner: str = ""


@dataclass(frozen=True)
class Candidate:
    """One combination: the values in which it may differ from the others, and the recipe that they make."""

    point: dict[str, str]
    recipe: Recipe

    @property
    def text(self) -> str:
        return " ".join(f"{key}={value}" for key, value in self.point.items())


def axis_of(text: str, *, separator: str = ",") -> Axis:
    """KEY=VALUE,VALUE,... or LEARNER.KEY=VALUE,..."""
    key, equals, values = text.partition("=")
    listed = tuple(value.strip() for value in values.split(separator))
    if not equals or not key or not all(listed):
        raise InputError(f"{text!r} is not KEY=VALUE or KEY=VALUE{separator}VALUE{separator}...")
    learner, _, name = key.rpartition(".")
    return Axis(name, listed, canonical(learner))


def candidates(row: str, recipe: Recipe, axes: list[Axis]) -> list[Candidate]:
    """Every combination of the values that concern this row; its name is LEARNER or LEARNER:OBJECTIVE."""
    mine = [axis for axis in axes if axis.learner in ("", row, recipe.learner) and _matters(axis, recipe)]
    several = {axis.key for axis in mine if len(axis.values) > 1}
    out = []
    for values in itertools.product(*(axis.values for axis in mine)):
        chosen = dict(zip((axis.key for axis in mine), values))
        point = {key: value for key, value in chosen.items() if key in several}
        out.append(Candidate(point, _changed(recipe, chosen)))
    return out


def refuse_unused(axes: list[Axis], rows: dict[str, Recipe]) -> None:
    """A setting for a learner that is not compared, or that no learner compared takes, is a mistake."""
    known = set(rows) | {recipe.learner for recipe in rows.values()}
    for axis in axes:
        if not any(_matters(axis, recipe) for recipe in rows.values()):
            what = {"cost": "has a cost", "l1": "takes a penalty", "l2": "takes a penalty"}.get(axis.key, "looks at it")
            word = f"--{axis.key}" if axis.key in ("cost", "l1", "l2") else f"--set {axis.key}"
            raise InputError(f"{word} changes nothing: none of {', '.join(rows)} {what}; leave it out, or add another learner")
        if axis.learner and axis.learner not in known:
            raise InputError(f"--set {axis.learner}.{axis.key} is for a learner that is not compared; these are: {', '.join(rows)}")


def _matters(axis: Axis, recipe: Recipe) -> bool:
    """Costs are for objectives with a cost, penalties for learners that take one."""
    if axis.key == "cost":
        return objective_named(recipe.objective or usual_objective(recipe.learner)).costly
    if axis.key in ("l1", "l2"):
        return recipe.learner not in UNPENALISED
    mine = learner_named(recipe.learner)
    others = {key for name in LEARNERS for key in settings_of(name)}
    of_family = axis.key in RECIPE_FIELDS or recipe.family.option(axis.key, RECIPE)
    return bool(of_family) or axis.key not in others or axis.key in settings_of(mine.name) or mine.name == "cccp" or bool(axis.learner)


def _changed(recipe: Recipe, values: dict[str, str]) -> Recipe:
    settings = dict(recipe.settings)
    fields: dict = {}
    for key, value in values.items():
        if key in ("l1", "l2"):
            fields[key] = in_range(key, as_number(key, value, float), 0)
        elif key in RECIPE_FIELDS or recipe.family.option(key, RECIPE):
            fields[key] = value
        else:
            settings[key] = value
    return dataclasses.replace(recipe, settings=settings, **fields)
