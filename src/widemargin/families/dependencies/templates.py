"""Templates of dependency arcs: the template language, with each column of the head, the modifier, a sibling or a word between.

head.xpos mod.xpos[-1]             # tag of the head, and of the word before the modifier
lower(mod.form)                    # one word alone
head.upos mod.upos between.upos    # once for every tag between the two; match(between.upos,/VERB/) is counted instead: 0, 1, more
head.xpos sib.xpos mod.xpos        # for the modifier and the next one of the same head inside, if any
label head.xpos mod.xpos           # for the relation of the arc
include arcs                       # all templates of a named set
"""

import os
from dataclasses import dataclass, replace

from widemargin.errors import InputError
from widemargin.features.atoms import Atom, Call, Column, Mark, Template
from widemargin.features.derived import is_textless
from widemargin.features.functions import FUNCTIONS
from widemargin.features.named import named_set, named_sets
from widemargin.features.templates import LINE_END, parse_templates, read_text

ARCS = "widemargin.families.dependencies.sets"  # the folder of named sets
ENDS = ("head", "mod", "sib", "between")
USABLE = ("form", "lemma", "upos", "xpos", "feats", "misc")
LABEL, INCLUDE = "label ", "include "


@dataclass(frozen=True)
class ArcTemplate:
    """Atoms at the head, at the modifier, at the sibling and at words between; `label`: for the relation."""

    text: str
    head: tuple[Atom, ...]
    mod: tuple[Atom, ...]
    sib: tuple[Atom, ...]
    between: tuple[Atom, ...]
    label: bool

    @property
    def counted(self) -> bool:
        """Are words between counted, not listed?"""
        return bool(self.between) and all(is_textless(atom.what) for atom in self.between)


def load_arc_templates(name: str) -> tuple[ArcTemplate, ...]:
    """A named set, a file, or (with a newline) the text itself."""
    if "\n" in name:
        return parse_arc_templates(name)
    if name in named_sets(ARCS):
        return parse_arc_templates(named_set(name, ARCS), source=f"<{name}>")
    if not os.path.exists(name):
        sets = ", ".join(named_sets(ARCS))
        raise InputError(f"there is no such file, nor a template set of arcs of this name; the sets are {sets}.", name)
    return parse_arc_templates(read_text(name), source=name)


def parse_arc_templates(text: str, *, source: str = "<templates>") -> tuple[ArcTemplate, ...]:
    """The templates of a text, in order, ranges written out and named sets included."""
    names = [f"{end}.{column}" for end in ENDS for column in USABLE]
    lines = LINE_END.split(text)
    label = [line.lstrip().startswith(LABEL) for line in lines]
    blank = "\n".join(line.replace(LABEL, " " * len(LABEL), 1) if found else line for line, found in zip(lines, label))
    out: list[ArcTemplate] = []
    for number, line in enumerate(blank.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line.lstrip().startswith(INCLUDE):
            name = line.partition("#")[0].strip().removeprefix(INCLUDE).strip()
            out.extend(parse_arc_templates(named_set(name, ARCS), source=f"<{name}>"))
            continue
        for template in parse_templates(line, source=source, folder=None, columns=names, first=number):
            out.append(_split(template, label[number - 1], f"{source}:{number}"))
    if not any(not template.label for template in out):
        raise InputError("there is no template of arcs here; write one per line, e.g. head.xpos mod.xpos.", source)
    if len({template.text for template in out}) < len(out):
        texts = [template.text for template in out]
        raise InputError(f"the template {next(t for t in texts if texts.count(t) > 1)} is given twice; give it once.", source)
    return tuple(out)


def _split(template: Template, label: bool, where: str) -> ArcTemplate:
    """The atoms of a template by the word they look at."""
    at: dict[str, list[Atom]] = {end: [] for end in ENDS}
    if template.previous_label or template.name:
        raise InputError("templates of arcs have neither label[-1] nor names; write e.g. head.xpos mod.xpos.", where)
    for atom in template.atoms:
        if isinstance(atom.what, Mark):
            if atom.what.name != "bias":
                raise InputError(f"{atom.what} is not for arcs; write e.g. head.xpos[-1], which knows the sentence's ends.", where)
            continue
        end, what = _stripped(atom.what, where)
        at[end].append(Atom(what, atom.offset))
    head, mod, sib, between = (tuple(at[end]) for end in ENDS)
    found = ArcTemplate(f"{LABEL if label else ''}{template}", head, mod, sib, between, label)
    if sib and (label or between):
        raise InputError("sib.X goes neither with label nor with between.X; write e.g. head.xpos sib.xpos mod.xpos.", where)
    if between and (label or any(atom.offset for atom in between)):
        raise InputError("between.X is for arcs, not relations, and takes no offset; write e.g. head.upos mod.upos between.upos.", where)
    if between and not found.counted and len(between) > 1:
        raise InputError("one between.X in a template is enough; or count words with match(between.upos,/VERB/).", where)
    if len(between) > 3:
        raise InputError("at most three kinds of words between can be counted in a template; write a second template.", where)
    return found


def _stripped(what: Column | Call, where: str) -> tuple[str, Column | Call]:
    """Whose column an expression looks at, and the expression without that word."""
    if isinstance(what, Column):
        end, _, column = what.name.partition(".")
        if end not in ENDS:
            raise InputError(f"{what.name!r} does not say whose column it is; write e.g. head.xpos mod.xpos.", where)
        return end, Column(column, what.where)
    if FUNCTIONS[what.function].make is None:
        raise InputError(f"{what.function}(...) is not for arcs; functions of one value are, e.g. lower(head.form).", where)
    end, inside = _stripped(what.of, where)
    return end, replace(what, of=inside)
