"""docs/tutorial.md: every block is run in order, in one folder and one namespace, and prints what the text shows."""

import re
import shlex
from pathlib import Path

import pytest

from widemargin.cli import main

TEXT = (Path(__file__).parent.parent / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])[-+]?[0-9][0-9,]*(?:\.[0-9]*)?")


def test_every_block_runs_and_prints_what_is_shown(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    namespace: dict = {}
    printed, shown = "", 0
    for kind, body in BLOCKS:
        if kind == "text":
            assert matches(body, printed), f"the tutorial shows\n{body}\nand this was printed\n{printed}"
            shown += 1
            continue
        if kind == "python":
            exec(compile(body, "tutorial.md", "exec"), namespace)
        else:
            assert kind == "sh"
            for line in body.splitlines():
                program, *arguments = shlex.split(line)
                assert program == "widemargin"
                assert main(arguments) == 0, line
        printed = capfd.readouterr().out
    assert shown >= 15


def matches(shown: str, printed: str) -> bool:
    """The same words, and numbers within a tenth of each other; three dots stand for anything."""
    pattern, expected = "", []
    for i, part in enumerate(re.split(r"\.\.\.", shown.strip())):
        pattern += ".*" if i else ""
        words = NUMBER.split(part)
        expected += NUMBER.findall(part)
        pattern += f"({NUMBER.pattern})".join(r"\s+".join(map(re.escape, re.split(r"\s+", word))) for word in words)
    found = re.fullmatch(pattern, printed.strip(), re.DOTALL)
    return found is not None and all(float_of(got) == pytest.approx(float_of(want), rel=0.1) for got, want in zip(found.groups(), expected))


def float_of(text: str) -> float:
    return float(text.rstrip(",").replace(",", ""))


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("F1: 75.23", "F1: 75.91\n", True),
        ("F1: 75.23", "F1: 12.00\n", False),
        ("a b\n...\nz", "a  b\nc\nd\nz\n", True),
        ("a 77,381 b", "a 77,390 b", True),
        ("['B-PER', 'O']", "['B-PER', 'I-PER']", False),
        ("a\n...", "b\nc", False),
    ],
)
def test_what_counts_as_the_same(shown, printed, same):
    assert matches(shown, printed) is same


def test_no_link_is_broken():
    for target in re.findall(r"\]\((\w[\w.-]*\.md)\)", TEXT):
        assert (Path(__file__).parent.parent / "docs" / target).exists(), target
