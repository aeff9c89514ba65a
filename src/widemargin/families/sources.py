"""Parts of the embedded corpus by name: town:PART or town:PART:SENTENCES, wherever a file name may stand."""

from widemargin.engine.settings import shown, whole_number
from widemargin.errors import InputError

TOWN = "town:"
MOST_SENTENCES = 1_000_000


def town_part(path: str, encoding: str = "utf-8") -> tuple[str, int | None]:
    """The part that a name means, and how many sentences; None: as many as are usual. It is no file, so it has no encoding."""
    from widemargin.corpora.town import SIZES  # here: it is many modules, for those who want it

    if encoding.lower() not in ("utf-8", "utf8"):
        raise InputError(f"{path} is a part of the embedded corpus, and {encoding} is an encoding of files; leave --encoding out")
    part, _, size = path.removeprefix(TOWN).partition(":")
    number = whole_number(size)
    if part not in SIZES or (size and (number is None or number < 1 or size.startswith("+") or number > MOST_SENTENCES)):
        raise InputError(
            f"{shown(path)!r} is not a part of the embedded corpus; use town:train, town:dev or town:test, perhaps with :SENTENCES"
        )
    return part, number
