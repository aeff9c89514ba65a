"""Constituency trees of a few words with two labels: what the common list of tests asks of a family (tests/README.md)."""

import re

import engine_enumeration as brute
import numpy as np
import span_enumeration as trees
from span_parsing import SPLITS, TEMPLATES, scores_of
from table_estimator import OfTables
from town_files import write

from widemargin import ConstituencyParser
from widemargin.corpora.town.brackets import brackets_text
from widemargin.engine.gradient import score_row
from widemargin.families.constituency.building import from_trees
from widemargin.families.constituency.confidence import repeats
from widemargin.families.constituency.tree import Tree
from widemargin.families.recipes import Recipe

COMMON = {"templates": TEMPLATES, "hash_bits": 10, "cost": "wrong=1.3,missed=0.6,B=1.7"}  # prices without ties

WORDS = "bias\nfirst.word last.class\nbefore.class after.word length\n"  # templates without tags

TASK = "constparse"
RECIPES = {
    "labels": Recipe(TASK, structure="labels", **COMMON),
    "bigrams": Recipe(TASK, **COMMON),
    "bigrams, splits": Recipe(TASK, **COMMON | {"templates": TEMPLATES + SPLITS, "cost": "wrong=1.3,missed=0.6,production=0.4,B=1.7"}),
    "rules": Recipe(TASK, structure="rules", **COMMON | {"templates": TEMPLATES + SPLITS}),
    "wcfg": Recipe(TASK, structure="wcfg", cost="wrong=1.3,missed=0.6,production=0.4,B=1.7"),
    "bigrams, tags from words": Recipe(TASK, tags="words", **COMMON | {"templates": WORDS}),
    "labels, tags from words": Recipe(TASK, structure="labels", tags="words", **COMMON | {"templates": WORDS}),
    "wcfg, tags from words": Recipe(TASK, structure="wcfg", tags="words", cost="wrong=1.3,missed=0.6,production=0.4,B=1.7"),
    "wcfg, left, parents": Recipe(TASK, structure="wcfg", direction="left", vertical=2, cost="wrong=1.3,missed=0.6,B=1.7"),
}
LONG_DUALS = True
REFUSED = {
    "hash_bits": ({"hash_bits": 2}, "from 10 to 26"),
    "grammar of labels": ({"structure": "labels", "direction": "left"}, "has no grammar"),
    "features of wcfg": ({"structure": "wcfg", "templates": "spans"}, "weights of productions alone"),
    "label": ({"cost": "NOSUCH=2"}, "does not occur"),
    "productions of labels": ({"structure": "labels", "cost": "productions"}, "has no productions"),
    "splits of labels": ({"structure": "labels", "templates": TEMPLATES + SPLITS}, "splits have no scores"),
    "tags of words": ({"tags": "words"}, "templates of tags are not for tags=words"),
    "smo": ({"learner": "smo", "l2": 0.1}, "smo and kernels are for labels of tokens"),
    "curvature": ({"learner": "smd", "structure": "bigrams"}, "smd has no curvature along productions"),
    "memory of bcfw": ({"learner": "bcfw", "l2": 0.1, "settings": {"memory": 1e-5}}, "raise it"),
}


def data(seed=0, rows=6, unknown=True):
    """Sentences of up to three words; of some trees only brackets are known. Tags and trees are the same, whatever the seed."""
    random = np.random.default_rng(seed)
    found = [tree("abc", (0, 3, "A"), (0, 2, "B")), tree("a", (0, 1, "A")), tree("bca", (0, 3, "A"), (1, 3, "B"), (2, 3, "B"))]
    whole = [
        ("XY", [(0, 2, "A"), (0, 1, "B")]),
        ("XYY", [(0, 3, "A"), (0, 2, "B")]),
        ("YX", [(0, 2, "A")]),
        ("YX", [(0, 2, "A"), (1, 2, "B")]),
    ]
    partial = [("XYY", [(0, 3, "?"), (0, 2, "B")]), ("YYX", [(0, 3, "?"), (1, 3, "?")]), ("XYY", [(0, 3, "?")])]
    for i in range(rows - len(found)):
        tags, brackets = (partial if unknown and i % 2 else whole)[i // 2 % 3]
        found.append(tree("".join("a" if tag == "X" else str(random.choice(["b", "c"])) for tag in tags), *brackets))
    return from_trees(found[:rows])


def tree(words, *brackets):
    return Tree(tuple(words), tuple("X" if word == "a" else "Y" for word in words), brackets)


def outputs(problem, i):
    """Every tree of sentence i: brute.Outputs, those that agree with the gold, and the price of every part.

    A cost has parts that no score has: of nodes, and of productions at their places; so there are parts of score 0 for them."""
    structure, one = problem.structure, problem.part(np.array([i]))
    gold, price = one.corpus.gold, one.price(np.float64)
    found = every(problem, i)
    cost = [price_of(nodes, gold, price) for nodes in found]
    phi = np.array([trees.flat(trees.parts(structure, nodes)) for nodes in found])
    phi = np.concatenate([phi, np.eye(len(found))], axis=1)  # the last parts are whole trees
    inside = [agrees(nodes, gold) for nodes in found]
    labels = np.arange(len(found))[:, None]
    prices = np.concatenate([np.zeros(phi.shape[1] - len(found)), cost])
    return brute.Outputs(labels, phi), brute.Outputs(labels[inside], phi[inside]), prices


def every(problem, i):
    """All trees of sentence i."""
    return trees.every(problem.structure, loaded(problem, i, problem.zeros()))


def price_of(nodes, gold, price):
    if len(gold.node):
        return trees.cost(nodes, gold.node, price)
    return trees.partial_cost(nodes, gold.bracket, gold.sets, price)


def agrees(nodes, gold):
    if len(gold.node):
        return (nodes == gold.node).all()
    return trees.agrees(nodes, gold.bracket, gold.sets)


def loaded(problem, i, w):
    """Scores of sentence i, as the rows of a learner score them (tests of the features: test_span_features.py)."""
    problem = problem.part(np.array([i]))
    n = problem.corpus.longest
    s = problem.workspace(np.float64, n)
    score_row(problem.rows(np.float64, n), s, 0, problem.reader(np.ascontiguousarray(w)))
    return scores_of(problem, s, n)


def scores(problem, i, w):
    """Scores of all parts, 0 for those that no tree has and for whole trees."""
    found = trees.flat(loaded(problem, i, w))
    return np.concatenate([np.where(np.isfinite(found), found, 0.0), np.zeros(len(every(problem, i)))])


def same(other, answer):
    """Which brackets of an answer another one has too."""
    there = {(*bracket, k) for bracket, k in zip(map(tuple, other["brackets"]), repeats(other["brackets"]))}
    return [(*bracket, k) in there for bracket, k in zip(map(tuple, answer["brackets"]), repeats(answer["brackets"]))]


# ---- the command line ---------------------------------------------------------------------------------------------------------------

OTHER_STRUCTURE = "rules"  # for --set structure=
SMALL = {"hash_bits": 10}  # options that keep models small
INIT = [
    (["--templates", "{other}"], "--templates asks for others"),
    (["--hash-bits", "12"], "hash_bits=12 asks for others"),
    (["--set", "direction=left"], "direction=left asks for others"),
    (["--set", "vertical=2"], "vertical=2 asks for others"),
    (["--set", "tags=words"], "tags=words asks for others"),
]
SAME = ["--hash-bits", "10", "--set", "direction=right"]  # what a model to start from has anyway


def files(folder):
    """NAME.train, .dev, .system, .templates and .other."""
    lines = [line for line in brackets_text("train", sentences=800).splitlines() if line.count(" ") < 24]
    train = lines[:10]
    seen = set(re.findall(r"\((\S+) [^()]", "".join(train)))
    dev = [line for line in lines[10:] if set(re.findall(r"\((\S+) [^()]", line)) <= seen][:6]  # no tag is new
    for part in (train, dev):  # function tags and null elements, for --transforms
        part[0] = part[0].replace("(S ", "(S (NP-SBJ (-NONE- *T*)) ", 1).replace("(VP ", "(VP|X ", 1)
    system = [line.replace("(NP ", "(QP ", 1).replace("|X", "") for line in dev]
    write(folder, "constituency", train, dev, system, "first.tag last.tag\nsplit.tag\n", "first.word\n")


def written(text):
    """The sentences of a written file."""
    return text.splitlines()


# ---- the estimator ------------------------------------------------------------------------------------------------------------------

ESTIMATOR = ConstituencyParser
PARAMETERS = {
    "epochs": 2,
    "hash_bits": 10,
    "templates": "bias\nfirst.word\nlast.word\nfirst.word length\nsplit.word\n",
}  # with splits, as the files: they share kernels


def output(labels):
    """A row of labels, D N V A, as an output of the estimator: a bracket over all words, and one with its label over each."""
    return [(0, len(labels), "S"), *((t, t + 1, label) for t, label in enumerate(labels))]


class TableParser(OfTables, ConstituencyParser):
    """y is the label over it."""

    cells = 2

    def tree_of(self, text):
        return [(0, 1, text)]

    def label_of(self, tree):
        return tree.label


def of_tables():
    """An estimator that reads tables."""
    return TableParser(epochs=3, hash_bits=10, templates=PARAMETERS["templates"])
