"""The methods of the study, and the settings that each may choose from inside its training fold.

A letter's features are its pixels and a constant 1, all divided by sqrt(m), m = 1 + the mean number of pixels that are on in training: the
mean square length of a letter is 1. Kernels on them are <a, b> and (gamma <a, b> + coef)^degree; transitions are linear.
"""

from dataclasses import dataclass

import numpy as np

from widemargin.estimator import SequenceTagger

from .data import Words

EPOCHS = {"smo": 15, "lbfgs": 100}


@dataclass(frozen=True)
class Point:
    """Settings to choose among: strength = l2 times the number of rows (words of a chain, letters of choice), and a kernel's constants."""

    strength: float
    gamma: float = 1.0
    coef: float = 0.0


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
        rows = len(words) if self.structure == "chain" else sum(map(len, words.letters))
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


LINES = tuple(Point(strength) for strength in (0.1, 0.3, 1.0))
SQUARES = (Point(0.3), Point(1.0), Point(1.0, gamma=2.0), Point(1.0, gamma=2.0, coef=0.3))
CUBES = (Point(1.0), Point(1.0, coef=0.15), Point(1.0, coef=0.3), Point(1.0, coef=0.6))
METHODS = (
    Method("CRF, linear", tuple(Point(strength) for strength in (0.01, 0.03, 0.1)), learner="lbfgs", objective="likelihood"),
    Method("choice, linear", LINES, structure="choice"),
    Method("choice, quadratic", SQUARES[:2], degree=2, structure="choice"),
    Method("chain, linear", LINES),
    Method("chain, quadratic", SQUARES, degree=2),
    Method("chain, cubic", CUBES, degree=3),
)


def mean_square(words: Words) -> float:
    """m of these words."""
    return 1.0 + float(np.concatenate(words.images).sum(axis=1).mean())


def scaled(words: Words, m: float) -> list[np.ndarray]:
    """Features float32 [letters, PIXELS + 1] of every word."""
    return [np.pad(image, ((0, 0), (0, 1)), constant_values=1.0) / np.float32(m**0.5) for image in words.images]
