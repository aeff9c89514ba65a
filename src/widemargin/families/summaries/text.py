"""Words, sentences and lengths of plain text, without anything to download.

A word is a run of letters and digits in lower case. A sentence ends at . ! ? (with closing quotes and brackets) before white space and
something other than a small letter, unless the word before the full stop is a common abbreviation or one letter; at 。 ！ ？; and at an
empty line. That is all; give `sentences` where it is not enough.
"""

import re
from collections.abc import Callable

WORD = re.compile(r"[^\W_]+")
ENDING = re.compile(r"(?:[.!?]+[\"'”’)\]]*(?=\s+[^\sa-zß-öø-ÿ])|[。！？]+[”’」』）]*|\n[^\S\n]*(?=\n))")
ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st vs etc inc ltd co jr sr no fig approx dept est gen gov sen rep rev u.s e.g i.e a.m p.m".split()
)
BEFORE_STOP = re.compile(r"([^\s(\"']+)\.$")
STOP_WORDS = frozenset(
    """a about above after again against all also am an and any are as at be because been before being below between both but by can could
    d did do does doing don down during each few for from further get got had has have having he her here hers him his how i if in into is
    it its itself just ll m me more most my no nor not now of off on once one only or other our out over own re s same she should so some
    such t than that the their them then there these they this those through to too under until up ve very was we were what when where
    which while who whom why will with would you your""".split()
)
SUFFIXES = tuple(pair.split(":") for pair in "sses:ss ies:i ing: edly: ely: ly: ed: es: s: e: y:i".split())


def words(text: str) -> list[str]:
    """Its words in lower case."""
    return WORD.findall(text.lower())


def stem(word: str) -> str:
    """A word without a common English ending; at least three letters stay."""
    if len(word) > 4:
        for suffix, instead in SUFFIXES:
            if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not (suffix == "s" and word.endswith("ss")):
                return word[: len(word) - len(suffix)] + instead
    elif len(word) == 4 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def bigrams(text: str) -> list[tuple[str, str]]:
    """Pairs of neighbouring stemmed words."""
    stems = [stem(word) for word in words(text)]
    return list(zip(stems, stems[1:]))


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Where sentences begin and end, without the white space around them; those without a word are left out."""
    ends = [found.end() for found in ENDING.finditer(text) if not _abbreviated(text, found)]
    spans = []
    for low, high in zip([0, *ends], [*ends, len(text)]):
        piece = text[low:high]
        if WORD.search(piece):
            spans.append((low + len(piece) - len(piece.lstrip()), low + len(piece.rstrip())))
    return spans


def _abbreviated(text: str, found: re.Match) -> bool:
    """Is this full stop that of an abbreviation or of a name's initial?"""
    before = BEFORE_STOP.search(text[max(0, found.start() - 12) : found.start() + 1]) if found.group() == "." else None
    if before is None:
        return False
    word = before.group(1)
    return word.lower() in ABBREVIATIONS or (len(word) == 1 and word.isupper() and word != "I")


# ---- budgets ----------------------------------------------------------------------------------------------------------------------------

# how long a sentence is, by unit; characters and bytes with the space that stands between two sentences
UNITS: dict[str, Callable[[str], int]] = {
    "words": lambda text: len(words(text)),
    "characters": lambda text: len(text) + 1,
    "bytes": lambda text: len(text.encode()) + 1,
    "sentences": lambda text: 1,
}


def room(budget: int, unit: str) -> int:
    """A budget in those lengths: after the last sentence there is no space."""
    return budget + 1 if unit in ("characters", "bytes") else budget
