"""A dozen short sequences, and slow twins of what a model says of them."""

import itertools

import numpy as np

WORDS = ("the", "a", "cat", "dog", "sees", "barks", "old", "Rome")
TAG = {"the": "D", "a": "D", "cat": "N", "dog": "N", "sees": "V", "barks": "V", "old": "A", "Rome": "N"}


def sentences(count=12, seed=0, words=WORDS):
    """Words and tags; a few tags are wrong, so that nothing is certain."""
    random = np.random.default_rng(seed)
    X = [[str(word) for word in random.choice(words, random.integers(1, 5))] for _ in range(count)]
    y = [[TAG.get(word, "N") if random.random() < 0.9 else "A" for word in row] for row in X]
    return X, y


def spans(count=12, seed=0):
    """Words with labels of spans, as IOB2."""
    random = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(count):
        row, labels = [], []
        for _ in range(int(random.integers(1, 4))):
            kind, length = str(random.choice(["P", "L", "O"])), int(random.integers(1, 3))
            row += [f"{kind.lower()}{i}" for i in range(length)]
            labels += ["O"] * length if kind == "O" else [f"B-{kind}"] + [f"I-{kind}"] * (length - 1)
        X.append(row)
        y.append(labels)
    return X, y


def as_lists(X):
    """Words as feature lists."""
    return [[[f"w={word}", f"last={word[-1]}", "bias"] for word in row] for row in X]


def as_arrays(X, words=WORDS):
    """Words as rows of a table: one column per word, and one for the length."""
    return [np.array([[float(word == known) for known in words] + [len(word) / 4] for word in row]) for row in X]


READ = {"words": list, "lists": as_lists, "arrays": as_arrays}


def every_sequence(model, length):
    """All label sequences of a length."""
    return [list(labels) for labels in itertools.product(model.labels_, repeat=length)]


def enumerated(model, x):
    """{labels: log P} by asking for each sequence in turn."""
    every = every_sequence(model, len(x))
    return {tuple(labels): float(model.predict_log_proba([x], [labels])[0]) for labels in every}


def probabilities(model, X):
    return np.concatenate(model.predict_marginals(X))


def may_follow(a, b):
    return (a, b) not in {("D", "D"), ("V", None), (None, "V"), ("N", "A")}


def pairs(labels):
    ends = [None, *labels]
    return [(a, b) for a in ends for b in ends if (a, b) != (None, None) and may_follow(a, b)]


def is_bio(labels):
    return all(b[0] != "I" or (a != "O" and a[2:] == b[2:]) for a, b in zip(["O", *labels], labels))


def legal_sentences(count=14):
    X, y = sentences(count)
    for row in y:
        for t, label in enumerate(row):
            if not may_follow(row[t - 1] if t else None, label) or (t == len(row) - 1 and not may_follow(label, None)):
                row[t] = "N"
    return X, y
