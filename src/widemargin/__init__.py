"""widemargin: learning to predict structures. Any objective, any learner, any structure, on the same features.

    model = widemargin.train("chunk", "town:train", dev="town:dev", learner="ops", objective="softmax-margin")
    model.save("chunk.safetensors")
    model = widemargin.load("chunk.safetensors")

The public names are those of the table below and those that families declare (Family.public). Each is imported when first used, so that
`import widemargin` costs nothing. `__init__.pyi` says the same to type checkers; tests/test_public_names.py sees to it.
"""

import functools
import importlib
import importlib.resources
import importlib.util
import inspect
import types
from typing import Any

from widemargin.garbage import uncollected

__version__ = "0.1.0"

# module -> its public names
_PUBLIC = {
    "errors": ("InputError",),
    # any family: train, load, ask; and one of your own
    "families.recipes": ("Recipe", "load", "open_data", "train"),
    "families.base": ("Family", "Task"),
    "families.options": ("Option",),
    "families.registry": ("register",),
    "readers.columns": ("Columns", "from_sentences", "read_columns", "stream_columns", "write_columns"),
    # the engine, for problems of your own
    "engine.problem": ("Problem",),
    "engine.objectives": ("OBJECTIVES", "Objective", "objective_named"),
    "engine.penalty": ("Penalty",),
    "learners": ("LEARNERS", "learner_named"),
    "structures": ("Chain", "Choice", "Legal", "Parts"),
    "structures.arcs.trees": ("Arborescence", "Eisner", "Heads", "Siblings"),
    # is a difference real?
    "metrics.bootstrap": ("paired_bootstrap",),
}


def _where() -> dict[str, str]:
    """The module of every public name."""
    from widemargin.families.registry import families

    found = {name: f"widemargin.{module}" for module, names in _PUBLIC.items() for name in names}
    for family in families():
        found |= {name: f"{type(family).__module__}.{module}" for module, names in family.public.items() for name in names}
    return found


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted(_where())
    module = None if name.startswith("_") else _where().get(name)
    if module is None:
        raise AttributeError(f"module 'widemargin' has no attribute {name!r}")
    with uncollected():  # scikit-learn and Numba are two thousand modules, all of which stay
        thing = getattr(importlib.import_module(module), name)
    _complete(thing, name, module)
    return thing


def _complete(thing: Any, name: str, module: str) -> None:
    """Put parameters and examples behind the docstring of a public name: docstrings.txt has them, so that sources stay short."""
    text = getattr(thing, "__doc__", None)
    if isinstance(thing, type | types.FunctionType) and text and "Examples\n" not in text:
        package = ".".join(module.split(".")[:3]) if module.startswith("widemargin.families.") else "widemargin"
        found = sections(package).get(name) or sections("widemargin").get(name)
        if found:
            thing.__doc__ = f"{inspect.cleandoc(text)}\n\n{found}\n"


@functools.cache
def sections(package: str) -> dict[str, str]:
    """Name -> parameters and examples, by the docstrings.txt of a package; {} where it has none."""
    place = importlib.resources.files(package) / "docstrings.txt" if importlib.util.find_spec(package).submodule_search_locations else None
    if place is None or not place.is_file():
        return {}
    parts = place.read_text(encoding="utf-8").split("\n== ")
    return {name: text.strip() for name, _, text in (part.removeprefix("== ").partition("\n") for part in parts) if text}


def __dir__() -> list[str]:
    return sorted([*_where(), "__version__"])
