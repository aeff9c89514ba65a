"""The obvious way to extract features: strings and dicts."""

import itertools
import re
from collections import Counter, defaultdict

LETTERS = {"shape": lambda v: "".join("d" if c.isdecimal() else "X" if c.isupper() else "x" if c.isalpha() else c for c in v)}


def plain(function, value, arguments):
    """A function of one value, "" for a test that succeeds, None when silent."""
    match function:
        case "lower":
            return value.lower()
        case "digits":
            return re.sub(r"[0-9]", "0", value)
        case "shape":
            return LETTERS["shape"](value)
        case "brief":
            return "".join(c for c, _ in itertools.groupby(LETTERS["shape"](value)))
        case "prefix":
            return value[: arguments[0]] if len(value) >= arguments[0] else None
        case "suffix":
            return value[len(value) - arguments[0] :] if len(value) >= arguments[0] else None
        case "match":
            return "" if re.search(arguments[0], value) else None
        case "test":
            return str(bool(re.search(arguments[0], value))).lower()
        case "extract":
            return next((found[0] for found in re.finditer(arguments[0], value)), "")
    raise ValueError(function)


class Twin:
    """Features of sentences (lists of tuples) by templates; names as the library gives them."""

    def __init__(self, templates, names, lexicons):
        self.templates, self.names, self.lexicons, self.seen = templates, names, lexicons, {}

    def learn(self, sentences):
        self.training = [pair for sentence in sentences for pair in zip(sentence, [None, *sentence])]

    def cell(self, token, name):
        return token[self.names.index(name) if name in self.names else int(name)]

    def values(self, what, token, before):
        """All values of an expression at a token; before: the one before it, None at the first."""
        if hasattr(what, "of"):
            inner = self.values(what.of, token, before)
            if what.function == "pair":
                return [] if before is None else [f"{self.cell(before, what.of.name)} {inner[0]}"]
            if what.function == "in":
                return [""] if inner and inner[0] in self.lexicons[what.arguments[0]] else []
            if what.function in ("had", "seen"):
                with_it = self.with_it(what, inner)
                if what.function == "seen":
                    return ["/".join(sorted(with_it))] if with_it and inner else []
                return [value for value, _ in with_it.most_common(what.arguments[1])] if inner else []
            return [r for v in inner if (r := plain(what.function, v, what.arguments)) is not None]
        return [self.cell(token, what.name)]

    def with_it(self, what, inner):
        """Counts of the other column's values beside this one in training."""
        if str(what) not in self.seen:
            seen = self.seen[str(what)] = defaultdict(Counter)
            for token, before in self.training:
                seen[tuple(self.values(what.of, token, before))][self.cell(token, what.arguments[0])] += 1
        return self.seen[str(what)].get(tuple(inner), Counter())

    def bounded(self, what):
        return not hasattr(what, "of") or (
            what.function in ("lower", "digits", "shape", "brief", "test", "extract") and self.bounded(what.of)
        )

    def atom(self, atom, sentence, t):
        """The names that an atom has at a token."""
        u, text = t + atom.offset, str(atom)
        if text in ("first", "last", "bias"):
            return [text] if text == "bias" or t == (0 if text == "first" else len(sentence) - 1) else []
        if not 0 <= u < len(sentence):
            return [f"{text} before {-u}" if u < 0 else f"{text} after {u - len(sentence) + 1}"] if self.bounded(atom.what) else []
        textless = hasattr(atom.what, "of") and atom.what.function in ("match", "in")
        values = self.values(atom.what, sentence[u], sentence[u - 1] if u else None)
        return [text if textless else text + "=" + re.sub("(?<= )(&+)(?= )", r"\1&", value) for value in values]

    def renamed(self, template, parts):
        """The template's name in place of its atoms."""
        bare = ["bias" if part == "bias" else part.removeprefix(str(atom)) for atom, part in zip(template.atoms, parts)]
        return [f'"{template.name}"' + (" bias" if bare[0] == "bias" else bare[0]), *bare[1:]]

    def __call__(self, sentences, *, edges):
        """For each token, the names of its features in order."""
        out = []
        for sentence in sentences:
            for t in range(len(sentence)):
                out.append([])
                for template in self.templates:
                    if template.previous_label == edges and template.atoms and not (edges and t == 0):
                        for parts in itertools.product(*(self.atom(atom, sentence, t) for atom in template.atoms)):
                            if template.name:
                                parts = self.renamed(template, parts)
                            out[-1].append(" & ".join([*(["label[-1]"] if edges else []), *parts]))
        return out


def number(rows, cutoff):
    """The index of names, in order of first firing, and the rows in numbers."""
    counts = Counter(name for row in rows for name in row)
    index = {name: i for i, name in enumerate(name for name in counts if counts[name] >= cutoff)}
    return index, [[index[name] for name in row if name in index] for row in rows]
