"""Templates of dependency arcs: the template language, with each column of the head, the modifier, a sibling or a word between.

head.xpos mod.xpos[-1]             # tag of the head, and of the word before the modifier
lower(mod.form)                    # one word alone
head.upos mod.upos between.upos    # once for every tag between the two; match(between.upos,/VERB/) is counted instead: 0, 1, more
head.xpos sib.xpos mod.xpos        # for the modifier and the next one of the same head inside, if any
label head.xpos mod.xpos           # for the relation of the arc
include arcs                       # all templates of a named set
"""

from dataclasses import dataclass

from widemargin.errors import InputError
from widemargin.features.atoms import Atom, Template
from widemargin.features.derived import is_textless
from widemargin.features.placed import Language, check_distinct, load_placed, placed_atoms, placed_lines, stripped
from widemargin.features.templates import LINE_END

ARCS = "widemargin.families.dependencies.sets"  # the folder of named sets
ENDS = ("head", "mod", "sib", "between")
USABLE = ("form", "lemma", "upos", "xpos", "feats", "misc")
LABEL = "label "
LANGUAGE = Language("arcs", ARCS, "head.xpos mod.xpos", "lower(head.form)", "head.xpos[-1]")


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
    return load_placed(name, LANGUAGE, parse_arc_templates)


def parse_arc_templates(text: str, *, source: str = "<templates>") -> tuple[ArcTemplate, ...]:
    """The templates of a text, in order, ranges written out and named sets included."""
    names = [f"{end}.{column}" for end in ENDS for column in USABLE]
    lines = LINE_END.split(text)
    label = [line.lstrip().startswith(LABEL) for line in lines]
    blank = "\n".join(line.replace(LABEL, " " * len(LABEL), 1) if found else line for line, found in zip(lines, label))
    found = placed_lines(blank, LANGUAGE, names, source, parse_arc_templates)
    out = tuple(_split(template, label[number - 1], f"{source}:{number}") if number else template for template, number in found)
    if not any(not template.label for template in out):
        raise InputError("there is no template of arcs here; write one per line, e.g. head.xpos mod.xpos.", source)
    check_distinct([template.text for template in out], source)
    return out


def _split(template: Template, label: bool, where: str) -> ArcTemplate:
    """The atoms of a template by the word they look at."""
    at: dict[str, list[Atom]] = {end: [] for end in ENDS}
    for atom in placed_atoms(template, LANGUAGE, where):
        end, what = stripped(atom.what, LANGUAGE, ENDS, where)
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
