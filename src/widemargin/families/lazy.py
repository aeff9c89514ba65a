"""Fields and methods of families that stand in modules which are imported when they are first used: importing a family costs nothing."""

import importlib
from typing import Any


class _Lazy:
    """What a module has, imported when it is asked for."""

    def __init__(self, place: str):
        self.module, _, self.name = place.rpartition(".")

    def __set_name__(self, owner: type, name: str) -> None:
        self.folder = owner.__module__

    def __get__(self, family: Any, owner: type) -> Any:
        return getattr(importlib.import_module(self.module, self.folder), self.name)


def lazy(place: str) -> Any:
    """A field or a method of a family that stands in a module, of its own folder (".reports.inspection") or of another one; it is imported
    when it is first used. A function takes what the method would, but for self."""
    return _Lazy(place)
