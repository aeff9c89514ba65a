"""How kernels are compiled: cached on disk, without the GIL, and dispatched on NamedTuple types.

Numba does not notice an edit in *another* source file, so the cache folder carries a digest of all kernel sources. Functions passed as
arguments and closures over compiled functions are never cached; dispatch on types is, and costs nothing at run time.
"""

import functools
import hashlib
import os
import pathlib

import numba
from llvmlite import binding, ir
from numba import types
from numba.core import caching
from numba.core.typing.templates import AbstractTemplate, builtin_registry

from .economy import ECONOMY, Inner, Phase, Vectorised, Whole

# -inf is a value here (a forbidden label), so sums may be reordered and fused but infinities and NaN stay what they are.
SAFE_MATH = {"reassoc", "contract", "nsz", "arcp"}


def cache_folder() -> str:
    """~/.cache/widemargin/kernels-DIGEST, or below $WIDEMARGIN_CACHE; the digest covers every file beside this one."""
    digest = hashlib.sha256()
    for source in sorted(pathlib.Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    root = os.environ.get("WIDEMARGIN_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "widemargin"
    )
    return os.path.join(root, f"kernels-{digest.hexdigest()[:16]}")


_FOLDER = cache_folder()


OPTIONS = {"nogil": True, "fastmath": SAFE_MATH, "error_model": "numpy", "no_cfunc_wrapper": True}
# Reading an array out of a NamedTuple counts a reference, atomically, each time. Hot kernels allocate nothing, so they count nothing.
UNCOUNTED = {"_nrt": False}
# What only other kernels call needs no wrapper for Python and no place in the cache. Numba would pass a caller's forceinline on to it.
INNER = UNCOUNTED | {"no_cpython_wrapper": True, "forceinline": False}
# What runs once per weight must be inlined: passing its tuples by value costs more than its work. Once per row, it must not: compile time.
TINY = INNER | {"forceinline": True}


class MachineCode(caching.CompileResultCacheImpl):
    """What the cache keeps of a kernel: machine code and the names in it.

    Numba keeps its intermediate code too, for callers that would inline it, and reading that is most of the time to load a kernel. Few
    kernels are called by others (`shared`); of the rest only the names that they define are left, which are asked for in loading.
    """

    def reduce(self, cres):
        (name, kind, (machine_code, bitcode)), *rest = super().reduce(cres)
        return (name, kind, (machine_code, names_of(bitcode))), *rest


class Cache(caching.FunctionCache):
    """The same files as Numba's own, with less in them."""

    _impl_class = MachineCode


def names_of(bitcode):
    """Bitcode that defines the same visible names as this, with nothing behind them."""
    whole, names = binding.parse_bitcode(bitcode), ir.Module()
    hidden = (binding.Linkage.internal, binding.Linkage.private)
    for function in whole.functions:
        if not function.is_declaration and function.linkage not in hidden:
            empty = ir.Function(names, ir.FunctionType(ir.VoidType(), ()), function.name)
            ir.IRBuilder(empty.append_basic_block()).ret_void()
    for variable in whole.global_variables:
        if not variable.is_declaration and variable.linkage not in hidden:
            ir.GlobalVariable(names, ir.IntType(8), variable.name).initializer = ir.Constant(ir.IntType(8), 0)
    return binding.parse_assembly(str(names)).as_bitcode()


def kernel(function=None, *, allocates=False, vectorise=False, shared=False):
    """A compiled function that Python calls, cached on disk; a plain Python function when NUMBA_DISABLE_JIT=1.

    shared: other kernels call it too.
    """
    if function is None:
        return functools.partial(kernel, allocates=allocates, vectorise=vectorise, shared=shared)
    # A locator takes the folder at decoration time: set it for our kernels only, so that other Numba code keeps its own place.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = _FOLDER
    try:
        compiled = ECONOMY.watch(numba.njit(function, **OPTIONS, **({} if allocates else UNCOUNTED)), Vectorised if vectorise else Whole)
        if compiled is not function:
            compiled._cache = caching.FunctionCache(function) if shared else Cache(function)
        return compiled
    finally:
        numba.config.CACHE_DIR = before


def inner(function):
    """A compiled function that only kernels call, for work on whole rows."""
    return ECONOMY.watch(numba.njit(function, **OPTIONS, **INNER), Inner)


def phase(function):
    """The same for what is large, or rare: never inlined, which would only take the compiler's time."""
    return ECONOMY.watch(numba.njit(function, **OPTIONS, **INNER), Phase)


def tiny(function):
    """The same for work on single weights: always inlined."""
    return ECONOMY.watch(numba.njit(function, **OPTIONS, **TINY), Inner)


def generic(stub=None, *, tiny=False):
    """singledispatch on the class of the first argument (a NamedTuple), in Python and, statically, inside compiled code.

    >>> @generic
    ... def area(shape): ...
    >>> @area.when(Square)
    ... def _(shape): return shape.side * shape.side

    numba.extending.overload would do, but it compiles a body anew for every kind of caller; here each body is one compiled function.
    """
    if stub is None:
        return functools.partial(generic, tiny=tiny)
    dispatch = functools.singledispatch(stub)
    bodies: dict[type, object] = {}

    class Template(AbstractTemplate):
        key = dispatch
        compiled: dict = {}

        def generic(self, args, kws):
            cls = args[0].instance_class if isinstance(args[0], types.BaseNamedTuple) else None
            if cls not in bodies:
                return None
            body = types.Dispatcher(bodies[cls])
            signature = body.get_call_type(self.context, args, kws)
            self.compiled[signature.args] = body.get_overload(signature)
            return signature

        def get_impl_key(self, signature):
            return self.compiled[signature.args]

    builtin_registry.register_global(dispatch, types.Function(Template))

    def when(cls):
        def register(body):
            dispatch.register(cls)(body)
            bodies[cls] = ECONOMY.watch(numba.njit(body, **OPTIONS, **(TINY if tiny else INNER)), Inner)
            return body

        return register

    dispatch.when = when  # type: ignore[attr-defined]
    return dispatch
