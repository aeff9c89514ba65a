"""Compiling ahead: the kernels of rerankers, for few features and for many."""

import functools

from widemargin.families.base import Warmup
from widemargin.families.recipes import Recipe, train
from widemargin.families.reranking.town import town_pool

COMBINATIONS = (("lbfgs", "softmax-margin", "given"), ("mira", "hinge", "given"), ("ops", "softmax-margin", "given-words"))


def warmups(*, every: bool) -> list[Warmup]:
    """The usual learner, or all that are often used."""
    chosen = COMBINATIONS[: None if every else 1]
    return [Warmup(f"rerank, {', '.join(how)}", functools.partial(warm, *how)) for how in chosen]


def warm(learner: str, objective: str, templates: str) -> None:
    """Trains a reranker."""
    pool = town_pool("train", sentences=40)
    train(Recipe("rerank", learner, objective=objective, templates=templates, settings={"epochs": 1}), pool, dev=pool)
