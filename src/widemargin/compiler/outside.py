"""Code from outside the package that may be linked into a kernel: what of it must be unchanged for a cached kernel to be used again.

A user's structure is a NamedTuple and its answers (jit.generic), in the user's own files; kernels of ours are compiled for it. Such a
kernel's place in the cache has a key, which covers

- the module names and sources of all that is reached: the function itself, the classes in its signature, their answers, the functions,
  classes and questions that these name, and so on. Per module, that is every .py file in its folder, or in its whole top-level package;
- the values of the numbers, strings, tuples and arrays that they name, which Numba writes into machine code.

Functions and classes that no other process could import (of __main__, a notebook, the inside of a function) are compiled for this
process alone. The package's own sources are covered by the name of the cache folder (cache.py).
"""

import hashlib
import os
import pathlib
import sys
import types as python_types
from collections.abc import Callable, Iterator

import numpy as np
from numba import types

# Versions of these are in the cache folder's name, or nothing of theirs is ever linked; nor is anything of the standard library.
LIBRARIES = {"numba", "llvmlite", "numpy", *sys.builtin_module_names}
KNOWN = {"widemargin", *LIBRARIES}
STANDARD = os.path.dirname(os.__file__)

_answers: dict[type, list[Callable]] = {}  # to questions of the package, from outside, by class
_specs: dict[str, object] = {}  # a module is executed once per spec: reloading makes a new one
_digests: dict[str, set[str]] = {}  # of sources, by folder; more than one when they were edited in the life of this process


def is_outside(thing) -> bool:
    """Does a function or class come from outside the package?"""
    name = str(thing.__module__)
    path = str(getattr(sys.modules.get(name), "__file__", None))  # not by name: chunk.py may be the user's
    return name.partition(".")[0] not in KNOWN and (not path.startswith(STANDARD + os.sep) or "site-packages" in path)


def note_function(function: Callable) -> None:
    """To be called when a function is decorated: sources are read while its module is executed, not when they may have been edited."""
    if is_outside(function) and _importable(function):
        module = sys.modules[function.__module__]
        if _specs.get(module.__name__) is not module.__spec__:
            _specs[module.__name__] = module.__spec__
            _digests.setdefault(_root(module), set()).add(_digest(_root(module)))


def note_answer(question: Callable, cls: type, body: Callable) -> None:
    """To be called when `body` is registered as the answer of `cls` to `question`."""
    if is_outside(body) and not is_outside(question):
        _answers.setdefault(cls, []).append(body)


def key_of(function: Callable, arguments) -> str | None:
    """The key of a kernel for arguments of these Numba types: "" if it links nothing from outside, None if it must not be kept on disk."""
    if any(isinstance(part, types.Callable) for part in parts_of(arguments)):
        return None
    reached = _reach([function, *_classes_in(arguments), *(body for cls in _answers if not is_outside(cls) for body in _answers[cls])])
    if not reached:
        return ""
    if not all(_importable(thing) for thing in reached):
        return None
    modules = {thing.__module__: _root(sys.modules[thing.__module__]) for thing in reached}
    for root in modules.values():
        if root not in _digests:
            _digests[root] = {_digest(root)}
    values = [f"{thing.__module__}.{thing.__qualname__} {text}" for thing in reached for text in _values_in(thing)]
    if any(" at 0x" in text for text in values):  # an object without a value: nothing to compare in another process
        return None
    sources = [f"{name} {sorted(_digests[root])}" for name, root in modules.items()]
    return hashlib.sha256("\n".join(sorted(sources) + sorted(values)).encode()).hexdigest()[:16]


def named_in(function: Callable) -> Iterator[tuple[str, object]]:
    """Every global value that a function names, in itself or as an attribute of a module, and every value that it closes over."""
    codes, names = [function.__code__], set()
    while codes:
        code = codes.pop()
        names |= {*code.co_names}
        codes += [constant for constant in code.co_consts if isinstance(constant, python_types.CodeType)]
    found = [(name, function.__globals__[name]) for name in sorted(names) if name in function.__globals__]
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            found.append((name, cell.cell_contents))
        except ValueError:
            pass  # not yet bound
    modules = set()
    while found:
        name, value = found.pop()
        if isinstance(value, python_types.ModuleType):
            if value.__name__ not in modules and value.__name__.partition(".")[0] not in LIBRARIES:
                modules.add(value.__name__)
                found += [(f"{name}.{attribute}", getattr(value, attribute)) for attribute in sorted(names) if hasattr(value, attribute)]
        else:
            yield name, value


def parts_of(arguments) -> Iterator[types.Type]:
    """Some Numba types, and the types that they are made of."""
    todo = list(arguments)
    while todo:
        part = todo.pop()
        yield part
        inside = [getattr(part, name, None) for name in ("dtype", "type", "key_type", "value_type")]
        todo += [t for t in (*inside, *getattr(part, "types", ())) if isinstance(t, types.Type) and t is not part]


def _classes_in(arguments) -> list[type]:
    """The NamedTuple classes in some Numba types."""
    return [part.instance_class for part in parts_of(arguments) if isinstance(part, types.BaseNamedTuple)]


def _reach(start: list) -> list:
    """The functions and classes from outside that these lead to."""
    todo, reached = list(start), {}
    while todo:
        thing = todo.pop()
        thing = getattr(thing, "py_func", thing)
        if not isinstance(thing, python_types.FunctionType | type):
            continue
        if hasattr(thing, "registry"):  # a question, whoever asks it: its answers, for whatever class
            todo += [body for cls, body in thing.registry.items() if cls is not object]
        if not is_outside(thing) or id(thing) in reached:
            continue
        reached[id(thing)] = thing
        if isinstance(thing, type):
            todo += _answers.get(thing, [])
        else:
            todo += [value for _, value in named_in(thing)]
    return list(reached.values())


def _values_in(thing) -> Iterator[str]:
    """Texts for the values that Numba would write into the code of a function, or into that of a class's constructor."""
    named = getattr(thing, "_field_defaults", {}).items() if isinstance(thing, type) else named_in(thing)
    return (f"{name} {_text(value)}" for name, value in named if not callable(value))


def _text(value) -> str:
    """The same text for the same value, in every process."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    return f"({', '.join(map(_text, value))})" if isinstance(value, tuple | list) else repr(value)


def _importable(thing) -> bool:
    """Would another process find this function or class by its name, or at least its file?"""
    module = sys.modules.get(thing.__module__)
    if module is None or thing.__module__ == "__main__" or not getattr(module, "__spec__", None) or not getattr(module, "__file__", None):
        return False
    if isinstance(thing, type):
        return getattr(module, thing.__qualname__, None) is thing
    return os.path.isfile(thing.__code__.co_filename)


def _root(module: python_types.ModuleType) -> str:
    """The folder of a module: of its top-level package if it is in one."""
    top, folder = sys.modules.get(module.__name__.partition(".")[0]), os.path.join(os.path.dirname(str(module.__file__)), "")
    return next((path for path in getattr(top, "__path__", ()) if folder.startswith(os.path.join(path, ""))), folder)


def _digest(root: str) -> str:
    """Of the sources in a package, or of those beside a module (whose folder ends in a separator)."""
    digest, folder = hashlib.sha256(), pathlib.Path(root)
    for source in sorted(folder.glob("*.py") if root.endswith(os.sep) else folder.rglob("*.py")):
        try:
            digest.update(f"{source.relative_to(folder)}\n".encode() + source.read_bytes())
        except OSError:
            digest.update(b"unreadable")
    return digest.hexdigest()
