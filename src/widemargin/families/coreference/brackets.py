"""Penn brackets as a document: what a constituency parser writes, with its tags and phrases for finding mentions. They have no chains.

A file is one document and a tree one sentence; a bracket with a label and a word is a word with its tag. Null elements (-NONE-) are left
out.
"""

import os
import re
from dataclasses import dataclass
from typing import IO, Any

from widemargin.errors import InputError, several
from widemargin.families.coreference.documents import Document, Documents, documents_of
from widemargin.families.coreference.texts import read_text

_TOKEN = re.compile(r"[()]|[^\s()]+")
ESCAPED = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]"}
NULL = "-NONE-"


@dataclass
class _Bracket:
    """One that is open."""

    first: int  # how many words stood before it
    label: str = ""
    leaf: bool = False  # there is a word in it


def read_trees(path: str | os.PathLike[str] | IO[Any], *, encoding: str = "utf-8", duplicates: str = "error") -> Documents:
    """A whole file (plain, gzip, or "-"), or an open file."""
    text, _, source = read_text(path, encoding)
    sentences, tags, bits = list[list[str]](), list[str](), list[str]()
    inside = list[_Bracket]()
    number, at = 1, 0
    for found in _TOKEN.finditer(text):
        number, at, token = number + text.count("\n", at, found.start()), found.start(), found[0]
        if token == "(":
            if not inside:
                sentences.append([])
            inside.append(_Bracket(len(tags)))
        elif not inside:
            where = f"{source}:{number}"
            raise InputError(f"{token!r} stands outside of all brackets; give trees such as (S (NP (NN rain)) (VP (VBD fell))).", where)
        elif token == ")":
            done = inside.pop()
            if done.label and not done.leaf and len(tags) > done.first:
                bits[-1] += ")"
        elif not inside[-1].label and not inside[-1].leaf:
            inside[-1].label = token
        else:
            inside[-1].leaf = True
            if inside[-1].label != NULL:
                bits.append("".join(f"({outer.label}" for outer in inside[:-1] if outer.label and outer.first == len(tags)) + "*")
                tags.append(inside[-1].label)
                sentences[-1].append(ESCAPED.get(token, token))
    if inside:
        raise InputError(f"the file ends with {several(len(inside), 'bracket')} open; close what is open.", f"{source}:{number}")
    made = Document(os.path.basename(source), [sentence for sentence in sentences if sentence], tags=tags, parse=bits)
    documents = documents_of([made], source=source, duplicates=duplicates)
    if not len(documents):
        raise InputError("there is no word in this file; give trees in brackets.", source)
    return documents
