"""Item files, base models, hashed features and pairs of labels on the command line."""

import json

import numpy as np
import pytest

from widemargin.cli import main
from widemargin.families.tagging.model import Tagger
from widemargin.families.tagging.sources import open_columns
from widemargin.readers.items import read_items

TRAIN, DEV = "town:train:60", "town:dev:20"


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    status = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return status, out, err


def last_cells(out: str) -> list[str]:
    """The labels in a column file."""
    return [line.split()[-1] for line in out.splitlines() if line and not line.startswith("-DOCSTART-")]


def items_of(name: str) -> str:
    """A part of the embedded corpus as an item file."""
    columns, lines = open_columns(name, "tag"), []
    words, tags = (columns.cells(c) for c in range(2))
    for low, high in zip(columns.row_ptr, columns.row_ptr[1:]):
        for t in range(low, high):
            before = words[t - 1] if t > low else "<s>"
            cells = [f"w={words[t]}", f"p={before}", f"s={words[t][-2:]}", "length"]
            lines.append("\t".join([tags[t], *(c.replace("\\", "\\\\").replace(":", "\\:") for c in cells)]) + f":{len(words[t]) / 10}")
        lines.append("")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("items")
    for part, name in (("train", TRAIN), ("dev", DEV)):
        (folder / f"{part}.items").write_text(items_of(name))
    assert main(["train", "tag", str(folder / "train.items"), "--format", "crfsuite", "-o", str(folder / "items"), "--epochs", "4"]) == 0
    assert main(["train", "tag", TRAIN, "-o", str(folder / "base"), "--epochs", "3"]) == 0
    assert main(["train", "tag", TRAIN, "-o", str(folder / "top"), "--base", str(folder / "base"), "--epochs", "2"]) == 0
    return folder


def test_items_are_labelled_as_crfsuite_prints_them(work, capsys):
    status, out, _ = run(capsys, "predict", work / "items", work / "dev.items")
    items = read_items(str(work / "dev.items"))
    blocks = out.split("\n\n")
    assert (status, blocks[-1]) == (0, "")
    assert [len(block.split("\n")) for block in blocks[:-1]] == np.diff(items.row_ptr).tolist()
    guess = out.split()
    gold = [items.label_values[code] for code in items.labels]
    accuracy = 100 * np.mean([a == b for a, b in zip(gold, guess)])
    facts = json.loads(run(capsys, "evaluate", work / "items", work / "dev.items", "--json")[1])
    assert facts["metrics"]["accuracy"] == pytest.approx(accuracy)
    assert accuracy > 70
    rows = run(capsys, "predict", work / "items", work / "dev.items", "--marginals")[1].split("\n")
    assert all(not row or (row.split("\t")[0] in set(gold) | set(guess) and 0 <= float(row.split("\t")[1]) <= 1) for row in rows)
    best = run(capsys, "predict", work / "items", work / "dev.items", "--kbest", "2")[1]
    assert [row.split("\t")[0] for row in best.split("\n") if row] == guess


def test_item_files_with_dev_weights_and_hashing(work, capsys, tmp_path):
    heavy = tmp_path / "heavy.items"
    heavy.write_text("@weight:2\n" + (work / "train.items").read_text())
    for more in ((), ("--hash-bits", "16")):
        files = (heavy, "--format", "crfsuite", "--dev", work / "dev.items", "-o", tmp_path / "m")
        arguments = ("train", "tag", *files, "--epochs", "3", "--json")
        facts = json.loads(run(capsys, *arguments, *more)[1])
        assert facts["metrics"]["accuracy"] > 70
        assert facts["features"] == (1 << 16 if more else facts["features"])
    status, _, err = run(capsys, "train", "tag", heavy, "--format", "crfsuite", "--templates", "tagging", "-o", tmp_path / "m")
    assert (status, "items bring their own features" in err) == (2, True)


def test_a_model_on_top_of_a_base_needs_it(work, capsys):
    status, out, err = run(capsys, "predict", work / "top", DEV)
    assert (status, out) == (2, "")
    assert "on top of base scores" in err
    assert run(capsys, "evaluate", work / "top", DEV)[0] == 2
    status, out, _ = run(capsys, "predict", work / "top", DEV, "--base", work / "base")
    assert status == 0
    labels = last_cells(out)
    best = run(capsys, "predict", work / "top", DEV, "--base", work / "base", "--kbest", "1")[1]
    assert last_cells(best) == labels
    status, _, err = run(capsys, "predict", work / "top", DEV, "--kbest", "2")
    assert (status, "on top of base scores" in err) == (2, True)
    assert run(capsys, "explain", work / "top", DEV)[0] == 2
    status, _, err = run(capsys, "train", "tag", TRAIN, "--base", work / "top", "-o", work / "third")
    assert (status, "on top of base scores" in err) == (2, True)


def test_a_base_and_what_is_learnt_on_top_are_one_sum(work, capsys):
    """The same model as the sum of both models' scores."""
    base, top = Tagger.load(str(work / "base")), Tagger.load(str(work / "top"))
    columns = open_columns(DEV, "tag")
    scores, edges = base.part_scores(columns, labels=top.labels)
    found = top.predict(columns, base=scores)
    guess = [found[1][code] for code in found[0]]
    out = run(capsys, "predict", work / "top", DEV, "--base", work / "base")[1]
    assert last_cells(out) == guess
    assert edges.any()
    still = ("--base", work / "base", "--set", "rate=1e-9", "--epochs", "1", "-o", work / "still")
    assert run(capsys, "train", "tag", TRAIN, *still)[0] == 0
    np.testing.assert_allclose(Tagger.load(str(work / "still")).weights.transitions[: len(edges), : len(edges)], edges, atol=1e-6)
    assert run(capsys, "predict", work / "still", DEV, "--base", work / "base")[1] == run(capsys, "predict", work / "base", DEV)[1]
    facts = json.loads(run(capsys, "evaluate", work / "top", DEV, "--base", work / "base", "--json")[1])
    alone = json.loads(run(capsys, "evaluate", work / "base", DEV, "--json")[1])
    assert facts["metrics"]["accuracy"] > alone["metrics"]["accuracy"] - 5


def test_a_base_of_choice_and_one_of_chains(work, capsys, tmp_path):
    """A choice has no transitions, so that only a choice can stand below it."""
    status, _, err = run(capsys, "train", "tag", TRAIN, "--base", work / "base", "--set", "structure=choice", "-o", tmp_path / "m")
    assert (status, "no transitions" in err) == (2, True)
    tokens = tmp_path / "tokens"
    choice = ("--set", "structure=choice", "--epochs", "2")
    assert run(capsys, "train", "tag", TRAIN, "-o", tokens, *choice)[0] == 0
    assert run(capsys, "train", "tag", TRAIN, "--base", tokens, "-o", tmp_path / "m", *choice)[0] == 0
    assert run(capsys, "train", "tag", TRAIN, "--base", tokens, "-o", tmp_path / "c", "--epochs", "1")[0] == 0
    assert run(capsys, "evaluate", tmp_path / "m", DEV, "--base", tokens)[0] == 0


def test_hash_bits(work, capsys, tmp_path):
    plain, hashed = tmp_path / "plain", tmp_path / "hashed"
    for path, bits in ((plain, "0"), (hashed, "16")):
        assert run(capsys, "train", "tag", TRAIN, "-o", path, "--epochs", "3", "--hash-bits", bits)[0] == 0
    first, second = (run(capsys, "predict", path, DEV)[1].split() for path in (plain, hashed))
    assert np.mean([a == b for a, b in zip(first, second)]) > 0.95  # a few of them collide
    status, _, err = run(capsys, "train", "tag", TRAIN, "-o", hashed, "--hash-bits", "40")
    assert (status, "1 to 28 bits" in err) == (2, True)


def test_pairs_of_labels_from_a_file(work, capsys, tmp_path):
    columns = open_columns(TRAIN, "tag")
    tags, edges = columns.cells(1), {0, *columns.row_ptr.tolist()}
    seen = {(a, b) for t, (a, b) in enumerate(zip(tags, tags[1:]), 1) if t not in edges}
    every = sorted(set(tags))
    file = tmp_path / "pairs.txt"
    loop = {(tag, tag) for tag in every}
    file.write_text("# what follows what\n" + "".join(f"{a} {b}\n" for a, b in sorted(seen | loop)))
    model = tmp_path / "model"
    assert run(capsys, "train", "tag", TRAIN, "-o", model, "--epochs", "2", "--set", f"constraints=pairs:{file}")[0] == 0
    for arguments in ((model,), (work / "base", "--constraints", f"pairs:{file}")):
        out = run(capsys, "predict", arguments[0], DEV, *arguments[1:])[1]
        for block in out.strip().split("\n\n"):
            labels = last_cells(block)
            assert set(zip(labels, labels[1:])) <= seen | loop
    file.write_text("NN\n")
    status, _, err = run(capsys, "predict", work / "base", DEV, "--constraints", f"pairs:{file}")
    assert (status, f"{file}:1: a line holds two labels" in err) == (2, True)
    first = f"{every[0]} {every[0]}\n"
    file.write_text(first)
    status, _, err = run(capsys, "train", "tag", TRAIN, "-o", model, "--set", f"constraints=pairs:{file}")
    assert (status, "that the constraints forbid" in err, "town:train:60:" in err) == (2, True, True)


def test_a_model_of_the_estimator_on_the_command_line(capsys, tmp_path):
    """Its files have a label column like others; the label may be missing."""
    from widemargin import SequenceTagger

    X, y = [["the", "cat"], ["a", "dog", "barks"], ["of", "her"]] * 4, [["D", "N"], ["D", "N", "V"], ["P", "R"]] * 4
    path, gold = str(tmp_path / "model.safetensors"), tmp_path / "gold.txt"
    model = SequenceTagger(epochs=5).fit(X, y)
    model.save(path)
    gold.write_text("the D\ncat N\n\na D\ndog N\n")
    assert last_cells(run(capsys, "predict", path, gold)[1]) == ["D", "N", "D", "N"]
    assert json.loads(run(capsys, "evaluate", path, gold, "--json")[1])["metrics"]["accuracy"] == 100
    gold.write_text("the\ncat\n")
    assert run(capsys, "predict", path, gold)[1].split() == ["the", "D", "cat", "N"]
    other = tmp_path / "cli"
    assert run(capsys, "train", "tag", TRAIN, "-o", other, "--epochs", "2")[0] == 0
    loaded, columns = SequenceTagger.load(str(other)), open_columns(DEV, "tag")
    X = [columns.cells(0)[low:high] for low, high in zip(columns.row_ptr, columns.row_ptr[1:])]
    assert [label for row in loaded.predict(X) for label in row] == last_cells(run(capsys, "predict", other, DEV)[1])
    assert loaded.partial_fit(X, loaded.predict(X)).score(X, loaded.predict(X)) > 0.5
