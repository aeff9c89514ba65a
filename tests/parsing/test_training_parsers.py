"""Parsers end to end: they learn, come back from files, and answer on the command line."""

import itertools
import json

import numpy as np
import pytest
from parsing_data import small

from widemargin.cli import main
from widemargin.errors import InputError
from widemargin.kernels.conllu import count_crossed, lift_crossed
from widemargin.readers.conllu import read_treebank
from widemargin.tasks.parser import Parser
from widemargin.tasks.parsing import TreeRecipe, train_parser
from widemargin.tasks.tagger import Tagger
from widemargin.tasks.treebanks import open_treebank

SIZE = {"bits": 14, "label_bits": 10}


@pytest.fixture(scope="module")
def parser():
    return train_parser(TreeRecipe(settings={"epochs": 3}, **SIZE), open_treebank("town:train:400"))


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
    assert "--base is not for dependency parsers" in capsys.readouterr().err


@pytest.mark.parametrize(("structure", "labelled"), [("eisner", True), ("arborescence", True), ("heads", False)])
def test_parsers_learn(structure, labelled):
    recipe = TreeRecipe(structure=structure, labelled=labelled, settings={"epochs": 3}, **SIZE)
    found = train_parser(recipe, open_treebank("town:train:400")).evaluate(open_treebank("town:dev:100"))
    assert found["uas"] > 80
    assert (found["las"] > 70) == labelled


def test_files_and_threads_change_nothing(parser, model):
    treebank = open_treebank("town:dev:60")
    one, again = parser.predict(treebank), Parser.load(model).predict(treebank, threads=3)
    np.testing.assert_array_equal(one.heads, again.heads)
    np.testing.assert_array_equal(one.relation, again.relation)


def test_marginals_of_heads_sum_to_one_and_the_best_tree_heads_the_list(parser):
    treebank = small()
    guess = parser.predict(treebank)
    for low, chance, trees in zip(treebank.row_ptr, parser.marginals(treebank), parser.kbest(treebank, 5)):
        n = len(chance) - 1
        np.testing.assert_allclose(chance[:, 1:].sum(axis=0), 1.0, atol=1e-5)
        np.testing.assert_allclose(chance[0, 1:].sum(), 1.0, atol=1e-5)  # a single root
        np.testing.assert_array_equal(trees[0][1], guess.heads[low : low + n])
        values = [value for value, _, _ in trees]
        assert values == sorted(values, reverse=True)
        assert len({(tuple(h), tuple(r)) for _, h, r in trees}) == len(trees)


def test_a_model_to_start_from_and_a_checkpoint_go_on(parser, tmp_path):
    treebank = open_treebank("town:train:100")
    recipe = TreeRecipe(settings={"epochs": 1, "rate": 1e-12}, **SIZE)
    on = train_parser(recipe, treebank, start=parser)
    np.testing.assert_allclose(on.weights.node, parser.weights.node, atol=1e-6)
    whole = train_parser(TreeRecipe(settings={"epochs": 3}, **SIZE), treebank)
    path, seen = str(tmp_path / "c"), []

    def stop(facts):
        seen.append(facts)
        if len(seen) == 2:
            raise KeyboardInterrupt

    more = {"checkpoint": path, "every": 0.0}
    with pytest.raises(KeyboardInterrupt):
        train_parser(TreeRecipe(settings={"epochs": 3}, **SIZE), treebank, listen=stop, **more)
    resumed = train_parser(TreeRecipe(settings={"epochs": 3}, **SIZE), treebank, resume=True, **more)
    assert whole.weights.node.tobytes() == resumed.weights.node.tobytes()


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


def test_commands(model, tmp_path, capsys):
    out = str(tmp_path / "out.conllu")
    assert main(["evaluate", model, "town:dev:50", "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)["metrics"]
    assert main(["predict", model, "town:dev:50", "-o", out]) == 0
    capsys.readouterr()
    assert main(["score", "depparse", "town:dev:50", out, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["metrics"]["las"] == scores["las"]
    assert main(["predict", model, "town:dev:4", "--marginals"]) == 0
    text = capsys.readouterr().out
    assert text.count("HeadProb=0.") + text.count("HeadProb=1.") == len(open_treebank("town:dev:4"))
    assert main(["predict", model, "town:dev:2", "--kbest", "3", "-o", out]) == 0
    assert len(read_treebank(out).row_ptr) - 1 == 3 * (len(open_treebank("town:dev:2").row_ptr) - 1)
    capsys.readouterr()
    assert main(["predict", model, "town:dev:2", "--kbest", "2", "--marginals", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["sentences"][0]
    assert first["kbest"][0]["heads"] == first["heads"]
    assert len(first["probability"]) == len(first["words"])
    drawing = tmp_path / "t.svg"
    assert main(["explain", model, "town:dev:2", "--token", "1", "--svg", str(drawing)]) == 0
    assert "rather than" in capsys.readouterr().out
    assert drawing.read_text().startswith("<svg")
    assert main(["inspect", model]) == 0
    assert "eisner, one root" in capsys.readouterr().out


def test_training_from_the_command_line(tmp_path, capsys):
    path = str(tmp_path / "m.wm")
    size = "bits=12,label_bits=8,subtypes=no,structure=arborescence"
    command = ["train", "depparse", "town:train:80", "--dev", "town:dev:20", "-o", path, "--epochs", "2", "--set", size, "--json"]
    assert main(command) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["metrics"]["las"] > 30
    assert not any(":" in relation for relation in Parser.load(path).relations)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--learner", "smo"], "features of arcs"),
        (["--set", "structure=chain"], "structure 'chain' is not known"),
        (["--objective", "slack"], "which eisner does not offer"),
        (["--set", "bits=2"], "from 10 to 28"),
        (["--columns", "a,b"], "not for depparse"),
        (["--cost", "nosuch=2"], "does not occur"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(arguments, words, tmp_path, capsys):
    path = tmp_path / "m.wm"
    assert main(["train", "depparse", "town:train:20", "-o", str(path), *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert not path.exists()


def test_sentences_with_several_roots_are_left_out_aloud(tmp_path):
    text = "1\ta\ta\tX\tX\t_\t0\troot\t_\t_\n2\tb\tb\tX\tX\t_\t{}\tdep\t_\t_\n\n"
    path, said = tmp_path / "two.conllu", []
    path.write_text(text.format(1) + text.format(0))
    recipe = TreeRecipe(settings={"epochs": 1}, **SIZE)
    train_parser(recipe, open_treebank(str(path)), notice=said.append)
    assert said == ["1 sentences with several roots are left out; --set single_root=no keeps them"]
    path.write_text(text.format(0))
    with pytest.raises(InputError, match="every sentence has several roots"):
        train_parser(recipe, open_treebank(str(path)))
    assert train_parser(TreeRecipe(single_root=False, **SIZE), open_treebank(str(path))).evaluate(open_treebank(str(path)))["uas"] == 100


def test_a_parser_is_no_tagger(model, capsys):
    with pytest.raises(InputError, match="dependency parser"):
        Tagger.load(model)
    assert main(["prune", model, "-o", "x", "--keep", "3"]) == 2


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
