"""Dependency trees of a few words with two relations: what the common list of tests asks of a family (tests/README.md)."""

import engine_enumeration as brute
import numpy as np
import tree_enumeration as trees
from table_estimator import OfTables
from town_files import short, write

from widemargin import DependencyParser
from widemargin.corpora.town.treebank import treebank_text
from widemargin.engine.gradient import score_row
from widemargin.families.dependencies.sentences import treebank_of
from widemargin.families.recipes import Recipe

WORDS = ("a", "b", "c", "d")
RELATIONS = ("r", "s")
ARCS = """bias
head.xpos
head.form mod.form
head.xpos mod.xpos[-1] mod.form
head.upos mod.upos between.upos
head.upos mod.upos match(between.upos,/^P$/) match(between.upos,/^Q$/)
label head.form mod.xpos
label mod.form
"""
KIN = "sib.form mod.form\nhead.xpos sib.xpos mod.xpos\nhead.upos sib.xpos[-1]\n"
COMMON = {"templates": ARCS, "hash_bits": 10, "label_bits": 6, "cost": "head=1.3,label=0.6,s=1.7"}  # prices without ties
ARCS_ALONE = {"labelled": False, "templates": ARCS, "hash_bits": 10, "cost": "head=1.3"}

TASK = "depparse"
RECIPES = {
    "heads, no relations": Recipe(TASK, structure="heads", **ARCS_ALONE),
    "heads": Recipe(TASK, structure="heads", **COMMON),
    "eisner": Recipe(TASK, **COMMON),
    "eisner, several roots, no relations": Recipe(TASK, single_root=False, **ARCS_ALONE),
    "arborescence": Recipe(TASK, structure="arborescence", **COMMON),
    "arborescence, several roots": Recipe(TASK, structure="arborescence", single_root=False, **COMMON),
    "siblings": Recipe(TASK, structure="siblings", **COMMON | {"templates": ARCS + KIN}),
    "siblings, several roots": Recipe(TASK, structure="siblings", single_root=False, **COMMON | {"templates": ARCS + KIN}),
}
REFUSED = {
    "hash_bits": ({"hash_bits": 2}, "from 10 to 28"),
    "roots of heads": ({"structure": "heads", "single_root": True}, "cannot count roots"),
    "relation": ({"cost": "nosuch=2"}, "does not occur"),
    "smo": ({"learner": "smo", "l2": 0.1}, "smo and kernels are for labels of tokens"),
    "memory of bcfw": ({"learner": "bcfw", "l2": 0.1, "settings": {"memory": 1e-5}}, "raise it"),
    "siblings without templates": ({"structure": "siblings"}, "needs templates of siblings"),
}


def data(seed=0, rows=6, unknown=True):
    """Sentences of up to three words, projective with one root; some heads and relations may be unknown."""
    random, X, y = np.random.default_rng(seed), [], []
    for n in [3, 1, *random.integers(2, 4, rows - 2)]:
        every = trees.heads_of("eisner", int(n), True)
        heads, hide = every[random.integers(len(every))], random.random((n, 2)) < (0.25 if unknown else 0.0)
        words = [str(word) for word in random.choice(WORDS, n)]
        X.append([(word, word, "PQ"[word < "c"], "XY"[word in "ac"], "_") for word in words])
        labels = [str(label) for label in random.choice(RELATIONS, n)]
        y.append([None if a else (h, None if b else r) for (a, b), h, r in zip(hide.tolist(), heads, labels)])
    y[0] = [(0, "r"), (1, "s"), (1, "r")]  # every relation occurs
    return treebank_of(X, y, RELATIONS)


def outputs(problem, i):
    """Every tree of sentence i: brute.Outputs, those that agree with the gold, and the price of every part."""
    structure, gold = problem.structure, problem.corpus.gold[slice(*problem.corpus.token[i : i + 2])]
    n, R = len(gold), problem.labels
    found = trees.every(structure.name, n, structure.single_root, R)
    price = prices(problem, gold)
    if structure.name == "siblings":
        kin = [trees.siblings_of(heads).reshape(-1) for heads in found.heads.tolist()]
        found, price = found._replace(phi=np.concatenate([found.phi, kin], axis=1)), np.concatenate([price, np.zeros((n + 1) ** 3)])
    known = gold if R else np.column_stack([gold[:, 0], np.full(n, -1)])
    inside = trees.agreeing(found, known)
    return *(brute.Outputs(np.hstack([part.heads, part.labels]), part.phi) for part in (found, inside)), price


def prices(problem, gold):
    """A wrong head its price, a right head the price of the relation, where they are known."""
    n, R, cost = len(gold), problem.labels, problem.cost
    out = np.zeros((n + 1, n + 1, max(R, 1)))
    for m, (g, y) in enumerate(gold, start=1):
        if g >= 0:
            out[:, m] = cost.head[y]
            out[g, m] = cost.label[y][:R] if R and y >= 0 else 0.0
    return out.reshape(-1)


def scores(problem, i, w):
    """Scores of the parts of sentence i, as the rows of a learner score them (tests of the features: test_arc_features.py)."""
    problem = problem.part(np.array([i]))
    n, R = problem.corpus.longest, problem.labels
    s = problem.workspace(np.float64, n)
    score_row(problem.rows(np.float64, n), s, 0, problem.reader(np.ascontiguousarray(w)))
    arcs = s.arcs.score[: n + 1, : n + 1, None].copy()
    if R:
        arcs = arcs + s.arcs.labels.score.reshape(n + 1, n + 1, -1)[..., :R]
    kin = problem.structure.sibling_scores(s, n).reshape(-1) if problem.structure.name == "siblings" else np.zeros(0)
    found = np.concatenate([arcs.reshape(-1), kin])
    return np.where(np.isfinite(found), found, 0.0)  # of parts that no tree has


def same(other, answer):
    """Which heads of an answer another one has too."""
    return [a == b for a, b in zip(other["heads"], answer["heads"])]


# ---- the command line ---------------------------------------------------------------------------------------------------------------

OTHER_STRUCTURE = "arborescence"  # for --set structure=
SMALL = {"hash_bits": 10, "label_bits": 6}  # options that keep models small
INIT = [
    (["--templates", "{other}"], "--templates asks for others"),
    (["--hash-bits", "12"], "hash_bits=12 asks for others"),
    (["--set", "label_bits=8"], "label_bits=8 asks for others"),
    (["--set", "labelled=no"], "labelled=no asks for others"),
]
SAME = ["--hash-bits", "10", "--set", "label_bits=6"]  # what a model to start from has anyway


def files(folder):
    """NAME.train, .dev, .system, .templates and .other."""
    train, dev = short(treebank_text("train", sentences=200))
    # a relation with a subtype that no model knows, for --subtypes
    dev = [block.replace("\tdet\t", "\tdet:some\t").replace("\tnsubj\t", "\tnsubj:some\t") for block in dev]
    system = [block.replace(":some", "").replace("\troot\t", "\tdep\t", 1) for block in dev]
    write(folder, "dependencies", train, dev, system, "head.xpos mod.xpos\nlabel mod.form\n", "head.form mod.xpos\n")


def written(text):
    """The sentences of a written file."""
    return text.strip().split("\n\n")


# ---- the estimator ------------------------------------------------------------------------------------------------------------------

ESTIMATOR = DependencyParser
PARAMETERS = {"epochs": 2, "hash_bits": 10, "label_bits": 6}


def output(labels):
    """A row of labels, D N V A, as an output of the estimator: the relations of a tree whose root is the first word."""
    return [(0, label) if t == 0 else (1, label) for t, label in enumerate(labels)]


class TableParser(OfTables, DependencyParser):
    """y is its relation to the root."""

    cells = 5

    def tree_of(self, text):
        return [(0, text)]

    def label_of(self, tree):
        return tree[0][1]


def of_tables():
    """An estimator that reads tables."""
    return TableParser(epochs=3, hash_bits=10, label_bits=6)
