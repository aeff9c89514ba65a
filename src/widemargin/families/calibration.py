"""Calibrating a model: one temperature, chosen so that its probabilities fit held-out gold outputs best.

Temperature scaling (Guo et al. 2017), with the NLL of marginals for its loss. It divides every score by the same number, so the best output
stays the best.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from widemargin.engine.objectives import OBJECTIVES
from widemargin.metrics.calibration import best_temperature, negative_log_likelihood


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out tokens: the probabilities [N, Y] of what each may be, at a temperature, and what it is."""

    chance: Callable[[float], np.ndarray]
    gold: np.ndarray  # int [N], a column of those, ABSENT or HIDDEN
    what: str  # in words, of all of them: labels, heads
    unit: str  # in words, what one of them is decided for, or is: token, head


def fit_temperature(held: HeldOut) -> float:
    """The temperature at which the held-out gold is most probable, token by token."""
    return best_temperature(lambda temperature: negative_log_likelihood(held.chance(temperature), held.gold))[0]


def meaning(facts: dict, what: str = "labels") -> str:
    """What the numbers called probabilities are, before and after calibration, by the objective among the facts of training."""
    name = facts.get("objective")
    objective = OBJECTIVES.get(name.partition(" ")[0]) if isinstance(name, str) else None
    if objective is None:
        return "how this model was trained is not recorded: its probabilities mean something only after calibration"
    if "argmax" in objective.needs:
        return (
            f"{name} trains a ranking: before calibration exp(score)/Z is in arbitrary units and only its order means something; "
            f"after it, it is the one-parameter fit of that order to the held-out {what}"
        )
    if objective.costly:
        return (
            f"{name} trains probabilities that are skewed by a cost: before calibration they favour what costs little; "
            f"after it they fit the held-out {what} as well as one temperature can make them"
        )
    return f"{name} trains probabilities: before calibration they fit the training data; after it, the held-out {what}"
