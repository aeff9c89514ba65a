"""The methods of the study, and the settings that each may choose from inside its training fold.

A letter's features are its pixels and a constant 1, all divided by one number: by the letter's own length, so that every letter has the
length 1, or by sqrt(m), m = 1 + the mean number of pixels that are on in training, so that the mean square length is 1. Kernels on them are
<a, b> and (gamma <a, b> + coef)^degree; transitions are linear.
"""

from dataclasses import dataclass

import numpy as np

from widemargin.families.tagging.estimator import SequenceTagger
from widemargin.structures import STRUCTURES
from widemargin.study.papers.letters.data import Words

EPOCHS = {"smo": 15, "lbfgs": 100}


@dataclass(frozen=True)
class Point:
    """Settings to choose among: strength = l2 times the number of rows (words of a chain, letters of choice), and a kernel's constants."""

    strength: float
    gamma: float = 1.0
    coef: float = 0.0
    unit: bool = True  # every letter has the length 1, or all of them on average

    def square(self, words: Words) -> float | None:
        """m of these words; None: of each letter its own."""
        return None if self.unit else 1.0 + float(np.concatenate(words.images).sum(axis=1).mean())


@dataclass(frozen=True)
class Method:
    """A line of the table."""

    name: str
    grid: tuple[Point, ...]
    degree: int = 1
    structure: str = "chain"
    learner: str = "smo"
    objective: str = "hinge"

    def untrained(self, point: Point, words: Words, *, epochs: int | None = None, seed: int = 1, threads: int = 1) -> SequenceTagger:
        """An estimator with these settings, for these words."""
        rows = sum(map(len, words.letters)) if STRUCTURES[self.structure].splits_rows else len(words)
        kernel = {"kernel": "poly", "degree": self.degree, "gamma": point.gamma, "coef": point.coef} if self.degree > 1 else {}
        return SequenceTagger(
            self.learner,
            objective=self.objective,
            structure=self.structure,
            l2=point.strength / rows,
            epochs=epochs or EPOCHS[self.learner],
            settings=kernel,
            random_state=seed,
            n_jobs=threads,
        )


LINES = (Point(0.3), Point(1.0), Point(1.0, unit=False))
SQUARES = (Point(0.5), Point(1.0), Point(1.0, unit=False))
CUBES = (Point(1.0), Point(1.0, coef=0.3), Point(1.0, coef=0.3, unit=False))
METHODS = (
    Method("CRF, linear", tuple(Point(strength) for strength in (0.01, 0.03, 0.1)), learner="lbfgs", objective="likelihood"),
    Method("choice, linear", LINES[:2], structure="choice"),
    Method("choice, quadratic", SQUARES[:2], degree=2, structure="choice"),
    Method("chain, linear", LINES),
    Method("chain, quadratic", SQUARES, degree=2),
    Method("chain, cubic", CUBES, degree=3),
)


def scaled(words: Words, m: float | None) -> list[np.ndarray]:
    """Features float32 [letters, PIXELS + 1] of every word, divided by sqrt(m), or each letter's by its length."""
    return [_scaled(np.pad(image, ((0, 0), (0, 1)), constant_values=1.0), m) for image in words.images]


def _scaled(table: np.ndarray, m: float | None) -> np.ndarray:
    return table / np.sqrt(table.sum(axis=1, keepdims=True) if m is None else np.float32(m))
