r"""Wapiti's regular expressions in Python's notation.

Wapiti knows . for any character, the classes \a \d \l \p \s \u \w of ASCII (in upper case: anything else), \ before a character that is
meant literally, ^ at the beginning, $ at the end, * (as few as will do) and ? (one if possible). Everything else stands for itself.
"""

import re

CLASSES = {"a": "A-Za-z", "d": "0-9", "l": "a-z", "p": r"!-/:-@\[-`{-~", "s": r" \t-\r", "u": "A-Z", "w": "0-9A-Za-z"}


def to_python(pattern: str) -> str:
    r"""The same pattern for re.search; ValueError, with the reason, for one that Wapiti would not take.

    >>> to_python(r"^\u\L*.?+$")
    '^[A-Z][^a-z]*?.?\\+$'
    """
    anchored = pattern.startswith("^")
    at, pieces = int(anchored), ["^"] if anchored else []
    while at < len(pattern):
        if pattern[at:] == "$":
            pieces.append("$")
            break
        if pattern[at] in "*?":
            raise ValueError(rf"nothing stands before the {pattern[at]}; write \{pattern[at]} for the character")
        size = 2 if pattern[at] == "\\" else 1
        pieces.append(_one(pattern[at : at + size]))
        at += size
        repeated = {"*": "*?", "?": "?"}.get(pattern[at : at + 1], "")
        pieces.append(repeated)
        at += bool(repeated)
    return "".join(pieces)


def _one(item: str) -> str:
    """What matches one character."""
    if item == ".":
        return item
    if len(item) == 2 and item[1].lower() in CLASSES:
        return f"[{'^' if item[1].isupper() else ''}{CLASSES[item[1].lower()]}]"
    return re.escape(item[-1])
