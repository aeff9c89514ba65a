"""Templates of links: what is said of a mention that is new, and of a mention and its antecedent.

new mention.head mention.first     # of a mention that begins a chain
mention.head antecedent.head       # of a link: columns of both (attributes.COLUMNS)
match sentences mention.number     # and up to two relations of the two (RELATIONS)
?same_head mention.head            # only where the relation is not 0
between mention.after              # the words between the two, where they are at most three and in one sentence
bias                               # every link
include surface                    # all templates of a named set

Every template counts three times: by itself, together with the mention's form, and together with the forms of both. A form is a pronoun's
own (he, him and his are one), or that of a name or a common noun.
"""

import os
import re
from dataclasses import dataclass

from widemargin.errors import InputError
from widemargin.families.coreference.attributes import COLUMNS
from widemargin.features.named import named_set, named_sets, no_such_set
from widemargin.features.templates import LINE_END, read_text

SETS = "widemargin.families.coreference.sets"  # the folder of named sets
RELATIONS = {
    "distance": "mentions between the two, in bins",
    "distance10": "the same, up to 10",
    "sentences": "sentences between the two, in bins",
    "sentences10": "the same, up to 10",
    "rank": "mentions between the two that agree with the mention in gender, number and person, in bins",
    "exact": "are their words the same, but for articles?",
    "same_head": "are their heads?",
    "string": "both of these",
    "match": "both, with which of their content words are the other's too",
    "modifiers": "have they words before their heads, and are these the same?",
    "recurs": "do the antecedent's words come again before the mention?",
    "nesting": "is the mention inside the antecedent?",
    "edges": "do they begin, or end, at the same word?",
    "quotation": "is one of them quoted, or are both, and how many quotations apart?",
    "same_form": "have they the same form?",
    "speaker": "is it known who speaks, and is it the same?",
}
BETWEEN, NEW, INCLUDE, BIAS = "between", "new", "include", "bias"
_ATOM = re.compile(r"(mention|antecedent)\.(\w+)")


@dataclass(frozen=True)
class LinkTemplate:
    """Columns of the mention and of the antecedent, relations of the two."""

    text: str
    new: bool
    mention: tuple[str, ...]
    antecedent: tuple[str, ...]
    relations: tuple[str, ...]  # at most two; of a conditional template, the first must not be 0
    conditional: bool
    between: bool


def load_link_templates(name: str) -> tuple[LinkTemplate, ...]:
    """A named set, a file, or (with a newline) the text itself."""
    if "\n" in name:
        return parse_link_templates(name)
    if name in named_sets(SETS):
        return parse_link_templates(named_set(name, SETS), source=f"<{name}>")
    if not os.path.exists(name):
        raise no_such_set(name, SETS, "links")
    return parse_link_templates(read_text(name), source=name)


def parse_link_templates(text: str, *, source: str = "<templates>") -> tuple[LinkTemplate, ...]:
    """The templates of a text, in order, named sets included."""
    out: list[LinkTemplate] = []
    for number, line in enumerate(LINE_END.split(text), 1):
        words, where = line.partition("#")[0].split(), f"{source}:{number}"
        if words[:1] == [INCLUDE]:
            if len(words) != 2 or words[1] not in named_sets(SETS):
                raise InputError(f"include takes the name of a set; the sets are {', '.join(named_sets(SETS))}.", where)
            out += parse_link_templates(named_set(words[1], SETS), source=f"<{words[1]}>")
        elif words:
            out.append(_template(words, where))
    for new, what in ((True, "new mentions; write new, say"), (False, "links; write bias, say")):
        if not any(template.new == new for template in out):
            raise InputError(f"there is no template of {what}.", source)
    texts = [template.text for template in out]
    if len(set(texts)) < len(texts):
        raise InputError(f"the template {next(t for t in texts if texts.count(t) > 1)!r} is given twice; give it once.", source)
    return tuple(out)


def _template(words: list[str], where: str) -> LinkTemplate:
    new, mention, antecedent, relations = words[0] == NEW, list[str](), list[str](), list[str]()
    conditional = between = False
    for word in words[1:] if new else words:
        found = _ATOM.fullmatch(word)
        if found:
            if found[2] not in COLUMNS:
                raise InputError(f"a mention has no column {found[2]!r}; its columns are {', '.join(COLUMNS)}.", where)
            (mention if found[1] == "mention" else antecedent).append(found[2])
        elif word == BETWEEN:
            between = True
        elif word.removeprefix("?") in RELATIONS:
            if word.startswith("?"):
                conditional = True
                relations.insert(0, word[1:])
            else:
                relations.append(word)
        elif word != BIAS:
            known = f"mention.X, antecedent.X, {BETWEEN}, {BIAS}, {', '.join(RELATIONS)}"
            raise InputError(f"{word!r} is not a part of a template of links; the parts are {known}.", where)
    if new and (antecedent or relations or between):
        raise InputError("a template of new mentions looks at the mention alone; write e.g. new mention.head.", where)
    if len(relations) > 2 or sum(word.startswith("?") for word in words) > 1 or (between and relations):
        raise InputError("a template has at most two relations, one of them with ?, and none together with between.", where)
    return LinkTemplate(" ".join(words), new, tuple(mention), tuple(antecedent), tuple(relations), conditional, between)
