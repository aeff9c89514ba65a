"""docs/tutorial.md: every block is run in order, in one folder and one namespace, and prints what the text shows."""

import re
import shlex
from pathlib import Path

import pytest
from shown import blocks, matches

from widemargin.cli import main

TEXT = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = blocks("tutorial.md")


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
        assert (Path(__file__).parents[2] / "docs" / target).exists(), target
