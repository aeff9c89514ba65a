"""Templates whose columns say which word is looked at, such as head.xpos or first.tag: what families with such templates share."""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from widemargin.errors import InputError
from widemargin.features.atoms import Call, Column, Mark, Template
from widemargin.features.functions import FUNCTIONS
from widemargin.features.named import named_set, named_sets, no_such_set
from widemargin.features.templates import LINE_END, parse_templates, read_text

INCLUDE = "include "


class Language(NamedTuple):
    """What a family's templates are, for messages."""

    of: str  # arcs
    folder: str  # a package of named sets
    example: str  # a template
    function: str  # one with a function
    beyond: str  # how to look beyond the ends of a sentence


def load_placed(name: str, language: Language, parse: Callable[..., tuple]) -> tuple:
    """parse(text, source=) of a named set, a file, or (with a newline) the text itself."""
    if "\n" in name:
        return parse(name)
    if name in named_sets(language.folder):
        return parse(named_set(name, language.folder), source=f"<{name}>")
    if not os.path.exists(name):
        raise no_such_set(name, language.folder, language.of)
    return parse(read_text(name), source=name)


def placed_lines(text: str, language: Language, names: Sequence[str], source: str, parse: Callable[..., tuple]) -> Iterator[Any]:
    """The templates of a text with the numbers of their lines, ranges written out; of an included set what `parse` makes of it, and 0."""
    for number, line in enumerate(LINE_END.split(text), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line.lstrip().startswith(INCLUDE):
            name = line.partition("#")[0].strip().removeprefix(INCLUDE).strip()
            yield from ((template, 0) for template in parse(named_set(name, language.folder), source=f"<{name}>"))
            continue
        for template in parse_templates(line, source=source, folder=None, columns=list(names), first=number):
            if template.previous_label or template.name:
                where = f"{source}:{number}"
                raise InputError(f"templates of {language.of} have neither label[-1] nor names; write e.g. {language.example}.", where)
            yield template, number


def placed_atoms(template: Template, language: Language, where: str) -> Iterator[Any]:
    """The atoms that look at words; others are refused, but for the bias."""
    for atom in template.atoms:
        if not isinstance(atom.what, Mark):
            yield atom
        elif atom.what.name != "bias":
            raise InputError(f"{atom.what} is not for {language.of}; write e.g. {language.beyond}, which knows the sentence's ends.", where)


def stripped(what: Column | Call, language: Language, places: Collection[str], where: str) -> tuple[str, Column | Call]:
    """Which of the places an expression looks at, and the expression without that word."""
    if isinstance(what, Column):
        place, _, column = what.name.partition(".")
        if place not in places:
            raise InputError(f"{what.name!r} does not say which word is looked at; write e.g. {language.example}.", where)
        return place, Column(column, what.where)
    if FUNCTIONS[what.function].make is None:
        raise InputError(f"{what.function}(...) is not for {language.of}; functions of one value are, e.g. {language.function}.", where)
    place, inside = stripped(what.of, language, places, where)
    return place, replace(what, of=inside)


def check_distinct(texts: Sequence[str], source: str) -> None:
    """Refuse a template that is there twice."""
    if len(set(texts)) < len(texts):
        raise InputError(f"the template {next(t for t in texts if texts.count(t) > 1)} is given twice; give it once.", source)
