"""Two ways to run a kernel: compiled, or as the Python text that it is (NUMBA_DISABLE_JIT=1). conftest.py chooses
by these marks at collection.

no mark     compiled
twice       compiled, and again as plain Python
wide        as plain Python; compiled only by `make test-all`, because compiling it takes long and another test compiles its like
compiled    compiled only, in a module that runs twice
both        by `make test-all` alone: as plain Python it would take too long, too
"""

import itertools

import numba
import pytest

COMPILED = not numba.config.DISABLE_JIT


def cases(*axes, wide):
    """Parameters of every combination of the axes; those for which wide(...) holds have that mark."""
    found = itertools.product(*axes)
    return [pytest.param(*values, marks=[pytest.mark.wide] if wide(*values) else [], id="-".join(map(text, values))) for values in found]


def wide(*cases):
    """These parameters with that mark."""
    return [pytest.param(*case, marks=pytest.mark.wide) for case in cases]


def only_in_test_all(*cases):
    """These parameters with both marks."""
    return [pytest.param(*case, marks=[pytest.mark.wide, pytest.mark.compiled]) for case in cases]


def text(value):
    """A value in a test's name."""
    return " ".join(map(str, value)) if isinstance(value, tuple) else getattr(value, "__name__", str(value))
