"""Templates of spans: the template language, with columns of words near the two ends of a constituent, or near where it is split.

first.word last.tag                # first and last word of the constituent; class is the word, or a suffix where the word is rare
before.tag after.word[1] length    # the words before and after it; its length, in bins
extract(runs.tag,/^..?/)           # the tags of all its words, cut, and of equal neighbours one; all.tag: of up to five words
split.word[-1] split.tag           # the words on both sides of the place where it is split
first.tag split.tag                # with one of its ends; left.length, right.length: the length of that part, in bins
include labels                     # all templates of a named set

Every template is seen with the symbol of the constituent. A template may look at two of the three places (both ends, or the split and one
end), so that O(n^2) features of a sentence are looked up.
"""

from dataclasses import dataclass

from widemargin.errors import InputError
from widemargin.features.atoms import Atom, Call, Column, Template
from widemargin.features.placed import Language, check_distinct, load_placed, placed_atoms, placed_lines, stripped

SETS = "widemargin.families.constituency.sets"  # the folder of named sets
COLUMNS = ("word", "tag", "class")
SHIFTS = {"before": -1, "first": 0, "last": -1, "after": 0, "split": 0}  # from the word that follows a boundary
BEGIN, END, SPLIT = ("before", "first"), ("last", "after"), ("split",)
RUNS, ALL = "runs", "all"
PLACES = (*SHIFTS, RUNS, ALL)
LANGUAGE = Language("spans", SETS, "first.tag last.tag", "lower(first.word)", "before.tag")
LENGTHS = {"length": "span", "left.length": "left", "right.length": "right"}  # whose length
TABLES = ("span", "left", "right")


@dataclass(frozen=True)
class SpanTemplate:
    """What is looked at around two boundaries; offsets are from the word that follows a boundary.

    table: span, the boundaries are the two ends of a constituent; left, its begin and its split; right, its split and its end."""

    text: str
    table: str
    begin: tuple[Atom, ...]
    end: tuple[Atom, ...]
    whole: tuple[str, Column | Call] | None  # RUNS or ALL, and of what
    length: bool


def load_span_templates(name: str) -> tuple[SpanTemplate, ...]:
    """A named set, a file, or (with a newline) the text itself."""
    return load_placed(name, LANGUAGE, parse_span_templates)


def parse_span_templates(text: str, *, source: str = "<templates>") -> tuple[SpanTemplate, ...]:
    """The templates of a text, in order, ranges written out and named sets included."""
    names = [f"{place}.{column}" for place in PLACES for column in COLUMNS] + list(LENGTHS)
    lines = placed_lines(text, LANGUAGE, names, source, parse_span_templates)
    out = tuple(_sorted(template, f"{source}:{number}") if number else template for template, number in lines)
    if not any(template.table == "span" for template in out):
        raise InputError("there is no template of spans here; write one per line, e.g. first.tag last.tag.", source)
    check_distinct([template.text for template in out], source)
    return out


def _sorted(template: Template, where: str) -> SpanTemplate:
    """The atoms of a template by the place they look at."""
    at: dict[str, list[Atom]] = {"begin": [], "end": [], "split": []}
    lengths: list[str] = []
    whole: list[tuple[str, Column | Call]] = []
    for atom in placed_atoms(template, LANGUAGE, where):
        if isinstance(atom.what, Column) and atom.what.name in LENGTHS:
            lengths.append(LENGTHS[atom.what.name])
        else:
            place, what = stripped(atom.what, LANGUAGE, PLACES, where)
            if place in (RUNS, ALL):
                whole.append((place, what))
            else:
                side = "begin" if place in BEGIN else "end" if place in END else "split"
                at[side].append(Atom(what, atom.offset + SHIFTS[place]))
            if atom.offset and place in (RUNS, ALL):
                raise InputError(f"{place}.X looks at all words of the span and takes no offset; write e.g. {place}.tag.", where)
    table = _table(at, lengths, where)
    if len(whole) > 1 or (whole and table != "span"):
        raise InputError("a template takes at most one runs.X or all.X, and none beside a split; write e.g. runs.tag before.tag.", where)
    begin = tuple(at["split" if table == "right" else "begin"])
    end = tuple(at["split" if table == "left" else "end"])
    return SpanTemplate(str(template), table, begin, end, whole[0] if whole else None, bool(lengths))


def _table(at: dict[str, list[Atom]], lengths: list[str], where: str) -> str:
    """Which two boundaries a template looks at."""
    if not at["split"]:
        if set(lengths) - {"span"} or len(lengths) > 1:
            raise InputError("left.length and right.length are for templates of splits; write e.g. left.length split.tag.", where)
        return "span"
    if (at["begin"] and at["end"]) or "span" in lengths or len(lengths) > 1:
        raise InputError(
            "a template with split.X looks at one end of the constituent at most; write e.g. first.tag split.tag left.length.", where
        )
    table = lengths[0] if lengths else "right" if at["end"] else "left"
    if at["end" if table == "left" else "begin"]:
        raise InputError("left.length goes with first.X and before.X, right.length with last.X and after.X; write another one.", where)
    return table
