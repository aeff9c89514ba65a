"""Compiling ahead: the kernels of rerankers, for few features and for many."""

from collections.abc import Callable

from widemargin.families.recipes import Recipe, train
from widemargin.families.reranking.town import town_pool

COMBINATIONS = (("lbfgs", "softmax-margin", "given"), ("mira", "hinge", "given"), ("ops", "softmax-margin", "given-words"))


def warm(tell: Callable[[str], None]) -> int:
    """Trains a reranker of each kind, telling which; returns how many there were."""
    pool = town_pool("train", sentences=40)
    for learner, objective, templates in COMBINATIONS:
        tell(f"{learner}, {objective}, {templates}")
        train(Recipe("rerank", learner, objective=objective, templates=templates, settings={"epochs": 1}), pool, dev=pool)
    return len(COMBINATIONS)
