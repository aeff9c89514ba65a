"""Clusters for summaries: several papers' reports of one event, and what three editors keep of it in words of their own.

An editor writes a report of the same event from a stream of her own and keeps its opening and the sentence behind it. All of it hangs on
(seed, part, event, name), so a longer part begins with the shorter.
"""

import json

from ...errors import InputError
from .events import Event, cast
from .reports import library, write_report
from .stream import Stream
from .tree import Node
from .world import World

CLUSTERS = {"train": 60, "dev": 20, "test": 20}
PAPERS = ("gazette", "herald", "courier", "mercury", "observer", "post")
EDITORS = ("editor-1", "editor-2", "editor-3")
KEPT = 2  # sentences of an editor
TIGHT_LEFT = frozenset((",", ".", ";", ":", "?", "!", ")", "''", "'s", "'", "n't", "%"))
TIGHT_RIGHT = frozenset(("``", "(", "$"))
QUOTES = {"``": '"', "''": '"'}


def clusters_text(part: str = "train", *, clusters: int | None = None, seed: int = 1) -> str:
    """A part as JSON lines: id, documents and references."""
    if part not in CLUSTERS:
        raise InputError(f"The town corpus has no part {part!r}; it has train, dev and test.")
    world, kinds = World(seed), library().kinds
    lines = []
    for number in range(CLUSTERS[part] if clusters is None else clusters):
        id = f"{part}-cluster-{number:05d}"
        stream = Stream(seed, id, "event")
        kind = stream.choice(list(kinds))
        event = cast(stream, world, id, kind, kinds[kind].roles)
        documents = [" ".join(map(running_text, _report(event, seed, f"{id}-{paper}"))) for paper in PAPERS]
        references = ["\n".join(map(running_text, _summary(event, seed, f"{id}-{editor}"))) for editor in EDITORS]
        lines.append(json.dumps({"id": id, "documents": documents, "references": references}) + "\n")
    return "".join(lines)


def _report(event: Event, seed: int, name: str) -> list[Node]:
    return [tree for tree in write_report(event, Stream(seed, name, "wording")) if _is_sentence(tree)]


def _summary(event: Event, seed: int, name: str) -> list[Node]:
    return _report(event, seed, name)[:KEPT]


def _is_sentence(tree: Node) -> bool:
    """Not a headline: it has an end."""
    return list(tree.leaves())[-1].pos in (".", "''")


def running_text(tree: Node) -> str:
    """The words of a tree as they are printed, with spaces where they belong."""
    out, tight = "", True
    for leaf in tree.leaves():
        word = leaf.word
        out += ("" if tight or word in TIGHT_LEFT else " ") + QUOTES.get(word, word)
        tight = word in TIGHT_RIGHT
    return out
