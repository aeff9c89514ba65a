"""Compiling ahead: every kernel that commands use with taggers, for some label counts."""

from collections.abc import Callable

from widemargin.families.recipes import Recipe, train
from widemargin.families.tagging.confidence import log_probability
from widemargin.readers.columns import from_sentences

COMBINATIONS = (
    ("perceptron", "perceptron"),
    ("ops", "hinge"),
    ("ops", "softmax-margin"),
    ("sgd", "likelihood"),
    ("lbfgs", "likelihood"),
    ("bcfw", "hinge"),
    ("ocp", "hinge"),
)


def warm(label_counts: tuple[int, ...], tell: Callable[[str], None]) -> int:
    """Trains on a few made-up sentences per combination, telling which; returns how many there were."""
    for labels in label_counts:
        tokens = [(f"w{i}", f"L{i}") for i in range(labels)]
        columns = from_sentences([tokens, tokens[: labels // 2 + 1]], names=("word", "label"))
        for learner, objective in COMBINATIONS:
            tell(f"{labels} labels, {learner}, {objective}")
            recipe = Recipe("tag", learner, objective=objective, templates="word[0]\n", settings={"epochs": 2})
            model = train(recipe, columns, dev=columns)
            model.marginals(columns)
            log_probability(model, model.features(columns), model.predict_codes(columns))
    return len(label_counts) * len(COMBINATIONS)
