"""What EVALB (Sekine and Collins 1997) is told by a .prm file: which labels do not count, which are alike, where lengths are cut."""

import os
from dataclasses import dataclass, field
from typing import IO, Any

from widemargin.engine.settings import whole_number
from widemargin.errors import InputError
from widemargin.readers.encodings import read_whole, undecodable

NUMBERS = ("DEBUG", "MAX_ERROR", "CUTOFF_LEN", "LABELED")
LISTS = ("DELETE_LABEL", "DELETE_LABEL_FOR_LENGTH", "QUOTE_LABEL")
PAIRS = ("EQ_LABEL", "EQ_WORD")


@dataclass(frozen=True)
class EvalbSettings:
    """The lines of a .prm file; COLLINS.prm's unless given."""

    name: str = "COLLINS"
    deleted: tuple[str, ...] = ("TOP", "-NONE-", ",", ":", "``", "''", ".")  # tags go with their words, brackets without theirs
    not_in_length: tuple[str, ...] = ("-NONE-",)
    same_labels: tuple[tuple[str, str], ...] = (("ADVP", "PRT"),)
    same_words: tuple[tuple[str, str], ...] = ()
    quotes: tuple[str, ...] = ()  # tags of quotation marks that taggers mistake for each other
    labelled: bool = True
    cutoff: int = 40  # words, of the part that is scored apart
    max_error: int = 10  # sentences that may fail where failures are not refused at once
    _alike: frozenset[frozenset[str]] = field(init=False, repr=False, compare=False, default=frozenset())

    def __post_init__(self):
        object.__setattr__(self, "_alike", frozenset(map(frozenset, self.same_labels)))

    def alike(self, a: str, b: str) -> bool:
        """Do labels or tags count as the same? Pairs are not chained: of A = B and B = C it does not follow that A = C."""
        return a == b or frozenset((a, b)) in self._alike

    @property
    def signature(self) -> str:
        """One line that says how was counted."""
        pairs = [f"{key}:{','.join(f'{a}={b}' for a, b in found)}" for key, found in (("eq", self.same_labels), ("eqw", self.same_words))]
        lists = [
            f"del:{' '.join(self.deleted)}",
            f"len:{' '.join(self.not_in_length)}",
            *([f"quote:{' '.join(self.quotes)}"] if self.quotes else []),
        ]
        kind = "labelled" if self.labelled else "unlabelled"
        return "|".join(["evalb", self.name, kind, *lists, *(pair for pair in pairs if not pair.endswith(":")), f"cut:{self.cutoff}"])


COLLINS = EvalbSettings()


def read_settings(path: str | os.PathLike[str] | IO[Any], *, encoding: str = "utf-8") -> EvalbSettings:
    """A user's .prm file: KEY VALUE lines; # begins a comment. Lists begin empty; what else is not said is EVALB's own default."""
    data, source = read_whole(path, encoding)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise undecodable(error, 1, source) from None
    numbers: dict[str, int] = {}
    lists: dict[str, list[str]] = {name: [] for name in LISTS}
    pairs: dict[str, list[tuple[str, str]]] = {name: [] for name in PAIRS}
    for number, line in enumerate(text.split("\n"), 1):
        key, *values = line.split() or ["#"]
        if key.startswith("#"):
            continue
        where = f"{source}:{number}"
        if key in NUMBERS:
            numbers[key] = _number(key, values, where)
        elif key in LISTS and len(values) == 1:
            lists[key].append(values[0])
        elif key in PAIRS and len(values) == 2:
            pairs[key].append((values[0], values[1]))
        elif key in LISTS or key in PAIRS:
            raise InputError(f"{key} has {len(values)} values; give {'one label' if key in LISTS else 'two that are the same'}.", where)
        else:
            raise InputError(f"{key!r} is not a setting of EVALB; use {', '.join([*NUMBERS, *LISTS, *PAIRS])}.", where)
    return EvalbSettings(
        name=os.path.basename(source).removesuffix(".prm"),
        labelled=bool(numbers.get("LABELED", 1)),
        cutoff=numbers.get("CUTOFF_LEN", COLLINS.cutoff),
        max_error=numbers.get("MAX_ERROR", COLLINS.max_error),
        deleted=tuple(lists["DELETE_LABEL"]),
        not_in_length=tuple(lists["DELETE_LABEL_FOR_LENGTH"]),
        quotes=tuple(lists["QUOTE_LABEL"]),
        same_labels=tuple(pairs["EQ_LABEL"]),
        same_words=tuple(pairs["EQ_WORD"]),
    )


def _number(key: str, values: list[str], where: str) -> int:
    number = whole_number(values[0]) if len(values) == 1 else None
    if number is None or number < 0:
        raise InputError(f"{key} has the value {' '.join(values)!r}; give a whole number from 0 up.", where)
    return number
