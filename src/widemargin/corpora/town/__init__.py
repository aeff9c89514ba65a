"""The embedded corpus: the news of the made-up town of Dunmere, written by a grammar over a small world, the same for the same seed.

Everything is our own: names, words, rules. Documents report events; sentences are trees, and the tag layers are read off them. Later layers
(dependencies, coreference, translation, summaries) read the same trees and draw from random streams of their own, so the text stays.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass

from ...errors import InputError
from .annotate import chunk_tags, entity_tags
from .events import Event, cast
from .noise import noisy_chunks, noisy_entities, noisy_pos
from .reports import library, write_report
from .stream import Stream
from .tree import Leaf, Mention, Node
from .world import Entity, World

__all__ = ["SIZES", "Document", "Entity", "Event", "Leaf", "Mention", "Node", "Sentence", "columns_text", "documents"]

SIZES = {"train": 2000, "dev": 400, "test": 400}
PAPERS = ("gazette", "herald", "courier")


@dataclass(frozen=True)
class Sentence:
    """Words with one tag per word in each layer; the layers may carry annotation noise, the tree never does."""

    words: tuple[str, ...]
    pos: tuple[str, ...]
    chunks: tuple[str, ...]
    entities: tuple[str, ...]
    tree: Node


@dataclass(frozen=True)
class Document:
    """One paper's report on an event; documents with the same event report the same thing in other words."""

    name: str
    event: Event
    sentences: tuple[Sentence, ...]


@functools.lru_cache(maxsize=4)
def _world(seed: int) -> World:
    """The world of a seed, made once."""
    return World(seed)


def documents(part: str = "train", *, sentences: int | None = None, seed: int = 1, noise: bool = True) -> Iterator[Document]:
    """The documents of a part ("train", "dev" or "test"), up to the one with which the number of sentences is reached."""
    if part not in SIZES:
        raise InputError(f"The town corpus has no part {part!r}; it has train, dev and test.")
    return _documents(part, SIZES[part] if sentences is None else sentences, seed, noise)


def _documents(part: str, wanted: int, seed: int, noise: bool) -> Iterator[Document]:
    """Event by event, report by report: every choice hangs on (seed, part, event, paper), so a longer part begins with the shorter."""
    world = _world(seed)
    kinds = library().kinds
    names = list(kinds)
    written = number = 0
    while written < wanted:
        id = f"{part}-{number:05d}"
        stream = Stream(seed, id, "event")
        kind = stream.choice(names)
        event = cast(stream, world, id, kind, kinds[kind].roles)
        # Most events are in one paper; a quarter are in two or three.
        u = stream.uniform()
        for paper in PAPERS[: 1 if u < 0.75 else 2 if u < 0.92 else 3]:
            name = f"{id}-{paper}"
            trees = write_report(event, Stream(seed, name, "wording"))
            spoil = Stream(seed, name, "noise") if noise else None
            yield Document(name, event, tuple(_annotated(tree, spoil) for tree in trees))
            written += len(trees)
            if written >= wanted:
                return
        number += 1


def _annotated(tree: Node, spoil: Stream | None) -> Sentence:
    """The sentence of a tree, with noise from the stream if there is one."""
    leaves = list(tree.leaves())
    words = tuple(leaf.word for leaf in leaves)
    pos = [leaf.pos for leaf in leaves]
    chunks, entities = chunk_tags(tree), entity_tags(leaves)
    if spoil is not None:
        pos, chunks, entities = noisy_pos(pos, spoil), noisy_chunks(chunks, spoil), noisy_entities(entities, spoil)
    return Sentence(words, tuple(pos), tuple(chunks), tuple(entities), tree)


def columns_text(part: str = "train", *, sentences: int | None = None, seed: int = 1, noise: bool = True) -> str:
    """A part as CoNLL-2003 columns: `word pos chunk entity` lines, an empty line after each sentence, a -DOCSTART- block per document."""
    blocks = []
    for document in documents(part, sentences=sentences, seed=seed, noise=noise):
        blocks.append("-DOCSTART- -X- O O\n\n")
        for sentence in document.sentences:
            rows = zip(sentence.words, sentence.pos, sentence.chunks, sentence.entities, strict=True)
            blocks.append("".join([f"{word} {pos} {chunk} {entity}\n" for word, pos, chunk, entity in rows]) + "\n")
    return "".join(blocks)
