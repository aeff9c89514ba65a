"""Mutations of bytes, lines, cells and texts, by a seeded generator."""

import string
from collections.abc import Sequence
from random import Random

ODD = [
    *(b"\0", b"\t", b" ", b"\r", b"\n", b"\r\n", b"\n\n", b"\x0b", b"\x0c", b"\x1c", b"\x85", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"),
    *(text.encode() for text in ("\u2028", "\xa0", "\u3000", "²", "٣", "é", "e\u0301", "\U0001f600", "\ufeff", "İ", "ß", "\ufffd")),
    *(b"-1", b"0", b"1", b"1-2", b"1.1", b"1.-1", b"9" * 30, b"9" * 5000, b"1e400", b"nan", b"-0.0", b"inf", b"_", b"?", b"-", b"#", b":"),
    *(
        b"-DOCSTART-",
        b"# newdoc",
        b"@weight:2",
        b"@weight:",
        b"\\",
        b"\\:",
        b'"',
        b"/",
        b"*",
        b"%x[0,0]",
        b"=",
        b",",
        b"\xed\xa0\x80",
        b"\xc3",
    ),
]
LETTERS = string.ascii_letters + string.digits + string.punctuation + " \t\n\r\0é²\u2028\ufeff"


def chance(random: Random, part: float) -> bool:
    return random.random() < part


def mutated(random: Random, data: bytes, *, most: int = 4) -> bytes:
    """Some bytes with 0 to `most` faults."""
    for _ in range(random.randrange(most + 1)):
        data = random.choice(FAULTS)(random, data)
    return data


def _flip(random: Random, data: bytes) -> bytes:
    out = bytearray(data or b"x")
    out[random.randrange(len(out))] ^= 1 << random.randrange(8)
    return bytes(out)


def _odd(random: Random, data: bytes) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + random.choice(ODD) + data[at + random.randrange(3) :]


def _cut(random: Random, data: bytes) -> bytes:
    low, high = sorted((random.randrange(len(data) + 1), random.randrange(len(data) + 1)))
    return data[:low] + data[high:] if chance(random, 0.8) else data[low:high]


def _lines(random: Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    how = random.randrange(4)
    if how == 0:
        lines.insert(random.randrange(len(lines) + 1), lines[at])
    elif how == 1:
        del lines[at]
    elif how == 2:
        lines[at : at + 1] = [b""] * random.randrange(4)
    else:
        lines.insert(at, random.choice(ODD))
    return b"\n".join(lines)


def _cells(random: Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    separator = b"\t" if b"\t" in lines[at] else b" "
    cells = lines[at].split(separator)
    place, how = random.randrange(len(cells)), random.randrange(4)
    if how == 0:
        cells[place] = random.choice(ODD)
    elif how == 1:
        del cells[place]
    elif how == 2:
        cells.insert(place, random.choice((b"", b"x", *ODD)))
    else:
        cells[place] = random.choice(data.split() or [b""])
    lines[at] = separator.join(cells)
    return b"\n".join(lines)


def _many(random: Random, data: bytes) -> bytes:
    """A piece, many times."""
    low = random.randrange(len(data) + 1)
    piece = data[low : low + random.randrange(1, 4)] or b"\n"
    return data[:low] + piece * random.choice((3, 50, 400)) + data[low:]


FAULTS = (_flip, _odd, _odd, _cut, _lines, _cells, _cells, _many)


def block(random: Random, texts: Sequence[str], most: int = 4) -> bytes:
    """A few of these texts (sentences), one after another."""
    at = random.randrange(len(texts))
    return "".join(texts[at : at + random.randrange(1, most + 1)]).encode()


def text(random: Random, most: int = 12) -> str:
    """Any short text."""
    return "".join(random.choices(LETTERS, k=random.randrange(most + 1)))


def sentence(random: Random, words: Sequence[str], most: int, blank: str = "") -> str:
    """Words of a small language in any order, some of them damaged."""
    out = blank.join(random.choices(words, k=random.randrange(1, most + 1)))
    return mutated(random, out.encode("utf-8", "replace"), most=2).decode("utf-8", "replace") if chance(random, 0.3) else out


NUMBERS = (
    "0",
    "1",
    "-1",
    "2",
    "0.5",
    "1e-3",
    "1e400",
    "-1e400",
    "nan",
    "inf",
    "1_0",
    " 1",
    "²",
    "٣",
    "",
    "x",
    "9" * 25,
    "9" * 5000,
    "0x10",
    "1e",
    "True",
)


def number(random: Random) -> str:
    """What may stand where a number is wanted."""
    return random.choice(NUMBERS)
