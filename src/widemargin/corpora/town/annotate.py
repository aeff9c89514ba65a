"""Annotation layers read off a tree: parts of speech, CoNLL-2000 chunks, and entities, all as one tag per word (IOB2)."""

from .tree import Leaf, Node

VERBAL = frozenset(["VB", "VBD", "VBZ", "VBP", "VBN", "VBG", "MD", "TO"])
INSIDE_NP = frozenset(["QP", "ADJP", "ADVP", "NX"])
OUTSIDE = frozenset([".", ",", ":", "``", "''", "CC"])
CHUNK_OF = {"WHNP": "NP", "WHADVP": "ADVP", "QP": "NP", "WHPP": "PP", "NX": "NP"}
IN_VP = ("B-VP", "I-VP")


def entity_tags(leaves: list[Leaf]) -> list[str]:
    """One entity tag per word."""
    return [leaf.entity for leaf in leaves]


def chunk_tags(tree: Node) -> list[str]:
    """One chunk tag per word: a chunk is a phrase from its first word to its head, without what is attached behind it."""
    tags: list[str] = []
    _walk(tree, tags, False)
    return tags


def _walk(node: Node, tags: list[str], chained: bool) -> None:
    """Appends the tags of the words under a node; `chained` says that a verb here continues the verb chunk just before it."""
    label = node.label
    if label == "NP":
        _noun_phrase(node, tags)
    elif label == "VP":
        _verb_phrase(node, tags, chained)
    elif label in ("S", "SINV", "PRN", "SQ"):
        for child in node.children:
            if isinstance(child, Node):
                _walk(child, tags, chained)
            else:
                tags.append("B-VP" if child.pos in VERBAL else "O")
    else:
        _other_phrase(node, CHUNK_OF.get(label, label), tags)


def _noun_phrase(node: Node, tags: list[str]) -> None:
    """A base noun phrase is one chunk, but 's begins a new one; in a larger one, commas and conjunctions stay outside."""
    children = node.children
    larger = any(isinstance(child, Node) and child.label not in INSIDE_NP for child in children)
    inside = False
    for i, child in enumerate(children):
        if isinstance(child, Leaf):
            if child.pos == "POS":
                tags.append("B-NP")
                inside = True
            elif larger and child.pos in OUTSIDE:
                tags.append("O")
                inside = False
            else:
                tags.append("I-NP" if inside else "B-NP")
                inside = True
        elif child.label in INSIDE_NP and (child.label == "QP" or any(isinstance(later, Leaf) for later in children[i + 1 :])):
            for _ in child.leaves():
                tags.append("I-NP" if inside else "B-NP")
                inside = True
        else:
            _walk(child, tags, False)
            last = child.children[-1]
            inside = isinstance(last, Leaf) and last.pos in ("POS", "PRP$") and child.label == "NP"


def _verb_phrase(node: Node, tags: list[str], chained: bool) -> None:
    """Verbs, their auxiliaries, `to`, and adverbs between or before them form one chunk, through nested verb phrases and infinitives."""
    children = node.children
    for i, child in enumerate(children):
        if isinstance(child, Leaf):
            if child.pos in OUTSIDE:
                tags.append("O")
                chained = False
            else:
                tags.append("I-VP" if chained and tags and tags[-1] in IN_VP else "B-VP")
                chained = True
        elif child.label == "ADVP" and any(
            (later.pos in VERBAL) if isinstance(later, Leaf) else later.label == "VP" for later in children[i + 1 :]
        ):
            for _ in child.leaves():
                tags.append("I-VP" if chained and tags and tags[-1] in IN_VP else "B-VP")
                chained = True
        else:
            _walk(child, tags, chained)


def _other_phrase(node: Node, chunk: str, tags: list[str]) -> None:
    """The words directly under a PP, SBAR, ADVP, ADJP or PRT are its chunk; the phrases under it have their own."""
    inside = False
    for child in node.children:
        if isinstance(child, Leaf):
            if child.pos in OUTSIDE:
                tags.append("O")
                inside = False
            else:
                tags.append(f"I-{chunk}" if inside else f"B-{chunk}")
                inside = True
        else:
            _walk(child, tags, False)
            inside = False
