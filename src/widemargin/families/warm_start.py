"""Going on with a model: what an online learner has handed over (learners/online.py), for tables that may have grown since."""

from collections.abc import Callable

import numpy as np

from widemargin.engine.rules import STEP_SIZE
from widemargin.families.recipes import Recipe
from widemargin.learners import Online, learner_named


def grown_carry(carry: dict | None, recipe: Recipe, grow: Callable[[np.ndarray, float], np.ndarray]) -> dict | None:
    """What is carried on, each plane by grow(plane, what new weights have there); None where another kind of learner has left it behind."""
    learner = learner_named(recipe.learner, recipe.settings)
    if carry is None or not isinstance(learner, Online) or any(carry[name] != value for name, value in learner.kind.items()):
        return None
    learner = learner.going_on(carry)
    first = [learner.first_step_size if p == STEP_SIZE and learner.adaptive else 0.0 for p in range(len(carry["planes"]))]
    return carry | {"planes": np.stack([grow(plane, value) for plane, value in zip(carry["planes"], first)])}
