"""The corpus as coreference chains: who and what each noun phrase refers to, in CoNLL-2012's columns."""

from collections import defaultdict

from . import Document, documents
from .brackets import ESCAPES
from .tree import Leaf, Node


def chains_text(part: str = "train", *, sentences: int | None = None, seed: int = 1, noise: bool = True) -> str:
    """A part as CoNLL-2012: words, tags (with a tagger's errors, if there is noise), and chains, of one mention too, in the last column."""
    return "".join(_text(document) for document in documents(part, sentences=sentences, seed=seed, noise=noise))


def _text(document: Document) -> str:
    number: dict[str, int] = {}
    lines = [f"#begin document ({document.name}); part 000"]
    for sentence in document.sentences:
        opens: dict[int, list[str]] = defaultdict(list)
        closes: dict[int, list[str]] = defaultdict(list)
        for first, end, entity in mentions(sentence.tree):
            name = number.setdefault(entity, len(number))
            if end == first + 1:
                closes[first].append(f"({name})")
            else:
                opens[first].append(f"({name}")
                closes[end - 1].append(f"{name})")
        for t, (word, tag) in enumerate(zip(sentence.words, sentence.pos)):
            word = "".join(ESCAPES.get(character, character) for character in word)
            marks = "|".join(opens[t] + closes[t]) or "-"
            lines.append("\t".join([document.name, "0", str(t), word, tag, *"------", "*", marks]))
        lines.append("")
    return "\n".join([*lines, "#end document", ""])


def mentions(tree: Node) -> list[tuple[int, int, str]]:
    """Every phrase that mentions an entity: its first word, the one behind its last, and the entity; outer ones first.

    A phrase over the same words as another, or with nothing but 's behind it, is the same mention."""
    found: dict[tuple[int, int], str] = {}

    def walk(node: Node, low: int) -> int:
        at = low
        for child in node.children:
            at = at + 1 if isinstance(child, Leaf) else walk(child, at)
        last = node.children[-1]
        end = at - 1 if isinstance(last, Leaf) and last.pos == "POS" and at - low > 1 else at
        if node.mention is not None and (low, end) not in found:
            found[low, end] = node.mention.entity
        return at

    walk(tree, 0)
    spans = sorted(found.items(), key=lambda item: (item[0][0], -item[0][1]))
    return [(first, end, entity) for (first, end), entity in spans]
