"""Handwritten words on a few that are drawn here: the reader, the folds, and that nothing is chosen on test words."""

import gzip
import json

import numpy as np
import pytest

from widemargin.cli import main
from widemargin.errors import InputError
from widemargin.study.papers.letters import table
from widemargin.study.papers.letters.data import HEADER, PIXELS, Words, open_words, read_words
from widemargin.study.papers.letters.methods import METHODS, Method, Point, scaled
from widemargin.study.reproduction import Settings

ALPHABET = "abcd"
SOME = (
    Method("CRF, linear", (Point(0.1), Point(10.0)), learner="lbfgs", objective="likelihood"),
    Method("chain, quadratic", (Point(1.0), Point(1.0, coef=0.3, unit=False)), degree=2),
)


def drawn(words: int = 30, folds: int = 3, noise: float = 0.1) -> Words:
    """Words of one random glyph per letter, in which some pixels are flipped."""
    random = np.random.default_rng(5)
    glyphs = random.random((len(ALPHABET), PIXELS)) < 0.25
    texts = [random.integers(len(ALPHABET), size=random.integers(2, 5)) for _ in range(words)]
    images = [(glyphs[text] ^ (random.random((len(text), PIXELS)) < noise)).astype(np.float32) for text in texts]
    return Words(images, [[ALPHABET[code] for code in text] for text in texts], np.arange(words) % folds)


def lines_of(words: Words) -> list[str]:
    """The file of these words."""
    out = [HEADER]
    for i, (image, letters) in enumerate(zip(words.images, words.letters)):
        for t, (row, letter) in enumerate(zip(image, letters)):
            out.append(f"{i},{words.fold[i]},{t},{letter}," + "".join(str(int(pixel)) for pixel in row))
    return out


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "ocr_letters").mkdir()
    with gzip.open(tmp_path / "ocr_letters" / "letters.csv.gz", "wt") as out:
        out.write("\n".join(lines_of(drawn())) + "\n")
    return str(tmp_path)


def test_by_command(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(table, "METHODS", SOME)
    small = ["--data", folder, "--epochs", "3", "--threads", "1", "-o", str(tmp_path / "out")]
    assert main(["reproduce", "letters", "--folds", "2", "--json", *small]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["reproduces"], facts["words"], facts["folds"]) == ("letters", 30, [0, 1])
    assert [row["method"] for row in facts["rows"]] == [method.name for method in SOME]
    for row in facts["rows"]:
        runs = [run for run in facts["runs"] if run["method"] == row["method"]]
        assert [run["fold"] for run in runs] == [0, 1]
        assert row["error"] == pytest.approx(np.mean([run["error"] for run in runs]))
        assert row["error"] < 40.0  # guessing: 75
        for run in runs:
            assert run["held"] == min(point["held"] for point in run["tried"])
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["letters.json", "letters.md"]
    assert main(["reproduce", "letters", "--folds", "1", "--sentences", "5", *small]) == 0
    shown = capsys.readouterr()
    assert "15 words" in shown.out
    assert "fold 0, chain, quadratic: error" in shown.err


def test_the_words_of_a_fold_are_trained_on_and_all_others_tested(monkeypatch):
    words, seen = drawn(), []
    monkeypatch.setattr(table, "run", lambda method, train, test, fold, settings: seen.append((train, test, fold)))
    for fold in range(3):
        table.by_method(words, fold, Settings())
    assert len(seen) == 3 * len(METHODS)
    for train, test, fold in seen:
        assert set(train.fold) == {fold}
        assert set(test.fold) == {0, 1, 2} - {fold}
        assert len(train) + len(test) == len(words)


def test_a_fifth_of_the_training_fold_decides(monkeypatch):
    words, method = drawn(20, 1), Method("x", (Point(1.0), Point(2.0), Point(3.0)))
    wrong = {1.0: 5.0, 2.0: 3.0, 3.0: 3.0}
    fitted, judged = [], []

    def fit(method, point, words, settings):
        fitted.append(words)
        return wrong[point.strength]

    def judge(value, words, m):
        judged.append(words)
        return value

    monkeypatch.setattr(table, "fitted", fit)
    monkeypatch.setattr(table, "error", judge)
    point, tried = table.choose(method, words, Settings())
    assert (point, tried) == (Point(2.0), [5.0, 3.0, 3.0])
    for learnt, held in zip(fitted, judged):
        assert [id(image) for image in held.images] == [id(image) for image in words.images[4::5]]
        assert sorted(id(image) for image in [*learnt.images, *held.images]) == sorted(map(id, words.images))


def test_nothing_is_chosen_on_test_words():
    words, settings = drawn(), Settings(epochs=3)
    train, test = words.select(words.fold == 1), words.select(words.fold != 1)
    other = Words([1.0 - image for image in test.images], [["a"] * len(letters) for letters in test.letters], test.fold)
    first, second = (table.run(SOME[1], train, unseen, 1, settings) for unseen in (test, other))
    assert first["error"] != second["error"]
    for name in ("strength", "gamma", "coef", "unit", "held", "tried"):
        assert first[name] == second[name]


def test_the_error_is_that_of_counting():
    words = drawn()
    tagger = table.fitted(SOME[1], Point(1.0), words.select(words.fold == 0), Settings(epochs=1))
    test = words.select(words.fold == 1)
    found = tagger.predict(scaled(test, None))
    wrong = [a != b for gold, answer in zip(test.letters, found) for a, b in zip(gold, answer)]
    assert table.error(tagger, test, None) == pytest.approx(100.0 * sum(wrong) / len(wrong))


def test_lengths_of_letters():
    words = drawn(8, 1)
    assert all(np.allclose((each**2).sum(axis=1), 1.0) for each in scaled(words, Point(1.0).square(words)))
    m = Point(1.0, unit=False).square(words)
    assert np.mean([(row**2).sum() for each in scaled(words, m) for row in each]) == pytest.approx(1.0, rel=1e-5)
    assert np.allclose(scaled(words, m)[0][:, :-1] * np.sqrt(m), words.images[0])


def test_files_are_read_as_written(folder, tmp_path):
    words, found = drawn(), open_words(folder)
    assert (found.letters, found.fold.tolist()) == (words.letters, words.fold.tolist())
    for image, expected in zip(found.images, words.images):
        np.testing.assert_array_equal(image, expected)
    few = open_words(folder, 2)
    assert few.fold.tolist() == [0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize(
    ("at", "line", "said"),
    [
        (0, "word,fold", "letters.csv:1: the first line must be"),
        (2, "0,0,1,a", "letters.csv:3: the line has 4 fields"),
        (2, "0,x,1,a," + "0" * PIXELS, "letters.csv:3: fold 'x' and label 'a'"),
        (2, "0,0,1,ab," + "0" * PIXELS, "letters.csv:3: fold '0' and label 'ab'"),
        (2, "0,0,1,a,012", "letters.csv:3: the pixels must be 128 characters"),
        (2, "0,0,1,a," + "2" * PIXELS, "letters.csv:3: the pixels must be 128 characters"),
        (2, "0,0,2,a," + "0" * PIXELS, "letters.csv:3: letter 2 of word 0"),
        (2, "0,1,1,a," + "0" * PIXELS, "letters.csv:3: letter 1 of word 0 in fold 1"),
        (2, "9,0,1,a," + "0" * PIXELS, "letters.csv:3: letter 1 of word 9"),
    ],
)
def test_bad_lines_are_refused_with_their_place(at, line, said, tmp_path):
    lines = lines_of(drawn(3, 1))
    lines[at] = line
    path = tmp_path / "letters.csv"
    path.write_text("\n".join(lines))
    with pytest.raises(InputError) as refused:
        read_words(str(path))
    assert said in str(refused.value)


def test_refusals(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("WIDEMARGIN_DATA", raising=False)
    for arguments, said in (
        (["letters"], "put ocr_letters/letters.csv"),
        (["letters", "--data", str(tmp_path / "none")], "put ocr_letters/letters.csv"),
        (["letters", "--data", folder, "--folds", "4"], "from 1 to 3"),
        (["letters", "--data", folder, "--sentences", "4"], "a fold has 4 words"),
        (["letters", "--data", folder, "--sentences", "0"], "at least one word"),
        (["letters", "--task", "ner"], "--task changes nothing in"),
        (["gimpel-table2", "--folds", "2"], "--folds changes nothing in gimpel-table2"),
    ):
        assert main(["reproduce", *arguments]) == 2
        assert said in capsys.readouterr().err
    (tmp_path / "header.csv").write_text(HEADER + "\n")
    with pytest.raises(InputError, match="no letter"):
        read_words(str(tmp_path / "header.csv"))
    one = tmp_path / "one" / "ocr_letters"
    one.mkdir(parents=True)
    (one / "letters.csv").write_text("\n".join(lines_of(drawn(6, 1))))
    with pytest.raises(InputError, match="must be two"):
        table.report(Settings(data=str(tmp_path / "one")))
