"""Phrase-structure trees: what the grammar builds, and what every annotation layer is read off."""

from collections.abc import Iterator
from typing import NamedTuple


class Leaf(NamedTuple):
    """A word with its part of speech and dictionary form; `entity` is "B-PER" and the like where the word is part of a name."""

    word: str
    pos: str
    lemma: str
    entity: str = "O"


class Mention(NamedTuple):
    """Says that a noun phrase refers to an entity of the event, and in which form (name, short, description, pronoun, ...)."""

    entity: str
    form: str


class Node:
    """A phrase: its label, its children, and the entity it mentions if it mentions one."""

    __slots__ = ("children", "label", "mention")

    def __init__(self, label: str, children: "list[Node | Leaf]", mention: Mention | None = None):
        self.label = label
        self.children = children
        self.mention = mention

    @property
    def head(self) -> int:
        """The index of the head child, found by the head table when somebody asks (dependencies and agreement do)."""
        children = self.children
        from_right, groups = HEADS.get(self.label, (False, ()))
        order = range(len(children) - 1, -1, -1) if from_right else range(len(children))
        for group in groups:
            for i in order:
                if symbol(children[i]) in group:
                    return i
        return next((i for i in range(len(children)) if symbol(children[i]) not in PUNCTUATION), 0)

    def leaves(self) -> Iterator[Leaf]:
        """The words under this node, left to right."""
        for child in self.children:
            if isinstance(child, Leaf):
                yield child
            else:
                yield from child.leaves()

    def head_leaf(self) -> Leaf:
        """The word that the chain of head children ends in."""
        child: Node | Leaf = self
        while isinstance(child, Node):
            child = child.children[child.head]
        return child

    def bracketed(self) -> str:
        """The tree in Penn brackets."""
        inside = " ".join(f"({child.pos} {child.word})" if isinstance(child, Leaf) else child.bracketed() for child in self.children)
        return f"({self.label} {inside})"


def symbol(child: Node | Leaf) -> str:
    """The label of a phrase, or the part of speech of a word."""
    return child.pos if isinstance(child, Leaf) else child.label


PUNCTUATION = frozenset([".", ",", ":", "``", "''", "-LRB-", "-RRB-"])

# label: (search from the right?, groups of labels in order of preference); after Collins (1999), cut down to the labels used here.
HEADS: dict[str, tuple[bool, tuple[frozenset[str], ...]]] = {
    label: (from_right, tuple(frozenset(group.split()) for group in groups.split(" / ")))
    for label, from_right, groups in (
        ("S", False, "VP / S / ADJP / NP"),
        ("SINV", False, "VP / VBZ VBD MD / S"),
        ("SBAR", False, "S / SBAR / IN / WHNP WHADVP"),
        ("VP", False, "VBD VBZ VBP MD VB VBN VBG TO / VP"),
        # The head of a base noun phrase is its last noun; where there is none, the first noun phrase, which a modifier follows.
        ("NP", True, "NN NNS NNP NNPS / PRP EX / CD QP / JJ"),
        ("PP", False, "IN TO VBG / PP"),
        ("ADJP", True, "JJ JJR JJS VBN / QP / ADJP"),
        ("ADVP", True, "RB RBR RBS / IN / ADVP"),
        ("WHNP", True, "NN NNS / WP WDT"),
        ("PRT", False, "RP"),
        ("QP", True, "CD"),
    )
}
