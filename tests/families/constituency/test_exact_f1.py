"""Exact F1 inside training: values of slack and margin rescaling against lists of all trees, and learners on them."""

import numpy as np
import pytest
import span_enumeration as twin
from count_cases import twin_counts
from modes import wide
from span_parsing import SMALL, posed, random_weights, scores_of, small

from widemargin.engine.gradient import score_row
from widemargin.errors import InputError
from widemargin.families.constituency.costs import parse_span_cost
from widemargin.families.constituency.kinds import KINDS
from widemargin.families.recipes import train
from widemargin.learners.duals import Dual
from widemargin.learners.online import Online


def problem_of(structure, objective, cost="f1"):
    """Of a recipe with such a cost."""
    return posed(structure, small(), learner="sgd", objective=objective, cost=cost, l2=0.1).problem


def listed_loss(problem, w, i):
    """The loss of a sentence from the list of all its trees."""
    corpus = problem.corpus
    n = int(corpus.token[i + 1] - corpus.token[i])
    s, rows = problem.workspace(np.float64, n), problem.part(np.array([i])).rows(np.float64, n)
    score_row(rows, s, 0, problem.reader(w))
    symbols = corpus.inventory.symbols
    scores, labels = scores_of(problem, s, n), [symbols.stands_for(a) for a in range(len(symbols))]
    gold = corpus.gold.node[corpus.gold.node_at[i] : corpus.gold.node_at[i + 1]]
    trees = twin.every(problem.structure, scores)
    value = np.array([twin.score(problem.structure, scores, nodes) for nodes in trees])
    counts = [twin_counts(nodes, gold, lambda words, a: labels[a]) for nodes in trees]
    cost = np.array([(size + fp - tp) / max(size + fp + tp, 1) for tp, fp, size in counts])
    right = value[[(nodes == gold).all() for nodes in trees]][0]
    return max(0.0, (cost * (1.0 + value - right)).max()) if problem.objective.name == "slack" else (value + cost).max() - right


@pytest.mark.parametrize("structure", [*wide(["bigrams"], ["rules"]), "wcfg"])
@pytest.mark.parametrize("objective", wide(["slack"], ["hinge"]))
def test_losses_are_those_of_lists_of_all_trees(structure, objective):
    problem = problem_of(structure, objective)
    w = random_weights(problem)
    expected = np.mean([listed_loss(problem, w, i) for i in range(problem.corpus.rows)])
    assert problem.value(w) == pytest.approx(expected + 0.05 * (w**2).sum())


@pytest.mark.wide
@pytest.mark.parametrize("objective", ["slack", "hinge"])
def test_learners_reach_one_f(objective):
    problem = problem_of("wcfg", objective)
    planes = Dual("cutting-plane", epochs=80, tolerance=1e-4).fit(problem)
    assert planes.history[-1]["gap"] <= 1e-4 * planes.history[-1]["primal"]
    least = problem.value(planes.w)
    for learner in (Dual("ocp", epochs=200, tolerance=1e-3), Dual("one-slack", epochs=200, tolerance=1e-3)):
        assert problem.value(learner.fit(problem).w) == pytest.approx(least, rel=5e-3)
    online = Online("sgd", epochs=60, rate=1.0, schedule="inverse", dtype="float64").fit(problem)
    assert least - 1e-9 <= problem.value(online.w) <= 1.1 * least


def test_sums_over_costs_by_counts_are_refused():
    for objective in ("likelihood", "softmax-margin", "jensen", "risk"):
        with pytest.raises(InputError, match="does not offer"):
            problem_of("wcfg", objective)


def test_forms_of_costs():
    symbols = posed("wcfg", small()).inventory.symbols
    for text, delta, factor, counting in (
        ("f1", "f1", 1.0, "original"),
        ("f1*2", "f1", 2.0, "original"),
        ("binarised: fp", "fp", 1.0, "binarised"),
        ("original: 2*fp / (tp + fp)", "2*fp / (tp + fp)", 1.0, "original"),
    ):
        cost = parse_span_cost(text, symbols, KINDS["wcfg"])
        assert (cost.delta, cost.factor, cost.counting) == (delta, factor, counting)
    for text, kind, words in (
        ("brackets: f1", "wcfg", "not a way to count"),
        ("original: exp(tp)", "wcfg", "has 'exp"),
        ("original: ", "wcfg", "neither a known name nor arithmetic"),
        ("f1", "labels", "no grammar"),
    ):
        with pytest.raises(InputError, match=words):
            parse_span_cost(text, symbols, KINDS[kind])
    with pytest.raises(InputError, match="some of the gold is not known"):
        posed("wcfg", small(SMALL + "(? (D a) (N b))\n"), objective="slack", cost="f1").problem.value(0.0)


@pytest.mark.wide
def test_a_training_that_goes_on_ends_at_the_same_bytes(tmp_path):
    """Where a search begins is part of the state, for it may decide between trees that are equally bad."""

    class Stop(Exception):
        pass

    def stop(facts):
        if facts["epoch"] == 3:
            raise Stop

    how = {"structure": "wcfg", "cost": "f1", "objective": "slack", "learner": "ops", "epochs": 4}
    whole = train("constparse", small(), **how)
    path = str(tmp_path / "state")
    with pytest.raises(Stop):
        train("constparse", small(), **how, checkpoint=path, every=0.0, listen=stop)
    again = train("constparse", small(), **how, checkpoint=path, every=0.0, resume=True)
    for one, other in zip(whole.weights, again.weights):
        np.testing.assert_array_equal(one, other)
