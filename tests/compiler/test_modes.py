"""Two ways of compiling with the same results: the usual one, and Numba's own, which is taken with a Numba that has not been tested."""

import numba
import pytest
from children import child, compiled

from widemargin.compiler import mode

IS_LINKED = "from widemargin.compiler.mode import LINKING; print(LINKING is not None)"


def test_a_mode_can_be_asked_for(tmp_path):
    assert child(tmp_path, IS_LINKED, WIDEMARGIN_JIT="plain") == "False"
    assert child(tmp_path, IS_LINKED, WIDEMARGIN_JIT="linked") == "True"


def test_an_unknown_mode_is_refused(tmp_path):
    script = "import sys; sys.argv[1:] = ['list', 'tasks', '--json']; from widemargin.cli import main; import widemargin.compiler.mode"
    run = child(tmp_path, script, fails=True, WIDEMARGIN_JIT="quick")
    assert "WIDEMARGIN_JIT is 'quick'; it must be linked or plain, or not be set" in run.stderr


VERSIONS = {"0.61.2": False, "0.62.0": True, "0.68.9": True, "0.69.0rc1": False, "1.0": False}


def test_the_oldest_numba_that_is_allowed_is_the_oldest_tested(request):
    text = (request.config.rootpath / "pyproject.toml").read_text()
    assert '"numba>={}.{}"'.format(*mode.TESTED[0]) in text


@pytest.mark.parametrize(("version", "expected"), VERSIONS.items())
def test_versions_that_were_not_tested_are_compiled_for_by_numba_alone(monkeypatch, version, expected):
    monkeypatch.delenv("WIDEMARGIN_JIT", raising=False)
    monkeypatch.setattr(numba, "__version__", version)
    if expected:
        assert mode.choose()
    else:
        with pytest.warns(RuntimeWarning, match=f"Numba is {version}, .* tested with Numba 0.62 to 0.68") as caught:
            assert mode.choose() is None
        assert len(caught) == 1
        monkeypatch.setenv("WIDEMARGIN_JIT", "linked")
        assert mode.choose()


@compiled
@pytest.mark.parametrize(
    "change",
    [
        "del codegen.JITCodeLibrary",
        "del codegen.CPUCodeLibrary._finalize_dynamic_globals",
        "del caching.CompileResultCacheImpl",
        "del compiler.Compiler",
    ],
)
def test_hooks_that_are_gone_are_done_without(tmp_path, change):
    script = f"""
import warnings
import numba
from numba.core import caching, codegen, compiler
{change}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import widemargin.compiler.jit
print(len(caught), "not made for this one" in str(caught[0].message), widemargin.compiler.mode.LINKING)
"""
    assert child(tmp_path, script, WIDEMARGIN_JIT="") == "1 True None"
    assert child(tmp_path, script, WIDEMARGIN_JIT="linked", fails=True)


@compiled
def test_options_that_a_new_numba_does_not_know_are_left_out(tmp_path):
    script = """
import numpy as np
from numba.core.cpu import CPUTargetOptions
for cls in CPUTargetOptions.__mro__:
    if "_nrt" in vars(cls):
        del cls._nrt
from widemargin.compiler.jit import UNKNOWN
from widemargin.engine.hash import fill_table
table = np.zeros(8, np.uint64)
fill_table(np.arange(1, 4, dtype=np.uint64), table)
print(UNKNOWN, sorted(table.tolist()))
"""
    assert child(tmp_path, script, WIDEMARGIN_JIT="plain") == "('_nrt',) [0, 0, 0, 0, 0, 1, 2, 3]"


BLAS = """
import sys
import numba
import numba.np.linalg as linalg
import numpy as np
look = linalg.ensure_blas
from widemargin.features.lexicons import Strings
Strings.of_bytes([]).hashes()  # a kernel
import numba.np.arraymath as arraymath
kept = linalg.ensure_blas is look and arraymath.ensure_blas is look and arraymath._HAVE_BLAS
dot, convolve = numba.njit(lambda a: np.dot(a, a)), numba.njit(lambda a: np.convolve(a, a))
print(kept, "scipy.linalg" in sys.modules, dot(np.ones(3)), convolve(np.ones(2)).tolist(), "scipy.linalg" in sys.modules)
"""


@compiled
def test_kernels_do_without_scipy_and_numba_has_blas_when_asked(tmp_path):
    pytest.importorskip("scipy")
    assert child(tmp_path, BLAS, anew=True).splitlines()[-1] == "True False 3.0 [1.0, 2.0, 1.0] True"
