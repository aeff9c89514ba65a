"""explain, prune and the questions that inspect answers, as a user types them."""

import io
import json
import os
import sys

import pytest

from widemargin.cli import main
from widemargin.corpora import town
from widemargin.families.tagging.model import Tagger

TEMPLATES = "word[-1..1]\npos[-1..1]\nlabel[-1] pos[0]\n"
SENTENCE = "The/DT old/JJ port/NN of/IN Rome/NNP"


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explain")
    (folder / "templates.txt").write_text(TEMPLATES)
    lines = [line.split()[:3] for line in town.columns_text("dev", sentences=30).splitlines() if not line.startswith("-DOCSTART-")]
    (folder / "dev.txt").write_text("\n".join(map(" ".join, lines)).lstrip("\n") + "\n")
    return folder


@pytest.fixture(scope="module")
def model(work):
    path = str(work / "model.safetensors")
    assert main(["train", "chunk", "town:train:200", "-o", path, "--epochs", "2", "--templates", str(work / "templates.txt")]) == 0
    return path


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


def test_explain_prints_every_token_or_one(model, capsys):
    status, out, _ = run(capsys, "explain", model, SENTENCE)
    assert status == 0
    assert all(f"\n{t} {piece.split('/')[0]}: " in out for t, piece in enumerate(SENTENCE.split(), 1))
    assert "second-best sequence: " in out
    one = run(capsys, "explain", model, SENTENCE, "--token", "3", "--top", "2")[1]
    assert [line for line in one.splitlines() if "; margin " in line] == [line for line in out.splitlines() if line.startswith("3 port: ")]
    assert "second-best" not in one


def test_a_sentence_is_the_same_as_its_column_file(model, capsys, monkeypatch):
    text = "".join(piece.replace("/", " ") + "\n" for piece in SENTENCE.split())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(text.encode()))))
    assert run(capsys, "explain", model, "-") == run(capsys, "explain", model, SENTENCE)


def test_a_slash_inside_a_word(model, capsys):
    facts = json.loads(run(capsys, "explain", model, r"1\/2/CD of/IN", "--json")[1])
    assert facts["tokens"] == [["1\\/2", "CD"], ["of", "IN"]]


def test_models_with_one_column_take_plain_words(work, capsys):
    path = str(work / "tag.safetensors")
    arguments = ("train", "tag", "town:train:50", "-o", path, "--epochs", "1", "--columns", "word,pos", "--templates")
    (work / "words.txt").write_text("word[-1..1]\n")
    assert run(capsys, *arguments, str(work / "words.txt"))[0] == 0
    facts = json.loads(run(capsys, "explain", path, "and/or the port", "--json")[1])
    assert facts["tokens"] == [["and/or"], ["the"], ["port"]]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("The/DT cat",), "token 2 is 'cat' and the model needs 2 parts with slashes between; write word/pos"),
        (("The/DT cat/NN/B-NP",), "token 2 is 'cat/NN/B-NP' and the model needs 2 parts"),
        (("The/DT /NN",), "token 2 is '/NN'"),
        (("nowhere.txt",), "nowhere.txt: there is no such file, and a sentence has two tokens or more"),
        ((SENTENCE, "--sentence", "2"), "there is no sentence 2"),
        ((SENTENCE, "--sentence", "0"), "there is no sentence 0"),
        ((SENTENCE, "--token", "6"), "there is no token 6; sentence 1 has 5"),
        ((SENTENCE, "--top", "0"), "--top is 0"),
    ],
)
def test_explain_refuses_in_one_sentence(model, capsys, arguments, sentence):
    status, out, err = run(capsys, "explain", model, *arguments)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert sentence in err


def test_inspect_searches_names(model, capsys):
    tagger = Tagger.load(model)
    names = tagger.extractor.nodes.names() + tagger.extractor.edges.names()
    for text, matches in (("pos[0]=NN", [n for n in names if "pos[0]=NN" in n]), ("/^label.*=DT$/", ["label[-1] & pos[0]=DT"])):
        facts = json.loads(run(capsys, "inspect", model, "--search", text, "--top", "1000", "--json")[1])
        assert facts["matches"] == len(matches)
        assert sorted(row["feature"] for row in facts["found"]) == sorted(matches)
        sizes = [max(map(abs, row["weights"].values()), default=0) for row in facts["found"]]
        assert sizes == sorted(sizes, reverse=True)
    row = json.loads(run(capsys, "inspect", model, "--search", "/^pos.0.=DT$/", "--json")[1])["found"][0]
    w = tagger.weights.labels[tagger.extractor.nodes.find("pos[0]=DT")]
    assert row["weights"] == {label: round(float(w[k]), 6) for k, label in enumerate(tagger.labels) if w[k]}
    out = run(capsys, "inspect", model, "--search", "=DT", "--top", "2")[1]
    assert "features match =DT; the strongest 2:" in out
    assert run(capsys, "inspect", model, "--search", "no such thing")[1] == "0 features match no such thing\n"


def test_inspect_shows_transitions(model, capsys):
    tagger = Tagger.load(model)
    Y = len(tagger.labels)
    facts = json.loads(run(capsys, "inspect", model, "--transitions", "--top", "4", "--json")[1])
    for i, row in enumerate(facts["transitions"]):
        assert row == {"from": tagger.labels[i]} | {
            label: round(float(tagger.weights.transitions[i, j]), 4) for j, label in enumerate(tagger.labels)
        }
    every = []
    for f in range(len(tagger.extractor.edges)):
        every += [abs(float(v)) for v in tagger.weights.transitions[(1 + f) * Y : (2 + f) * Y, :Y].reshape(-1)]
    assert [abs(row["weight"]) for row in facts["edge_features"]] == pytest.approx(sorted(every, reverse=True)[:4], abs=1e-6)
    out = run(capsys, "inspect", model, "--transitions")[1]
    assert "transitions (from \\ to)" in out
    assert "label[-1] & pos[0]=" in out


def test_inspect_counts_zeros(model, capsys):
    tagger = Tagger.load(model)
    facts = json.loads(run(capsys, "inspect", model, "--json")[1])
    Y = len(tagger.labels)
    values = [*tagger.weights.labels[:, :Y].reshape(-1).tolist(), *tagger.weights.transitions[:, :Y].reshape(-1).tolist()]
    assert (facts["weights"], facts["zero"]) == (len(values), values.count(0.0))
    assert facts["MB"] == round(os.path.getsize(model) / 1e6, 2)


def test_prune_says_what_it_costs(model, work, capsys):
    small, dev = str(work / "small.safetensors"), str(work / "dev.txt")
    status, out, _ = run(capsys, "prune", model, "-o", small, "--threshold", "0", "--dev", dev)
    assert (status, "times smaller, f1 +0.00" in out) == (0, True)
    assert run(capsys, "predict", small, dev)[1] == run(capsys, "predict", model, dev)[1]
    facts = json.loads(run(capsys, "prune", model, "-o", small, "--keep", "50", "--dev", dev, "--json")[1])
    assert facts["keep"] == facts["after"]["features"] == 50
    assert facts["after"]["bytes"] == os.path.getsize(small) < facts["before"]["bytes"] == os.path.getsize(model)
    for name, path in (("before", model), ("after", small)):
        expected = json.loads(run(capsys, "evaluate", path, dev, "--json")[1])["metrics"]["f1"]
        assert facts[name]["metrics"]["f1"] == expected


def test_a_model_can_be_pruned_in_place(model, work, capsys):
    path = str(work / "place.safetensors")
    assert run(capsys, "prune", model, "-o", path, "--threshold", "0")[0] == 0
    assert run(capsys, "prune", path, "-o", path, "--keep", "20")[0] == 0
    assert len(Tagger.load(path).extractor.nodes) <= 20
