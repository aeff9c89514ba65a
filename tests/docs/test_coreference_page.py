"""docs/coreference.md: its commands parse, its templates are read, and its Python runs."""

import contextlib
import io
import re
import shlex
from pathlib import Path

from widemargin.cli import parser
from widemargin.families.coreference.attributes import COLUMNS
from widemargin.families.coreference.templates import RELATIONS, parse_link_templates

TEXT = (Path(__file__).parents[2] / "docs" / "coreference.md").read_text(encoding="utf-8")


def test_the_python_runs():
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "coreference.md", "exec"), {})
    score, chains, text = out.getvalue().splitlines()
    assert 0.6 < float(score) <= 1.0
    assert "(0, 2)" in chains
    assert text == "Ann met Bob. Ann liked Bob's dog."


def test_every_command_parses():
    commands = re.findall(r"^    widemargin (.*?)(?:\s+#.*|\s+>.*)?$", TEXT, re.MULTILINE)
    assert len(commands) >= 10
    for command in commands:
        parser().parse_args(shlex.split(command))


def test_the_templates_are_read():
    lines = re.findall(r"^    ((?:new|mention|match|\?|between|include).*)$", TEXT, re.MULTILINE)
    assert len(lines) == 6
    for line in lines:
        assert parse_link_templates(f"new mention.quoted\nstring rank\n{line}\n")
    assert all(word in TEXT for word in (*COLUMNS, *(name for name in RELATIONS if not name.endswith("10"))))
