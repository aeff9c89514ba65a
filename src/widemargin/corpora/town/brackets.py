"""The corpus as constituency trees: the trees that all layers are read off, in Penn brackets, with a tagger's tags on their words."""

from collections.abc import Sequence

from . import documents
from .tree import Leaf, Node

ESCAPES = {"(": "-LRB-", ")": "-RRB-"}  # in words


def brackets_text(part: str = "train", *, sentences: int | None = None, seed: int = 1, noise: bool = True) -> str:
    """A part as brackets, one tree a line; tags have a tagger's errors, if there is noise, and brackets never do."""
    return "".join(
        f"{bracketed(sentence.tree, sentence.pos)}\n"
        for document in documents(part, sentences=sentences, seed=seed, noise=noise)
        for sentence in document.sentences
    )


def bracketed(tree: Node, tags: Sequence[str]) -> str:
    """A tree in brackets, with these tags for its words in their order."""
    left = iter(tags)

    def text(child: Node | Leaf) -> str:
        if isinstance(child, Leaf):
            word = "".join(ESCAPES.get(character, character) for character in child.word)
            return f"({next(left)} {word})"
        return f"({child.label} {' '.join([text(below) for below in child.children])})"

    return text(tree)
