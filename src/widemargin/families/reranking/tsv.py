"""Lists as a table with tabs: a header `id text NAME NAME ...`, a hypothesis a line, its features in the other columns.

The column `score` is the system's own score, and a name that begins with `metric:` is a metric column. An id `utt-3`, as Kaldi numbers the
hypotheses of an utterance, is the third of `utt` where the header says `utt-n` in place of `id`.
"""

from widemargin.errors import InputError, several
from widemargin.families.reranking.gathering import LARGEST, Gathered
from widemargin.families.reranking.pool import Pool

METRIC, NUMBERED = "metric:", "utt-n"


def parse_tsv(lines: list[str], source: str) -> Pool:
    """Lists in a table."""
    header = lines[0].split("\t")
    if header[:1] not in (["id"], [NUMBERED]) or header[1:2] != ["text"] or len(set(header)) < len(header) or "" in header:
        raise InputError(
            "the first line must be `id`, `text` and the names of features, all different, with tabs between them", f"{source}:1"
        )
    if bad := [name for name in header[2:] if name.split() != [name]]:
        raise InputError(f"{bad[0]!r} cannot be the name of a feature; leave out blanks", f"{source}:1")
    found = Gathered(source)
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != len(header):
            raise InputError(
                f"this line has {several(len(cells), 'cell')} and the first {len(header)}; give every column one", f"{source}:{number}"
            )
        sentence = cells[0].strip()
        if header[0] == NUMBERED:
            sentence, dash, rank = sentence.rpartition("-")
            if not dash or not rank.isdecimal():
                raise InputError(f"{cells[0]!r} is not UTTERANCE-NUMBER, as the header says", f"{source}:{number}")
        if not sentence:
            raise InputError("the id of the sentence is missing", f"{source}:{number}")
        values = dict(zip(header[2:], cells[2:]))
        found.add(number, sentence, cells[1].strip(), score=values.pop("score", ""))
        before = len(found.feature)
        for name, value in values.items():
            if name.startswith(METRIC):
                found.columns.setdefault(name.removeprefix(METRIC), []).append(_number(value, name, f"{source}:{number}"))
            else:
                found.feature.append(found.names[name])
                found.value.append(value)
        found.features.append(len(found.feature) - before)
    return found.pool()


def _number(value: str, name: str, where: str) -> float:
    try:
        if abs(number := float(value)) <= LARGEST:
            return number
    except ValueError:
        pass
    raise InputError(f"{name} is {value!r}, which is not a finite number", where)
