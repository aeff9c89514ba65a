"""The concave-convex procedure: objectives that are differences of convex functions, by learners of convex ones.

F = U - L + penalty (engine/concave.py). Each round replaces L by its tangent at the present weights and has an inner learner minimise the
rest, which lies above F and touches it there; so F never rises by more than the inner learner leaves undone (Yuille and Rangarajan 2003).

    latent hinge     each row's best output that agrees with the gold is kept for a round       (Yu and Joachims 2009)
    ramp             each row's best output is kept for a round; the first round is the hinge's   (Collobert et al. 2006; Do et al. 2008)
    latent likelihood, softmax-margin, jensen    marginals are kept for a round, by lbfgs

It ends in a stationary point, which depends on where it starts.
"""

import copy
import dataclasses
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from widemargin.engine.by_hand import is_by_hand
from widemargin.engine.concave import Frozen, freeze
from widemargin.engine.objectives import OBJECTIVES, Objective
from widemargin.engine.penalty import Penalty
from widemargin.engine.problem import Desk, Problem, summed
from widemargin.engine.rows import Rows
from widemargin.engine.tables import dense_of
from widemargin.engine.terms import Expect, Given, Max, Nothing
from widemargin.errors import InputError
from widemargin.learners.base import Best, Result, Watch, check_range, put_back, refuse_kernel
from widemargin.learners.batch import Lbfgs

SMOOTH = "lbfgs"
INNER = (SMOOTH, "bcfw", "ocp", "cutting-plane", "one-slack")
inf = float("inf")


class Tangent:
    """F with the tangent of L at w0 in place of L: a convex problem above F, equal to it at w0. What it does not say itself, the problem
    says."""

    latent = False

    def __init__(self, problem: Problem, upper: Problem, lower: tuple, w0: np.ndarray):
        """upper: the problem without its lower term (`upper_part`); lower: the term whose tangent is taken."""
        self.problem, self.upper = problem, upper
        self.frozen: Frozen | None = None
        self.objective = upper.objective
        self.v = problem.zeros()
        if isinstance(lower, Max):
            value = self._freeze(lower, w0)
            if problem.objective.upper == OBJECTIVES["hinge"].upper:
                self.objective = dataclasses.replace(OBJECTIVES["hinge"], lower=Given(0.0))
        else:
            alone = copy.copy(upper)  # with what the problem has prepared for gradients
            alone.objective, alone.penalty = dataclasses.replace(problem.objective, upper=lower, lower=Nothing(0.0)), Penalty()
            value = alone.value_and_gradient(w0, self.v)
        self.shift = value - float((self.v * w0).sum())  # L(w0) - <v, w0>

    def __getattr__(self, name: str) -> Any:
        return getattr(self.problem, name)

    def _freeze(self, lower: tuple, w0: np.ndarray) -> float:
        problem = self.problem
        slots = problem.slots()
        kept = Frozen(None, slots, np.zeros(int(slots[-1]), problem.structure.part_type))
        self.frozen = kept
        into = tuple(map(dense_of, problem.specs, problem.split(self.v)))
        reader, share = problem.reader(w0), problem.corpus.weight / problem.corpus.rows
        desk = Desk(problem, w0.dtype, lambda dtype, room: self._rows(problem.rows(dtype, room)))
        return summed(desk, 0, problem.corpus.rows, lambda a, b, *room: freeze(a, b, *room, lower, reader, share, into))

    def _rows(self, rows: Rows) -> Rows:
        return rows if self.frozen is None else rows._replace(target=self.frozen._replace(of=rows.target))

    def plane_rows(self, dtype, room: int) -> Rows:
        """Rows for dual learners, whose right outputs are those that are kept."""
        return self._rows(self.problem.plane_rows(dtype, room))

    def value(self, w: np.ndarray) -> float:
        """U(w) - L(w0) - <v, w - w0> + penalty."""
        return self.upper.value(w) - self._along(w)

    def value_and_gradient(self, w: np.ndarray, g: np.ndarray) -> float:
        """The smooth part of it (all but l1) and its gradient, written to g."""
        value = self.upper.value_and_gradient(w, g)
        g -= self.v
        return value - self._along(w)

    def _along(self, w: np.ndarray) -> float:
        return self.shift + float((self.v * w).sum(dtype=np.float64))


def upper_part(problem: Problem) -> Problem:
    """The problem without its lower term."""
    return dataclasses.replace(problem, objective=dataclasses.replace(problem.objective, lower=Nothing(0.0)))


def is_convex(problem: Problem) -> bool:
    """Is F convex as it is?"""
    return problem.objective.convex and not problem.latent


@dataclass(frozen=True)
class Concave:
    """Hyperparameters of the concave-convex procedure. The inner learner has its own, and learner_named gives it all settings that are
    not here."""

    name: str = "cccp"
    inner: Any = field(default_factory=Lbfgs)  # the learner that minimises what is convex, one of INNER
    rounds: int = 50
    tolerance: float = 1e-3  # stop when a round lowers F by at most this part of it; also the gap at which a dual inner learner stops
    patience: int = 0  # stop after so many rounds without a better development score; 0: never

    def __post_init__(self):
        check_range(self, rounds=(1, inf), tolerance=(0, inf), patience=(0, inf))

    @property
    def kind(self) -> dict:
        """No learner can go on where this one has stopped."""
        return {"learner": self.name}

    def fit(
        self, problem: Problem, start: np.ndarray | None = None, watch: Watch | None = None, *, state=None, keep=None, carry=None
    ) -> Result:
        """Lower F round by round from `start` (or zeros); nothing but weights is carried on. state: arrays of `keep` after some round.

        A round whose weights have a higher F is the last, and its weights are dropped.
        """
        self._refuse(problem)
        w, value, first = problem.zeros(), inf, 1  # the first round from zeros is taken whatever it brings
        if start is not None:
            w[:] = start
            value = problem.value(w)
        best, history, copies = Best(self.patience), [], problem.copies[:, None]
        if state is not None:
            arrays, history = state[0], list(state[1])
            lowest = np.zeros(1)
            put_back({"w": w, "value": lowest}, arrays)
            first, value = best.restore(arrays, w.shape, 1)[0] + 1, float(lowest[0])
        upper = problem if is_convex(problem) else upper_part(problem)
        posed = self._convex(problem, upper, w, begun=value < inf)
        why = f"all {self.rounds} rounds done"
        for number in range(first, self.rounds + 1):
            # a dual learner starts from no planes, and refuses a start where F is convex
            found = self.inner.fit(posed, start if posed is problem else w if self.inner.name == SMOOTH else None)
            there = problem.zeros()
            there[:] = found.w * copies
            reached = problem.value(there)
            facts = {"epoch": number, "loss": min(reached, value), "steps": len(found.history)}
            if value < inf:
                facts["decrease"] = value - reached
            done = self._enough(problem, found, value, reached)
            if reached <= value:
                w, value = there, reached
            if not done and number < self.rounds:
                old, posed = posed, self._convex(problem, upper, w, begun=True)
                if np.array_equal(old.v, posed.v):
                    done = "the next round would be the same: F is stationary"

            def weigh(w=w) -> np.ndarray:
                return w / copies

            score = watch(number, facts, weigh) if watch else None
            history.append(facts)
            over = best.offer(number, weigh, score)
            if keep is not None:
                last = bool(over or done or number == self.rounds)
                keep(number, lambda now=(number, w, value): _arrays(best, *now), history, last)
            if over or done:
                why = done or f"no better development score for {self.patience} rounds"
                break
        return Result(best.chosen(lambda: w / copies), best.epoch, history, why)

    def _convex(self, problem: Problem, upper: Problem, w: np.ndarray, *, begun: bool) -> Any:
        """The problem of a round. At the start all outputs tie, and a maximum's tangent is taken at the gold."""
        if upper is problem:
            return problem
        lower = problem.objective.lower
        if not begun and isinstance(lower, Max):
            lower = lower._replace(inside=True)
        found = Tangent(problem, upper, lower, w)
        if not np.isfinite(found.shift):
            raise InputError("some gold output is illegal or its score is not finite, and cccp starts from it; give a start with --init")
        return found

    def _enough(self, problem: Problem, found: Result, before: float, reached: float) -> str:
        """Why to stop after a round that took F from `before` to `reached`, or nothing."""
        if is_convex(problem):
            return f"F is convex, and one round is enough; {found.why}"
        if reached > before:
            return f"a round of {self.inner.name} found nothing lower ({found.why})"
        if before - reached <= self.tolerance * abs(reached):
            return f"a round lowered F by no more than {self.tolerance:g} of it"
        return ""

    def refuse_objective(self, objective: Objective) -> None:
        """Refuse an objective that is no difference of convex functions, or that the inner learner cannot follow."""
        if isinstance(objective.upper, Expect):
            raise InputError(f"{objective.name} is not a difference of two convex functions of scores; use lbfgs, ops or sgd")
        smooth = "argmax" not in objective.needs
        if smooth != (self.inner.name == SMOOTH):
            use = SMOOTH if smooth else "bcfw, ocp, cutting-plane or one-slack"
            raise InputError(f"{self.name} cannot minimise {objective.name} by {self.inner.name}; use inner={use}")

    def _refuse(self, problem: Problem) -> None:
        refuse_kernel(self.name, problem.kernel)
        if is_by_hand(problem.structure):
            raise InputError(
                f"{self.name} needs a compiled argmax, and that of {problem.structure.name} is Python; use one-slack, mira or ops"
            )
        self.refuse_objective(problem.objective)


def _arrays(best: Best, number: int, w: np.ndarray, value: float) -> dict[str, np.ndarray]:
    return best.arrays(number) | {"w": w, "value": np.array([value])}
