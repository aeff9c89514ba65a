"""A treebank on the bench: words are hashed once, then any number of recipes are fitted on the same sentences."""

import dataclasses
from collections.abc import Callable

import numpy as np

from widemargin.errors import InputError
from widemargin.learners import usual_l2, usual_objective
from widemargin.objectives import objective_named
from widemargin.penalty import Penalty
from widemargin.readers.conllu import Treebank
from widemargin.tasks.fitting import watcher
from widemargin.tasks.parsing import METRIC, TreeJudge, TreeRecipe, pose_trees

from .bench import FREE, Fitted, timed_fit


class TreeBench:
    """Training trees, for recipes that differ in the learner, the objective and the penalty alone."""

    metric = METRIC

    def __init__(self, recipe: TreeRecipe, treebank: Treebank, *, threads: int = 1):
        self.recipe, self.threads = recipe, threads
        self.problem, self._features = pose_trees(recipe, treebank, threads=threads)

    @property
    def features(self) -> int:
        """How many weights there are."""
        return sum(part.size for part in self.problem.parts)

    def judge(self, treebank: Treebank) -> TreeJudge:
        """Trees to be scored against."""
        return TreeJudge(self.problem, self._features, treebank, self.threads)

    def fit(
        self,
        recipe: TreeRecipe,
        judge: TreeJudge | None = None,
        *,
        start: np.ndarray | None = None,
        listen: Callable[[dict], None] | None = None,
    ) -> Fitted:
        """Fit a recipe; the epoch that the judge likes best is kept, or the last."""
        kept = {name: getattr(self.recipe, name) for name in FREE}
        if dataclasses.replace(recipe, **kept) != self.recipe:
            raise InputError(f"this recipe needs other features or structures; on one bench only {', '.join(FREE)} may differ")
        objective = objective_named(recipe.objective or usual_objective(recipe.learner), self.problem.structure)
        l2 = usual_l2(recipe.learner, self.problem.corpus.rows) if recipe.l2 is None else recipe.l2
        problem = dataclasses.replace(self.problem, objective=objective, penalty=Penalty(recipe.l1, l2))
        return timed_fit(recipe, problem, start, watcher(judge, self.metric, listen))
