"""Parsers end to end: they learn, come back from files, and answer on the command line."""

import itertools
import json

import numpy as np
import pytest
from modes import only_in_test_all

from widemargin.cli import main
from widemargin.errors import InputError
from widemargin.families.dependencies.conllu_scan import count_crossed, lift_crossed
from widemargin.families.dependencies.model import Parser
from widemargin.families.dependencies.sources import open_treebank
from widemargin.families.recipes import Recipe, train
from widemargin.families.tagging.model import Tagger

SIZE = {"hash_bits": 14, "label_bits": 10}


@pytest.fixture(scope="module")
def parser():
    return train(Recipe("depparse", settings={"epochs": 3}, **SIZE), open_treebank("town:train:400"))


@pytest.fixture(scope="module")
def model(parser, tmp_path_factory):
    path = str(tmp_path_factory.mktemp("parsers") / "p.wm")
    parser.save(path)
    return path


def test_the_calibrated_parser_fits_dev_best_and_parses_the_same(parser, model, tmp_path, capsys):
    out = str(tmp_path / "calibrated.wm")
    assert main(["calibrate", model, "town:dev:80", "--test", "town:test:40", "-o", out, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    treebank, calibrated = open_treebank("town:dev:80"), Parser.load(out)
    assert facts["temperature"] == calibrated.temperature != 1.0
    assert facts["dev"]["after"]["nll"] < facts["dev"]["before"]["nll"]
    assert facts["dev"]["after"]["ece"] < facts["dev"]["before"]["ece"]
    assert facts["test"]["after"]["nll"] < facts["test"]["before"]["nll"]
    assert "held-out heads" in facts["meaning"]
    np.testing.assert_array_equal(calibrated.predict(treebank).heads, parser.predict(treebank).heads)

    def slow_nll(temperature):
        tables = zip(treebank.row_ptr.tolist(), parser.marginals(treebank, temperature))
        return -np.mean([np.log(table[treebank.heads[low + m - 1], m]) for low, table in tables for m in range(1, len(table))])

    best = slow_nll(calibrated.temperature)
    assert facts["dev"]["after"]["nll"] == pytest.approx(best, rel=1e-4)
    assert all(best < slow_nll(calibrated.temperature * factor) for factor in (0.9, 1.1))
    assert main(["calibrate", model, "town:dev:80", "--base", model]) == 2
    assert "--base is not for depparse; with depparse, calibrate has --tagger" in capsys.readouterr().err


MORE = only_in_test_all(("heads", "mira", True), ("heads", "perceptron", False), ("arborescence", "perceptron", True))


@pytest.mark.parametrize(
    ("structure", "learner", "labelled"), [("eisner", "mira", True), ("arborescence", "mira", True), ("heads", "mira", False), *MORE]
)
def test_parsers_learn(structure, learner, labelled):
    size = SIZE if labelled else {"hash_bits": SIZE["hash_bits"]}
    recipe = Recipe("depparse", learner, structure=structure, labelled=labelled, settings={"epochs": 3}, **size)
    found = train(recipe, open_treebank("town:train:400")).evaluate(open_treebank("town:dev:100"))
    assert found["uas"] > 80
    assert (found["las"] > 70) == labelled


def projective(heads):
    """No two arcs cross, the root standing before all."""
    arcs = [(min(h, m), max(h, m)) for m, h in enumerate(heads, 1)]
    return not any(a < c < b < d for (a, b), (c, d) in itertools.permutations(arcs, 2))


def test_lifting_makes_trees_projective_and_leaves_projective_ones_alone():
    random, changed = np.random.default_rng(0), 0
    for _ in range(300):
        n = int(random.integers(1, 9))
        order = random.permutation(n) + 1
        heads = np.zeros(n, np.int32)
        for place, word in enumerate(order[1:], 1):
            heads[word - 1] = random.choice(order[:place])
        lifted, token = heads.copy(), np.array([0, n])
        lift_crossed(lifted, token)
        assert projective(lifted.tolist())
        crossed = np.zeros(1, np.int64)
        count_crossed(heads, token, crossed)
        assert (crossed[0] == 0) == projective(heads.tolist()) == np.array_equal(heads, lifted)
        changed += not np.array_equal(heads, lifted)
    assert changed > 50


def test_training_from_the_command_line(tmp_path, capsys):
    path = str(tmp_path / "m.wm")
    size = "hash_bits=12,label_bits=8,subtypes=no,structure=arborescence"
    command = ["train", "depparse", "town:train:80", "--dev", "town:dev:20", "-o", path, "--epochs", "2", "--set", size, "--json"]
    assert main(command) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["metrics"]["las"] > 30
    assert not any(":" in relation for relation in Parser.load(path).relations)


def test_sentences_with_several_roots_are_left_out_aloud(tmp_path):
    text = "1\ta\ta\tX\tX\t_\t0\troot\t_\t_\n2\tb\tb\tX\tX\t_\t{}\tdep\t_\t_\n\n"
    path, said = tmp_path / "two.conllu", []
    path.write_text(text.format(1) + text.format(0))
    recipe = Recipe("depparse", settings={"epochs": 1}, **SIZE)
    train(recipe, open_treebank(str(path)), notice=said.append)
    assert said == ["1 sentences with several roots are left out; --set single_root=no keeps them"]
    path.write_text(text.format(0))
    with pytest.raises(InputError, match="every sentence has several roots"):
        train(recipe, open_treebank(str(path)))
    assert train(Recipe("depparse", single_root=False, **SIZE), open_treebank(str(path))).evaluate(open_treebank(str(path)))["uas"] == 100


def test_a_parser_is_no_tagger(model):
    with pytest.raises(InputError, match="of the family dependencies, and a tagger is wanted"):
        Tagger.load(model)


def test_empty_words_and_multiword_tokens_pass_through(model, tmp_path, capsys):
    text = "# newdoc\n1-2\tdell\t_\t_\t_\t_\t_\t_\t_\t_\n1\tThe\tthe\tDET\tDT\t_\t_\t_\t_\tSpaceAfter=No\n"
    text += "2\tcat\tcat\tNOUN\tNN\t_\t_\t_\t_\t_\n2.1\tsat\tsit\tVERB\tVBD\t_\t_\t_\t0:root\t_\n\n"
    path = tmp_path / "in.conllu"
    path.write_text(text)
    assert main(["predict", model, str(path), "--marginals"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == text.splitlines()[1]
    assert "SpaceAfter=No|HeadProb=" in lines[2]
    assert lines[4] == text.splitlines()[4]
