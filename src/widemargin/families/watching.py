"""What is looked at after every epoch: development data, and the listener who is told."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from widemargin.families.base import Posed, Scores
from widemargin.learners import Watch, Weigh

Listener = Callable[[dict], None]


class DevScorer:
    """Scores weights on development data, which were looked up once."""

    def __init__(self, posed: Posed, held: Any):
        self.posed, self.held = posed, held

    def scores(self, w: np.ndarray, **how: Any) -> Scores:
        """What the metric came to; how: see the family's Posed.decode."""
        return self.posed.scores(self.posed.decode(w, self.held, **how), self.held)

    def __call__(self, w: np.ndarray) -> dict:
        return self.scores(w).as_dict()


def watcher(scorer: Callable[[np.ndarray], dict] | None, metric: str, listen: Listener | None) -> Watch:
    """What looks at every epoch: scores its weights, where there are development data, and tells the listener."""
    began = time.perf_counter()

    def watch(epoch: int, facts: dict, weigh: Weigh) -> float | None:
        score = None
        if scorer is not None:
            metrics = scorer(weigh())
            facts["dev"] = {name: round(value, 4) for name, value in metrics.items() if isinstance(value, float)}
            score = metrics[metric]
        if listen is not None:
            listen(facts | {"metric": metric, "seconds": time.perf_counter() - began})
        return score

    return watch
