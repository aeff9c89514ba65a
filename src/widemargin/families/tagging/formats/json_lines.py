"""JSONL, an object per sentence: {"tokens": [...], "labels": [...]}, other lists of the same length are columns too.

Names of Hugging Face datasets are known: words; tags, ner_tags, pos_tags, chunk_tags. Or {"text": "...", "spans": [...]}, where a span is
{"start": 0, "end": 4, "label": "PER"} or [0, 4, "PER"] in characters: the text is cut into tokens (readers/tokens.py) and spans become
B-, I- and O. A span that ends within a token is refused. A text is a document of its own; sentences in a row that have the same
"document" or "doc_id" are one.
"""

import dataclasses
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin.errors import InputError, several
from widemargin.readers.columns import Columns, document_sizes, from_sentences
from widemargin.readers.tokens import tokenize

TOKENS = ("tokens", "words")
LABELS = ("labels", "label", "tags", "ner_tags", "entities")
DOCUMENTS = ("document", "doc_id", "document_id")
SPANS = ("spans", "entities", "ents", "label", "labels")  # the last two as doccano has them
COLUMNS = {"pos_tags": "pos", "chunk_tags": "chunk", "upos": "pos"}


@dataclass(frozen=True)
class Objects:
    """The objects of a file, and where the tokens of each stand in its text, if it has one."""

    objects: list[dict]
    offsets: list[list[tuple[int, int]] | None]

    def merged(self, rows: list[dict]) -> list[dict]:
        """Every object with what was answered, one with a text also with its tokens and their offsets. A sentence without tokens is in
        no row."""
        each, out = iter(rows), []
        for given, offsets in zip(self.objects, self.offsets):
            row = next(each) if (_length(given) if offsets is None else len(offsets)) else {"tokens": [], "labels": []}
            if offsets is not None:
                row = row | {"offsets": [list(pair) for pair in offsets]}
                for span in row.get("spans", ()):
                    first, end = span["tokens"]
                    span |= {"start": offsets[first][0], "end": offsets[end - 1][1]}
            out.append(given | row)
        return out


def _length(given: dict) -> int:
    return len(next(given[key] for key in TOKENS if key in given))


def read(text: str, source: str, separator: str | None = None) -> Columns:
    """The objects of a file as columns: word, what else is a list, label last. Sentences without labels have none of these columns."""
    objects, lines, offsets = [], [], []
    rows: list[list[tuple[str, ...]]] = []
    begins: list[int] = []
    last: Any = None
    names: tuple[str, ...] | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{source}:{number}"
        given = _object(line, where)
        own, sentence, places = _sentence(given, where)
        if names is not None and own != names and sentence:
            raise InputError(
                f"this line has {', '.join(own)} and those before have {', '.join(names)}; give all lines the same lists", where
            )
        names = own if names is None or sentence else names
        objects.append(given)
        offsets.append(places)
        document = next((given[name] for name in DOCUMENTS if name in given), None)
        if sentence:
            if places is not None or (document is not None and document != last):
                begins.append(len(rows))
            last = document
            rows.append(sentence)
            lines += [number] * len(sentence)
    if not rows or names is None:
        raise InputError(
            'there is no token in this file; give lines such as {"tokens": ["Anna", "sleeps"], "labels": ["B-PER", "O"]}', source
        )
    columns = from_sentences(rows, names=names, documents=document_sizes(begins, len(rows)))
    return dataclasses.replace(columns, source=source, line=np.array(lines, np.int32), origin=Objects(objects, offsets))


def read_texts(text: str, source: str) -> Columns:
    """Plain text, a line at a time, cut into tokens; all of it is one document."""
    if not text.strip():
        raise InputError("there is no word in this text; give plain text, a paragraph on each line", source)
    columns = read("".join(json.dumps({"text": line}) + "\n" for line in text.splitlines()), source)
    return dataclasses.replace(columns, doc_ptr=np.array([0, len(columns)], np.int64))


def _object(line: str, where: str) -> dict:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"this line is not JSON ({error}); give an object on every line", where) from None
    if isinstance(given, list) and len(given) == 2 and isinstance(given[0], str) and isinstance(given[1], dict):
        given = {"text": given[0]} | given[1]  # as spaCy's training data were written
    if not isinstance(given, dict):
        raise InputError('this line is JSON but not an object; give {"tokens": [...], "labels": [...]} on every line', where)
    return given


def _sentence(given: dict, where: str) -> tuple[tuple[str, ...], list[tuple[str, ...]], list[tuple[int, int]] | None]:
    """Names of the columns, a tuple per token, and offsets where there is a text."""
    key = next((key for key in TOKENS if key in given), None)
    if key is None or _have_places(given, key):
        if not isinstance(given.get("text"), str):
            raise InputError(f"this object has neither tokens nor text, but {', '.join(map(repr, given)) or 'nothing'}", where)
        offsets = tokenize(given["text"]) if key is None else [(token["start"], token["end"]) for token in given[key]]
        words = [given["text"][start:end] for start, end in offsets]
        spans = next((given[name] for name in SPANS if _could_be_spans(given.get(name))), None)
        if spans is None:
            return ("word",), [(word,) for word in words], offsets
        return ("word", "label"), list(zip(words, _marked(spans, offsets, where))), offsets
    words = _texts(given[key], key, where)
    label = next((name for name in LABELS if isinstance(given.get(name), list)), None)
    others = [name for name, value in given.items() if name not in (key, label) and _alike(value, len(words))]
    lists = [words, *(_texts(given[name], name, where) for name in others)]
    names = ["word", *(COLUMNS.get(name, name) for name in others)]
    if label is not None:
        lists.append(_texts(given[label], label, where))
        names.append("label")
        if len(lists[-1]) != len(words):
            told = f"this object has {several(len(words), 'token')}, and {label} has {len(lists[-1])}"
            raise InputError(f"{told}; give one for each token", where)
    return tuple(names), list(zip(*lists)), None


def _have_places(given: dict, key: str) -> bool:
    """Are the tokens objects with their places in the text, as prodigy writes them?"""
    text, end = given.get("text"), 0
    if not isinstance(text, str) or not isinstance(given[key], list):
        return False
    for token in given[key]:
        start, stop = (token.get("start"), token.get("end")) if isinstance(token, dict) else (None, None)
        if not isinstance(start, int) or not isinstance(stop, int) or not end <= start < stop <= len(text):
            return False
        end = stop
    return bool(given[key])


def _could_be_spans(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, list | dict) for one in value)


def _alike(value: Any, length: int) -> bool:
    """Could this be a column? Text or whole numbers, one for each token."""
    return isinstance(value, list) and len(value) == length and all(isinstance(cell, str | int) and cell != "" for cell in value)


def _texts(value: Any, name: str, where: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(cell, str | int) and not isinstance(cell, bool) and cell != "" for cell in value):
        raise InputError(f"{name} is not a list of non-empty texts", where)
    return [str(cell) for cell in value]


def _marked(spans: Any, offsets: list[tuple[int, int]], where: str) -> list[str]:
    """B-, I- and O of spans in characters."""
    labels = ["O"] * len(offsets)
    starts = {start: t for t, (start, _) in enumerate(offsets)}
    ends = {end: t for t, (_, end) in enumerate(offsets)}
    if not isinstance(spans, list):
        raise InputError("the spans are not a list", where)
    for span in spans:
        start, end, kind = _span(span, where)
        if start not in starts or end not in ends or ends[end] < starts[start]:
            told = f"the span from {start} to {end} does not begin and end with a token, as `predict --text` cuts them"
            raise InputError(f"{told}; move it, or give tokens and labels", where)
        for t in range(starts[start], ends[end] + 1):
            if labels[t] != "O":
                raise InputError(f"the span from {start} to {end} overlaps another; labels of tokens cannot show that", where)
            labels[t] = f"{'B' if t == starts[start] else 'I'}-{kind}"
    return labels


def _span(span: Any, where: str) -> tuple[int, int, str]:
    if isinstance(span, dict):
        span = [span.get(name) for name in ("start", "end", "label")]
    if not (isinstance(span, list) and len(span) == 3 and all(type(at) is int for at in span[:2]) and isinstance(span[2], str) and span[2]):
        raise InputError('a span is {"start": 0, "end": 4, "label": "PER"} or [0, 4, "PER"]', where)
    return span[0], span[1], span[2]
