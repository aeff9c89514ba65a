"""Templates by name: a set that comes with the package, or a file in our language, CRF++'s or Wapiti's."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from widemargin.engine.names import hint
from widemargin.errors import InputError
from widemargin.features.atoms import Template
from widemargin.features.foreign import DIALECTS, is_foreign, parse_foreign
from widemargin.features.templates import parse_templates, read_templates, read_text

TOKENS = "widemargin.features.sets"  # a folder of template files; a family may have one of its own


def _folder(kind: str):
    package, _, folder = kind.rpartition(".")
    return resources.files(package) / folder


def named_sets(kind: str = TOKENS) -> list[str]:
    """The names of the sets in a folder."""
    return sorted(entry.name.removesuffix(".txt") for entry in _folder(kind).iterdir() if entry.name.endswith(".txt"))


def named_set(name: str, kind: str = TOKENS) -> str:
    """The text of a set."""
    if name not in named_sets(kind):
        sets = named_sets(kind)
        raise InputError(f"there is no template set {name!r}; the sets are {', '.join(sets)}{hint(name, sets)}")
    return (_folder(kind) / f"{name}.txt").read_text(encoding="utf-8")


def no_such_set(name: str, kind: str = TOKENS, what: str = "") -> InputError:
    """What to raise where a name is neither a file nor a set of a folder. what: of which kind these templates are, in words."""
    sets, of = named_sets(kind), f" of {what}" if what else ""
    return InputError(f"there is no such file, nor a template set{of} of this name; the sets are {', '.join(sets)}{hint(name, sets)}", name)


def load_templates(name: str | os.PathLike[str], *, columns: list[str] | tuple[str, ...] | None = None) -> tuple[Template, ...]:
    """A named set, whose optional lexicons may lie in the current folder, or else the templates of a file.

    crfpp:FILE is a template file of CRF++, wapiti:FILE a pattern file of Wapiti; without the prefix they are recognised by their text.
    """
    dialect, _, path = os.fspath(name).partition(":")
    if dialect in DIALECTS:
        return parse_foreign(read_text(path), dialect, source=path, columns=columns)
    if os.fspath(name) in named_sets():
        return parse_templates(named_set(os.fspath(name)), source=f"<{name}>", columns=columns)
    if not os.path.exists(name):
        raise no_such_set(os.fspath(name))
    text = read_text(name)
    return parse_foreign(text, source=os.fspath(name), columns=columns) if is_foreign(text) else read_templates(name, columns=columns)


@dataclass(frozen=True)
class Adapted:
    """What of a named set a file has room for."""

    templates: tuple[Template, ...]
    missing: list[str]  # columns that templates were left out for
    documents: bool  # were templates left out because the file marks no documents?


def adapted_set(name: str, columns: Sequence[str], *, documents: bool) -> Adapted:
    """Those templates of a named set that look at these columns alone; documents: and those that look at documents."""
    templates = load_templates(name)
    missing = {template: template.columns - set(columns) for template in templates}
    kept = tuple(template for template in templates if not missing[template] and (documents or not template.of_documents))
    lacking = sorted(set().union(*missing.values()))
    if not any(template.columns for template in kept):
        there = f"the columns are {', '.join(columns)}; name yours with --columns." if columns else "the file has no column but the labels."
        raise InputError(f"the templates {name} look at {', '.join(lacking)}, and {there}")
    return Adapted(kept, lacking, not documents and any(template.of_documents for template in templates))


def described_sets(kind: str) -> list[tuple[str, str]]:
    """Their names, each with the first remark in it."""
    out = []
    for name in named_sets(kind):
        remarks = [line.lstrip("# ") for line in named_set(name, kind).splitlines() if line.startswith("#")]
        out.append((name, remarks[0] if remarks else ""))
    return out
