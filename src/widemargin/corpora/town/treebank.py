"""The corpus as a treebank: the same documents with lemmas, universal tags, features and dependencies, some of them non-projective."""

from collections.abc import Iterator
from dataclasses import dataclass

from . import Sentence, documents
from .dependencies import dependencies
from .lemmas import features, universal_pos
from .moving import chosen
from .stream import Stream
from .tree import Leaf


@dataclass(frozen=True)
class Parsed:
    """A sentence with its dependency tree; in a few sentences the words stand in another order than in the other layers."""

    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]  # with a tagger's errors, if there is noise; upos and feats follow them
    feats: tuple[str, ...]
    heads: tuple[int, ...]  # from 1; 0 is the root
    relations: tuple[str, ...]


def parsed(
    part: str = "train", *, sentences: int | None = None, seed: int = 1, noise: bool = True
) -> Iterator[tuple[str, tuple[Parsed, ...]]]:
    """The documents of a part, each as its name and its sentences."""
    for document in documents(part, sentences=sentences, seed=seed, noise=noise):
        stream = Stream(seed, document.name, "order")
        yield document.name, tuple(_parsed(sentence, stream) for sentence in document.sentences)


def treebank_text(part: str = "train", *, sentences: int | None = None, seed: int = 1, noise: bool = True) -> str:
    """A part as CoNLL-U, with newdoc, sent_id and text comments."""
    blocks = []
    for name, trees in parsed(part, sentences=sentences, seed=seed, noise=noise):
        blocks.append(f"# newdoc id = {name}\n")
        for number, tree in enumerate(trees, 1):
            blocks.append(f"# sent_id = {name}-{number}\n# text = {' '.join(tree.words)}\n")
            rows = zip(tree.words, tree.lemmas, tree.upos, tree.xpos, tree.feats, tree.heads, tree.relations, strict=True)
            blocks.append("".join("\t".join([str(i), *map(str, row), "_", "_\n"]) for i, row in enumerate(rows, 1)) + "\n")
    return "".join(blocks)


def _parsed(sentence: Sentence, stream: Stream) -> Parsed:
    """The tree of a sentence, with something moved if the stream says so."""
    arcs = dependencies(sentence.tree)
    n = len(arcs.leaves)
    move = chosen(arcs, stream)
    order = list(range(n)) if move is None else move.order(n)
    place = {old: new for new, old in enumerate(order)}
    words = [arcs.leaves[old].word for old in order]
    if place[0] > 0:
        words[place[0]] = _lowered(arcs.leaves[0])
        words[0] = words[0][0].upper() + words[0][1:]
    relations = [arcs.relations[old] for old in order]
    xpos = [sentence.pos[old] for old in order]
    return Parsed(
        words=tuple(words),
        lemmas=tuple(arcs.lemmas[old] for old in order),
        upos=tuple(universal_pos(*cells) for cells in zip(xpos, words, relations)),
        xpos=tuple(xpos),
        feats=tuple(features(*cells) for cells in zip(xpos, words)),
        heads=tuple(place[arcs.heads[old]] + 1 if arcs.heads[old] >= 0 else 0 for old in order),
        relations=tuple(relations),
    )


def _lowered(leaf: Leaf) -> str:
    """A word that no longer opens the sentence."""
    keeps = leaf.entity != "O" or leaf.pos in ("NNP", "NNPS") or leaf.word == "I"
    return leaf.word if keeps else leaf.word[0].lower() + leaf.word[1:]
