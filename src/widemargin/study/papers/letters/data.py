"""The handwritten words: a file of letters with their pixels, in ten folds.

letters.csv, packed or not, has a header and one line per letter, in the order of the words:

    word_id,fold,position,label,pixels        for example 0,0,0,o,0000...  with 16 x 8 pixels 0 or 1, row by row
"""

import os
from dataclasses import dataclass

import numpy as np

from widemargin.corpora.catalogue import FOLDER_VARIABLE, data_named, place
from widemargin.errors import InputError
from widemargin.readers.files import open_bytes

HEADER = "word_id,fold,position,label,pixels"
PIXELS = 128


@dataclass(frozen=True)
class Words:
    """S words: images float32 [letters, PIXELS] of 0 and 1, their letters, and the fold of each."""

    images: list[np.ndarray]
    letters: list[list[str]]
    fold: np.ndarray  # int64 [S]

    def __len__(self) -> int:
        return len(self.images)

    def select(self, keep: np.ndarray) -> "Words":
        """The words of a mask bool [S]."""
        chosen = np.flatnonzero(keep)
        return Words([self.images[i] for i in chosen], [self.letters[i] for i in chosen], self.fold[chosen])


def open_words(folder: str | None = None, words: int | None = None) -> Words:
    """The words in a folder of data sets, or in $WIDEMARGIN_DATA; `words`: only the first so many of each fold."""
    data = data_named("ocr_letters")
    chosen = folder or os.environ.get(FOLDER_VARIABLE)
    path = place(data, "letters.csv", chosen) if chosen else None
    if path is None:
        raise InputError(
            f"the handwritten words are needed and have no stand-in; put {data.name}/letters.csv, packed (.gz) or not, into a folder "
            f"and name it with --data or {FOLDER_VARIABLE}",
            chosen,
        )
    found = read_words(path)
    if words is None:
        return found
    if words < 1:
        raise InputError(f"--sentences is {words}; keep at least one word of each fold")
    keep = np.zeros(len(found), bool)
    for fold in np.unique(found.fold):
        keep[np.flatnonzero(found.fold == fold)[:words]] = True
    return found.select(keep)


def read_words(path: str) -> Words:
    """All words of a file; a line that is not a letter, or not the next one of its word, is refused with its place."""
    with open_bytes(path) as stream:
        lines = stream.read().decode("latin-1").splitlines()
    if not lines or lines[0] != HEADER:
        raise InputError(f"the first line must be {HEADER}", f"{path}:1")
    pixels: list[list[bytes]] = []
    letters: list[list[str]] = []
    folds: list[int] = []
    word = None
    for number, line in enumerate(lines[1:], 2):
        where, fields = f"{path}:{number}", line.split(",")
        if len(fields) != 5:
            raise InputError(f"the line has {len(fields)} fields; it must have five, {HEADER}", where)
        name, fold, position, label, image = fields
        if not fold.isdecimal() or len(label) != 1:
            raise InputError(f"fold {fold!r} and label {label!r} must be a whole number and one letter", where)
        if len(image) != PIXELS or image.strip("01"):
            raise InputError(f"the pixels must be {PIXELS} characters 0 or 1; there are {len(image)}", where)
        if name != word:
            word = name
            pixels.append([])
            letters.append([])
            folds.append(int(fold))
        if position != str(len(letters[-1])) or int(fold) != folds[-1]:
            raise InputError(
                f"letter {position} of word {name} in fold {fold} stands where letter {len(letters[-1])} in fold {folds[-1]} is due; "
                "the letters of a word must follow each other, from 0",
                where,
            )
        pixels[-1].append(image.encode())
        letters[-1].append(label)
    if not folds:
        raise InputError("there is no letter after the header", f"{path}:1")
    images = [(np.frombuffer(b"".join(rows), np.uint8) == ord("1")).astype(np.float32).reshape(-1, PIXELS) for rows in pixels]
    return Words(images, letters, np.array(folds))
