"""docs/summaries.md: its commands parse, its templates are read, and its Python runs."""

import contextlib
import io
import re
import shlex
from pathlib import Path

from widemargin.cli import parser
from widemargin.families.summaries.templates import parse_summary_templates

TEXT = (Path(__file__).parents[2] / "docs" / "summaries.md").read_text(encoding="utf-8")


def test_the_python_runs():
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "summaries.md", "exec"), {})
    score, *summary, numbers = out.getvalue().splitlines()
    assert 0.05 < float(score) < 1.0
    assert summary[0].startswith("(0, ")
    assert summary[-1].endswith(" 0.0")
    assert all(float(number) >= 0.0 for number in numbers.split())


def test_every_command_parses():
    commands = re.findall(r"^    widemargin (.*?)(?:\s+#.*|\s+>.*)?$", TEXT, re.MULTILINE)
    assert len(commands) == 11
    for command in commands:
        parser().parse_args(shlex.split(command))


def test_the_templates_are_read():
    lines = re.findall(r"^    ((?:count|log-count|sentence:) .*)$", TEXT, re.MULTILINE)
    assert len(lines) == 3
    for line in lines:
        assert parse_summary_templates(line, "page")
