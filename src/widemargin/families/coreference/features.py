"""Features of links: templates as codes, whose exclusive or is the place of a weight.

The code of a template for mention m and antecedent a is A[a] ^ C[m] ^ Z[r] ^ Z'[r'], with A and C hashed once per mention and Z tables of
random codes, one for every value of a relation. So a link costs a few exclusive ors per template, and nothing is stored per link. A weight
table has 2^bits places in lines of 16. A template counts at its code, at its code ^ form(m), and in the same line as that at a slot of the
antecedent's form; new mentions count at the first two.
"""

from functools import cached_property

import numpy as np

from widemargin.contents import Contents
from widemargin.engine.hash import GOLDEN, STAFFORD1
from widemargin.engine.settings import in_range
from widemargin.families.coreference.attributes import COLUMNS, Mentions, hashed
from widemargin.families.coreference.kernels.pairs import RELATION_VALUES, Plan
from widemargin.families.coreference.templates import RELATIONS, LinkTemplate, parse_link_templates
from widemargin.families.coreference.word_lists import FORMS
from widemargin.scoring.hashed import LINE

LEAST_BITS, MOST_BITS = 10, 28


class LinkFeatures:
    """Templates and the size of the table."""

    def __init__(self, templates: tuple[LinkTemplate, ...], bits: int = 20):
        self.bits = in_range("hash_bits", bits, LEAST_BITS, MOST_BITS)
        self.templates = templates
        # groups as the kernel visits them: columns alone, one relation, two, conditional, words between
        pairs = [template for template in templates if not template.new]
        self.links = tuple(sorted(pairs, key=_group))
        self.new = tuple(template for template in templates if template.new)

    @property
    def rows(self) -> int:
        """Lines of the table."""
        return (1 << self.bits) // LINE

    @cached_property
    def plan(self) -> Plan:
        """What does not depend on mentions."""
        T, names = len(self.links), list(RELATIONS)
        relation, table = np.zeros((T, 2), np.int64), np.zeros((T, 2, RELATION_VALUES), np.uint32)
        for t, template in enumerate(self.links):
            for r, name in enumerate(template.relations):
                relation[t, r] = names.index(name)
                for value in range(RELATION_VALUES):
                    table[t, r, value] = self._cut(hashed(f"{template.text}\n{r} {value}"))
        groups = [_group(template) for template in self.links]
        ends = np.array([sum(group <= g for group in groups) for g in range(4)], np.int64)
        form = np.array([self._cut(hashed(f"form {name}")) for name in FORMS], np.uint32)
        odd = np.array([hashed(f"between {template.text}") | 1 for template in self.links], np.uint64)
        return Plan(ends, relation, table, form, odd, self.bits)

    def codes(self, mentions: Mentions) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of antecedents and of mentions in links, uint32 [M, T]; of new mentions, uint32 [M, U]."""
        sides = [[getattr(template, side) for template in group] for group, side in
                 ((self.links, "antecedent"), (self.links, "mention"), (self.new, "mention"))]  # fmt: skip
        seeds = [[hashed(t.text) for t in self.links], None, [hashed(t.text) for t in self.new]]
        return tuple(self._side(mentions, names, seed) for names, seed in zip(sides, seeds))  # type: ignore[return-value]

    @np.errstate(over="ignore")
    def _side(self, mentions: Mentions, names: list[tuple[str, ...]], seeds: list[int] | None) -> np.ndarray:
        """Codes of one side; without seeds, 0 where a template does not look at it."""
        out = np.zeros((len(mentions.column), len(names)), np.uint32)
        for t, columns in enumerate(names):
            if not columns and seeds is None:
                continue
            key = np.full(len(out), GOLDEN if seeds is None else np.uint64(seeds[t]))
            for name in columns:
                key = mixed(key * STAFFORD1 + mentions.column[:, COLUMNS.index(name)] * GOLDEN + np.uint64(len(name)))
            out[:, t] = (key >> np.uint64(32)) & np.uint64((1 << self.bits) - 1)
        return out

    def _cut(self, code: int) -> int:
        return (code >> 32) & ((1 << self.bits) - 1)

    def header(self) -> dict:
        """As JSON."""
        return {"templates": [template.text for template in self.templates], "hash_bits": self.bits}

    @classmethod
    def from_contents(cls, own: Contents) -> "LinkFeatures":
        """The way back."""
        bits = own.whole("hash_bits", LEAST_BITS, MOST_BITS)
        return cls(parse_link_templates("\n".join(own.texts("templates", least=1)) + "\n", source=own.path), bits)


def _group(template: LinkTemplate) -> int:
    return 4 if template.between else 3 if template.conditional else len(template.relations)


def mixed(h: np.ndarray) -> np.ndarray:
    """engine.hash.mix of arrays."""
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))
