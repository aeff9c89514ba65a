"""widemargin: learning to predict structures. Any objective, any learner, any structure, on the same features.

    model = widemargin.train("chunk", "town:train", dev="town:dev", learner="ops", objective="softmax-margin")
    model.save("chunk.safetensors")
    model = widemargin.load("chunk.safetensors")

The public names are those of the table below and those that families declare (Family.public). Each is imported when first used, so that
`import widemargin` costs nothing. `__init__.pyi` says the same to type checkers; tests/test_public_names.py sees to it.
"""

import importlib
from typing import Any

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
    return getattr(importlib.import_module(module), name)


def __dir__() -> list[str]:
    return sorted([*_where(), "__version__"])
