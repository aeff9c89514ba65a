"""Probabilities of brackets and trees, and the k best trees, against lists of all trees."""

import io
import json

import numpy as np
import pytest
import span_enumeration as twin
from modes import wide
from span_parsing import posed, random_weights, scores_of, small

from widemargin.cli import main
from widemargin.engine.gradient import score_row
from widemargin.families.base import Wanted
from widemargin.families.constituency.answers import answer, write
from widemargin.families.constituency.brackets import read_brackets
from widemargin.families.constituency.model import Failures
from widemargin.families.constituency.transforms import transformed

STRUCTURES = wide(["bigrams"], ["rules"], ["labels"], ["wcfg"])  # commands of the conformance suite compile their like
TEMPERATURE = 1.7


def every_tree(found, w, i, temperature):
    """All binary trees of sentence i, and their scores at a temperature."""
    problem = found.problem
    n = int(problem.corpus.token[i + 1] - problem.corpus.token[i])
    s, rows = problem.workspace(np.float64, n), problem.part(np.array([i])).rows(np.float64, n)
    score_row(rows, s, 0, problem.reader(w))
    scores = scores_of(problem, s, n)
    trees = twin.every(problem.structure, scores)
    return trees, np.array([twin.score(problem.structure, scores, nodes) for nodes in trees]) / temperature


def labels_of(inventory, nodes):
    return {(i, j, label) for i, _, j, a in nodes.tolist() for label in inventory.symbols.stands_for(a)}


@pytest.fixture
def parser(request):
    found = posed(request.param)
    w = random_weights(found.problem).astype(np.float32).astype(np.float64)
    model = found.finish(w, {})
    model.temperature = TEMPERATURE
    return found, w, model


@pytest.mark.parametrize("parser", STRUCTURES, indirect=True)
def test_probabilities_are_shares_of_all_trees(parser):
    found, w, model = parser
    parsed, probability, log_probability = model.marginals(small())
    for i in range(parsed.trees.sentences):
        trees, values = every_tree(found, w, i, TEMPERATURE)
        share = np.exp(values - np.logaddexp.reduce(values))
        assert log_probability[i] == pytest.approx(np.log(share.max()), abs=1e-5)
        low, high = parsed.trees.node_ptr[i : i + 2]
        for (first, end, label), p in zip(parsed.trees.node[low:high].tolist(), probability[low:high]):
            bracket = first, end, parsed.trees.labels[label]
            slow = sum(q for nodes, q in zip(trees, share) if bracket in labels_of(model.inventory, nodes))
            assert p == pytest.approx(slow, abs=1e-5)


@pytest.mark.parametrize("parser", STRUCTURES, indirect=True)
def test_the_k_best_are_the_first_of_the_list(parser):
    found, w, model = parser
    for i, ranked in enumerate(model.kbest(small(), 4)):
        trees, values = every_tree(found, w, i, TEMPERATURE)
        order = np.argsort(-values)[:4]
        assert len(ranked) == len(order)
        for tree, at in zip(ranked, order):
            assert tree.score == pytest.approx(values[at] * TEMPERATURE, rel=1e-5)
            assert tree.log_probability == pytest.approx(values[at] - np.logaddexp.reduce(values), abs=1e-5)
            np.testing.assert_array_equal(tree.node, trees[at])


@pytest.mark.parametrize("parser", wide(["bigrams"]), indirect=True)
def test_what_is_written_is_read_again_without_numbers(parser, tmp_path, capsys):
    _, _, model = parser
    plain = answer(model, small(), Wanted(), Failures()).best.trees
    for wanted in (Wanted(marginals=True), Wanted(probability=True), Wanted(marginals=True, probability=True), Wanted(kbest=1)):
        out = io.BytesIO()
        write(small(), answer(model, small(), wanted, Failures()), out)
        text = out.getvalue().decode()
        assert "=0." in text or "=1." in text
        again = transformed(read_brackets(io.StringIO(text)))
        assert [str(again.tree(i)) for i in range(4)] == [str(plain.tree(i)) for i in range(4)]
    path = str(tmp_path / "m")
    model.save(path)
    (tmp_path / "s.tok").write_text("a_D b_N c_V\n")
    assert main(["predict", path, str(tmp_path / "s.tok"), "--kbest", "2", "--marginals", "--json"]) == 0
    (sentence,) = json.loads(capsys.readouterr().out)["sentences"]
    assert len(sentence["kbest"]) == 2
    assert len(sentence["marginals"]) == len(sentence["brackets"])
