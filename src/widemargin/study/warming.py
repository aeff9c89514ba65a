"""Compiling ahead: every kernel that commands use, for some label counts."""

from collections.abc import Callable

from widemargin.readers.columns import from_sentences
from widemargin.tasks.confidence import log_probability
from widemargin.tasks.parsing import TreeRecipe, train_parser
from widemargin.tasks.training import Recipe, train
from widemargin.tasks.treebanks import open_treebank

COMBINATIONS = (
    ("perceptron", "perceptron"),
    ("ops", "hinge"),
    ("ops", "softmax-margin"),
    ("sgd", "likelihood"),
    ("lbfgs", "likelihood"),
    ("bcfw", "hinge"),
    ("ocp", "hinge"),
)
PARSERS = ("eisner", "arborescence")


def warm(label_counts: tuple[int, ...], tell: Callable[[str], None] | None = None) -> int:
    """Trains on a few made-up sentences per combination, telling which; returns how many there were."""
    done = 0
    for labels in label_counts:
        tokens = [(f"w{i}", f"L{i}") for i in range(labels)]
        columns = from_sentences([tokens, tokens[: labels // 2 + 1]], names=("word", "label"))
        for learner, objective in COMBINATIONS:
            if tell is not None:
                tell(f"{labels} labels, {learner}, {objective}")
            recipe = Recipe(task="tag", learner=learner, objective=objective, templates="word[0]\n", settings={"epochs": 2})
            model = train(recipe, columns, dev=columns)
            model.marginals(columns)
            codes = model.predict_codes(columns)
            log_probability(model, model.features(columns), codes)
            assert len(codes) == len(columns)
            done += 1
    return done


def warm_parsers(tell: Callable[[str], None] | None = None) -> int:
    """The same for parsers, with the relations of the embedded treebank: 38, and so all numbers from 37 to 40."""
    treebank = open_treebank("town:train")
    for structure in PARSERS:
        if tell is not None:
            tell(f"{structure}, mira, hinge")
        parser = train_parser(TreeRecipe(structure=structure, settings={"epochs": 1}), treebank, dev=treebank)
        parser.marginals(treebank)
    return len(PARSERS)
