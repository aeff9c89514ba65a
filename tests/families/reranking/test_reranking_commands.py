"""Rerankers from files to answers: learners against a twin, scaling, text features, the commands of the family, lists of the town."""

import dataclasses
import json

import numpy as np
import pytest

import widemargin
from widemargin.cli import main
from widemargin.errors import InputError
from widemargin.families.reranking.features import featurised, load_templates
from widemargin.families.reranking.hypotheses import pool_of
from widemargin.families.reranking.metrics import metric_named
from widemargin.families.reranking.reports import picture
from widemargin.families.reranking.sources import open_pool
from widemargin.families.reranking.town import town_pool
from widemargin.learners import learner_named


def lists(seed=0, sentences=30, shift=0.0, scale=1.0):
    """Lists in which f says what is good, g is noise and h is constant in each list."""
    random, X = np.random.default_rng(seed), []
    for i in range(sentences):
        worth = random.random(5)
        X.append(
            [
                {
                    "text": f"a{k} b{i}",
                    "features": {"f": float(scale * w + shift), "g": float(random.normal()), "h": float(i)},
                    "metrics": {"m": float(w)},
                }
                for k, w in enumerate(worth)
            ]
        )
    return pool_of(X)


@pytest.mark.twice
def test_weights_come_back_in_the_scale_of_their_features():
    """Features in other units give the same choices and scores; a constant feature is named and gets no weight."""
    notes, models = [], []
    for scale, shift in ((1.0, 0.0), (1000.0, -7e5)):
        pool = lists(scale=scale, shift=shift)
        recipe = widemargin.Recipe("rerank", "lbfgs", objective="likelihood", metric="m", settings={"dtype": "float64", "epochs": 60})
        models.append((widemargin.train(recipe, pool, notice=notes.append), pool))
    (plain, pool), (moved, other) = models
    assert plain.weights.values[0] == pytest.approx(1000 * moved.weights.values[0], rel=1e-3)
    assert plain.weights.values[2] == 0.0
    assert notes == ["a feature with one value in every list, which can decide nothing: h"] * 2
    assert plain.predict(pool).tolist() == moved.predict(other).tolist()
    assert plain.evaluate(pool)["m"] > plain.evaluate(pool)["baseline"] + 0.1
    with pytest.raises(InputError, match="every feature has one value"):
        widemargin.train("rerank", pool_of([[("a", {"f": 1.0}), ("b", {"f": 1.0})]], ["a"]))


@pytest.mark.twice
def test_lbfgs_reaches_the_minimum_of_the_twin():
    """softmax-margin over lists, written out in NumPy: the gradient at the weights found is nearly 0."""
    pool = lists(1)
    recipe = widemargin.Recipe("rerank", objective="softmax-margin", metric="m", l2=0.1, cost="sentence*300")
    posed = recipe.family.pose(recipe, pool)
    w = posed.problem.vector(learner_named("lbfgs", {"dtype": "float64", "delta": 1e-9, "epochs": 80}).fit(posed.problem).w)
    x, worth = pool.dense() * posed.scaled.inverse, pool.columns["m"]
    gradient = 0.1 * w
    for low, high in zip(pool.row_ptr, pool.row_ptr[1:]):
        own, m = x[low:high], worth[low:high]
        p = np.exp(own @ w + 300 * (m.max() - m) / 100)
        gradient += (p / p.sum() @ own - own[np.argmax(m)]) / pool.sentences
    assert np.abs(gradient).max() < 1e-4


@pytest.mark.twice
def test_features_of_texts_are_counts():
    pool = pool_of([[("a b a", {"f": 1}), ("b", {"f": 2})], [("a b", {"g": 1})]])
    made = featurised(pool, load_templates("f\ntext:length\ntext:words\ntext:bigrams\n"))
    assert set(made.names) == {"f", "text:length", "word:a", "word:b", "pair:a_b"}  # b a stands in one sentence alone
    found = [dict(zip(made.names, row)) for row in made.dense()]
    assert found[0] == {"f": 1, "text:length": 3, "word:a": 2, "word:b": 1, "pair:a_b": 1}
    assert found[1] == {"f": 2, "text:length": 1, "word:a": 0, "word:b": 1, "pair:a_b": 0}
    assert found[2]["f"] == 0
    again = featurised(pool_of([[("b a b", {"f": 3, "z": 9})]]), load_templates("f\ntext:words\n"), made.names)
    assert dict(zip(again.names, again.dense()[0])) == {"f": 3, "text:length": 0, "word:a": 1, "word:b": 2, "pair:a_b": 0}
    for bad in ("text:letters\n", "a b\n", "\n# nothing\n", "nowhere"):
        with pytest.raises(InputError):
            load_templates(bad)


def test_the_town_has_lists_that_can_be_improved():
    pool = town_pool("dev", sentences=30)
    assert town_pool("dev", sentences=30).text == pool.text
    assert town_pool("dev", sentences=60).texts[: len(pool)] == pool.texts  # a longer part begins with the shorter
    best = metric_named(pool, "bleu")
    assert best.total(best.counts[best.best(pool)].sum(axis=0)) > best.total(best.counts[pool.row_ptr[:-1]].sum(axis=0)) + 10
    assert (np.diff(pool.score)[np.diff(pool.row) == 0] <= 1e-9).all()  # best first
    x = dict(zip(pool.names, pool.dense().T))
    np.testing.assert_allclose(pool.score, x["channel"] + 0.2 * x["lm"], atol=1e-9)
    for i, source in enumerate(pool.sources):
        first = pool.row_ptr[i]
        kept = sum(a == b for a, b in zip(source.split(), pool.texts[first].split()))
        assert len(source.split()) != len(pool.texts[first].split()) or kept == x["kept"][first]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, refs = [], []
    for i in range(8):
        right = [f"w{(i + k) % 5}" for k in range(6)]
        refs.append(" ".join(right))
        for k in range(4):
            words = right[: 6 - k] if k != 2 else right
            text.append(f"{i} ||| {' '.join(words)} ||| good= {-abs(k - 2)} bad= {k * 0.5} ||| {-k}\n")
    (tmp_path / "x.nbest").write_text("".join(text))
    (tmp_path / "x.ref").write_text("\n".join(refs) + "\n")
    (tmp_path / "x.src").write_text("\n".join(f"quelle {i}" for i in range(8)) + "\n")
    assert main(["train", "rerank", "x.nbest", "-o", "model", "--epochs", "3"]) == 0
    return tmp_path


def answer(capsys, *arguments):
    capsys.readouterr()
    assert main(list(arguments)) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.twice
def test_the_commands_of_the_family(files, capsys):
    pool = open_pool("x.nbest")
    model = widemargin.load("model")
    chosen = [pool.texts[h] for h in model.predict(pool)]
    assert answer(capsys, "rerank", "apply", "x.nbest", "model", "--json")["texts"] == chosen
    assert main(["rerank", "apply", "x.nbest", "model", "-o", "out"]) == 0
    assert (files / "out").read_text().split("\n")[:-1] == chosen
    assert main(["rerank", "apply", "x.nbest", "model", "--mbr", "-o", "out"]) == 0
    (files / "lone.nbest").write_text((files / "x.nbest").read_text())
    (files / "lone.ref").write_text("one line\n")  # which does not fit, and is not needed
    assert main(["rerank", "apply", "lone.nbest", "model", "-o", "out"]) == main(["predict", "model", "lone.nbest", "-o", "out"]) == 0
    assert main(["evaluate", "model", "lone.nbest"]) == 2
    found = answer(capsys, "rerank", "oracle", "x.nbest", "--json")
    assert list(found["oracle"]) == ["1", "2", "4"]
    assert found["oracle"]["1"] <= found["oracle"]["2"] <= found["oracle"]["4"]
    assert found["worst"] < found["oracle"]["1"]
    assert main(["rerank", "oracle", "x.nbest", "--metric", "wer", "-o", "best"]) == 0
    found = answer(capsys, "rerank", "diff", "x.nbest", "oracle", "first", "--sample", "0", "--src", "x.src", "--json")
    first = [pool.texts[h] for h in pool.row_ptr[:-1]]
    best = (files / "best").read_text().split("\n")[:-1]
    assert found["different"] == sum(a != b for a, b in zip(first, best)) == len(found["sheet"])
    for row in found["sheet"]:
        i = int(row["id"])
        assert (row["one"], row["two"], row["reference"], row["source"]) == (best[i], first[i], pool.references[i][0], f"quelle {i}")


@pytest.mark.twice
def test_a_blind_sheet_hides_what_its_key_tells(files, capsys):
    pool = open_pool("x.nbest")
    metric = metric_named(pool, "bleu").best(pool)
    (files / "x.nbest").write_text((files / "x.nbest").read_text().replace("w0 w1", "w0 z w1", 1))
    assert main(["rerank", "diff", "x.nbest", "oracle", "--sample", "5", "--blind", "--seed", "3", "-o", "sheet"]) == 0
    sheet = [line.split("\t") for line in (files / "sheet").read_text().split("\n")[1:-1]]
    key = {line.split("\t")[0]: line.split("\t")[1:] for line in (files / "sheet.key").read_text().split("\n")[1:-1]}
    assert [row[0] for row in sheet] == list(key)
    assert all("oracle" not in "".join(row) for row in sheet)
    for row in sheet:
        oracle = row[3 + key[row[0]].index("oracle")]
        assert oracle == pool.texts[metric[int(row[0])]] or "z" in "".join(row)
    assert main(["rerank", "diff", "x.nbest", "oracle", "--sample", "5", "--blind", "--seed", "3", "-o", "again"]) == 0
    assert (files / "sheet").read_bytes() == (files / "again").read_bytes()


@pytest.mark.twice
def test_tuning_is_kept_only_where_it_helps(files, capsys):
    found = answer(capsys, "rerank", "tune", "x.nbest", "--dev", "x.nbest", "-o", "tuned", "--set", "epochs=3", "--json")
    model, pool = widemargin.load("tuned"), open_pool("x.nbest")
    assert found["weights"] == dict(zip(model.names, model.weights.values.tolist()))
    assert found["metrics"]["bleu"] == model.evaluate(pool)["bleu"] >= found["metrics"]["baseline"]
    assert model.facts["learner"]["name"] == found["tuner"] == "mira"
    on = ["rerank", "tune", "x.nbest", "--start", "tuned", "--tuner", "rm", "--set", "B=inf", "--set", "epochs=2", "-o", "on"]
    assert main(on) == 0
    assert main(["rerank", "apply", "x.nbest", "on"]) == 0
    (files / "bad.txt").write_text("bad\n")  # a feature that chooses the worst, and steps of no length
    capsys.readouterr()
    assert main(["rerank", "tune", "x.nbest", "--templates", "bad.txt", "--set", "C=0", "--set", "epochs=1", "-o", "worse"]) == 2
    assert "worse than the first of each list" in capsys.readouterr().err
    assert not (files / "worse").exists()


BAD = [
    (["tune", "x.nbest", "-o", "y", "--tuner", "mart"], "tuner 'mart' is not known"),
    (["tune", "x.nbest", "-o", "y", "--set", "speed=3"], "mira has no setting 'speed'"),
    (["tune", "x.nbest", "-o", "y", "--set", "speed"], "is not KEY=VALUE"),
    (["tune", "x.nbest", "-o", "y", "--smoothing", "soft"], "smoothing 'soft' is not known"),
    (["diff", "x.nbest", "model", "--blind"], "name the sheet with -o"),
    (["diff", "x.nbest", "model", "--sample", "-1"], "--sample is -1"),
    (["apply", "x.nbest", "nowhere"], "nowhere: there is no such file"),
    (["apply", "x.nbest", "model", "--json", "-o", "y"], "--json goes to standard output"),
    (["oracle", "x.nbest", "--metric", "comet"], "metric 'comet' is not known"),
    (["oracle", "x.nbest", "--refs", "x.src,nowhere"], "nowhere: there is no such file"),
    (["oracle", "town:dev:3", "--refs", "x.ref"], "brings its references"),
]


@pytest.mark.twice
@pytest.mark.parametrize(("arguments", "words"), BAD)
def test_bad_commands_are_one_sentence(arguments, words, files, capsys):
    capsys.readouterr()
    assert main(["rerank", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1


@pytest.mark.twice
def test_a_picture_names_hope_and_fear(files, capsys):
    assert main(["explain", "model", "x.nbest", "--sentence", "2", "--svg", "p.svg"]) == 0
    svg = (files / "p.svg").read_text()
    assert svg.count("<circle") == 4 + 2 * 5
    assert all(f">{name}<" in svg for name in ("model", "hope", "fear", "oracle", "worst"))
    one = open_pool("x.nbest").part(np.array([1]))
    assert picture(one, np.zeros(4), metric_named(one, "bleu"), 1.0).startswith("<svg")  # all scores the same
    assert main(["data", "draw", "x.nbest", "-o", "q.svg"]) == 0


@pytest.mark.twice
def test_the_estimator():
    X = [[("a b c d", {"f": 1.0, "g": 0.0}), ("a b", {"f": 0.2, "g": 1.0}), ("c", {"f": -1.0, "g": 0.5})]] * 6
    y = ["a b c d"] * 6
    model = widemargin.Reranker("lbfgs", objective="softmax-margin", epochs=20).fit(X, y, dev=(X, y))
    assert model.predict(X) == y
    assert model.score(X, y) == 1.0
    assert set(model.weights) == {"f", "g"}
    for ranked, p in zip(model.predict_kbest(X, 9), model.predict_marginals(X)):
        np.testing.assert_allclose(sorted(np.exp([value for value, _ in ranked])), sorted(p))
        assert p.sum() == pytest.approx(1.0)
    assert model.predict_log_proba(X, y)[0] == pytest.approx(model.predict_kbest(X, 1)[0][0][0])
    assert model.entropy(X)[0] == pytest.approx(-sum(p * np.log(p) for p in model.predict_marginals(X)[0]))
    decision = model.explain(X[0]).decisions[0]
    assert decision.margin == pytest.approx(sum(part.value for part in decision.comparison.contributions))
    online = widemargin.Reranker("ops", random_state=3)
    twice = online.partial_fit(X, y).partial_fit(X, y)
    whole = widemargin.Reranker("ops", random_state=3, epochs=2).fit(X, y)
    np.testing.assert_allclose(twice.model_.weights.values, whole.model_.weights.values, atol=1e-6)
    assert model.calibrate(X, y).predict(X) == y
    assert dataclasses.replace(model.model_, temperature=1.0).active == 2
    for bad in (3, (X,)):
        with pytest.raises(InputError, match="dev is"):
            widemargin.Reranker().fit(X, y, dev=bad)
