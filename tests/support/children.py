"""Python in a child process: what a cache holds shows in another process, and a crash must not be ours."""

import os
import subprocess
import sys

import pytest

compiled = pytest.mark.compiled


def child(folder, script, *, fails=False, **environment):
    """Run a script with modules and kernel cache in `folder`: its standard output, or, if it `fails`, the finished process."""
    # Python's own cache of modules takes two edits in a second for one
    settings = {"WIDEMARGIN_CACHE": str(folder / "cache"), "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", script]
    run = subprocess.run(command, env=os.environ | settings | environment, capture_output=True, text=True, check=False)
    assert fails == (run.returncode != 0), run.stderr
    return run if fails else run.stdout.strip()
