r"""A simple tokeniser with offsets. A token is the longest of these that begins where a character is no blank:

a run of letters, marks and digits, with . , ' ’ - _ @ / : & inside where a letter or digit follows      U.S, 3.14, don't, e-mail
the same with one final dot, if it is a letter between dots or an abbreviation such as Mr. or No.          U.S., Mr.
three dots, or another character that is repeated                                                         ..., ---, !!
one character

A sentence ends behind . ! ? or … (repeated or not) and the quotes and brackets that close there without a blank, unless a small letter
follows.
"""

import re

_ABBREVIATION = r"(?:(?:[^\W\d_]\.){2,}|(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|No|vs|etc|Inc|Ltd|Co|Corp|Gen|Col|Lt|Sgt|Rev|Hon|Gov|Sen|Rep)\.)"
_WORD = r"\w+(?:[.,'’\-_@/:&]\w+)*"
TOKEN = re.compile(rf"{_ABBREVIATION}(?!\w)|{_WORD}|(\S)\1*")

END = re.compile(r"[.!?…]+")
CLOSING = frozenset("\"'’”»)]}")


def tokenize(text: str) -> list[tuple[int, int]]:
    """Where tokens begin and end, in characters."""
    return [found.span() for found in TOKEN.finditer(text)]


def sentences(text: str) -> list[list[tuple[int, int]]]:
    """The same tokens by sentence."""
    out: list[list[tuple[int, int]]] = [[]]
    over, last = False, 0  # has this sentence had its last mark?
    for start, end in tokenize(text):
        token = text[start:end]
        closing = start == last and set(token) <= CLOSING
        if over and not (token[0].islower() or END.fullmatch(token) or closing):
            out.append([])
            over = False
        over, last = bool(END.fullmatch(token)) or (over and closing), end
        out[-1].append((start, end))
    return [sentence for sentence in out if sentence]
