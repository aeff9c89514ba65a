"""Somebody may want to know that compiling has begun: it takes seconds, once. Nothing is imported here, so that asking costs nothing."""

from collections.abc import Callable

COMPILING = "compiling (once for this kind of model)"

_listeners: list[Callable[[str], None]] = []


def listen(listener: Callable[[str], None]) -> None:
    """To be told, once, when a kernel is not in the cache."""
    _listeners[:] = [listener]


def compiling() -> None:
    """A kernel is about to be compiled."""
    while _listeners:
        _listeners.pop()(COMPILING)
