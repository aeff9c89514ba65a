"""The Python of README, run as it stands, and the commands it names."""

import contextlib
import io
import re
from pathlib import Path

from widemargin.cli import parser

README = Path(__file__).parents[2] / "README.md"


def test_the_python_examples_run():
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        for code in blocks:
            exec(compile(code, str(README), "exec"), {})
    score, tags, estimator, *explanation = out.getvalue().splitlines()
    assert 90 < float(score) < 100
    assert tags == "['B-NP', 'I-NP', 'B-VP', 'B-NP', 'I-NP']"
    assert estimator.startswith("[['O', 'B-PER', 'O'], ['O', 'B-PER', 'I-PER']]")
    assert any("B-PER" in line for line in explanation)


def test_every_command_parses():
    commands = re.findall(r"^    widemargin (.*?)(?:\s+#.*|\s+>.*)?$", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(commands) >= 5
    for command in commands:
        parser().parse_args(command.split())


def test_every_benchmark_named_is_there():
    named = re.findall(r"`python (benchmarks/\w+\.py)`", README.read_text(encoding="utf-8"))
    assert len(named) >= 5
    for path in named:
        assert (README.parent / path).exists()
