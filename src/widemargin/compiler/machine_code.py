"""A cache of kernels that keeps machine code and the names in it. Nothing here runs with WIDEMARGIN_JIT=plain (mode.py).

Numba keeps its intermediate code too, for callers that would link it, and reading that is most of the time to load a kernel. Few kernels
are called by compiled code (those are `shared`, and kept in full). Of the rest the names that they define are left, which are asked for in
loading. To link such a kernel is an error, in the process that compiles it as in those that load it; if the check were ever passed by,
what stands behind its names stops the process.
"""

from llvmlite import binding, ir
from numba.core import caching

from widemargin.compiler.linking import KernelLibrary


class MachineCode(caching.CompileResultCacheImpl):
    """What is written of a kernel, and what is made of it in reading."""

    def reduce(self, cres):
        (name, kind, (machine_code, bitcode)), *rest = super().reduce(cres)
        return (name, kind, (machine_code, names_of(bitcode))), *rest

    def rebuild(self, target_context, payload):
        cres = super().rebuild(target_context, payload)
        cres.library.__class__ = KernelLibrary
        cres.library.unshared = cres.fndesc.qualname
        return cres


class MachineCodeCache(caching.FunctionCache):
    """The same files as Numba's own, with less in them."""

    _impl_class = MachineCode

    def save_overload(self, sig, data):
        super().save_overload(sig, data)
        data.library.unshared = data.fndesc.qualname


def names_of(bitcode: bytes) -> bytes:
    """Bitcode that defines the visible names of this; a function of it, called, traps."""
    whole, names = binding.parse_bitcode(bitcode), ir.Module()
    nothing = ir.FunctionType(ir.VoidType(), ())
    trap = ir.Function(names, nothing, "llvm.trap")
    hidden = (binding.Linkage.internal, binding.Linkage.private)
    for function in whole.functions:
        if not function.is_declaration and function.linkage not in hidden:
            stub = ir.Function(names, nothing, function.name)
            stub.attributes.add("noinline")
            body = ir.IRBuilder(stub.append_basic_block())
            body.call(trap, ())
            body.unreachable()
    for variable in whole.global_variables:
        if not variable.is_declaration and variable.linkage not in hidden:
            ir.GlobalVariable(names, ir.IntType(8), variable.name).initializer = ir.Constant(ir.IntType(8), 0)
    return binding.parse_assembly(str(names)).as_bitcode()
