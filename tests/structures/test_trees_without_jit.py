"""The whole matrix of tree tests as plain Python, where nothing need be compiled."""

import os
import pathlib
import subprocess
import sys

import numba
import pytest


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="this is that process")
def test_trees_hold_without_the_jit():
    here = pathlib.Path(__file__).parent
    names = "test_trees_enumerated.py", "test_tree_answers.py", "test_siblings_enumerated.py", "test_lazy_kbest.py"
    files = [str(here / name) for name in names]
    command = [sys.executable, "-m", "pytest", "-x", "--tb=short", "--rootdir", str(here.parents[1]), *files]
    done = subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, cwd=here.parents[1])
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
