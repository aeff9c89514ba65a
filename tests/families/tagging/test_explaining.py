"""Explanations against enumeration: every label sequence, scored by names."""

import dataclasses
import itertools
import json

import numpy as np
import pytest

from widemargin.errors import InputError
from widemargin.families.recipes import Recipe, train
from widemargin.families.tagging import schemes
from widemargin.families.tagging.explanations import SHARED, explain
from widemargin.families.tagging.model import Tagger
from widemargin.readers.columns import from_sentences
from widemargin.scoring.score import Linear
from widemargin.structures import Chain, Legal

WORDS = ["Ann", "saw", "the", "old", "port", "of", "Rome"]
PLAIN = "word[-1..1]\nsuffix(word,1)\nbias\nword[0] word[1]\n"
EDGES = PLAIN + "label[-1] word[0]\nlabel[-1] word[-1] bias\n"


def sentences(count: int, seed: int):
    """Random words under random IOB2 labels of one type, which become B, I, E, S and O."""
    random = np.random.default_rng(seed)
    out = []
    for _ in range(count):
        length = int(random.integers(1, 6))
        inside = random.random(length) < 0.6
        labels = ["O" if not here else "I-X" if t and inside[t - 1] and random.random() < 0.7 else "B-X" for t, here in enumerate(inside)]
        out.append([(str(random.choice(WORDS)), label) for label in labels])
    return out


TRAIN, TEST = (from_sentences(sentences(count, seed), names=("word", "label")) for count, seed in ((60, 1), (12, 2)))


def random_tagger(recipe: Recipe, seed: int = 0) -> Tagger:
    """A model with weights from a hat: nothing ties, and every margin is of some size."""
    tagger = train(dataclasses.replace(recipe, settings={"epochs": 1}), TRAIN)
    random, Y = np.random.default_rng(seed), len(tagger.labels)
    weights = Linear(np.zeros_like(tagger.weights.labels), np.zeros_like(tagger.weights.transitions))
    for table in weights:
        table[:, :Y] = random.normal(size=(len(table), Y))
    return dataclasses.replace(tagger, weights=weights)


RECIPES = {
    "constrained, with edge features": Recipe(task="ner", templates=EDGES, label_column="label"),
    "free": Recipe(task="ner", templates=PLAIN, label_column="label", constraints="none"),
    "one label out of K": Recipe(task="tag", templates=PLAIN, label_column="label", structure="choice"),
}


@pytest.fixture(scope="module", params=list(RECIPES))
def tagger(request) -> Tagger:
    return random_tagger(RECIPES[request.param])


def enumerated(tagger: Tagger, sentence: int) -> dict[tuple[str, ...], float]:
    """The score of every legal sequence of a sentence, weight by weight."""
    features, labels, Y = tagger.features(TEST), tagger.labels, len(tagger.labels)
    low, high = TEST.row_ptr[sentence], TEST.row_ptr[sentence + 1]
    start, step, stop = schemes.legal(list(labels), tagger.constraints) if tagger.constraints else (np.ones(Y), np.ones((Y, Y)), np.ones(Y))
    scores = {}
    for path in itertools.product(range(Y), repeat=high - low):
        if not (start[path[0]] and stop[path[-1]] and all(step[i][j] for i, j in zip(path, path[1:]))):
            continue
        score = 0.0
        for t, y in enumerate(path, low):
            for f in features.node_ind[features.node_ptr[t] : features.node_ptr[t + 1]]:
                score += float(tagger.weights.labels[f, y])
            if t > low and len(tagger.weights.transitions):
                before = path[t - low - 1]
                score += float(tagger.weights.transitions[before, y])
                if len(features.edge_ptr) > 1:
                    for f in features.edge_ind[features.edge_ptr[t] : features.edge_ptr[t + 1]]:
                        score += float(tagger.weights.transitions[(1 + f) * Y + before, y])
        scores[tuple(labels[y] for y in path)] = score
    return scores


SENTENCES = range(len(TEST.row_ptr) - 1)


def test_margins_and_runners_up_are_those_of_enumeration(tagger):
    for i in SENTENCES:
        scores, found = enumerated(tagger, i), explain(tagger, TEST, i)
        assert found.labels == max(scores, key=scores.get)
        assert found.score == pytest.approx(scores[found.labels], abs=1e-9)
        for t, decision in enumerate(found.decisions):
            others = {path: score for path, score in scores.items() if path[t] != found.labels[t]}
            best = max(others, key=others.get)
            assert (decision.token, decision.label, decision.runner_up) == (t, found.labels[t], best[t])
            assert (decision.comparison.ours, decision.comparison.theirs) == (found.labels, best)
            assert decision.margin == decision.comparison.difference == pytest.approx(found.score - others[best], abs=1e-9)


def test_contributions_sum_to_the_difference_and_are_the_weights(tagger):
    labels, Y = tagger.labels, len(tagger.labels)
    kinds = set()
    for i in SENTENCES:
        for decision in explain(tagger, TEST, i).decisions:
            comparison = decision.comparison
            assert sum(c.value for c in comparison.contributions) == pytest.approx(comparison.difference, abs=1e-9)
            sizes = [abs(c.value) for c in comparison.contributions]
            assert sizes == sorted(sizes, reverse=True)
            for c in comparison.contributions:
                first = c.token + 1 - len(c.ours)
                assert (c.ours, c.theirs) == (comparison.ours[first : c.token + 1], comparison.theirs[first : c.token + 1])
                assert c.ours != c.theirs
                ours, theirs = ([labels.index(label) for label in pair] for pair in (c.ours, c.theirs))
                if len(ours) == 1:
                    w, kind = tagger.weights.labels[tagger.extractor.nodes.find(c.feature)], "node"
                elif c.feature == SHARED:
                    w, kind = tagger.weights.transitions[:Y], "shared"
                else:
                    f, kind = tagger.extractor.edges.find(c.feature), "edge"
                    w = tagger.weights.transitions[(1 + f) * Y : (2 + f) * Y]
                assert c.value == float(w[tuple(ours)]) - float(w[tuple(theirs)])
                kinds.add(kind)
    expected = {"node"} if tagger.structure_name == "choice" else {"node", "shared"}
    assert kinds == (expected | {"edge"} if len(tagger.extractor.edges) else expected)


def test_all_features_of_a_token_contribute(tagger):
    features = tagger.features(TEST)
    for i in SENTENCES:
        for decision in explain(tagger, TEST, i).decisions:
            t = TEST.row_ptr[i] + decision.token
            names = [tagger.extractor.nodes.name(f) for f in features.node_ind[features.node_ptr[t] : features.node_ptr[t + 1]]]
            here = [c.feature for c in decision.comparison.contributions if c.token == decision.token and len(c.ours) == 1]
            assert sorted(here) == sorted(names)


def test_the_second_best_sequence_is_that_of_k_best(tagger):
    for i in SENTENCES:
        scores = enumerated(tagger, i)
        best, second = sorted(scores, key=scores.get, reverse=True)[:2]
        found = explain(tagger, TEST, i).second_best
        assert (found.ours, found.theirs) == (best, second)
        if tagger.structure_name == "chain":
            (high, _), (low, _) = tagger.kbest(TEST, 2)[i]
            assert found.difference == pytest.approx(high - low, abs=1e-4)


def test_constraints_may_leave_no_choice():
    tagger = random_tagger(RECIPES["free"])
    Y = len(tagger.labels)
    one = np.arange(Y) == 2
    tagger.structure = Chain(Y, Legal(one, np.outer(one, one), one))
    found = explain(tagger, TEST, 1)
    assert len(found.decisions) > 1
    assert {(d.label, d.runner_up, d.margin, d.comparison) for d in found.decisions} == {(tagger.labels[2], None, None, None)}
    assert found.second_best is None


def test_an_explanation_becomes_json(tagger):
    text = json.dumps(dataclasses.asdict(explain(tagger, TEST, 1)))
    assert json.loads(text)["decisions"][0]["comparison"]["contributions"][0].keys() == {"feature", "token", "ours", "theirs", "value"}


def test_a_sentence_that_is_not_there(tagger):
    with pytest.raises(InputError, match="there is no sentence 13; there are 12"):
        explain(tagger, TEST, 12)
