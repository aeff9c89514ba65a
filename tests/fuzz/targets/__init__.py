"""Targets: what is fed with cases. A module here has TARGETS."""

import functools
import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

MODULES = (
    "columns",
    "items",
    "treebanks",
    "constituents",
    "lists",
    "clusters",
    "chains",
    "templates",
    "settings",
    "models",
    "containers",
    "checkpoints",
    "estimators",
    "commands",
)
PLAIN, COMPILED = "plain", "compiled"


@dataclass(frozen=True)
class Target:
    """cases makes a case (plain data and bytes) from a generator, run feeds it; run may be asked in another process than cases."""

    name: str
    cases: Callable[[Random], dict]
    run: Callable[[dict], None]
    weight: float  # how many of 1,000 cases it gets
    compiled: bool = False  # with compiled kernels too, in long runs
    sentences: tuple[type[Exception], ...] = ()  # beside InputError
    warm: Callable[[], Iterator[None]] | None = None  # loads or compiles what no case shall have to wait for, step by step


@functools.cache
def targets() -> dict[str, Target]:
    """All of them by name."""
    found = [target for name in MODULES for target in importlib.import_module(f"fuzz.targets.{name}").TARGETS]
    return {target.name: target for target in found}
