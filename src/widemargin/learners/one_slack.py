"""The mean loss as one function below which planes are laid, each from one pass over all rows (Joachims et al. 2009)."""

import numpy as np

from widemargin.engine.problem import Problem
from widemargin.learners.base import MEGA, put_back
from widemargin.learners.cuts import PER_NUMBER, Cuts
from widemargin.learners.simplex import maximise


class OneSlack:
    """one-slack: the mean loss itself is cut, by one plane per epoch, and the program over all planes is solved each time."""

    def __init__(self, learner, problem: Problem):
        self.learner, self.problem, self.l2 = learner, problem, problem.penalty.l2
        self.cuts = Cuts(problem.copies, problem.shape)
        self.lowest, self.best = np.inf, problem.zeros()

    def epoch(self, number: int) -> dict:
        problem, cuts, l2 = self.problem, self.cuts, self.l2
        finest = 1e-3 * self.learner.tolerance * (self.lowest if np.isfinite(self.lowest) else 1.0)
        # in units of l2, so that masses sum to at most 1
        found = maximise(cuts.gram / l2, cuts.offset, start=cuts.mass, tolerance=max(finest, 1e-12))
        cuts.mass = found.a
        w, g = problem.zeros(), problem.zeros()
        w[:] = cuts.weights(l2)
        primal = problem.value_and_gradient(w, g)
        g -= l2 * w / problem.copies[:, None]
        loss = primal - problem.penalty_of(w)
        if primal < self.lowest:
            self.lowest, self.best = primal, w
        cuts.age(self.learner.prune)
        cuts.shrink(MEGA * self.learner.memory - PER_NUMBER * np.count_nonzero(g))
        cuts.add(g, loss - float((w * g).sum()))
        facts = {"epoch": number, "loss": loss, "primal": self.lowest, "dual": found.value, "gap": self.lowest - found.value}
        return facts | {"planes": cuts.planes, "steps": found.steps, "megabytes": round(cuts.bytes / MEGA, 3)}

    def weights(self) -> np.ndarray:
        """Per-feature weights [R, L] of the lowest F so far."""
        return self.best / self.problem.copies[:, None]

    def arrays(self) -> dict[str, np.ndarray]:
        return self.cuts.arrays() | {"w": self.best, "lowest": np.array([self.lowest])}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        lowest = np.zeros(1)
        put_back({"w": self.best, "lowest": lowest}, arrays)
        self.cuts.restore(arrays)
        self.lowest = float(lowest[0])
