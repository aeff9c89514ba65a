"""Compiling in less time than Numba takes by itself, to faster code.

Numba makes machine code of every function, and optimises each in full with everything that it calls: at the bottom of a deep call that
is done once per level. Inner functions are only ever linked into kernels, so here they are simplified and handed on; passes over a whole
program, and machine code, come once, for the kernel.
"""

import gc

from llvmlite import binding, ir
from numba.core import event
from numba.core.codegen import JITCodeLibrary
from numba.core.registry import cpu_target

SIMPLIFY = 1  # of -O0 to -O3: variables in registers, no dead code


class Whole(JITCodeLibrary):
    """The code of a kernel, with everything that it calls.

    What it calls is nobody else's (internal): arguments that are not read go, and what is called in one place is inlined there. Label rows
    are vectors by their types (lanes.py): looking for loops to vectorise is left to those kernels that ask for it.
    """

    vectorise = False

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager(opt=SIMPLIFY)
                passes.run(function, builder)

    def _optimize_final_module(self):
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == binding.Linkage.linkonce_odr:
                function.linkage = binding.Linkage.internal
        inline, builder = self._codegen._module_pass_manager(opt=0, loop_vectorize=False, slp_vectorize=False, cost="cheap")
        inline.run(self._final_module, builder)
        optimise, builder = self._codegen._module_pass_manager(loop_vectorize=self.vectorise)
        optimise.run(self._final_module, builder)


class Vectorised(Whole):
    """The same, where loops are worth vectorising."""

    vectorise = True


class Inner(Whole):
    """The code of a function that kernels call: no machine code, only the cell where Numba keeps its environment."""

    def _optimize_final_module(self):
        pass

    def _finalize_final_module(self):
        if getattr(self, "_compiled_object", None):  # a kernel that it calls, from the cache
            super()._finalize_final_module()
            return
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        cells = ir.Module()
        cells.triple = binding.get_process_triple()
        for variable in self._final_module.global_variables:
            if variable.name.startswith("_ZN08NumbaEnv") and not self._codegen._engine.is_symbol_defined(variable.name):
                cell = ir.GlobalVariable(cells, ir.IntType(8).as_pointer(), variable.name)
                cell.initializer = ir.Constant(cell.value_type, None)
        self._cells = binding.parse_assembly(str(cells))
        self._codegen._add_module(self._cells)
        self._finalized = True


class Phase(Inner):
    """The code of a large part of a kernel's work, which stays a function of its own: LLVM's time grows faster than a function's size."""

    def add_ir_module(self, ir_module):
        for function in ir_module.functions:
            if not function.is_declaration:
                function.attributes.add("noinline")
        super().add_ir_module(ir_module)


class Economy(event.Listener):
    """Gives each of our functions, while it is compiled, its kind of code; compiling makes no garbage worth looking for.

    Numba sends these events inside its compiler lock.
    """

    def __init__(self):
        self.kinds: dict[object, type[Whole]] = {}
        self.before: list[tuple] = []

    def watch(self, dispatcher, kind: type[Whole] = Whole):
        self.kinds[getattr(dispatcher, "py_func", None)] = kind
        return dispatcher

    def on_start(self, event):
        codegen = cpu_target.target_context.codegen()
        self.before.append((codegen._library_class, gc.isenabled()))
        kind = self.kinds.get(event.data["dispatcher"].py_func)
        if kind:
            gc.disable()
            codegen._library_class = kind

    def on_end(self, event):
        cpu_target.target_context.codegen()._library_class, collecting = self.before.pop()
        if collecting:
            gc.enable()


ECONOMY = Economy()
event.register("numba:compile", ECONOMY)
