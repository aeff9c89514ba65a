"""Training, answers, budgets, explanations and the estimator."""

import itertools
import json
import pickle

import numpy as np
import pytest
from sklearn.base import clone

import widemargin
from widemargin import InputError, Recipe, Summarizer, open_clusters, train
from widemargin.cli import main
from widemargin.families.summaries.candidates import Extraction, candidates_of
from widemargin.families.summaries.clusters import clusters_of
from widemargin.families.summaries.corpus import gold_of, row_of
from widemargin.families.summaries.costs import parse_summary_cost
from widemargin.families.summaries.templates import load_summary_templates
from widemargin.families.summaries.text import bigrams, words
from widemargin.structures.subset.arrays import Subset

pytestmark = pytest.mark.twice


@pytest.fixture(scope="module")
def town():
    return open_clusters("town:train:12"), open_clusters("town:dev:6")


@pytest.fixture(scope="module")
def fitted(town):
    return Summarizer(epochs=2, budget=40).fit(town[0], dev=town[1])


def recall(texts, references):
    """The share of reference bigrams that texts have, mean over references by bigram."""
    held = [set(bigrams(reference)) for reference in references]
    every = {bigram: sum(bigram in one for one in held) / len(held) for bigram in set.union(*held)}
    covered = {bigram for text in texts for bigram in bigrams(text)}
    return sum(share for bigram, share in every.items() if bigram in covered) / sum(every.values())


def test_the_gold_has_the_highest_recall_and_costs_are_what_recall_is_lost():
    texts = ["red cat sat here", "blue dog ran", "red cat and blue dog", "dog ran off again", "the old red cat"]
    references = ["red cat ran and blue dog ran", "the old dog ran off"]
    cluster = clusters_of([{"sentences": texts, "references": references}]).clusters[0]
    found = candidates_of(cluster, Extraction(9))
    row = row_of(found, load_summary_templates("counts"), Subset(), parse_summary_cost("recall*2"))
    best = recall([texts[j] for j in np.flatnonzero(row.gold[len(found.bigrams) :])], references)
    for size in range(1, 4):
        for chosen in itertools.combinations(range(5), size):
            if sum(len(words(texts[j])) for j in chosen) <= 9:
                own = recall([texts[j] for j in chosen], references)
                parts = np.zeros(len(row.gold))
                for j in chosen:
                    parts[found.coverage.entries[j]] = 1.0
                assert own <= best + 1e-12
                assert row.offset + parts @ row.price == pytest.approx(2 * (best - own), abs=1e-12)
    assert gold_of(found, Subset()).tolist() == row.gold.tolist()


def test_training_lowers_the_loss_and_beats_nothing_learnt(town):
    model = train(Recipe("summarize", "ops", objective="hinge", cost="recall", budget=40, settings={"epochs": 5, "rate": 0.01}), town[0])
    losses = [epoch["loss"] for epoch in model.facts["history"]]
    assert losses[-1] < losses[0]


BUDGETS = {"words": 30, "characters": 200, "bytes": 200, "sentences": 2}


@pytest.mark.parametrize("unit", BUDGETS)
def test_summaries_stay_within_their_budget_in_the_order_of_the_source(unit, fitted, town):
    measure = {
        "words": lambda t: len(words(t)),
        "characters": len,
        "bytes": lambda t: len(t.encode()),
        "sentences": lambda t: t.count("\n") + 1,
    }
    for cluster, summary in zip(town[1].clusters, fitted.summarize(town[1], **{unit: BUDGETS[unit]})):
        assert 0 < measure[unit](summary.text) <= BUDGETS[unit]
        assert list(summary.sentences) == sorted(summary.sentences)
        assert summary.text == "\n".join(cluster.sentences[j].text for j in summary.sentences)
        assert summary.gap == 0.0


def test_sentences_that_must_and_may_not_be_there(fitted, town):
    plain = fitted.summarize(town[1])
    away = fitted.summarize(town[1], never=[summary.sentences[:1] for summary in plain])
    here = fitted.summarize(town[1], must=[[5] for _ in plain])
    for one, other, forced in zip(plain, away, here):
        assert one.sentences[0] not in other.sentences
        assert 5 in forced.sentences
        assert one.score >= max(other.score, forced.score)
    both = [dict(cluster.record, never=list(one.sentences[:1])) for cluster, one in zip(town[1].clusters, plain)]
    for one, kept in zip(plain, fitted.summarize(both, must=[[5, 5] for _ in plain])):  # a cluster's own `never` stays
        assert 5 in kept.sentences
        assert (one.sentences[0] not in kept.sentences) or one.sentences[0] == 5
    with pytest.raises(InputError, match="sentence 5 must and may not be chosen"):
        fitted.summarize(town[1], must=[[5] for _ in plain], never=[[5] for _ in plain])
    with pytest.raises(InputError, match="give one for each"):
        fitted.summarize(town[1], must=[[1]])
    with pytest.raises(InputError, match="no sentence 999"):
        fitted.summarize(town[1], never=[[999] for _ in plain])


def test_solvers_agree_but_for_the_greedy_one(fitted, town):
    found = {
        solver: [summary.score for summary in fitted.summarize(town[1], solver=solver)] for solver in ("auto", "exact", "milp", "greedy")
    }
    np.testing.assert_allclose(found["milp"], found["exact"], atol=1e-6)
    assert found["auto"] == found["exact"]
    assert all(a <= b + 1e-9 for a, b in zip(found["greedy"], found["exact"]))
    with pytest.raises(InputError, match="solver 'magic' is not known"):
        fitted.summarize(town[1], solver="magic")


def test_a_search_that_is_given_up_says_so(town):
    model = Summarizer(epochs=1, budget=60, nodes=2).fit(town[0])
    gaps = [summary.gap for summary in model.summarize(town[1], solver="exact")]
    assert max(gaps) > 0.0
    assert all(summary.gap <= 1e-6 for summary in model.summarize(town[1], solver="auto"))
    assert model.history_[0]["unfinished"] > 0


def test_explanations_add_up(fitted, town):
    found = fitted.explain(town[1].clusters[0].record)
    assert len(found.decisions) == len(found.labels) > 1
    for decision in found.decisions:
        assert decision.label not in decision.comparison.theirs
        assert sum(part.value for part in decision.comparison.contributions) == pytest.approx(decision.margin, abs=1e-9)


def test_estimators_are_saved_pickled_cloned_and_go_on(fitted, town, tmp_path):
    path = str(tmp_path / "model")
    fitted.save(path)
    for other in (Summarizer.load(path), pickle.loads(pickle.dumps(fitted))):
        assert other.predict(town[1]) == fitted.predict(town[1])
        assert other.get_params()["budget"] == 40
    assert clone(fitted).get_params() == fitted.get_params()
    twice = Summarizer(budget=40, random_state=3).partial_fit(town[0]).partial_fit(town[0])
    whole = Summarizer(budget=40, random_state=3, epochs=2).fit(town[0])
    np.testing.assert_allclose(twice.model_.weights.features, whole.model_.weights.features, atol=1e-6)
    assert 0.0 < fitted.score(town[1]) < 1.0
    assert isinstance(widemargin.load(path), widemargin.SummaryModel)
    assert set(fitted.weights) == set(fitted.model_.names)


def test_python_data_with_references(fitted):
    X = [["The cat sat on the mat. The dog ran.", "The cat sat there today."], ["One thing was told here. Another was not."]]
    y = ["the cat sat on a mat", ["one thing was told", "a thing was told here"]]
    model = Summarizer(epochs=1, budget=6)
    assert model.fit(X, y).predict(X)[1] == "One thing was told here."
    assert [len(found) for found in model.predict_kbest(X, 2)] == [2, 2]
    for bad, words_ in (
        ((X, y[:1]), "references for 1; give them for each"),
        ((X, None), "no cluster has references"),
        (("text", None), "give a list of clusters"),
    ):
        with pytest.raises(InputError, match=words_):
            Summarizer().fit(*bad)


def test_commands_take_budgets(fitted, tmp_path, capsys):
    fitted.save(str(tmp_path / "model"))
    assert main(["predict", str(tmp_path / "model"), "town:dev:2", "--words", "20", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["sentences"]
    assert all(len(words(one["summary"])) <= 20 for one in found)
    assert main(["evaluate", str(tmp_path / "model"), "town:dev:2", "--sentences", "1", "--references", "jackknife", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["metrics"]) >= {"rouge1", "rouge2", "rougeL", "rougeLsum", "rouge2_f"}
    assert main(["predict", str(tmp_path / "model"), "town:dev:1", "--solver", "greedy"]) == 0
    assert json.loads(capsys.readouterr().out)["gap"] is None  # nothing is known of better ones
    assert main(["predict", str(tmp_path / "model"), "town:dev:1", "--solver", "milp", "--seconds", "20"]) == 0
    assert json.loads(capsys.readouterr().out)["gap"] == 0.0
    assert main(["predict", str(tmp_path / "model"), "town:dev:2", "--words", "20", "--bytes", "20"]) == 2
    assert "give one of them" in capsys.readouterr().err
