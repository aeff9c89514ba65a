"""Numbers on the command line: what is negative, no number, infinite or absurd is one sentence and status 2, before any file is read."""

import pytest

from widemargin.cli import main

BAD = ["-1", "nan", "inf", "1e400", str(10**30), "1_000", " 5", "٣", "²", "x", "", "9" * 5000]
TRAIN = ["train", "chunk", "no-such-file", "-o", "m"]
FLAGS = {
    **dict.fromkeys(("--epochs", "--l1", "--l2", "--seed", "--threads", "--checkpoint", "--patience", "--cutoff", "--hash-bits"), TRAIN),
    "--kbest": ["predict", "no-such-file"],
    "--top": ["explain", "no-such-file", "-"],
    "--token": ["explain", "no-such-file", "-"],
    "--sentence": ["explain", "no-such-file", "-"],
    "--samples": ["score", "chunk", "no-such-file", "no-such-file", "--against", "no-such-file"],
    "--seeds": ["compare", "chunk", "no-such-file", "no-such-file", "-o", "m"],
    "--points": ["curve", "chunk", "no-such-file", "no-such-file", "-o", "m"],
    "--keep": ["prune", "no-such-file", "-o", "m"],
    "--threshold": ["prune", "no-such-file", "-o", "m"],
    "--sentences": ["data", "town", "dev"],
    "--folds": ["reproduce", "letters", "-o", "m"],
    "--labels": ["warmup"],
}


@pytest.fixture
def refusal(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        status = main(list(arguments))
        out, err = capsys.readouterr()
        (sentence,) = [line for line in err.splitlines() if line.startswith("widemargin: ")]
        assert (status, out) == (2, "")
        assert len(sentence) < 200
        assert "no-such-file" not in sentence
        return sentence

    return run


@pytest.mark.parametrize("flag", FLAGS)
def test_flags(flag, refusal):
    for value in BAD[1:] if flag == "--threshold" else BAD:  # which a family refuses if it is negative
        assert flag.strip("-").replace("-", "_") in refusal(*FLAGS[flag], f"{flag}={value}").replace("label_counts", "labels").replace(
            "-", "_"
        )


def test_zero_where_there_must_be_some(refusal):
    for flag in ("--epochs", "--kbest", "--top", "--samples", "--seeds"):
        assert f"{flag} is 0; it must be at least 1 and at most 2147483647" in refusal(*FLAGS[flag], flag, "0")


@pytest.mark.parametrize(
    ("learner", "names"),
    [
        ("sgd", "epochs rate decay batch initial k tolerance mu memory rho epsilon skip seed delta patience cache"),
        ("lbfgs", "epochs memory period delta patience seed"),
        ("smo", "epochs check tolerance passes prune memory steps cache seed patience"),
        ("cccp", "rounds tolerance patience"),
    ],
)
def test_settings_of_learners(learner, names, refusal):
    for name in names.split():
        for value in BAD:
            assert name in refusal(*TRAIN, "--learner", learner, "--set", f"{name}={value}")


def test_sizes_of_the_embedded_corpus(refusal):
    for value in ("-1", "²", "٣", "1_000", "9" * 5000, "1000000000"):
        assert "town:" in refusal("data", "stats", f"town:dev:{value}")


def test_columns_that_are_no_numbers(refusal, tmp_path):
    (tmp_path / "train").write_text("a D B-X\nb N I-X\n\n")
    for value in ("²", "٣", "9" * 5000, "1_0", "7", "-9"):
        assert "there is no column" in refusal("train", "chunk", "train", "-o", "m", f"--label={value}")


def test_a_cost_with_an_absurd_price(refusal, tmp_path):
    (tmp_path / "train").write_text("a D B-X\nb N I-X\n\n")
    for value in BAD[:6]:
        for form in ("hamming*{}", "miss={}", "weights:O={}"):
            assert (
                "price" in (found := refusal("train", "chunk", "train", "-o", "m", f"--cost={form.format(value)}"))
                or "not a number" in found
            )


@pytest.mark.wide
def test_a_billion_answers(tmp_path, monkeypatch, capsys):
    """JSON has as many as there are; a file has a column for each, and is refused."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train").write_text("a D B-X\nb N I-X\n\nc V O\n\n")
    assert main(["train", "chunk", "train", "-o", "m", "--epochs", "1"]) == 0
    capsys.readouterr()
    assert main(["predict", "m", "train", "--kbest", "1000000000", "--json"]) == 0
    assert capsys.readouterr().out.count("log_probability") <= 9 + 3
    assert main(["predict", "m", "train", "--kbest", "1000000000"]) == 2
    assert "the 1,000,000,000 best outputs do not fit into memory; ask for at most" in capsys.readouterr().err
