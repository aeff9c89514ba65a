"""Which format a file has, told by its name or else by its first lines.

jsonl      the first line is a JSON object
conllu     ten cells with tabs between, of which the first is a number and the seventh a number, _ or ?
crfsuite   a label, then attributes, all of which have a = or a number after a colon; tabs between
csv, tsv   the first line names a column of words and one of labels (tables.py), with commas or tabs between
columns    all else
"""

import json
import os
import re

from widemargin.errors import InputError
from widemargin.families.tagging.formats import tables
from widemargin.readers.files import open_bytes

ENDINGS = {".conllu": "conllu", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".crfsuite": "crfsuite"}
LOOKED_AT = 1 << 16  # bytes
ATTRIBUTE = re.compile(r".+=.*|.+:-?[0-9.]+(e-?[0-9]+)?")
HEAD = re.compile(r"[0-9]+|_|\?")
NUMBER = re.compile(r"[0-9]+([-.][0-9]+)?")


def format_of(path: str, encoding: str, otherwise: str = "columns") -> str:
    """The format of a file. otherwise: what it has if neither its name nor its first lines tell, or if it is a pipe."""
    named = ENDINGS.get(os.path.splitext(path.removesuffix(".gz"))[1].lower())
    return named or (recognised(first_lines(path, encoding), path)) or otherwise


def first_lines(path: str, encoding: str) -> list[str]:
    """Whole lines from the beginning of a file; none where reading would use them up (a pipe), or where there is no text."""
    if not os.path.isfile(path):
        return []
    try:
        with open_bytes(path) as stream:
            data = stream.read(LOOKED_AT)
        lines = data.decode(encoding, "replace").removeprefix("\ufeff").split("\n")
    except (InputError, LookupError, OSError, ValueError):
        return []  # the reader will say so
    return [line.removesuffix("\r") for line in (lines[:-1] if len(data) == LOOKED_AT else lines)]


def recognised(lines: list[str], source: str) -> str:
    """The format of these lines, "" if they look like none in particular."""
    filled = [line for line in lines if line.strip()]
    if not filled:
        return ""
    if filled[0].lstrip().startswith("{"):
        return "jsonl" if _is_object(filled[0]) else ""
    words = [line.split("\t") for line in filled if not line.startswith("#")]
    if words and all(len(cells) == 10 and NUMBER.fullmatch(cells[0]) and (HEAD.fullmatch(cells[6])) for cells in words):
        return "conllu"
    rows = [line.split("\t") for line in filled]
    if all(len(cells) > 1 and all(map(ATTRIBUTE.fullmatch, cells[1:])) for cells in rows):
        return "crfsuite"
    for format, separator in (("tsv", "\t"), ("csv", ",")):
        if tables.is_header(filled[0].split(separator)):
            return format
    if tables.is_header(filled[0].split()):
        where = f"{source}:{1 + lines.index(filled[0])}"
        raise InputError(
            "this line is a header, and columns with blanks between them have none; delete it, or put tabs or commas between them", where
        )
    return ""


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
