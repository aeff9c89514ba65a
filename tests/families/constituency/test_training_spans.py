"""Constituency parsers end to end: F against lists of all trees, training, files, failures, going on, refusals."""

import dataclasses
import io

import numpy as np
import pytest
import span_enumeration as twin
from lies import lies_of
from modes import wide
from public_data import public
from span_parsing import SMALL, posed, random_weights, recipe, scores_of, small

from widemargin.cli import main
from widemargin.engine.gradient import score_row
from widemargin.errors import InputError
from widemargin.families.constituency.brackets import read_brackets
from widemargin.families.constituency.costs import parse_span_cost
from widemargin.families.constituency.kinds import KINDS
from widemargin.families.constituency.model import ChartParser, Failures
from widemargin.families.constituency.sources import open_trees
from widemargin.families.recipes import Recipe, load, train

STRUCTURES = wide(["bigrams"], ["rules"], ["labels"], ["wcfg"])  # training on the town and the conformance suite compile their like
SIZE = {"hash_bits": 15}


# ---- F --------------------------------------------------------------------------------------------------------------------------------


def listed(problem, w, i):
    """Scores and costs of all trees of a sentence, and which is the gold or agrees with what is known."""
    corpus = problem.corpus
    n = int(corpus.token[i + 1] - corpus.token[i])
    s, rows = problem.workspace(np.float64, n), problem.part(np.array([i])).rows(np.float64, n)
    score_row(rows, s, 0, problem.reader(w))
    scores, gold, price = scores_of(problem, s, n), corpus.gold, problem.price(np.float64)
    trees = twin.every(problem.structure, scores)
    value = np.array([twin.score(problem.structure, scores, nodes) for nodes in trees])
    node = gold.node[gold.node_at[i] : gold.node_at[i + 1]]
    if len(node):
        cost = [twin.cost(nodes, node, price) for nodes in trees]
        return value, np.array(cost), np.array([(nodes == node).all() for nodes in trees])
    bracket = gold.bracket[gold.bracket_at[i] : gold.bracket_at[i + 1]]
    cost = [twin.partial_cost(nodes, bracket, gold.sets, price) for nodes in trees]
    return value, np.array(cost), np.array([twin.agrees(nodes, bracket, gold.sets) for nodes in trees])


PARTIAL = SMALL + "(? (N b) (VP (V c)))\n(? (? (D a) (N b)) (V c))\n(? (N b) (V c))\n"


@pytest.mark.wide  # the conformance suite compiles its like
@pytest.mark.parametrize("text", [SMALL, PARTIAL], ids=["known", "known in part"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_hinge_and_likelihood_are_those_of_lists_of_all_trees(structure, text):
    for objective in ("hinge", "likelihood"):
        problem = posed(structure, small(text), objective=objective).problem
        w = random_weights(problem)
        expected = []
        for i in range(problem.corpus.rows):
            value, cost, right = listed(problem, w, i)
            assert right.any()
            if objective == "hinge":
                expected.append((value + cost).max() - value[right].max())
            else:
                expected.append(np.logaddexp.reduce(value) - np.logaddexp.reduce(value[right]))
        assert problem.loss(w) == pytest.approx(np.mean(expected), abs=1e-8)


@pytest.mark.wide
@pytest.mark.parametrize("structure", STRUCTURES)
def test_gradients_are_differences(structure):
    problem = posed(structure, small(PARTIAL), objective="likelihood").problem
    w, random = random_weights(problem), np.random.default_rng(1)
    g = problem.zeros()
    problem.value_and_gradient(w, g)
    for _ in range(5):
        d = random.normal(size=w.shape)
        slope = (problem.loss(w + 1e-5 * d) - problem.loss(w - 1e-5 * d)) / 2e-5
        assert (g * d).sum() == pytest.approx(slope, rel=1e-5, abs=1e-7)


# ---- training -------------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def parser():
    return train(Recipe("constparse", settings={"epochs": 3, "rate": 0.1}, **SIZE), open_trees("town:train:300"))


@pytest.mark.compiled
def test_the_town_is_learnt(parser):
    assert parser.evaluate(open_trees("town:dev:100"))["f1"] > 85


@pytest.mark.parametrize("structure", STRUCTURES)
def test_every_structure_learns_a_few_trees_by_heart(structure):
    found = train(recipe(structure, cost="hamming", settings={"epochs": 12, "rate": 0.1}), small())
    assert found.evaluate(small())["f1"] > 90  # whether a verb is a VP cannot always be seen
    assert found.summary()["structure"] == structure


@pytest.mark.parametrize("structure", STRUCTURES)
def test_a_saved_parser_answers_the_same(structure, tmp_path):
    found = train(recipe(structure, settings={"epochs": 12}), small())
    found.save(str(tmp_path / "m"))
    again = load(str(tmp_path / "m"))
    assert isinstance(again, ChartParser)
    one, two = found.predict(small()), again.predict(small())
    np.testing.assert_array_equal(one.trees.node, two.trees.node)
    np.testing.assert_array_equal(one.score, two.score)
    header, arrays = found.parts()
    assert again.parts()[0] == header
    for name, array in arrays.items():
        np.testing.assert_array_equal(again.parts()[1][name], array)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_what_lies_about_its_arrays_is_refused_or_parses(structure):
    found = train(recipe(structure, settings={"epochs": 1}), small())
    header, arrays = found.parts()
    for name, array in arrays.items():
        for _, lie in lies_of(array):
            changed = {**arrays, name: lie} if lie is not None else {key: value for key, value in arrays.items() if key != name}
            try:
                model = ChartParser.of_parts(header, changed)
            except InputError:
                continue
            with np.errstate(all="ignore"):  # it may say anything, but must not leave its arrays
                model.guess(small())


def test_threads_change_nothing(parser):
    trees = open_trees("town:dev:30")
    one, two = parser.predict(trees), parser.predict(trees, threads=3)
    np.testing.assert_array_equal(one.trees.node, two.trees.node)


# ---- failures -------------------------------------------------------------------------------------------------------------------------

STRANGE = "(S (V c) (D a) (D a))\n(S (NP (D a) (N b)) (V c))\n"


@pytest.mark.wide
@pytest.mark.parametrize("structure", ["wcfg", "labels"])
def test_a_tag_that_no_tree_had_may_be_any(structure):
    found = train(recipe(structure, settings={"epochs": 2}), small())
    with pytest.warns(RuntimeWarning, match="tags that did not occur in training"):
        assert len(found.predict(small("(S (NP (X a) (N b)) (V c))\n")).failed) == 0


@pytest.mark.wide
def test_a_sentence_without_a_tree_gets_one_output_all_the_same():
    found = train(recipe("wcfg", settings={"epochs": 2}), small())
    with pytest.warns(RuntimeWarning, match="the grammar has no tree for 1 sentence; the answer there is one bracket: .*:1"):
        flat = found.predict(small(STRANGE))
    assert str(flat.trees.tree(0)) == "(S (V c) (D a) (D a))"
    assert flat.failed.tolist() == [0]
    with pytest.warns(RuntimeWarning, match="the answer there is no bracket"):
        none = found.predict(small(STRANGE), Failures("none"))
    assert none.trees.parsed.tolist() == [False, True]
    with pytest.raises(InputError, match="no tree for this sentence"):
        found.predict(small(STRANGE), Failures("raise"))
    with pytest.warns(RuntimeWarning, match="2 sentences"):
        assert found.predict(small(STRANGE), Failures(max_words=2)).failed.tolist() == [0, 1]


@pytest.mark.wide
def test_empty_sentences_and_unknown_tags():
    found = train(recipe(settings={"epochs": 2}), small())
    empty = read_brackets(io.StringIO("(())\n(S (NP (D a) (N b)) (V c))\n"), empty=True)
    assert found.predict(empty).trees.words(0) == []
    for dev in (empty, empty.part([0])):  # such as are left of null elements alone
        assert "dev" in train(recipe(settings={"epochs": 2}), small(), dev=dev).facts["history"][0]
    with pytest.raises(InputError, match=":1: this sentence has no words, so it has no trees"):
        found.corpus(empty)
    with pytest.warns(RuntimeWarning, match="1 word with tags that did not occur in training: X"):
        assert found.predict(small("(S (NP (X a) (N b)) (V c))\n")).trees.tags(0) == ["X", "N", "V"]


# ---- going on, gold, costs ------------------------------------------------------------------------------------------------------------


@pytest.mark.wide
def test_going_on_keeps_the_grammar_and_counts_what_it_has_not():
    found = train(recipe(settings={"epochs": 2}), small())
    told = []
    more = small(SMALL + "(S (WHY (D a) (N b)) (V c))\n")
    again = train(recipe(settings={"epochs": 2}), more, start=found, notice=told.append)
    assert again.inventory.symbols == found.inventory.symbols
    assert told == ["1 sentence left out: the grammar lacks symbols or productions of their trees"]
    for change in ({"hash_bits": 11}, {"templates": "first.tag\n"}, {"vertical": 2}, {"structure": "labels", "templates": None}):
        changed = dataclasses.replace(recipe(), **change)
        with pytest.raises(InputError, match="brings its own grammar and features"):
            train(changed, small(), start=found)


@pytest.mark.wide
def test_known_brackets_that_no_tree_has_together_are_left_out():
    trees = small(PARTIAL + "(? (NP (V c) (V c)) (NP (V c) (V c)))\n")
    found = posed("wcfg", trees)
    assert found.remarks == ("1 sentence left out: no tree of the grammar has all brackets that are known there",)
    assert found.problem.corpus.rows == 7
    assert found.problem.latent


def test_sentences_that_say_nothing_are_left_out():
    trees = read_brackets(io.StringIO(SMALL + "(())\n"), empty=True)
    assert posed(trees=trees).remarks == ("1 sentences without words or without a tree are left out",)
    with pytest.raises(InputError, match="no tree is wholly known"):
        posed(trees=small("(? (D a) (N b))\n"))


def test_costs():
    symbols = posed().inventory.symbols
    cost = parse_span_cost("wrong=2,missed=0.5,NP=3*2", symbols, KINDS["bigrams"])
    np.testing.assert_allclose(cost.wrong[1][[symbols.find("NP"), symbols.find("S")]], [12, 4])
    np.testing.assert_allclose(cost.missed[0][symbols.find("NP")], 3)
    productions = parse_span_cost("productions", symbols, KINDS["bigrams"])
    assert not productions.wrong.any()
    assert productions.production[1].all()
    assert not productions.production[0].any()
    free = parse_span_cost("hamming", posed("labels").inventory.symbols, KINDS["labels"])
    assert free.wrong[:, 0].tolist() == [0, 0]
    assert free.missed[1, 1] == 1
    for text, words in (("NX=2", "does not occur"), ("wrong", "NAME=NUMBER"), ("wrong=-1", "negative")):
        with pytest.raises(InputError, match=words):
            parse_span_cost(text, symbols, KINDS["bigrams"])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"structure": "labels", "cost": "productions"}, "no productions that could be wrong"),
        ({"structure": "labels", "vertical": 2}, "has no grammar, so vertical"),
        ({"structure": "labels", "templates": "first.tag\nsplit.tag\n"}, "splits have no scores"),
        ({"structure": "wcfg", "hash_bits": 12}, "weights of productions alone"),
        ({"structure": "nosuch"}, "choose one of bigrams, rules, labels, wcfg"),
        ({"hash_bits": 2}, "from 10 to 26"),
        ({"direction": "up"}, "choose one of right, left"),
        ({"settings": {"kernel": "poly"}}, "mira has no setting 'kernel'"),
    ],
)
def test_refusals(change, words):
    with pytest.raises(InputError, match=words):
        train(Recipe("constparse", **change), small())


# ---- commands and real data -----------------------------------------------------------------------------------------------------------


def test_commands(parser, tmp_path, capsys):
    model, out = str(tmp_path / "m.wm"), str(tmp_path / "out.mrg")
    parser.save(model)
    assert main(["predict", model, "town:test:20", "-o", out]) == 0
    assert main(["score", "constparse", "town:test:20", out]) == 0
    scored = capsys.readouterr().out
    assert main(["evaluate", model, "town:test:20"]) == 0
    assert capsys.readouterr().out in scored
    (tmp_path / "s.tok").write_text("The_DT cat_NN sat_VBD\n\nIt_PRP sat_VBD\n")
    assert main(["predict", model, str(tmp_path / "s.tok")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (len(lines), lines[1]) == (3, "(())")  # a line each
    assert "(DT The)" in lines[0]
    assert main(["prune", model, "-o", str(tmp_path / "small.safetensors"), "--keep", "1000"]) == 0
    assert main(["curve", "constparse", "town:train:20", "town:dev:20", "--cost", "wrong=1..2", "-o", str(tmp_path)]) == 2
    assert "constparse offers predict --kbest, predict --marginals, predict --probability" in capsys.readouterr().err


@pytest.mark.compiled
@pytest.mark.wide
def test_the_penn_sample_is_parsed():
    """A quarter of the training part, two epochs; benchmarks/constituency.py has the whole."""
    (path,) = public("ptb_sample/train.mrg.gz")
    trees, (dev,) = open_trees(str(path)), public("ptb_sample/dev.mrg.gz")
    part = trees.part(np.arange(0, trees.sentences, 4))
    found = train(Recipe("constparse", settings={"epochs": 2, "rate": 0.1}, hash_bits=17), part)
    with pytest.warns(RuntimeWarning, match="2 words with tags that did not occur in training: WP"):
        assert found.evaluate(open_trees(str(dev)))["f1"] > 78
