"""The same tests as plain Python: NUMBA_DISABLE_JIT=1 makes every kernel what its text says, and wide matrices cheap."""

import os
import pathlib
import subprocess
import sys

import numba
import pytest

MODULES = ["test_enumeration.py", "test_objectives_and_gradients.py", "test_lazy_is_eager.py", "test_learners_agree.py"]
MODULES += ["test_duals_agree.py", "test_slack_rescaling.py", "test_kernel_learners.py"]
MODULES += ["test_kbest_mira.py", "test_meta_descent.py", "test_choosing_rates.py"]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="this is that process")
def test_everything_holds_without_the_jit():
    here = pathlib.Path(__file__).parent
    files = [str(here / name) for name in MODULES]
    command = [sys.executable, "-m", "pytest", "-x", "--tb=short", "--rootdir", str(here.parents[1]), *files]
    done = subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, cwd=here.parents[1])
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
