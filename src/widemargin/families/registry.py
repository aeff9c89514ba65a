"""Families by task and by model. Those of the library are imported when one is asked for; users register theirs at run time."""

import importlib
from collections.abc import Mapping

from widemargin.engine.names import known
from widemargin.errors import InputError
from widemargin.families.base import Family, Task

# modules with a FAMILY; listings keep this order
MODULES = (
    "widemargin.families.tagging",
    "widemargin.families.dependencies",
    "widemargin.families.constituency",
    "widemargin.families.coreference",
    "widemargin.families.reranking",
    "widemargin.families.summaries",
)

_registered: dict[str, Family] = {}


def register(family: Family) -> Family:
    """Let tasks and models of this family be known from now on, everywhere: Recipe, train, load and the commands of this process.

    A family of the same name is replaced; a task of the same name in another family is refused.
    """
    for other in families():
        if other.name != family.name and (both := set(other.tasks) & set(family.tasks)):
            raise InputError(f"the task {sorted(both)[0]!r} is one of the family {other.name}; choose another name")
    _registered[family.name] = family
    return family


def families() -> tuple[Family, ...]:
    """All of them, the library's own first."""
    own = {family.name: family for family in (importlib.import_module(module).FAMILY for module in MODULES)}
    return tuple((own | _registered).values())


def verbs() -> Mapping[str, tuple[str, str]]:
    """Commands that families bring along: what each is for, and its module."""
    return {name: verb for family in families() for name, verb in family.verbs.items()}


def family_named(name: str) -> Family:
    """A family by its own name."""
    for family in families():
        if family.name == name:
            return family
    raise InputError(f"family {name!r} is not known; the families are {', '.join(family.name for family in families())}")


def tasks() -> Mapping[str, Task]:
    """Every task by name."""
    return {name: task for family in families() for name, task in family.tasks.items()}


def family_of_task(name: str) -> Family:
    """The family of a task; unknown names are refused with those that exist."""
    for family in families():
        if name in family.tasks:
            return family
    return family_of_task(known("task", name, tasks()))


def family_of_model(header: Mapping, path: str = "<model>") -> Family:
    """The family of a model by its header: by its name, in files of older versions by the task."""
    if header.get("kind") != "model":
        raise InputError("this is a checkpoint, not a model; finish its training with `widemargin train ... --resume`", path)
    if "family" not in header:
        task = str(header.get("task"))
        own = next((family for family in families() if task in family.tasks), None)
        if own is None:
            raise InputError(f"the model is for the task {task[:40]!r}, which is not known; train it again", path)
        return own
    for family in families():
        if family.name == header["family"]:
            return family
    raise InputError(
        f"the model is of the family {str(header['family'])[:40]!r}, which is not known; import the package that registers it", path
    )


def family_of_file(path: str, format: str | None = None) -> Family:
    """The family that reads a file, by the name of the format or by how the file's name ends; else the first."""
    name = path.removesuffix(".gz")
    for family in families():
        for own, endings in family.formats.items():
            if format == own or (format is None and endings and name.endswith(endings)):
                return family
    if format is not None:
        return family_of_file(path, known("format", format, formats()))
    return families()[0]


def formats() -> list[str]:
    """Names of all formats."""
    return [name for family in families() for name in family.formats]


def outputs() -> list[str]:
    """Names of all forms in which predict writes."""
    return list(dict.fromkeys(name for family in families() for name in family.outputs))
