"""Mentions by a tagger: labels of words that say which mentions they are in, for a tagger to learn, and the way back.

Mentions nest, so a word has a letter for each mention around it, from the outside in: B at its first word, I behind it. An O stands where a
mention further in goes on beside one that has ended; a word outside all mentions has a single O.

    the   king  of  the   old  country  smiled
    B     I     I   IB    II   II       O
"""

import re
from collections.abc import Sequence

from widemargin.errors import InputError
from widemargin.families.coreference.detection import with_found
from widemargin.families.coreference.documents import Document, Documents, Span
from widemargin.families.taggers import load_tagger, taggings

OUTSIDE = "O"
_LABEL = re.compile(r"[BIO]+|[BIESLU]-.+")


def mention_labels(document: Document) -> list[list[str]]:
    """The labels of every sentence. A mention that goes beyond its sentence is left out."""
    out, low = [], 0
    for sentence in document.sentences:
        high = low + len(sentence)
        inside = [(a - low, b - low) for a, b in document.mentions if low <= a and b <= high]
        out.append(layered(inside, len(sentence)))
        low = high
    return out


def layered(spans: Sequence[Span], words: int) -> list[str]:
    """The labels of one sentence; each mention is in the first layer that has room for it, the longer of two first."""
    layers: list[list[str]] = []
    for first, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        layer = next((layer for layer in layers if set(layer[first:end]) == {OUTSIDE}), None)
        if layer is None:
            layers.append(layer := [OUTSIDE] * words)
        layer[first:end] = ["B", *"I" * (end - first - 1)]
    return ["".join(letters).rstrip(OUTSIDE) or OUTSIDE for letters in zip(*layers)] if layers else [OUTSIDE] * words


def labelled_spans(labels: Sequence[str]) -> set[Span]:
    """The mentions of labels as above, or of one layer of typed ones (B-PER, I-PER; also with E-, S-, L- and U-). An I with nothing before
    it begins a mention."""
    depth = max((len(label) for label in labels if "-" not in label), default=1)
    out: set[Span] = set()
    for layer in range(depth):
        first, kind = None, ""
        for t, label in enumerate([*labels, OUTSIDE]):
            head, _, own = label.partition("-")
            letter = head if own else (label[layer] if layer < len(label) else OUTSIDE)
            begins = letter in ("B", "S", "U") or (letter != OUTSIDE and own != kind)
            if first is not None and (letter == OUTSIDE or begins):
                out.add((first, t))
                first = None
            if letter != OUTSIDE and first is None:
                first, kind = t, own
    return out


def tagged(documents: Documents, path: str, *, threads: int = 1) -> list[list[Span]]:
    """For every document the mentions that the tagger of a file finds in it."""
    tagger = load_tagger(path)
    if other := [label for label in tagger.labels if not _LABEL.fullmatch(label)]:
        text = "give a tagger of mentions, trained on what `widemargin mentions` writes, or of names (B-PER, I-PER)"
        raise InputError(f"the tagger's label {other[0]!r} is not a label of mentions; {text}", path)
    filled = [sentence for document in documents.given for sentence in document.sentences if sentence]
    found = iter(taggings(tagger, filled, threads=threads) if filled else ())
    out = []
    for document in documents.given:
        spans, low = set[Span](), 0
        for sentence in document.sentences:
            if sentence:
                spans |= {(a + low, b + low) for a, b in labelled_spans(next(found)[0].output)}
            low += len(sentence)
        out.append(sorted(spans, key=lambda span: (span[0], -span[1])))
    return out


def sought(documents: Documents, mentions: str | None, tagger: str | None, *, threads: int = 1) -> tuple[Documents, str | None]:
    """Documents, and where their mentions come from (Resolver.ready), after a tagger, if there is one, has given them its own."""
    if tagger is None:
        return documents, mentions
    if mentions == "file":
        raise InputError("--tagger finds mentions, and --mentions file takes those of the file; leave one of the two out")
    return with_found(documents, tagged(documents, tagger, threads=threads)), "file"
