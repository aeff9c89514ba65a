"""Compiling in less time than Numba takes by itself, to faster code. Nothing here runs with WIDEMARGIN_JIT=plain (mode.py).

Numba makes machine code of every function, and optimises each in full with everything that it calls: at the bottom of a deep call that
is done once per level. Inner functions are only ever linked into kernels, so here they are simplified and handed on; passes over a whole
program, and machine code, come once, for the kernel.

A function says by its `pipeline_class` which library its code goes to. So functions of others that Numba compiles meanwhile (its own
overloads, a user's helper) go where Numba puts them.
"""

import functools
from typing import Any

from llvmlite import binding, ir
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Flags

from widemargin.compiler.wide_compiler import WideCompiler
from widemargin.garbage import uncollected

SIMPLIFY = 1  # of -O0 to -O3: variables in registers, no dead code


class KernelLibrary(JITCodeLibrary):
    """The code of a kernel, with everything that it calls.

    What it calls is nobody else's (internal): arguments that are not read go, and what is called in one place is inlined there. Label rows
    are vectors by their types (lanes.py): looking for loops to vectorise is left to those kernels that ask for it.
    """

    vectorise = False
    unshared = ""  # the name of a kernel of which the cache keeps machine code alone: see machine_code.py

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout
        passes, builder = _simplifier(self._codegen)
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def finalize(self):
        """Link everything that is called, directly or not, once; then as Numba does."""
        linked, self._linking_libraries = called(self)
        for library in linked:
            if hasattr(library, "_reload_init"):  # what newer versions of Numba do again after loading from a cache
                self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._final_module, preserve=True)
        super().finalize()

    def _optimize_final_module(self):
        for function in self._final_module.functions:
            if function.is_declaration and function.name.startswith("_ZN"):  # a call of it would be a jump to address 0
                raise AssertionError(f"{self.name} calls {function.name}, which was not linked")
            if not function.is_declaration and function.linkage in (binding.Linkage.linkonce_odr, binding.Linkage.weak_odr):
                function.linkage = binding.Linkage.internal
        inline, builder = self._codegen._module_pass_manager(opt=0, loop_vectorize=False, slp_vectorize=False, cost="cheap")
        inline.run(self._final_module, builder)
        optimise, builder = self._codegen._module_pass_manager(loop_vectorize=self.vectorise)
        optimise.run(self._final_module, builder)

    def _get_module_for_linking(self):
        """The code for a caller to link."""
        if self.unshared:
            raise TypeError(f"{self.unshared} is a kernel, and compiled code calls it: decorate it with @kernel(shared=True)")
        return super()._get_module_for_linking()


@functools.cache
def _simplifier(codegen) -> tuple:
    """The passes over single functions: making them takes longer than running them on most."""
    return codegen._function_pass_manager(opt=SIMPLIFY)


class VectorisedLibrary(KernelLibrary):
    """The code of a kernel in which loops are worth vectorising."""

    vectorise = True


class LinkedLibrary(KernelLibrary):
    """The code of a function that kernels call: no machine code, only the cell where Numba keeps its environment.

    It is not linked with what it calls: the kernel does that, once for all."""

    _shared_module: Any  # Numba's own field

    def finalize(self):
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == binding.Linkage.external:
                function.linkage = binding.Linkage.weak_odr  # unlike linkonce_odr linked even before there is a call of it
        self._finalize_dynamic_globals()
        cells = ir.Module()
        cells.triple = binding.get_process_triple()
        for variable in self._final_module.global_variables:
            if variable.name.startswith("_ZN08NumbaEnv") and not self._codegen._engine.is_symbol_defined(variable.name):
                cell = ir.GlobalVariable(cells, ir.IntType(8).as_pointer(), variable.name)
                cell.initializer = ir.Constant(cell.value_type, None)
        self._cells = binding.parse_assembly(str(cells))
        self._codegen._add_module(self._cells)
        self._finalized = True

    def _get_module_for_linking(self):
        """The code with all that it calls, for a caller that is not of ours."""
        if self._shared_module is None:
            whole = self._final_module.clone()
            linked, others = called(self)
            for code in [library._final_module for library in linked] + [library._get_module_for_linking() for library in others]:
                whole.link_in(code, preserve=True)
            self._shared_module = whole
        return self._shared_module


class OutlinedLibrary(LinkedLibrary):
    """The code of a large part of a kernel's work, which stays a function of its own: LLVM's time grows faster than a function's size."""

    def add_ir_module(self, ir_module):
        for function in ir_module.functions:
            if not function.is_declaration:
                function.attributes.add("noinline")
        super().add_ir_module(ir_module)


def called(library: KernelLibrary) -> tuple[list[LinkedLibrary], list]:
    """What a library calls, directly or through functions that are only linked: those, and others, each once."""
    linked: dict[LinkedLibrary, None] = {}
    others: dict[Any, None] = {}
    left = list(library._linking_libraries)
    while left:
        found = left.pop()
        if not isinstance(found, LinkedLibrary):
            others[found] = None
        elif found not in linked:
            linked[found] = None
            left.extend(found._linking_libraries)
    return list(linked), list(others)


class QuickFlags(Flags):
    """Numba's settings of one compilation, which it compares thousands of times while it infers types, one setting after the other."""

    __slots__ = ()

    def __hash__(self):
        return HASH_OF_FLAGS

    def __eq__(self, other):
        return isinstance(other, Flags) and (self._values == other._values or super().__eq__(other))


HASH_OF_FLAGS = hash(Flags())  # of any: Numba hashes the names of settings alone
if hash(Flags()) != hash(QuickFlags()) or Flags.__slots__:
    raise TypeError("this Numba keeps the settings of compilations in another way")


class LinkingCompiler(WideCompiler):
    """Numba's compiler, with its result in a library of ours; compiling makes no garbage worth looking for."""

    library_class: type[KernelLibrary]

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals):
        if type(flags) is Flags:
            flags.__class__ = QuickFlags
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)

    def compile_extra(self, func):
        self.state.library = self.library_class(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        with uncollected():
            return super().compile_extra(func)


def compiler_of(library: type[KernelLibrary]) -> type[LinkingCompiler]:
    """The `pipeline_class` of functions whose code goes to such a library."""
    return type(f"{library.__name__}Compiler", (LinkingCompiler,), {"library_class": library})


COMPILERS = {
    "kernel": compiler_of(KernelLibrary),
    "vectorised": compiler_of(VectorisedLibrary),
    "linked": compiler_of(LinkedLibrary),
    "outlined": compiler_of(OutlinedLibrary),
}

# Fail here, where mode.py can still choose Numba's own way, rather than in the middle of a compilation.
for _name in (
    "_optimize_functions",
    "_optimize_final_module",
    "_get_module_for_linking",
    "_finalize_final_module",
    "_finalize_dynamic_globals",
    "_verify_declare_only_symbols",
    "add_ir_module",
    "enable_object_caching",
):
    getattr(JITCodeLibrary, _name)
