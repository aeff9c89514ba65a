"""What recipes and training are given in Python, checked: each kind of argument in one place, with one sentence for what it is not."""

import dataclasses
import os
import types
import typing
from collections.abc import Mapping
from typing import Any

from widemargin.engine.settings import FORMS, as_bool, as_number, in_range, is_sequence, shown
from widemargin.errors import InputError
from widemargin.families.base import Family, Model

MOST_THREADS = 4096


def text(name: str, value: Any) -> str:
    """A name, a file or a text."""
    if not isinstance(value, str):
        raise InputError(f"{name} is {shown(value)}; give text")
    return value


def text_or_none(name: str, value: Any) -> str | None:
    """The same; None is what is usual."""
    return None if value is None else text(name, value)


def mapping(name: str, value: Any) -> dict:
    """Settings or options by name; None is none."""
    if value is not None and not isinstance(value, Mapping):
        raise InputError(f"{name} is {shown(value)}; give a dict")
    return dict(value or {})


def penalty(name: str, value: Any) -> Any:
    """A number from 0 up, as it was given."""
    in_range(name, as_number(name, value, float), 0)
    return value


def refuse_numerals(given: Mapping[str, Any]) -> None:
    """Numbers given as text are for the command line."""
    for name, value in given.items():
        if isinstance(value, str) and FORMS[float].fullmatch(value):
            raise InputError(f"{name} is the text {value!r}; give a number")


def names(name: str, value: Any) -> tuple[str, ...] | None:
    """Names, perhaps as one text with commas; None where there are none."""
    if value is None:
        return None
    if isinstance(value, str):
        return tuple(value.split(","))
    found = tuple(value) if is_sequence(value) else (None,)
    if not all(isinstance(one, str) for one in found):
        raise InputError(f"{name} is {shown(value)}; give names")
    return found


def check_fields(things: Any) -> None:
    """Refuse values of a dataclass that are not of their field's types, where those are plain ones; numbers may be NumPy's."""
    for field in dataclasses.fields(things):
        kinds = typing.get_args(field.type) or (field.type,)
        if field.init and {*kinds} <= {str, int, float, bool, dict, types.NoneType}:
            _check(field.name, getattr(things, field.name), kinds)


def _check(name: str, value: Any, kinds: tuple) -> None:
    if value is None and types.NoneType in kinds:
        return
    if isinstance(value, str) and str in kinds:
        refuse_numerals({name: value} if float in kinds else {})
        return
    if isinstance(value, str) and dict not in kinds:
        raise InputError(f"{name} is the text {shown(value)!r}; give {'yes or no as a bool' if bool in kinds else 'a number'}")
    if bool in kinds:
        as_bool(name, value)
    elif float in kinds or int in kinds:
        as_number(name, value, float if float in kinds else int)
    else:
        (mapping if dict in kinds else text)(name, value)


def threads(value: Any) -> int:
    """How many threads."""
    return in_range("threads", as_number("threads", value, int), 1, MOST_THREADS)


def called(name: str, value: Any) -> Any:
    """A function to be told something, or None."""
    if value is not None and not callable(value):
        raise InputError(f"{name} is {shown(value)}; give a function")
    return value


def file_or_none(name: str, value: Any) -> str | None:
    """The name of a file."""
    if value is not None and not isinstance(value, str | os.PathLike):
        raise InputError(f"{name} is {shown(value)}; give the name of a file")
    return None if value is None else text(name, os.fspath(value))


def data_or_file(name: str, value: Any, family: Family) -> Any:
    """Data of a family, or the name of a file with them."""
    if isinstance(value, str | os.PathLike):
        return file_or_none(name, value)
    if not family.holds(value):
        raise InputError(f"{name} is {shown(value)}; give the name of a file, or what widemargin.open_data makes of one")
    return value


def check_family(model: Any, role: str, family: str, task: str) -> None:
    """Refuse a model, where there is one, of another family than the one that it is to serve."""
    if model is not None and model.family != family:
        raise InputError(f"the {role} model is one of {model.task.name}, and this is {task}; give one of {task}")


def base_of(family: Any, base: Any, task: str) -> dict[str, Any]:
    """A base model as a keyword of a family that takes one; others refuse it."""
    check_family(base, "base", family.name, task)
    if base is not None and family.option("base") is None:
        raise InputError(f"{task} is not trained on top of a base model; leave base out")
    return {} if base is None else {"base": base}


def model_or_file(name: str, value: Any) -> Any:
    """A model, the name of a file with one, or None."""
    if value is None or isinstance(value, str | os.PathLike):
        return file_or_none(name, value)
    if not isinstance(value, Model):
        raise InputError(f"{name} is {shown(value)}; give a model, or the name of its file")
    return value
