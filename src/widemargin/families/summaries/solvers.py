"""How the best set of sentences is found: by branch and bound, by an integer program, or greedily.

exact     branch and bound; given up after `nodes`, it has the best set it has met and says by how much a better one could be better
milp      scipy's integer programs (HiGHS), given up after `seconds`
auto      exact, and where that is given up, milp; the better of the two
greedy    one sentence after the other; not exact, and nothing is known of better sets
"""

from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.structures.subset.arrays import LIMIT, Coverage, Found, Subset
from widemargin.structures.subset.other_solvers import SECONDS, greedy, integer_program

SOLVERS = ("auto", "exact", "milp", "greedy")


@dataclass(frozen=True)
class Solver:
    """One of SOLVERS, and its limits."""

    name: str = "auto"
    nodes: int = LIMIT
    seconds: float = SECONDS

    def kbest(self, scores: np.ndarray, row: Coverage, k: int) -> list[Found]:
        """The k best sets, best first."""
        if k > 1:
            if self.name not in ("auto", "exact"):
                raise InputError(f"solver {self.name} finds one set; several are found by solver=exact")
            return Subset(self.nodes).kbest(scores, row, k)
        if self.name == "greedy":
            return [greedy(scores, row)]
        if self.name == "milp":
            return [integer_program(scores, row, seconds=self.seconds)]
        found = Subset(self.nodes).argmax(scores, row)
        if self.name == "auto" and found.gap > 0.0:
            other = integer_program(scores, row, seconds=self.seconds)
            best = other if other.value > found.value else found
            return [Found(best.value, best.parts, best.sentences, min(found.bound, other.bound), found.nodes)]
        return [found]
