"""Compiling ahead: the kernels that commands use with taggers, for some label counts; others of the same width (compiler/lanes.py) share
them."""

import functools

from widemargin.families.base import Warmup
from widemargin.families.recipes import Recipe, train
from widemargin.families.tagging.confidence import log_probability
from widemargin.readers.columns import from_sentences

USUAL = (("ops", "softmax-margin"), ("ops", "hinge"))  # of `ner` and `span`; of the other tasks
OFTEN = (
    *USUAL,
    ("perceptron", "perceptron"),
    ("sgd", "likelihood"),
    ("lbfgs", "likelihood"),
    ("bcfw", "hinge"),
    ("ocp", "hinge"),
)
LABELS = {23: USUAL[1:], 17: USUAL[1:], 9: USUAL[:1]}  # of CoNLL-2000's chunks, universal tags, CoNLL-2003's entities


def warmups(labels: tuple[int, ...] | None, *, every: bool) -> list[Warmup]:
    """What tasks do unless told otherwise, or all that is often done; labels: numbers of labels, None:
    those of well-known corpora."""
    return [
        Warmup(f"taggers of {count} labels, {learner}, {objective}", functools.partial(warm, count, learner, objective, every))
        for count in labels or LABELS
        for learner, objective in (OFTEN if every else USUAL if labels else LABELS[count])
    ]


def warm(labels: int, learner: str, objective: str, sums: bool) -> None:
    """Trains on a few made-up sentences and asks the model; sums: for marginals too."""
    tokens = [(f"w{i}", f"L{i}") for i in range(labels)]
    columns = from_sentences([tokens, tokens[: labels // 2 + 1]], names=("word", "label"))
    recipe = Recipe("tag", learner, objective=objective, templates="word[0]\n", settings={"epochs": 2})
    model = train(recipe, columns, dev=columns)
    if sums:
        model.marginals(columns)
        log_probability(model, model.features(columns), model.predict_codes(columns))
