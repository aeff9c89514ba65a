"""Tuners of weights on lists of hypotheses: what is no learner's minimum of F. Each has a name, settings as fields, and tune (base.py)."""

from dataclasses import fields
from typing import Any

from widemargin.engine.names import hint, known
from widemargin.engine.settings import as_bool, as_number
from widemargin.errors import InputError
from widemargin.families.reranking.tuners.base import Tuned, Tuner
from widemargin.families.reranking.tuners.margins import Mira, Rm
from widemargin.families.reranking.tuners.mert import MOST_FEATURES, Mert
from widemargin.families.reranking.tuners.pro import Pro
from widemargin.families.reranking.tuners.rampion import Rampion

__all__ = ["MOST_FEATURES", "TUNERS", "Mert", "Mira", "Pro", "Rampion", "Rm", "Tuned", "Tuner", "tuner_named"]

TUNERS: dict[str, type] = {tuner.name: tuner for tuner in (Rm, Mira, Pro, Rampion, Mert)}
KINDS = {"int": int, "float": float}


def tuner_named(name: str, settings: dict[str, Any] | None = None) -> Tuner:
    """A tuner by name, with settings as its fields have them, perhaps as text."""
    name = known("tuner", name, TUNERS)
    kinds = {field.name: field.type if isinstance(field.type, str) else field.type.__name__ for field in fields(TUNERS[name])}
    given = {}
    for key, value in (settings or {}).items():
        if key not in kinds:
            raise InputError(f"{name} has no setting {key!r}; it has {', '.join(kinds)}{hint(key, kinds)}")
        given[key] = _read(key, value, kinds[key])
    return TUNERS[name](**given)


def _read(key: str, value: Any, kind: str) -> Any:
    """A setting of that kind."""
    if kind == "bool":
        return as_bool(key, value)
    if kind == "str":
        return str(value)
    if key == "B" and str(value) == "inf":
        return float("inf")
    return as_number(key, value, KINDS[kind])
