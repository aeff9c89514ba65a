r"""A simple tokeniser with offsets. A token is the longest of these that begins where a character is no blank:

a run of letters, marks and digits, with . , ' ’ - _ @ / : & inside where a letter or digit follows      U.S, 3.14, don't, e-mail
the same with one final dot, if it is a letter between dots or an abbreviation such as Mr. or No.          U.S., Mr.
three dots, or another character that is repeated                                                         ..., ---, !!
one character
"""

import re

_ABBREVIATION = r"(?:(?:[^\W\d_]\.){2,}|(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|No|vs|etc|Inc|Ltd|Co|Corp|Gen|Col|Lt|Sgt|Rev|Hon|Gov|Sen|Rep)\.)"
_WORD = r"\w+(?:[.,'’\-_@/:&]\w+)*"
TOKEN = re.compile(rf"{_ABBREVIATION}(?!\w)|{_WORD}|(\S)\1*")


def tokenize(text: str) -> list[tuple[int, int]]:
    """Where tokens begin and end, in characters."""
    return [found.span() for found in TOKEN.finditer(text)]
