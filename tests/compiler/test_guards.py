"""What the compiler relies on: no compiled code links a kernel of which the cache keeps machine code alone; where compiled code is."""

import importlib
import os
import pkgutil
import signal

import numba
import pytest
from children import child, compiled
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary

import widemargin
from widemargin.compiler.cache import UNCOMPILED, KernelCache
from widemargin.compiler.jit import COMPILED, generic, inner, kernel, phase, tiny
from widemargin.compiler.mode import LINKING
from widemargin.compiler.outside import named_in

linked = pytest.mark.skipif(LINKING is None or bool(numba.config.DISABLE_JIT), reason="of the usual mode alone")


def modules() -> list:
    """All modules of the package."""
    found = [module.name for module in pkgutil.walk_packages(widemargin.__path__, "widemargin.")]
    return [importlib.import_module(name) for name in found if not name.endswith("__main__")]


def is_kernel(value) -> bool:
    return isinstance(getattr(value, "_cache", None), KernelCache)


def kernels_named_in(functions) -> dict:
    """Kernels that compiled functions name, directly or as attributes of modules, with one that does."""
    return {value: function for function in functions for _, value in named_in(function) if is_kernel(value)}


@linked
def test_kernels_that_compiled_functions_call_are_shared_and_no_others():
    kernels = {value for module in modules() for value in vars(module).values() if is_kernel(value)}
    ours = [function for function in COMPILED if function.__module__.startswith("widemargin.")]
    assert len(ours) > 200
    assert len(kernels) > 40
    called = kernels_named_in(ours)
    for callee, caller in called.items():
        assert callee._cache.kind is FunctionCache, f"{caller.__qualname__} calls {callee}, which must be shared"
    assert {callee for callee in kernels if callee._cache.kind is FunctionCache} == called.keys()


def test_folders_without_compiled_code_have_none():
    """Their sources are not in the digest that names the cache folder."""
    modules()
    for function in COMPILED:
        assert function.__module__.split(".")[:2] not in [["widemargin", folder] for folder in UNCOMPILED], function


@linked
def test_functions_of_others_may_call_linked_ones_however_deep():
    @phase
    def add_one(x):
        return x + 1.0

    @inner
    def twice(x):
        return 2.0 * add_one(x)

    @numba.njit
    def of_others(x):
        return twice(x) + add_one(x)

    assert of_others(3.0) == 12.0


@linked
def test_a_call_of_what_was_not_linked_is_an_error(monkeypatch):
    @inner
    def lost(x):
        return x + 1.0

    @kernel
    def calls(x):
        return lost(x)

    monkeypatch.setattr(LINKING, "called", lambda library: ([], []))
    with pytest.raises(AssertionError, match=r"calls .*lost.*, which was not linked"):
        calls(3.0)


UNSHARED = """
from widemargin.compiler import jit
from widemargin.compiler.jit import generic, inner, kernel, phase, tiny
from typing import NamedTuple
import sys
import numba

@kernel
def double(x):
    return 2.0 * x

class Square(NamedTuple):
    side: float

@generic
def area(shape): ...

@area.when(Square)
def _(shape):
    return double(shape.side)

this = sys.modules[__name__]

by_kernel = kernel(lambda x: double(x))
by_module = kernel(lambda x: this.double(x))
by_generic = kernel(lambda x: area(Square(x)))
linked_in, outlined, inlined = (way(lambda x: double(x)) for way in (inner, phase, tiny))
by_inner = kernel(lambda x: linked_in(x))
by_phase = kernel(lambda x: outlined(x))
by_tiny = kernel(lambda x: inlined(x))
by_others = numba.njit(lambda x: double(x))
"""
CALLERS = ["by_kernel", "by_module", "by_generic", "by_inner", "by_phase", "by_tiny", "by_others"]


@compiled
def test_linking_a_kernel_that_is_not_shared_is_an_error_compiled_or_loaded(tmp_path):
    (tmp_path / "calls.py").write_text(UNSHARED)
    script = f"""
import calls
for name in {CALLERS!r}:
    try:
        print(getattr(calls, name)(1.0))
    except TypeError as error:
        print(error)
print(calls.double(1.0))
"""
    sentence = "double is a kernel, and compiled code calls it: decorate it with @kernel(shared=True)"
    for _ in range(2):
        assert child(tmp_path, script, WIDEMARGIN_JIT="linked").splitlines() == [sentence] * len(CALLERS) + ["2.0"]
    assert child(tmp_path, script, WIDEMARGIN_JIT="plain").splitlines() == ["2.0"] * (len(CALLERS) + 1)


@pytest.fixture(scope="module")
def cached(tmp_path_factory):
    """A folder with kernels, one of them in the cache."""
    folder = tmp_path_factory.mktemp("calls")
    (folder / "calls.py").write_text(UNSHARED)
    assert child(folder, "import calls; print(calls.double(1.0))", WIDEMARGIN_JIT="linked") == "2.0"
    return folder


@compiled
@pytest.mark.skipif(os.name == "nt", reason="how a process ends is told otherwise")
@pytest.mark.parametrize("caller", CALLERS)
def test_if_the_check_were_gone_a_wrong_link_would_crash(cached, caller):
    script = f"""
from numba.core.codegen import JITCodeLibrary
from widemargin.compiler.linking import KernelLibrary
KernelLibrary._get_module_for_linking = JITCodeLibrary._get_module_for_linking
import calls
calls.double(1.0)
print("computed", calls.{caller}(1.0))
"""
    run = child(cached, script, fails=True, WIDEMARGIN_JIT="linked")
    assert -run.returncode in (signal.SIGILL, signal.SIGTRAP, signal.SIGABRT)
    assert "computed" not in run.stdout


@numba.njit
def of_others(x):
    return x + 1.0


@inner
def asks_others(x):
    return of_others(x)


@kernel
def asks(x):
    return asks_others(x)


@linked
def test_functions_of_others_compiled_meanwhile_are_compiled_as_usual():
    assert asks(2.0) == 3.0
    (theirs,), (ours,) = of_others.overloads.values(), asks_others.overloads.values()
    assert type(theirs.library) is JITCodeLibrary
    assert type(ours.library).__name__ == "LinkedLibrary"
    assert of_others(2.0) == 3.0  # it has machine code of its own
    assert numba.core.registry.cpu_target.target_context.codegen()._library_class is JITCodeLibrary


def test_decorated_functions_are_plain_ones_to_python():
    for way in kernel, inner, phase, tiny:
        assert getattr(way(abs_of), "py_func", abs_of) is abs_of
    question = generic(abs_of)
    assert question(-2) == 2


def abs_of(x):
    return abs(x)
