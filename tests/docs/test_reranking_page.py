"""docs/reranking.md: its commands parse and its Python runs."""

import contextlib
import io
import re
import shlex
from pathlib import Path

from widemargin.cli import parser

TEXT = (Path(__file__).parents[2] / "docs" / "reranking.md").read_text(encoding="utf-8")


def test_the_python_runs():
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "reranking.md", "exec"), {})
    score, baseline = out.getvalue().splitlines()[0].split()
    assert 100 * float(score) > float(baseline) + 5
    assert "['a cat sat']" in out.getvalue() or "['the cat sat']" in out.getvalue()


def test_every_command_parses():
    commands = re.findall(r"^    widemargin (.*?)(?:\s+#.*|\s+>.*)?$", TEXT, re.MULTILINE)
    assert len(commands) >= 12
    for command in commands:
        parser().parse_args(shlex.split(command))
