"""Pruning by name: what a beam leaves is the best of the trees whose symbols are near the best one of their span."""

import numpy as np
import pytest
from span_parsing import posed, random_weights, recipe, small

from widemargin import InputError
from widemargin.engine.gradient import score_row
from widemargin.families.constituency.model import Failures
from widemargin.families.constituency.problem import structure_of
from widemargin.families.recipes import train

pytestmark = pytest.mark.wide


@pytest.mark.parametrize("structure", ["bigrams", "rules", "labels", "wcfg"])
def test_the_best_of_what_the_beam_leaves(structure):
    ready = posed(structure)
    model = ready.finish(random_weights(ready.problem), {})
    trees, full = small(), model.guess(small())
    for beam in (0.0, 0.5, 2.0, 100.0):
        found = model.guess(trees, beam=beam)
        for i in range(trees.sentences):
            corpus = model.corpus(trees.part([i]))
            n, s = corpus.longest, model.structure.workspace(corpus.longest, dtype=np.float32)
            score_row(model.scorer.rows(corpus), s, 0, model.scorer.reader)
            scores = model.structure.scores(s, n)
            near = scores.span >= scores.span.max(axis=2, keepdims=True) - beam
            near[0, n] = True
            all_spans = structure_of(model.inventory, model.features, all_spans=True)
            try:
                expected = all_spans.argmax(scores, near)[0]
            except InputError:  # nothing is left
                expected = full.score[i]
                assert found.pruned.again[i]
            assert found.score[i] == pytest.approx(expected, abs=1e-4)
        kept, every = found.pruned.kept.sum(axis=0)
        assert kept == every if beam == 100.0 else kept < every or beam > 1.0


def test_pruning_is_told():
    model = train(recipe(learner="perceptron", settings={"epochs": 1}), small())
    with pytest.warns(RuntimeWarning, match="the beam looked at"):
        model.predict(small(), Failures(prune_chart=1.0))
