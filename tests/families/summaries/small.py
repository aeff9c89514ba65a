"""Clusters of a few short sentences: what the common list of tests asks of a family (tests/README.md)."""

import json

import engine_enumeration as brute
import numpy as np
import pytest
from subset_cases import every_set

from widemargin.corpora.town.clusters import clusters_text
from widemargin.families.recipes import Recipe
from widemargin.families.summaries.clusters import clusters_of

WORDS = ("red", "blue", "old", "new", "cat", "dog")
TEMPLATES = "bias\nstop\ncount\nshare\nposition\nsentence: length\nsentence: first\n"
COMMON = {"templates": TEMPLATES, "cost": "recall*3", "least_words": 1}

TASK = "summarize"
RECIPES = {
    "words": Recipe(TASK, budget=6, **COMMON),
    "sentences": Recipe(TASK, budget=2, unit="sentences", **COMMON),
    "hamming": Recipe(TASK, budget=9, **COMMON | {"cost": "hamming*1.3"}),
}
LONG_DUALS = True
REFUSED = {
    "unit": ({"unit": "pages"}, "choose one of words, characters, bytes, sentences"),
    "budget": ({"budget": 0}, "budget"),
    "attribute": ({"templates": "bias\nlength\n"}, "templates>:2: attribute 'length' is not known; those of bigrams are bias"),
    "smo": ({"learner": "smo", "l2": 0.1}, "smo and kernels are for labels of tokens"),
    "memory of bcfw": ({"learner": "bcfw", "l2": 0.1, "settings": {"memory": 1e-5}}, "raise it"),
}
LATENT = False  # clusters without references are left out


def data(seed=0, rows=6, unknown=True):
    """Clusters of up to four sentences of two or three words, in two documents."""
    random, records = np.random.default_rng(seed), []

    def sentence():
        return " ".join(random.choice(WORDS, int(random.integers(2, 4))))

    for n in [4, 2, *random.integers(3, 5, rows - 2)]:
        told = [sentence() for _ in range(n)]
        references = [f"{told[-1]} {sentence()}", f"{sentence()} {told[0]}"]
        records.append({"documents": [told[:2], told[2:]] if n > 2 else [told], "references": references})
    return clusters_of(records)


def outputs(problem, i):
    """Every set of sentences of cluster i, the gold, and prices; the last part is always there and has what every output costs."""
    row = problem.corpus.clusters[i]
    found = every_set(row.candidates.coverage)
    phi = np.column_stack([found, np.ones(len(found))])
    inside = (found == row.gold).all(axis=1)
    price = np.append(row.price, row.offset)
    return brute.Outputs(found, phi), brute.Outputs(found[inside], phi[inside]), price


def scores(problem, i, w):
    """Scores of the parts of cluster i."""
    return np.append(problem.corpus.clusters[i].x @ problem.vector(w), 0.0)


def same(other, answer):
    """Which sentences of an answer another one has too."""
    return [label in other["labels"] for label in answer["labels"]]


# ---- the command line ---------------------------------------------------------------------------------------------------------------

OTHER_STRUCTURE = "chain"  # for --set structure=: refused, there is no other
ROWS = "clusters"  # what `data stats` calls what is learnt from
PERFECT = pytest.approx(47.3, abs=0.1)  # rouge2 of the first reference: no summary is all references
SMALL = {"budget": 40}
INIT = [(["--templates", "{other}"], "--templates asks for others")]
SAME = ["--budget", "40"]


def files(folder):
    """NAME.train, .dev, .system, .templates and .other."""
    clusters = [json.loads(line) for line in clusters_text("train", clusters=16).splitlines()]
    for record in clusters:  # short ones, because verbs run as plain Python too
        record["documents"] = [". ".join(text.split(". ")[:4]).rstrip(".") + "." for text in record["documents"][:3]]
    system = [record | {"summary": record["documents"][0][:100]} for record in clusters[10:]]
    for part, records in (("train", clusters[:10]), ("dev", clusters[10:]), ("system", system)):
        (folder / f"summaries.{part}").write_text("\n".join(map(json.dumps, records)) + "\n")
    (folder / "summaries.templates").write_text("bias\ncount stop\n")
    (folder / "summaries.other").write_text("share\n")


def written(text):
    """The clusters of a written file."""
    return text.strip().split("\n")
