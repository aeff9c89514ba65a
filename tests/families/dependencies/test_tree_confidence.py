"""Probabilities of arcs, relations and trees, entropies, k-best lists and explanations, against every tree in a list."""

import dataclasses

import numpy as np
import pytest
from parsing_data import SIBLINGS, TEMPLATES
from tree_enumeration import every, siblings_of

from widemargin import InputError
from widemargin.engine.gradient import score_row
from widemargin.families.dependencies.decoding import fixed_rows, reader_of
from widemargin.families.dependencies.features import ArcFeatures
from widemargin.families.dependencies.model import Parser
from widemargin.families.dependencies.problem import TreeWeights
from widemargin.families.dependencies.sentences import treebank_of
from widemargin.families.dependencies.templates import parse_arc_templates

pytestmark = pytest.mark.twice
RELATIONS = ("subj", "obj", "mod")
CASES = [("heads", False)]
WIDE = [("eisner", True), ("eisner", False), ("arborescence", True), ("siblings", True)]  # each takes 20 to 50 s to compile
X = [["one", "two", "three"], ["two"], ["one", "three", "two", "one"], ["four", "five"]]
TREES = [[0, (1, "subj"), (1, None)], [(0, "mod")], [None, 1, 1, (3, "obj")], [2, 0]]
TREEBANK = treebank_of(X)


@pytest.fixture(scope="module", params=[*CASES, *(pytest.param(case, marks=pytest.mark.wide) for case in WIDE)], ids=str)
def parser(request):
    """A parser with random weights, at a temperature."""
    structure, labelled = request.param
    text = TEMPLATES + SIBLINGS if structure == "siblings" else TEMPLATES
    templates = tuple(template for template in parse_arc_templates(text) if labelled or not template.label)
    features = ArcFeatures(templates, bits=10, label_bits=6).fit(TREEBANK.columns)
    random = np.random.default_rng(3)
    tables = ((features.arc_rows, 16), (features.label_rows, 4))
    weights = TreeWeights(*(random.normal(size=shape).astype(np.float32) * 0.4 for shape in tables))
    return Parser(RELATIONS if labelled else (), structure, structure != "heads", features, weights, temperature=1.7)


class Enumerated:
    """All trees of a sentence with their scores, summed in float64."""

    def __init__(self, parser, i):
        part = parser.corpus(TREEBANK).part(np.array([i]))
        n, R = part.longest, len(parser.relations)
        weights = TreeWeights(*(table.astype(np.float64) for table in parser.weights))
        s = parser.structure.workspace(n, dtype=np.float64)
        score_row(fixed_rows(parser.structure, weights, part), s, 0, reader_of(weights))
        arcs = s.arcs.score.copy()
        if R:
            arcs = arcs[..., None] + s.arcs.labels.score[:, :R].reshape(n + 1, n + 1, R)
        self.trees = every(parser.structure_name, n, parser.single_root, R)
        self.shape, self.score = arcs.shape, self.trees.phi @ np.where(np.isfinite(arcs), arcs, 0.0).reshape(-1)
        if parser.structure_name == "siblings":
            table = parser.structure.sibling_scores(s, n)
            self.score += np.array([(siblings_of(heads) * table).sum() for heads in self.trees.heads.tolist()])
        scaled = self.score / parser.temperature
        self.log_z = scaled.max() + np.log(np.exp(scaled - scaled.max()).sum())
        self.log_p = scaled - self.log_z


def test_sums_are_those_over_all_trees(parser):
    found = parser.scored(TREEBANK).sums()
    by_label = parser.marginals(TREEBANK, relations=True) if parser.relations else found.arcs
    for i in range(len(X)):
        twin = Enumerated(parser, i)
        p = np.exp(twin.log_p)
        parts = (p @ twin.trees.phi).reshape(twin.shape)
        assert found.log_z[i] == pytest.approx(twin.log_z, abs=1e-5)
        assert found.entropy[i] == pytest.approx(-(p * twin.log_p).sum(), abs=1e-5)
        np.testing.assert_allclose(by_label[i], parts, atol=1e-6)
        np.testing.assert_allclose(found.arcs[i], parts.sum(axis=2) if parser.relations else parts, atol=1e-6)


def test_the_probability_of_what_is_known_of_a_tree(parser):
    gold = np.stack([treebank_of(X, TREES).heads, [-1 if r is None else r for r in codes()]], axis=1).astype(np.int32)
    if not parser.relations:
        gold[:, 1] = -1
    found = parser.scored(TREEBANK).log_probability(gold)
    for i, (low, high) in enumerate(zip(TREEBANK.row_ptr, TREEBANK.row_ptr[1:])):
        twin = Enumerated(parser, i)
        head, label = gold[low:high].T
        keep = ((twin.trees.heads == head) | (head < 0)).all(axis=1) & ((twin.trees.labels == label) | (label < 0)).all(axis=1)
        assert found[i] == pytest.approx(np.log(np.exp(twin.log_p[keep]).sum()), abs=1e-5)
    if parser.structure_name != "heads":
        gold[:, 0], gold[:3, 0] = -1, [2, 1, 1]  # a circle
        assert parser.scored(TREEBANK).log_probability(gold)[0] == -np.inf


def codes():
    """Relations of TREES as numbers of RELATIONS."""
    return [RELATIONS.index(arc[1]) if isinstance(arc, tuple) and arc[1] else None for tree in TREES for arc in tree]


def test_refusals(parser):
    for temperature in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(InputError, match="temperature"):
            parser.marginals(TREEBANK, temperature)
    with pytest.raises(InputError, match="at least 1"):
        parser.kbest(TREEBANK, 0)
    if not parser.relations:
        with pytest.raises(InputError, match="heads alone"):
            parser.marginals(TREEBANK, relations=True)
    cold = dataclasses.replace(parser, temperature=1e-3)
    assert all(np.isfinite(table).all() for table in cold.marginals(TREEBANK))
