"""How functions are compiled: without the GIL, dispatched on NamedTuple types, and kept on disk (cache.py).

The decorators may be used in any file, outside the package too. Functions passed as arguments are never kept on disk; dispatch on types is,
and costs nothing at run time. mode.py says which of two ways of compiling is taken.
"""

import functools
import weakref

import numba
from numba import types
from numba.core import caching
from numba.core.registry import cpu_target
from numba.core.typing.templates import AbstractTemplate, builtin_registry

from widemargin.compiler import lanes_math, outside  # noqa: F401, lanes_math: what rows of labels compile to
from widemargin.compiler.blas import import_without_scipy
from widemargin.compiler.cache import KernelCache
from widemargin.compiler.mode import LINKING

import_without_scipy()  # before the first kernel

# -inf is a value here (a forbidden label), so sums may be reordered and fused but infinities and NaN stay what they are.
SAFE_MATH = {"reassoc", "contract", "nsz", "arcp"}
OPTIONS = {"nogil": True, "fastmath": SAFE_MATH, "error_model": "numpy", "no_cfunc_wrapper": True}
# Reading an array out of a NamedTuple counts a reference, atomically, each time. Hot kernels allocate nothing, so they count nothing.
UNCOUNTED = {"_nrt": False}
# What only other kernels call needs no wrapper for Python and no place in the cache. Numba would pass a caller's forceinline on to it.
INNER = UNCOUNTED | {"no_cpython_wrapper": True, "forceinline": False}
# What runs once per weight must be inlined: passing its tuples by value costs more than its work. Once per row, it must not: compile time.
TINY = INNER | {"forceinline": True}


def _counting() -> type | None:
    """The compiler of functions with wide rows, unless Numba, in a version that has not been tested, lacks what it is made of."""
    try:
        from widemargin.compiler.wide_compiler import WideCompiler
    except ImportError:
        return None
    return WideCompiler


PLAIN = _counting()
COMPILED: weakref.WeakSet = weakref.WeakSet()  # the Python functions of all that is compiled here


# A Numba that has not been tested may have lost the private ones among these options; they change no results.
UNKNOWN = () if LINKING else tuple(name for name in OPTIONS | TINY if not hasattr(cpu_target.options, name))


def _compiled(function, kind: str, **options):
    """Numba's dispatcher of a function, of one of linking.py's kinds; the function itself when NUMBA_DISABLE_JIT=1."""
    outside.note_function(function)
    COMPILED.add(function)
    options = {name: value for name, value in (OPTIONS | options).items() if name not in UNKNOWN}
    if LINKING or PLAIN:
        options["pipeline_class"] = LINKING.COMPILERS[kind] if LINKING else PLAIN
    return numba.njit(function, **options)


def kernel(function=None, *, allocates=False, vectorise=False, shared=False):
    """A compiled function that Python calls, kept on disk; a plain Python function when NUMBA_DISABLE_JIT=1.

    allocates: it makes arrays. vectorise: it has loops over arrays that are worth vectorising. shared: compiled functions call it too.
    """
    if function is None:
        return functools.partial(kernel, allocates=allocates, vectorise=vectorise, shared=shared)
    compiled = _compiled(function, "vectorised" if vectorise else "kernel", **({} if allocates else UNCOUNTED))
    if compiled is not function:
        compiled._cache = KernelCache(function, _cache_class(shared))
    return compiled


def _cache_class(shared: bool) -> type[caching.FunctionCache]:
    if shared or not LINKING:
        return caching.FunctionCache
    from widemargin.compiler.machine_code import MachineCodeCache

    return MachineCodeCache


def inner(function):
    """A compiled function that only compiled functions call, for work on whole rows."""
    return _compiled(function, "linked", **INNER)


def phase(function=None, *, allocates=False):
    """A compiled function that only compiled functions call, large or rare: never inlined, which would only take the compiler's time.

    allocates: it makes arrays, which are gone when it returns.
    """
    if function is None:
        return functools.partial(phase, allocates=allocates)
    return _compiled(function, "outlined", **INNER | ({"_nrt": True} if allocates else {}))


def tiny(function):
    """A compiled function that only compiled functions call, for work on single weights: always inlined."""
    return _compiled(function, "linked", **TINY)


def generic(stub=None, *, tiny=False):
    """singledispatch on the class of the first argument (a NamedTuple), in Python and, statically, inside compiled code.

    >>> @generic
    ... def area(shape): ...
    >>> @area.when(Square)
    ... def _(shape): return shape.side * shape.side

    A body for `object` is the answer of all classes that have none of their own.
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
            cls = args[0].instance_class if isinstance(args[0], types.BaseNamedTuple) else object
            found = bodies.get(cls, bodies.get(object))
            if found is None:
                return None
            body = types.Dispatcher(found)
            signature = body.get_call_type(self.context, args, kws)
            self.compiled[signature.args] = body.get_overload(signature)
            return signature

        def get_impl_key(self, signature):
            return self.compiled[signature.args]

    builtin_registry.register_global(dispatch, types.Function(Template))

    def when(cls):
        def register(body):
            dispatch.register(cls)(body)
            outside.note_answer(stub, cls, body)
            bodies[cls] = _compiled(body, "linked", **(TINY if tiny else INNER))
            return body

        return register

    dispatch.when = when  # type: ignore[attr-defined]
    return dispatch
