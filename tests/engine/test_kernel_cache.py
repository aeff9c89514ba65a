"""Kernels on disk: machine code alone, which a later process loads instead of compiling."""

import importlib
import os
import pkgutil
import subprocess
import sys

import pytest
from numba.core.caching import FunctionCache
from numba.core.registry import CPUDispatcher

import widemargin.kernels
from widemargin.kernels.jit import ECONOMY, Cache

TWICE = """
import numpy as np
from widemargin.kernels.hash import fill
table = np.zeros(64, np.uint64)
fill(np.arange(1, 20, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15), table)
hits = sum(fill.stats.cache_hits.values())
print(hits, table.tolist())
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_a_second_process_loads_what_the_first_compiled(tmp_path):
    environment = os.environ | {"WIDEMARGIN_CACHE": str(tmp_path)}
    runs = [subprocess.run([sys.executable, "-c", TWICE], env=environment, capture_output=True, text=True, check=True) for _ in range(2)]
    (first_hits, first), (second_hits, second) = (run.stdout.split(" ", 1) for run in runs)
    assert (first_hits, second_hits) == ("0", "1")
    assert first == second


CALLS = """
from widemargin.kernels.jit import inner, kernel, phase, tiny

@kernel(shared=True)
def double(x):
    return 2.0 * x

@inner
def four(x):
    return double(double(x))

@phase
def eight(x):
    return double(four(x))

@tiny
def more(x):
    return eight(x) + 1.0

@kernel
def whole(x):
    return more(x)
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_a_kernel_from_the_cache_is_linked_into_functions_that_are_compiled(tmp_path):
    (tmp_path / "calls.py").write_text(CALLS)
    environment = os.environ | {"WIDEMARGIN_CACHE": str(tmp_path), "PYTHONPATH": str(tmp_path)}
    for call, value in ("double(1.0)", 2.0), ("whole(1.0)", 9.0), ("whole(1.0)", 9.0):
        command = f"import calls; print(calls.{call})"
        run = subprocess.run([sys.executable, "-c", command], env=environment, capture_output=True, text=True, check=True)
        assert float(run.stdout) == value


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_no_kernel_calls_a_cached_kernel():
    """The cache does not keep what a caller would need to link one."""
    for module in pkgutil.iter_modules(widemargin.kernels.__path__):
        importlib.import_module(f"widemargin.kernels.{module.name}")
    ours = [function for function in ECONOMY.kinds if function is not None]
    assert len(ours) > 200
    linked, shared = set(), {"kbest", "climb", "kbest_trees"}
    for function in ours:
        for name in function.__code__.co_names:
            called = function.__globals__.get(name)
            if isinstance(called, CPUDispatcher):
                assert not isinstance(called._cache, Cache), f"{function} calls {name}, which must be shared"
                if isinstance(called._cache, FunctionCache) and name in shared:
                    linked.add(name)
    assert linked == shared
