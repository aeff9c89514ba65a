"""What people hand to estimators: X and y of every form, tables, scipy matrices, parameters of other types."""

import functools
import warnings
from random import Random
from typing import Any

import numpy as np
import scipy.sparse

from fuzz import mutate
from fuzz.targets import Target
from widemargin import ConstituencyParser, DependencyParser, SequenceTagger

WORDS = ("the", "cat", "", " ", "a\tb", "é", "x\n", "\0", "9", "\ud800")
NUMBERS = (0, 1, -1, 2.5, 1e300, -0.0, float("nan"), float("inf"), True, 1 << 70)
ODDITIES: tuple[Any, ...] = (
    None,
    3,
    "text",
    {"bytes": 1},
    {"object": 1},
    [],
    [[]],
    [None],
    [[None]],
    {"array": [], "dtype": "f8"},
    {"array": 3, "dtype": "i8"},
)
PARAMETERS: dict[str, tuple] = {
    "epochs": (0, -1, 2.5, None, "a", 10**30),
    "l1": (-1.0, float("nan"), "a", None, 1e300),
    "l2": (-1.0, float("nan"), "a", [1], 1e300),
    "hash_bits": (2.5, -1, 0, 3, 40, "a", None),
    "random_state": (-1, "a", 1 << 70, None, 2.5),
    "cutoff": (-1, 0, 2.5, "a", None),
    "learner": ("perceptron", "lbfgs", "x", None, 3),
    "objective": ("hinge", "likelihood", "x", 3),
    "structure": ("choice", "chain", "eisner", "x", None),
    "cost": ("hamming*2", "x", None, 3),
    "templates": ("word[0]\n", "", "\n", None, 3, "bias\nhead.form mod.form\n"),
    "constraints": ("BIO", "x", 3, [["a", "b"]], [[1]], [None]),
    "settings": ({"x": 1}, {"epochs": -1}, None, "a", {"rate": float("nan")}),
    "labels": ("bioes", "x", None),
    "n_jobs": (-1, 0, "a", 10**30),
}


def built(value: Any) -> Any:
    """Plain data as the object that they describe."""
    if isinstance(value, list):
        return [built(member) for member in value]
    if not isinstance(value, dict):
        return value
    if "array" in value:
        try:
            return np.array(value["array"], value["dtype"])
        except (ValueError, TypeError, OverflowError):
            return np.array(["x"], object)
    if "sparse" in value:
        return sparse(**value["sparse"])
    for name, kind in (("tuple", tuple), ("set", lambda members: frozenset(map(str, members))), ("generator", iter)):
        if name in value:
            return kind(built(value[name]))
    if "bytes" in value:
        return b"ab"
    return object() if "object" in value else {key: built(member) for key, member in value.get("dict", value).items()}


def sparse(kind: str, data: list, indices: list, indptr: list, shape: list) -> Any:
    """A matrix of which scipy has not been asked whether it is one."""
    matrix = (scipy.sparse.csr_matrix if kind == "csr" else scipy.sparse.csc_matrix)(tuple(shape if kind == "csr" else shape[::-1]))
    matrix.data, matrix.indices, matrix.indptr = np.array(data, "f8"), np.array(indices, "i4"), np.array(indptr, "i4")
    return matrix


def token(random: Random, kind: str) -> Any:
    if mutate.chance(random, 0.03):
        return random.choice(ODDITIES)
    if kind == "words":
        return random.choice(WORDS[:2]) if mutate.chance(random, 0.95) else random.choice(WORDS)
    if kind == "columns":
        return {"tuple": [random.choice(WORDS[:2]) for _ in range(2 if mutate.chance(random, 0.97) else random.randrange(4))]}
    if kind == "lists":
        return random.choices(WORDS, k=random.randrange(3))
    return {
        "dict": {random.choice(WORDS): random.choice((*NUMBERS, *ODDITIES) if mutate.chance(random, 0.1) else (1, 2.5)) for _ in range(2)}
    }


def matrix(random: Random, rows: int) -> dict:
    """A table of numbers, dense or sparse, mostly a right one."""
    width = random.randrange(1, 4)
    odd = NUMBERS if mutate.chance(random, 0.2) else NUMBERS[:4]
    if mutate.chance(random, 0.5):
        dtype = random.choice(("f8", "f4", "i8", "?", "O", "c16", "U3", "M8[s]", "S2")) if mutate.chance(random, 0.3) else "f8"
        return {"array": [[random.choice(odd) for _ in range(width)] for _ in range(rows)], "dtype": dtype}
    count = rows * width
    parts = {
        "data": [random.choice(odd) for _ in range(count)],
        "indices": [i % width for i in range(count)],
        "indptr": [width * i for i in range(rows + 1)],
    }
    if mutate.chance(random, 0.5):
        part = random.choice(("indices", "indptr"))
        parts[part][random.randrange(len(parts[part]))] = random.choice((-1, 99, 1 << 30, -(1 << 31), 0))
    if mutate.chance(random, 0.2):
        part = random.choice(sorted(parts))
        parts[part] = parts[part][:-1]
    return {"sparse": {"kind": random.choice(("csr", "csc")), **parts, "shape": [rows, width]}}


def tagger_cases(random: Random) -> dict:
    kind = random.choice(("words", "columns", "lists", "dicts", "tables", "matrix"))
    lengths = [random.randrange(1, 4) for _ in range(random.randrange(1, 4))]
    if kind == "matrix":
        X, y = matrix(random, 4), [random.choice("ab") for _ in range(4)]
    elif kind == "tables":
        X, y = [matrix(random, n) for n in lengths], [random.choices("ab", k=n) for n in lengths]
    else:
        X, y = [[token(random, kind) for _ in range(n)] for n in lengths], [random.choices("ab", k=n) for n in lengths]
    return {"X": damaged(random, X), "y": damaged(random, y), **chosen(random), "ask": random.choice(ASK)}


def damaged(random: Random, value: Any) -> Any:
    """The same, or something in it is odd."""
    how = random.random()
    if how < 0.03:
        return random.choice(ODDITIES)
    if how < 0.1 and isinstance(value, list) and value:
        value = [*value]
        value[random.randrange(len(value))] = random.choice((*ODDITIES, *NUMBERS))
    elif how < 0.12 and isinstance(value, list):
        return {random.choice(("tuple", "generator")): value}
    elif how < 0.15 and isinstance(value, list):
        return value[:-1]
    return value


def chosen(random: Random) -> dict:
    """A parameter of another kind, now and then."""
    if mutate.chance(random, 0.7):
        return {"parameters": {}}
    name = random.choice(sorted(PARAMETERS))
    return {"parameters": {name: random.choice(PARAMETERS[name])}}


ASK = (
    "predict",
    "predict",
    "predict_marginals",
    "predict_kbest",
    "entropy",
    "score",
    "log_proba",
    "partial_fit",
    "explain",
    "weight",
    "again",
)


def ask(estimator: Any, case: dict) -> None:
    """Fit and then ask, on the same X, or a fitted one on this X."""
    if case["ask"] == "again":  # what is odd comes only after training
        fitted(type(estimator)).predict(built(case["X"]))
        return
    weight = {"sample_weight": [1, float("nan")]} if case["ask"] == "weight" else {}
    estimator.fit(built(case["X"]), built(case["y"]), **weight)
    if case["ask"] == "log_proba":
        estimator.predict_log_proba(built(case["X"]), built(case["y"]))
    elif case["ask"] == "score":
        estimator.score(built(case["X"]), built(case["y"]))
    elif case["ask"] == "partial_fit":
        estimator.partial_fit(built(case["X"]), built(case["y"]), epochs=1)
    elif case["ask"] == "explain":
        estimator.explain(built(case["X"][0] if isinstance(case["X"], list) and case["X"] else case["X"]))
    else:
        getattr(estimator, "predict" if case["ask"] == "weight" else case["ask"])(built(case["X"]))


@functools.cache
def fitted(kind: type) -> Any:
    if kind is SequenceTagger:
        return SequenceTagger(epochs=1, templates="word[0]\n").fit([["the", "cat"]] * 3, [["a", "b"]] * 3)
    if kind is ConstituencyParser:
        return ConstituencyParser(epochs=1, templates=SPANS, hash_bits=10).fit([["the", "cat"]] * 3, [[(0, 2, "A")]] * 3)
    return DependencyParser(epochs=1, templates=ARCS, hash_bits=10).fit([["the", "cat"]] * 3, [[2, 0]] * 3)


def known(kind: type, case: dict) -> dict:
    """Those of the parameters that the estimator has."""
    return {name: value for name, value in case["parameters"].items() if name in kind._get_param_names()}


def run_tagger(case: dict) -> None:
    ask(SequenceTagger(**{"epochs": 1, "templates": "word[0]\n"} | known(SequenceTagger, case)), case)


ARCS = "bias\nhead.form mod.form\nlabel mod.form\n"
HEADS: tuple[Any, ...] = (-1, 9, 2.5, "x", None, float("nan"), {"tuple": [0, "root"]}, {"tuple": [0]}, {"tuple": [0, 3]}, True, 1 << 70)


def parser_cases(random: Random) -> dict:
    lengths = [random.randrange(1, 4) for _ in range(random.randrange(1, 4))]
    X = [[token(random, random.choice(("words", "words", "columns", "dicts"))) for _ in range(n)] for n in lengths]
    y: list = [[0, *range(1, n)] for n in lengths]
    if mutate.chance(random, 0.3):
        row = random.choice(y)
        row[random.randrange(len(row))] = random.choice(HEADS)
    return {"X": damaged(random, X), "y": damaged(random, y), **chosen(random), "ask": random.choice(ASK)}


def run_parser(case: dict) -> None:
    ask(DependencyParser(**{"epochs": 1, "templates": ARCS, "hash_bits": 10} | known(DependencyParser, case)), case)


SPANS = "bias\nfirst.word last.word\n"
BRACKETS: tuple[Any, ...] = (
    [0, 9, "A"],
    [1, 1, "A"],
    [0, 1, 3],
    [0, 1],
    "A",
    "(A (B",
    None,
    [True, 1, "A"],
    [0, 1, "("],
    [0, 1, "?"],
    1 << 70,
)
TREES = ("(A (B the))", "(A (B the) (B cat))", "", "(A", None, {"object": 1})


def tree_cases(random: Random) -> dict:
    lengths = [random.randrange(1, 4) for _ in range(random.randrange(1, 4))]
    X = [[token(random, random.choice(("words", "words", "columns"))) for _ in range(n)] for n in lengths]
    y: list = [[[0, n, "A"], *([[0, 1, random.choice("AB")]] if n > 1 else [])] for n in lengths]
    if mutate.chance(random, 0.3):
        row = random.choice(y)
        row[random.randrange(len(row))] = random.choice(BRACKETS)
    elif mutate.chance(random, 0.1):
        y[random.randrange(len(y))] = random.choice(TREES)
    return {"X": damaged(random, X), "y": damaged(random, y), **chosen(random), "ask": random.choice(ASK)}


def run_trees(case: dict) -> None:
    with warnings.catch_warnings(action="ignore"):  # of sentences that the grammar has no tree for
        ask(ConstituencyParser(**{"epochs": 1, "templates": SPANS, "hash_bits": 10} | known(ConstituencyParser, case)), case)


TARGETS = (
    Target("taggers", tagger_cases, run_tagger, 12, sentences=(TypeError, ValueError)),
    Target("parsers", parser_cases, run_parser, 8, sentences=(TypeError, ValueError)),
    Target("tree-parsers", tree_cases, run_trees, 8, sentences=(TypeError, ValueError)),
)
