"""Exact F1 inside training: values of slack and margin rescaling against lists of all trees, and learners on them."""

import dataclasses

import numpy as np
import pytest
import span_enumeration as twin
from count_cases import twin_counts
from modes import wide
from span_parsing import posed, random_weights, scores_of, small

from widemargin.engine.gradient import score_row
from widemargin.engine.objectives import objective_named
from widemargin.engine.penalty import Penalty
from widemargin.errors import InputError
from widemargin.families.constituency.problem import SpanProblem
from widemargin.learners.duals import Dual
from widemargin.learners.online import Online
from widemargin.structures.spans.count_prices import CountedTreebank, count_prices, for_counts, original_counts


class CountedProblem(SpanProblem):
    """Trees at the F1 of their original brackets."""

    def labels(self):
        symbols = self.corpus.inventory.symbols
        return [symbols.stands_for(a) for a in range(len(symbols))]

    def rows(self, dtype, room):
        rows = super().rows(dtype, room)
        price = count_prices(self.structure, "f1", original_counts(self.labels()), rows.target, dtype=dtype)
        return rows._replace(target=CountedTreebank(rows.target, price))


def problem_of(structure, objective, l2=0.1):
    found = posed(structure, small()).problem
    fields = {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}
    return CountedProblem(
        **fields | {"structure": for_counts(found.structure), "objective": objective_named(objective), "penalty": Penalty(0.0, l2)}
    )


def listed_loss(problem, w, i):
    """The loss of a sentence from the list of all its trees."""
    corpus = problem.corpus
    n = int(corpus.token[i + 1] - corpus.token[i])
    s, rows = problem.workspace(np.float64, n), problem.part(np.array([i])).rows(np.float64, n)
    score_row(rows, s, 0, problem.reader(w))
    scores, labels = scores_of(problem, s, n), problem.labels()
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
