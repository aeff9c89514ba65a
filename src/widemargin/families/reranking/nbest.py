"""N-best lists of translation systems: `sentence ||| text ||| features ||| score ||| alignment`, the last two where there are any.

Moses, cdec, Joshua, Z-MERT and Marian write this form and differ in how features stand in it. All of it is read alike:

    lm= -12.5 tm= -3 -4.5 -2     one value or several behind a name: the features lm, tm, tm#2, tm#3     (Moses)
    Glue=2 LanguageModel=-12.5   a value inside the word; what comes twice is added                      (cdec, Moses' sparse features)
    -12.5 -3 -4.5 -2             no names: the features are 1, 2, 3, 4                                   (Z-MERT, Joshua, old Moses)

Sentences are told apart by their ids, so lists of several iterations may stand one behind another.
"""

import os
from typing import IO, Any

import numpy as np

from widemargin.errors import InputError, several
from widemargin.families.reranking.gathering import Gathered
from widemargin.families.reranking.pool import Pool
from widemargin.readers.encodings import nul_byte, read_whole, undecodable

BAR = "|||"


def lines_of(path: str | os.PathLike[str] | IO[Any], encoding: str) -> tuple[list[str], str]:
    """The lines of a file (plain, gzip, "-" or open) without their ends, and what to call it in messages."""
    data, source = read_whole(path, encoding)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise undecodable(error, 1, source) from None
    if "\0" in text:
        raise nul_byte(f"{source}:{text[: text.index(chr(0))].count(chr(10)) + 1}")
    lines = (text.replace("\r\n", "\n") if "\r" in text else text).split("\n")
    return lines[:-1] if not lines[-1] else lines, source


def parse_nbest(lines: list[str], source: str) -> Pool:
    """Lists in the form with bars."""
    found = Gathered(source)
    layouts: dict[tuple[str, ...], list[int]] = {}
    for number, line in enumerate(lines, 1):
        fields = line.split(BAR)
        if len(fields) < 3:
            if not line or line.isspace():
                continue
            raise InputError(
                f"this line has {several(len(fields), 'field')}; it must be `id {BAR} text {BAR} features`, perhaps with more after them",
                f"{source}:{number}",
            )
        sentence = fields[0].strip()
        if not sentence:
            raise InputError("the id of the sentence is missing before the first bars", f"{source}:{number}")
        score = fields[3].strip() if len(fields) > 3 else ""
        found.add(number, sentence, fields[1].strip(), score=score, alignment=BAR.join(fields[4:]).strip())
        words = fields[2].split()
        pairs = tuple(words[::2])
        layout = layouts.get(pairs)
        if layout is None or len(words) != 2 * len(layout):
            read_features(words, found)
            if len(words) == 2 * len(pairs) and all(word.endswith("=") for word in pairs) and not any("=" in word for word in words[1::2]):
                layouts[pairs] = found.feature[len(found.feature) - len(pairs) :]
        else:
            found.feature += layout
            found.value += words[1::2]
            found.features.append(len(layout))
    return found.pool()


def read_features(words: list[str], found: Gathered) -> None:
    """Features as any of the systems writes them; to the last hypothesis."""
    name, begun = "", len(found.value)
    seen: dict[str, int] = {}
    for word in words:
        if word[0] == "=":
            raise InputError("a feature has no name before the sign =", found.where(len(found.line) - 1))
        if word[-1] == "=":
            name = word[:-1]
            continue
        own, equals, value = word.rpartition("=")
        if equals:
            full = own
        else:
            seen[name] = count = seen.get(name, 0) + 1
            full = f"{name}#{count}" if name and count > 1 else name or str(count)
        found.feature.append(found.names[full])
        found.value.append(value)
    found.features.append(len(found.value) - begun)


def format_nbest(pool: Pool, chosen: np.ndarray | None = None, score: np.ndarray | None = None) -> str:
    """Hypotheses in the form with bars, `name= value` for each feature that is not 0; scores are the system's own unless given."""
    chosen = np.arange(len(pool)) if chosen is None else chosen
    score = pool.score if score is None else score
    lines, row = [], pool.row
    for h in chosen.tolist():
        low, high = pool.feature_ptr[h : h + 2].tolist()
        pairs = zip(pool.feature[low:high].tolist(), pool.value[low:high].tolist())
        features = " ".join(f"{pool.names[f]}= {shortest(value)}" for f, value in pairs)
        fields = [pool.ids[row[h]], pool.texts[h], features]
        aligned = pool.alignment[h] if pool.alignment else ""
        if np.isfinite(score[h]):
            fields.append(shortest(score[h]))
        if aligned:
            fields += [""] * (len(fields) < 4) + [aligned]
        lines.append(f" {BAR} ".join(fields) + "\n")
    return "".join(lines)


def shortest(value: float) -> str:
    """A number in as few digits as give it back."""
    return f"{value:g}" if float(f"{value:g}") == value else repr(float(value))
