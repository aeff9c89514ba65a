"""The peers: python-crfsuite and sklearn-crfsuite on the features of CRFsuite's chunking example, built in Python as its users do."""

import pycrfsuite
from harness import spent

# (column, offset) of the templates crfsuite-chunking, without the bias
WORD, POS = 0, 1
TEMPLATES = (
    *(((WORD, d),) for d in range(-2, 3)),
    *(((POS, d),) for d in range(-2, 3)),
    *(((WORD, d), (WORD, d + 1)) for d in (-1, 0)),
    *(((POS, d), (POS, d + 1)) for d in range(-2, 2)),
    *(((POS, d), (POS, d + 1), (POS, d + 2)) for d in range(-2, 1)),
)
NAMES = tuple("|".join(f"{'wp'[column]}[{offset}]" for column, offset in template) + "=" for template in TEMPLATES)
REACH = 2
ALL_PAIRS = {"feature.possible_states": 1, "feature.possible_transitions": 1}
BEFORE, AFTER = [("_B2", "_B2"), ("_B1", "_B1")], [("_E1", "_E1"), ("_E2", "_E2")]  # as many marks as our templates see


def sentences(path: str):
    """Each sentence as a list of cells [token][column]."""
    rows: list[list[str]] = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            cells = line.split()
            if cells:
                rows.append(cells)
            elif rows:
                yield rows
                rows = []
    if rows:
        yield rows


def features(rows) -> list[list[str]]:
    """Feature strings of each token."""
    padded = [*BEFORE, *rows, *AFTER]
    out = []
    for t in range(REACH, len(rows) + REACH):
        names = [name + "|".join([padded[t + d][column] for column, d in template]) for name, template in zip(NAMES, TEMPLATES)]
        names.append("bias")
        out.append(names)
    return out


def train(train: str, model: str, *, algorithm: str = "lbfgs", params: dict | None = None, test: str | None = None) -> dict:
    """Read, build features, train, write the model; then, off the clock, score the test file."""
    trainer = pycrfsuite.Trainer(algorithm=algorithm, verbose=False, params=params or {})
    with spent() as total:
        for rows in sentences(train):
            trainer.append(features(rows), [cells[-1] for cells in rows])
        with spent() as fit:
            trainer.train(model)
    log = trainer.logparser
    answer = {"cpu": total["cpu"], "fit": fit["cpu"], "iterations": len(log.iterations), "parameters": log.featgen_num_features}
    answer["attributes"] = pycrfsuite_attributes(model)
    if log.iterations and "loss" in log.iterations[-1]:
        answer["objective"] = log.iterations[-1]["loss"]
    if test is not None:
        answer["f1"] = span_f1(model, test)
    return answer


def pycrfsuite_attributes(model: str) -> int:
    """Distinct features that the model kept."""
    return len(open_tagger(model).info().attributes)


def open_tagger(model: str) -> pycrfsuite.Tagger:
    """A model, ready to tag."""
    tagger = pycrfsuite.Tagger()
    tagger.open(model)
    return tagger


def span_f1(model: str, test: str) -> float:
    """Test F1 as conlleval counts; imported here so that no timed or weighed process holds our library."""
    import numpy as np

    from widemargin.families.tagging.spans import span_scores

    tagger, gold, guess, lengths = open_tagger(model), [], [], [0]
    for rows in sentences(test):
        gold += [cells[-1] for cells in rows]
        guess += tagger.tag(features(rows))
        lengths.append(len(rows))
    values = sorted({*gold, *guess})
    index = {value: i for i, value in enumerate(values)}
    codes = [np.array([index[label] for label in labels]) for labels in (gold, guess)]
    return span_scores(*codes, values, values, np.cumsum(lengths)).f1


def tag(model: str, source: str, target: str) -> dict:
    """Read, build features, tag, write; the model is open before the clock starts."""
    tagger, tokens = open_tagger(model), 0
    with spent() as times, open(target, "w", encoding="utf-8") as out:
        for rows in sentences(source):
            tokens += len(rows)
            for cells, label in zip(rows, tagger.tag(features(rows))):
                out.write(" ".join(cells) + " " + label + "\n")
            out.write("\n")
    return times | {"tokens": tokens}


def lists(path: str) -> tuple[list, list]:
    """Feature lists and labels of a file, as users of python-crfsuite have them."""
    rows = list(sentences(path))
    return [features(row) for row in rows], [[cells[-1] for cells in row] for row in rows]


def fit_lists(train: str, test: str, model: str, *, iterations: int) -> dict:
    """From feature lists in memory to a trained model, by the averaged perceptron; then, off the clock, score the test file."""
    X, y = lists(train)
    with spent() as times:
        trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False, params={"max_iterations": iterations, "epsilon": 0.0})
        for xs, ys in zip(X, y):
            trainer.append(xs, ys)
        trainer.train(model)
    return times | {"f1": span_f1(model, test)}


def fit_sklearn(train: str, *, iterations: int, all_pairs: bool) -> dict:
    """sklearn-crfsuite as its users call it: all features in memory, then fit."""
    import sklearn_crfsuite

    X, y = [], []
    with spent() as times:
        for rows in sentences(train):
            X.append(features(rows))
            y.append([cells[-1] for cells in rows])
        crf = sklearn_crfsuite.CRF(
            algorithm="lbfgs", c2=1.0, max_iterations=iterations, all_possible_states=all_pairs, all_possible_transitions=all_pairs
        )
        crf.fit(X, y)
    return times | {"iterations": iterations}


def calls(model: str) -> dict:
    """Milliseconds of one sentence, with the making of features and without."""
    from ours import SENTENCE, milliseconds

    tagger, rows = open_tagger(model), list(SENTENCE)
    given = features(rows)
    return {
        "features made": milliseconds(lambda: tagger.tag(features(rows))),
        "features given": milliseconds(lambda: tagger.tag(given)),
    }
