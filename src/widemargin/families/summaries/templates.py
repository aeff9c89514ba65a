"""Feature templates of bigrams and of sentences: a line is one or several attributes, whose product is taken.

    bias                  1
    stop                  an indicator for each of its values (0, 1 or 2 stop words)
    count stop            an indicator for each pair of values
    log-count stop        a number, for each number of stop words apart
    sentence: length      of sentences instead of bigrams

Empty lines, and what follows #, mean nothing. ATTRIBUTES and SENTENCE_ATTRIBUTES of attributes.py are all there are.
"""

import os
from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.families.summaries.attributes import ATTRIBUTES, SENTENCE_ATTRIBUTES, Attribute
from widemargin.features.named import named_set, named_sets, no_such_set
from widemargin.features.templates import read_text

SETS = "widemargin.families.summaries.sets"
SENTENCE = "sentence:"


@dataclass(frozen=True)
class Template:
    """Attributes of bigrams or of sentences, multiplied."""

    text: str
    sentence: bool
    attributes: tuple[Attribute, ...]

    @property
    def names(self) -> list[str]:
        """Of its features, one for each combination of values."""
        names = [SENTENCE] if self.sentence else [""]
        for attribute in self.attributes:
            names = [f"{name} {value}" for name in names for value in attribute.values]
        return [name.strip() for name in names]

    def matrix(self, facts) -> np.ndarray:
        """Its features of all bigrams or sentences [N, features]; facts: what attributes are computed from."""
        out = np.ones((facts.size, 1))
        for attribute in self.attributes:
            found, many = np.asarray(attribute.of(facts), float), len(attribute.values)
            if many > 1:
                found = np.eye(many)[found.astype(int)]
            out = (out[:, :, None] * found.reshape(facts.size, 1, many)).reshape(facts.size, out.shape[1] * many)
        return out


def load_summary_templates(name: str) -> tuple[Template, ...]:
    """A named set, a file, or (with a newline) the text itself."""
    if "\n" in name:
        return parse_summary_templates(name, "<templates>")
    if name in named_sets(SETS):
        return parse_summary_templates(named_set(name, SETS), f"<{name}>")
    if not os.path.exists(name):
        raise no_such_set(name, SETS)
    return parse_summary_templates(read_text(name), name)


def parse_summary_templates(text: str, source: str) -> tuple[Template, ...]:
    """Templates, a line each."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        sentence = words[0] == SENTENCE
        known = SENTENCE_ATTRIBUTES if sentence else ATTRIBUTES
        words = words[1:] if sentence else words
        if not words or (unknown := [word for word in words if word not in known]):
            bad = f"attribute {unknown[0]!r} is not known" if words else "a sentence template needs an attribute"
            raise InputError(f"{bad}; those of {'sentences' if sentence else 'bigrams'} are {', '.join(known)}", f"{source}:{number}")
        attributes = tuple(known[word] for word in words)
        if np.prod([len(attribute.values) for attribute in attributes], dtype=float) > 10_000:
            raise InputError("this conjunction has more than 10,000 features; take fewer attributes", f"{source}:{number}")
        found.append(Template(" ".join(([SENTENCE] if sentence else []) + words), sentence, attributes))
    if not found:
        raise InputError("there is no template in it; `widemargin list templates` names sets", source)
    if doubles := [a.text for i, a in enumerate(found) if a.text in [b.text for b in found[:i]]]:
        raise InputError(f"the template {doubles[0]!r} is given twice; leave one out", source)
    return tuple(found)
