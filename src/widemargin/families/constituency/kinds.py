"""The structures of constituency parsing: which symbols, productions and features a parser has, by name."""

from dataclasses import dataclass, replace

from widemargin.structures.spans.arrays import SpanTrees
from widemargin.structures.spans.trees import Bigrams, Factored, Rules


@dataclass(frozen=True)
class Kind:
    """A structure over spans, and what it is used on."""

    name: str
    structure: type[SpanTrees]
    about: str
    templates: str | None  # the usual set of features of spans; None: it has none
    grammar: bool = True  # are productions those of the treebank alone?
    rules: bool = False  # do they score one by one? Otherwise by pairs of parent and child
    tags: bool = False  # are tags symbols of their own? Otherwise words without a bracket have one symbol, and features see the tags
    words: bool = False  # are tags predicted with the tree? Then symbols of words say the tag, and features see words alone
    horizontal: int = 0

    def __post_init__(self):
        object.__setattr__(self, "__doc__", self.about)

    def from_words(self) -> "Kind":
        """The same for sentences without tags."""
        return replace(self, tags=True, words=True, templates=None if self.templates is None else f"{self.templates}-words")

    @property
    def pairs(self) -> bool:
        """Do productions score by pairs of parent and child?"""
        return self.grammar and not self.rules

    @property
    def offers(self) -> frozenset[str]:
        return self.structure.offers


KINDS = {
    kind.name: kind
    for kind in (
        Kind("bigrams", Bigrams, "Features of spans; productions score by pairs of parent and child.", "spans"),
        Kind("rules", Rules, "Features of spans; productions score one by one.", "spans", rules=True),
        Kind("labels", Factored, "Features of spans alone: the label of each span, or none; any tree.", "labels", grammar=False),
        Kind(
            "wcfg",
            Rules,
            "A weighted context-free grammar: one weight a production (Bauer et al. 2017).",
            None,
            rules=True,
            tags=True,
            horizontal=1,
        ),
    )
}
