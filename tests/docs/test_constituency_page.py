"""docs/constituency.md: its commands parse, its templates are read, and its Python runs."""

import contextlib
import io
import re
import shlex
from pathlib import Path

from widemargin.cli import parser
from widemargin.families.constituency.templates import parse_span_templates

TEXT = (Path(__file__).parents[2] / "docs" / "constituency.md").read_text(encoding="utf-8")


def test_the_python_runs():
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "constituency.md", "exec"), {})
    score, tree, _ = out.getvalue().splitlines()
    assert 0.85 < float(score) <= 1.0
    assert tree.startswith("(S (NP (DT The) (NN mayor)) (VP (VBD spoke)))")


def test_every_command_parses():
    commands = re.findall(r"^    widemargin (.*?)(?:\s+#.*|\s+>.*)?$", TEXT, re.MULTILINE)
    assert len(commands) >= 10
    for command in commands:
        parser().parse_args(shlex.split(command))


def test_the_templates_are_read():
    lines = re.findall(r"^    ((?:first|before|runs|all|split|include)[. ].*)$", TEXT, re.MULTILINE)
    assert len(lines) == 8
    for line in lines:
        assert parse_span_templates(f"bias\n{line}\n")
