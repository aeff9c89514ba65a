"""docs/migrating.md: its commands parse, its Python runs, its table of penalties is that of penalty.py."""

import gzip
import re
from pathlib import Path

import pytest

from widemargin import SequenceTagger
from widemargin.cli import parser
from widemargin.engine.penalty import l2_from

TEXT = (Path(__file__).parents[2] / "docs" / "migrating.md").read_text(encoding="utf-8")


def test_every_command_parses():
    commands = re.findall(r"`widemargin (.*?)`", TEXT)
    assert len(commands) >= 8
    for command in commands:
        parser().parse_args(re.sub(r"\b[XY]\b", "0.1", command).split())


def test_every_option_parses():
    cells = [line.removesuffix(" |").split(" | ")[-1] for line in TEXT.splitlines() if line.startswith("| `")]
    options = [option for cell in cells for option in re.findall(r"`((?:--|predict ).*?)`", cell)]
    assert len(options) >= 10
    for option in options:
        verb = ["predict", "model"] if option.startswith("predict ") else ["train", "tag", "file", "-o", "model"]
        parser().parse_args([*verb, *re.sub(r"\b[XY]\b", "0.1", option.removeprefix("predict ")).split()])


def test_the_python_examples_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("template").write_text("U05:%x[-1,0]/%x[0,0]\nB\n")
    Path("train.crfsuite.txt.gz").write_bytes(gzip.compress(b"A\tx\ty:2\n\n"))
    codes = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert len(codes) == 6
    for code in codes:
        exec(compile(code, "migrating.md", "exec"), {})
    assert capsys.readouterr().out == "0[-1] 0[0]\nlabel[-1]\n"
    assert Path("again.txt").read_text() == "A\tx\ty:2.0\n\n"


def test_the_promised_agreement_with_crfsuite(tmp_path):
    """The same features and penalties give the same weights and marginals."""
    pycrfsuite = pytest.importorskip("pycrfsuite")
    words = "ella left selby it rained in selby and ella slept".split()
    labels = ["B-PER" if word == "ella" else "B-LOC" if word == "selby" else "O" for word in words]
    X = [[{"word": word, "end": word[-1], "length": len(word) / 4} for word in words[i : i + 4]] for i in range(7)]
    y = [labels[i : i + 4] for i in range(7)]
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c2": 0.1, "epsilon": 1e-9, "delta": 1e-9, "feature.possible_states": True, "feature.possible_transitions": True})
    for x, row in zip(X, y):
        trainer.append(x, row)
    trainer.train(str(tmp_path / "model"))
    theirs = pycrfsuite.Tagger()
    theirs.open(str(tmp_path / "model"))
    ours = SequenceTagger("lbfgs", l2=l2_from("crfsuite", 0.1, len(X)), epochs=300, settings={"delta": 1e-9, "dtype": "float64"}).fit(X, y)
    info = theirs.info()
    assert {key: ours.weights[key] for key in info.state_features} == pytest.approx(info.state_features, abs=2e-3)
    assert {key: ours.transitions[key] for key in info.transitions} == pytest.approx(info.transitions, abs=2e-3)
    theirs.set(X[0])
    for t, token in enumerate(ours.predict_marginals(X[:1], as_dicts=True)[0]):
        assert token == pytest.approx({label: theirs.marginal(label, t) for label in theirs.labels()}, abs=2e-3)


@pytest.mark.parametrize(
    ("row", "tool"), [("CRF++ `-c C`", "crf++"), ("Wapiti `-1", "wapiti"), ("CRFsuite `c1`", "crfsuite"), ("`SVM-struct", "svm-struct")]
)
def test_the_table_of_penalties(row, tool):
    (line,) = (line for line in TEXT.splitlines() if line.startswith(f"| {row}"))
    formula = line.split(" | ")[-2].replace("C n", "C * n").replace("2 c2", "2 * c2")
    assert eval(formula, {"n": 50, "C": 3.0, "rho2": 3.0, "c2": 3.0}) == pytest.approx(l2_from(tool, 3.0, 50))
