"""docs/migrating.md: its commands parse, its Python runs, its table of penalties is that of penalty.py."""

import gzip
import re
from pathlib import Path

import pytest

from widemargin.cli import parser
from widemargin.penalty import l2_from

TEXT = (Path(__file__).parent.parent / "docs" / "migrating.md").read_text(encoding="utf-8")


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
    assert len(codes) == 3
    for code in codes:
        exec(compile(code, "migrating.md", "exec"), {})
    assert capsys.readouterr().out == "0[-1] 0[0]\nlabel[-1]\n"
    assert Path("again.txt").read_text() == "A\tx\ty:2.0\n\n"


@pytest.mark.parametrize(
    ("row", "tool"), [("CRF++ `-c C`", "crf++"), ("Wapiti `-1", "wapiti"), ("CRFsuite", "crfsuite"), ("`SVM-struct", "svm-struct")]
)
def test_the_table_of_penalties(row, tool):
    (line,) = (line for line in TEXT.splitlines() if line.startswith(f"| {row}"))
    formula = line.split(" | ")[-2].replace("C n", "C * n").replace("2 c2", "2 * c2")
    assert eval(formula, {"n": 50, "C": 3.0, "rho2": 3.0, "c2": 3.0}) == pytest.approx(l2_from(tool, 3.0, 50))
