"""docs/extending.md: its `python` blocks are one module, segments.py. Its answers are those of a list of all segmentations, its commands
and `py` blocks print what the page shows, and every learner and objective trains or is refused as the page's table says."""

import importlib
import itertools
import re
import shlex
import sys

import engine_enumeration as brute
import numpy as np
import pytest
from children import child, compiled
from modes import cases
from shown import DOCS, blocks, matches

import widemargin as wm
from widemargin.cli import main
from widemargin.families import registry
from widemargin.families.tagging.costs import parse_cost

TEXT = (DOCS / "extending.md").read_text(encoding="utf-8")
BLOCKS = blocks("extending.md")
MODULE = "\n\n".join(body for kind, body in BLOCKS if kind == "python")
OFFERED = [name for name in wm.OBJECTIVES if name not in ("slack", "rm")]
SMOOTH = ["likelihood", "softmax-margin", "jensen", "risk"]
SENTENCES = [
    [("Ann", "NN", "B-PER"), ("Lee", "NN", "I-PER"), ("met", "VB", "O"), ("Bo", "NN", "B-PER"), ("Cy", "NN", "B-PER")],
    [("in", "IN", "O"), ("New", "JJ", "B-LOC"), ("Ely", "NN", "I-LOC"), ("today", "RB", "O")],
    [("Bo", "NN", "B-PER"), ("left", "VB", "O")],
    [("New", "JJ", "O"), ("Lee", "NN", "B-PER"), ("rose", "VB", "O"), ("in", "IN", "O"), ("Ely", "NN", "B-LOC")],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("outside")
    (path / "segments.py").write_text(MODULE, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def segments(folder):
    """The module, imported; its family is known until the tests of this file are done."""
    sys.path.insert(0, str(folder))
    yield importlib.import_module("segments")
    sys.path.remove(str(folder))
    del sys.modules["segments"], registry._registered["segments"]


def posed(segments, objective, sentences=SENTENCES, **keywords):
    """A problem of these sentences with few weights."""
    recipe = wm.Recipe("segment", "ops", objective=objective, options={"bits": 7}, **keywords)
    return segments.FAMILY.pose(recipe, wm.from_sentences(sentences)).problem


# ---- against all segmentations in a list -------------------------------------------------------------------------------------------------


def tilings(n, longest):
    """All ways to cut n tokens into lengths."""
    if n == 0:
        return [()]
    return [(d, *rest) for d in range(1, min(n, longest) + 1) for rest in tilings(n - d, longest)]


def every_segmentation(n, Y, M) -> brute.Outputs:
    """Tags, and parts: segments [n, M, Y] by end and length, then neighbours [Y + 1, Y]."""
    tags, phi = [], []
    for lengths in tilings(n, M):
        for labels in itertools.product(range(Y), repeat=len(lengths)):
            if all(d == 1 or y for d, y in zip(lengths, labels)):
                segment, pair = np.zeros((n, M, Y)), np.zeros((Y + 1, Y))
                for end, d, y in zip(np.cumsum(lengths), lengths, labels):
                    segment[end - 1, d - 1, y] = 1.0
                np.add.at(pair, ((Y, *labels[:-1]), labels), 1.0)
                tags.append([2 * y + (u == 0) for d, y in zip(lengths, labels) for u in range(d)])
                phi.append(np.concatenate([segment.ravel(), pair.ravel()]))
    return brute.Outputs(np.array(tags), np.array(phi))


def prices_of_parts(matrix, gold, n, Y, M):
    """What the tags of each segment cost."""
    cost = np.zeros((n, M, Y))
    for t, d, y in itertools.product(range(n), range(M), range(Y)):
        for u in range(max(t - d, 0), t + 1):
            cost[t, d, y] += matrix[gold[u], 2 * y + (u == t - d)] if gold[u] >= 0 else 0.0
    return np.concatenate([cost.ravel(), np.zeros((Y + 1) * Y)])


def narrow(objective, *_):
    return objective not in ("hinge", "likelihood")


@pytest.mark.parametrize(("objective", "known"), cases(OFFERED, ["all", "some", "none"], wide=narrow))
@pytest.mark.twice
def test_losses_and_gradients_are_those_of_all_segmentations(segments, objective, known):
    """Every segment has a feature of its own, so that weights are scores of parts, and gradients marginals."""
    for seed, (n, Y, M) in enumerate([(1, 2, 1), (3, 2, 3), (4, 3, 2), (5, 2, 3)]):
        random = np.random.default_rng([seed, OFFERED.index(objective)])
        found = every_segmentation(n, Y, M)
        gold = found.labels[random.integers(len(found.labels))].astype(np.int32)
        gold[{"all": 0, "some": n // 2, "none": n}[known] * [True] + {"all": n, "some": n - n // 2, "none": 0}[known] * [False]] = -1
        cost = parse_cost("miss=2,false=0.5,type=1.5", ("-", "O", *(f"{head}-{k}" for k in range(1, Y) for head in "IB")))
        feature = np.arange(n * M, dtype=np.int32).reshape(n, M, 1)
        corpus = segments.SegmentCorpus(np.array([0, n]), gold, np.ones(1), feature)
        problem = segments.SegmentProblem(corpus, segments.Segments(Y, M), cost, wm.OBJECTIVES[objective], bits=4)
        w, g = problem.zeros(), problem.zeros()
        w[:, :Y] = random.normal(size=(len(w), Y)) * 2.0
        at = [*range(n * M), *range(16, 16 + Y + 1)]
        prices = prices_of_parts(cost.matrix, gold, n, Y, M)
        value, mu = brute.objective_value(objective, found, w[at, :Y].ravel(), prices, brute.agreeing(found, gold))
        np.testing.assert_allclose(problem.value_and_gradient(w, g), value, atol=1e-9)
        np.testing.assert_allclose(problem.value(w), value, atol=1e-9)
        np.testing.assert_allclose(g[at, :Y].ravel(), mu, atol=1e-9)
        assert not g[:, Y:].any()
        out = np.zeros(n, np.int32)
        problem.decode(w, out)
        np.testing.assert_array_equal(out, found.labels[(found.phi @ w[at, :Y].ravel()).argmax()])


@pytest.mark.parametrize("objective", cases(["hinge", *SMOOTH], wide=narrow))
@pytest.mark.twice
def test_gradients_are_differences(segments, objective):
    problem, random = posed(segments, objective, l2=0.1), np.random.default_rng(0)
    w, g = random.normal(size=problem.shape), problem.zeros()
    problem.value_and_gradient(w, g)
    for _ in range(4):
        way = random.normal(size=w.shape) * (np.arange(w.shape[1]) < 3)
        slope = (problem.value(w + 1e-5 * way) - problem.value(w - 1e-5 * way)) / 2e-5
        assert slope == pytest.approx((g * way).sum(), rel=1e-5, abs=1e-6)


# ---- learners --------------------------------------------------------------------------------------------------------------------------


def reached(problem, name, **settings):
    return problem.value(wm.learner_named(name, {"dtype": "float64"} | settings).fit(problem).w)


@pytest.mark.wide
def test_learners_of_one_function_reach_one_minimum(segments):
    likelihood, hinge = posed(segments, "likelihood", l2=0.1), posed(segments, "hinge", l2=0.1)
    lowest = reached(likelihood, "lbfgs", epochs=200, delta=1e-10)
    assert reached(likelihood, "ops", epochs=50, skip=0) == pytest.approx(lowest, rel=1e-2)
    assert reached(likelihood, "sgd", epochs=60, rate=0.5, skip=0) == pytest.approx(lowest, rel=1e-2)
    assert reached(likelihood, "smd", epochs=24, skip=0) == pytest.approx(lowest, rel=1e-2)
    lowest = reached(hinge, "one-slack", tolerance=5e-4)
    assert reached(hinge, "ocp", epochs=200, tolerance=4e-3) == pytest.approx(lowest, rel=5e-3)
    assert reached(hinge, "cutting-plane", epochs=200, tolerance=1e-3) == pytest.approx(lowest, rel=2e-3)
    assert reached(hinge, "ops", epochs=40) > lowest  # a subgradient comes near slowly, and never below


@compiled
def test_two_learners_reach_one_minimum_compiled(segments):
    """Data, types and objective as in the tests above, so that little is compiled for it."""
    problem = posed(segments, "likelihood", l2=0.1)
    assert reached(problem, "ops", epochs=300, skip=0) == pytest.approx(reached(problem, "lbfgs", epochs=200, delta=1e-10), rel=5e-3)


@pytest.mark.wide
def test_batches_on_threads_change_no_byte(segments):
    found = []
    for threads in (1, 3):
        recipe = wm.Recipe("segment", "ops", objective="likelihood", options={"bits": 7}, settings={"batch": 3, "dtype": "float64"})
        problem = segments.FAMILY.pose(recipe, wm.from_sentences(SENTENCES * 3), threads=threads).problem
        found.append(wm.learner_named("ops", recipe.settings).fit(problem).w.tobytes())
    assert found[0] == found[1]


def the_table():
    """Objectives by learner, as the page's table has them."""
    lines = re.findall(r"^\| (`.*?) \| (.*?) \| .* \|$", TEXT, re.MULTILINE)
    return {learner: set(re.findall(r"[a-z-]+", names)) - {"none"} for cell, names in lines for learner in re.findall(r"`([a-z-]+)`", cell)}


@pytest.mark.wide
@pytest.mark.parametrize("learner", wm.LEARNERS)
def test_the_table_of_what_trains(segments, learner):
    keywords = {"learner": learner, "bits": 7, "epochs": 8 if learner == "one-slack" else 2}
    for objective in wm.OBJECTIVES:
        if objective in the_table()[learner]:
            model = wm.train("segment", wm.from_sentences(SENTENCES), objective=objective, **keywords)
            assert np.isfinite(model.weights).all()
            assert model.weights.any() or (learner, objective) == ("mira", "perceptron"), "whose loss, and so its step, is 0 where all is 0"
        else:
            with pytest.raises(wm.InputError, match=r"; .*(use|work)"):
                wm.train("segment", wm.from_sentences(SENTENCES), objective=objective, **keywords)


@pytest.mark.twice
def test_refusals(segments):
    columns = wm.from_sentences(SENTENCES)
    for keywords, message in [
        ({"learner": "mira", "k": 3}, "the k best outputs, which segments does not offer; leave k at 1"),
        ({"longest": 1}, "segment has 2 tokens, and longest is 1; raise it"),
        ({"templates": "tagging"}, "has features of its own; leave templates out"),
        ({"hash_bits": 3}, "has no setting 'hash_bits'"),
    ]:
        with pytest.raises(wm.InputError, match=message):
            wm.train("segment", columns, **keywords)
    hidden = wm.from_sentences([[("a", "B-X"), ("b", "?")]])
    with pytest.raises(wm.InputError, match="cannot be converted"):
        wm.train("segment", hidden)


# ---- from files to files ---------------------------------------------------------------------------------------------------------------


@pytest.mark.wide
def test_a_saved_model_predicts_the_same(segments, tmp_path):
    columns = wm.from_sentences(SENTENCES)
    model = wm.train("segment", columns, dev=columns, learner="perceptron", epochs=3, bits=7)
    assert model.evaluate(columns)["f1"] == 100.0
    model.save(str(tmp_path / "model.safetensors"))
    again = wm.load(str(tmp_path / "model.safetensors"))
    assert again.layout == model.layout
    assert again.facts == model.facts
    np.testing.assert_array_equal(again.predict(columns), model.predict(columns))
    longer = wm.train("segment", columns, start=again, learner="perceptron", epochs=1)
    assert longer.layout == model.layout
    with pytest.raises(wm.InputError, match="brings its own longest and bits"):
        wm.train("segment", columns, start=again, bits=8)
    with pytest.raises(wm.InputError, match="B-ORG is not known to the model to start from"):
        wm.train("segment", wm.from_sentences([[("a", "b", "B-ORG")]]), start=again)


@pytest.mark.wide
def test_commands_read_and_write_files(segments, tmp_path, monkeypatch, capsysbinary):
    monkeypatch.chdir(tmp_path)
    rows = [[cells[:2] for cells in sentence] for sentence in SENTENCES]
    for name, sentences in ("gold", SENTENCES), ("words", rows):
        (tmp_path / name).write_bytes(bytes(wm.from_sentences(sentences).text))
    commands = [
        "train segment gold --dev gold -o model --learner perceptron --epochs 3 --set bits=7",
        "predict model words -o answers",
        "evaluate model gold",
        "score segment gold answers",
        "inspect model",
        "compare segment gold gold --learners ops,lbfgs --epochs 1 --set bits=7 -o report",
    ]
    for command in commands:
        assert main(command.split()) == 0, command
    assert (tmp_path / "answers").read_bytes() == (tmp_path / "gold").read_bytes()
    assert b"segment offers training, predicting and scoring" not in capsysbinary.readouterr().err
    for command in "curve segment gold gold", "explain model words", "calibrate model gold", "prune model -o small --keep 3":
        assert main(command.split()) == 2, command
        assert b"is not for segment; segment offers training, predicting and scoring" in capsysbinary.readouterr().err


@compiled
def test_the_page_prints_what_it_shows(segments, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    printed, namespace, shown = "", {}, 0
    for kind, body in BLOCKS:
        if kind == "text":
            assert matches(body, printed), f"the page shows\n{body}\nand this was printed\n{printed}"
            shown += 1
        elif kind == "py":
            exec(compile(body, "extending.md", "exec"), namespace)
        elif kind == "sh":
            for line in body.splitlines():
                python, m, module, *arguments = shlex.split(line)
                assert (python, m, module) == ("python", "-m", "segments")
                status = main(arguments)
                assert status == (2 if "--marginals" in arguments else 0), line
        printed = "".join(capfd.readouterr()) if kind == "sh" and "--marginals" in body else capfd.readouterr().out
    assert shown >= 4


LOSSES = """
import sys, numpy as np, segments, widemargin as wm
from widemargin.engine.gradient import losses
recipe = wm.Recipe("segment", "ops", objective="hinge", options={"bits": 7})
problem = segments.FAMILY.pose(recipe, wm.from_sentences([[("a", "B-X"), ("b", "I-X")]])).problem
print(sum(losses.stats.cache_hits.values()), problem.value(problem.zeros()), sum(losses.stats.cache_hits.values()))
"""


@compiled
def test_kernels_are_kept_and_an_edit_is_noticed(folder, tmp_path):
    module = tmp_path / "segments.py"
    module.write_text(MODULE, encoding="utf-8")
    assert child(tmp_path, LOSSES) == "0 2.0 0"  # compiled
    assert child(tmp_path, LOSSES) == "0 2.0 1"  # found on disk
    assert MODULE.count("s.segment[r, y] + cost *") == 1
    module.write_text(MODULE.replace("s.segment[r, y] + cost *", "s.segment[r, y] + 3.0 * cost *"), encoding="utf-8")
    assert child(tmp_path, LOSSES) == "0 6.0 0"  # the new body, compiled


def test_python_dash_m(folder):
    """The family is known to the commands of a process that runs the module."""
    script = "import runpy, sys; sys.argv = ['segments', 'list', 'tasks']; runpy.run_module('segments', run_name='__main__')"
    assert "by whole segments" in child(folder, f"try:\n    {script}\nexcept SystemExit as end:\n    assert end.code == 0")


def test_no_link_is_broken():
    for target in re.findall(r"\]\((\.?[\w./-]*\.(?:md|py))\)", TEXT):
        assert (DOCS / target).exists(), target
