"""docs/first-hour.md: every block is run in order, in one folder, and prints what the page shows; what is wrong is warned of."""

import shlex
import warnings

import pytest
from shown import blocks, matches

from widemargin.cli import main

pytestmark = pytest.mark.wide


def test_the_road_of_a_new_user(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    namespace: dict = {}
    printed, shown, warned = "", 0, []
    for kind, body in blocks("first-hour.md"):
        if kind == "text":
            assert matches(body, printed), f"the page shows\n{body}\nand this was printed\n{printed}"
            shown += 1
            continue
        with warnings.catch_warnings(record=True, action="always") as caught:
            if kind == "python":
                exec(compile(body, "first-hour.md", "exec"), namespace)
            else:
                for line in body.splitlines():
                    program, *arguments = shlex.split(line)
                    assert (program, main(arguments)) == ("widemargin", 0), line
        warned += [str(one.message) for one in caught if "overflow" not in str(one.message) and one.category is RuntimeWarning]
        printed = capfd.readouterr().out
    assert shown >= 7
    assert warned == ["unlabelled.txt:1: every gold label is O, so there is no span to find; are there gold labels in this file?"]
