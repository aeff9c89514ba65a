"""Structures: legal sets of parts, and how to maximise and sum over them.

Names are imported when first used: the kernels of a structure are part of the engine, its face for people stands on the engine.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from widemargin.structures.base import Legal, Parts, Structure
    from widemargin.structures.chain.arrays import Chain
    from widemargin.structures.choice.arrays import Choice

    STRUCTURES: dict[str, type[Chain] | type[Choice]]

_WHERE = {"Chain": "chain.arrays", "Choice": "choice.arrays", "Legal": "base", "Parts": "base", "Structure": "base"}

__all__ = ["STRUCTURES", "Chain", "Choice", "Legal", "Parts", "Structure"]


def __getattr__(name: str) -> Any:
    if name == "STRUCTURES":
        return {"chain": __getattr__("Chain"), "choice": __getattr__("Choice")}
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
