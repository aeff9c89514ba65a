"""Tagging on a few short rows of three labels: what the common list of tests asks of a family (tests/README.md)."""

import engine_enumeration as brute
import numpy as np
from town_files import short, write

from widemargin import SequenceTagger
from widemargin.corpora import town
from widemargin.families.recipes import Recipe
from widemargin.readers.columns import from_sentences

WORDS = ("a", "b", "c", "ab", "ba", "cc")
LABELS = ("O", "B-X", "I-X")
NODES, EDGES = "word[0]\nword[-1]\nsuffix(word,1)\n", "label[-1] word[0]\nlabel[-1] suffix(word,1)\n"
COMMON = {"templates": NODES, "labels": "as-is", "constraints": "none", "label_column": "label"}
COMMON |= {"cost": "miss=2,false=0.7,type=1.3"}  # prices without ties

TASK = "ner"
RECIPES = {
    "chain": Recipe(TASK, "ops", **COMMON),
    "chain, transitions by words": Recipe(TASK, "ops", **COMMON | {"templates": NODES + EDGES}),
    "chain, legal": Recipe(TASK, "ops", **COMMON | {"constraints": "BIO"}),
    "chain, hashed": Recipe(TASK, "ops", **COMMON, hash_bits=4),
    "choice": Recipe(TASK, "ops", structure="choice", **COMMON),
}
REFUSED = {
    "templates": ({"templates": "worm[0]\n"}, "there is no column 'worm'"),
    "label column": ({"label_column": "lemma"}, "lemma"),
}


def data(seed=0, rows=6, unknown=True):
    """Rows of up to three words; labels are legal, and some may be unknown. Some features fire together."""
    random = np.random.default_rng(seed)
    out = []
    for n in [3, 1, *random.integers(1, 4, rows - 2)]:
        labels: list[str] = []
        for t in range(n):
            labels.append(str(random.choice(LABELS if t and labels[-1] != "O" else LABELS[:2])))
        hide = random.random(n) < (0.25 if unknown else 0.0)
        out.append([(str(random.choice(WORDS)), "?" if q else label) for label, q in zip(labels, hide)])
    out[0] = [("a", "O"), ("ba", "B-X"), ("cc", "I-X")]  # every label occurs
    return from_sentences(out, names=("word", "label"))


def outputs(problem, i):
    """Every output of row i: brute.Outputs, those that agree with the gold, and the price of every part."""
    structure, gold = problem.structure, problem.corpus.gold[slice(*problem.corpus.token[i : i + 2])]
    found = brute.outputs(len(gold), problem.labels, edges_of(problem), legal=structure.legal)
    return found, brute.agreeing(found, gold), brute.prices(problem.cost.matrix, gold, found.phi.shape[1])


def edges_of(problem):
    return brute.PER_POSITION if problem.edge_rows else brute.NONE


def scores(problem, i, w):
    """Scores of the parts of row i: sums of the weights of what fires at each token."""
    corpus, Y, (low, high) = problem.corpus, problem.labels, problem.corpus.token[i : i + 2]
    node, edge = problem.linear(w)
    nodes = np.array([node[fired(corpus.node, t), :Y].sum(axis=0) for t in range(low, high)])
    if edges_of(problem) == brute.NONE:
        return nodes.ravel()
    blocks, pairs = edge.reshape(-1, Y, edge.shape[1])[:, :, :Y], np.zeros((high - low, Y, Y))
    for t in range(low + 1, high):
        pairs[t - low] = blocks[0] + (blocks[1:][fired(corpus.edge, t)].sum(axis=0) if corpus.edge.rows else 0.0)
    return np.concatenate([nodes.ravel(), pairs.ravel()])


def fired(features, t):
    return features.ind[features.ptr[t] : features.ptr[t + 1]]


def same(other, answer):
    """Which labels of an answer another one has too."""
    return [a == b for a, b in zip(other["labels"], answer["labels"])]


# ---- the command line ---------------------------------------------------------------------------------------------------------------

OTHER_STRUCTURE = "choice"  # for --set structure=
SMALL: dict = {}  # options that keep models small
INIT = [
    (["--templates", "{other}"], "--templates asks for others"),
    (["--cutoff", "2"], "--cutoff 2 asks for others"),
    (["--hash-bits", "8"], "--hash-bits 8 asks for others"),
    (["--set", "structure=choice"], "cannot go on as a choice"),
]
SAME = ["--cutoff", "1"]  # what a model to start from has anyway


def files(folder):
    """NAME.train, .dev, .system, .templates and .other."""
    train, dev = short(town.columns_text("train", sentences=200))
    first = dev[0].split("\n")  # a span that is not well formed, for --strict
    first[0], first[1] = first[0].rsplit(" ", 1)[0] + " I-PER", first[1].rsplit(" ", 1)[0] + " B-PER"
    dev[0] = "\n".join(first)
    system = [dev[0].replace(" B-PER", " I-PER"), *dev[1:]]
    write(folder, "tagging", train, dev, system, "word[0]\nsuffix(word,2)\nlabel[-1] pos[0]\n", "word[0]\npos[0]\n")


def written(text):
    """The sentences of a written file."""
    return text.strip().split("\n\n")


# ---- the estimator ------------------------------------------------------------------------------------------------------------------

ESTIMATOR = SequenceTagger
PARAMETERS = {"epochs": 2}


def output(labels):
    """A row of labels, D N V A, as an output of the estimator."""
    return labels


def of_tables():
    """An estimator that reads tables: a row is a sequence of one token."""
    return SequenceTagger(epochs=5)
