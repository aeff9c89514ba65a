"""Small problems of constituency parsing, and their scores as the enumeration of trees over spans wants them."""

import io
import itertools

import numpy as np

from widemargin.corpora.town.brackets import brackets_text
from widemargin.families.constituency.brackets import read_brackets
from widemargin.families.constituency.training import pose_trees
from widemargin.families.recipes import Recipe
from widemargin.structures.spans.arrays import SpanParts

SMALL = """(S (NP (D a) (N b)) (V c))
(S (NP (N b)) (VP (V c) (NP (D a) (N b))))
(S (V c))
(S (NP (N b) (N a)) (VP (V c)))
"""
TEMPLATES = """bias
first.tag last.tag
before.tag after.word length
first.class length
all.tag
runs.tag before.tag
"""
SPLITS = "split.tag[-1] split.tag\nfirst.tag split.word\nsplit.tag after.tag right.length\n"


def small(text=SMALL):
    return read_brackets(io.StringIO(text))


def town(sentences):
    return read_brackets(io.StringIO("\n".join(brackets_text("train", sentences=40).split("\n")[:sentences])))


def recipe(structure="bigrams", **more):
    """A recipe with few features; wcfg has none."""
    features = {"templates": TEMPLATES + ("" if structure == "labels" else SPLITS), "hash_bits": 10} if structure != "wcfg" else {}
    return Recipe("constparse", structure=structure, **({"cost": "wrong=1.3,missed=0.4"} | features | more))


def posed(structure="bigrams", trees=None, **more):
    return pose_trees(recipe(structure, **more), small() if trees is None else trees)


def random_weights(problem, seed=0):
    return np.random.default_rng(seed).normal(size=problem.shape)


def spans_in_order(n):
    """All spans of n words in the order of their rows: shorter ones first."""
    return sorted(itertools.combinations(range(n + 1), 2), key=lambda span: (span[1] - span[0], span[0]))


def scores_of(problem, s, n):
    """Scores in a workspace as arrays."""
    structure = problem.structure
    found = structure.zeros(n)
    tables = [(found.span, s.spans.span.score)]
    if structure.splits:
        tables += [(found.left, s.splits.left.score), (found.right, s.splits.right.score)]
    for r, (i, j) in enumerate(spans_in_order(n)):
        for array, table in tables:
            if j - i == 1 or not structure.only_words:
                array[i, j] = table[r, : structure.symbols]
    grammar = ()
    if structure.name == "bigrams":
        grammar = s.grammar.left[:, : structure.symbols].copy(), s.grammar.right[:, : structure.symbols].copy()
    elif structure.name == "rules":
        grammar = (s.grammar.score.copy(),)
    return SpanParts(found.span, s.spans.root.score[0, : structure.symbols].copy(), found.left, found.right, grammar)
