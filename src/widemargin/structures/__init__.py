"""Structures: legal sets of parts, and how to maximise and sum over them."""

from .base import Legal, Parts, Structure
from .chain import Chain
from .choice import Choice

STRUCTURES: dict[str, type[Chain] | type[Choice]] = {"chain": Chain, "choice": Choice}

__all__ = ["STRUCTURES", "Chain", "Choice", "Legal", "Parts", "Structure"]
