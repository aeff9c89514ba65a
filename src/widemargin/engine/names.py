"""Names as people write them: capitals and underscores do not matter, other names of the field are known, and slips get a hint."""

import difflib
from collections.abc import Iterable, Mapping

from widemargin.errors import InputError


def canonical(name: str, choices: Iterable[str], aliases: Mapping[str, str] | None = None) -> str:
    """The choice that a name stands for, or the name as it is."""
    plain = name.strip().lower().replace("_", "-")
    found = (aliases or {}).get(plain, plain)
    return next((choice for choice in choices if choice.replace("_", "-") == found), name)


def known(what: str, name: str, choices: Iterable[str], aliases: Mapping[str, str] | None = None) -> str:
    """The choice that a name stands for; others are refused, with what was perhaps meant."""
    choices = list(choices)
    found = canonical(name, choices, aliases)
    if found not in choices:
        raise InputError(f"{what} {name!r:.60} is not known; choose one of {', '.join(choices)}{hint(name, [*choices, *(aliases or {})])}")
    return found


def hint(name: str, choices: Iterable[str]) -> str:
    """What was perhaps meant by a name that is none of the choices, to be put behind a sentence; or nothing."""
    plain = {choice.lower().replace("_", "-"): choice for choice in choices}
    near = difflib.get_close_matches(name.strip().lower().replace("_", "-"), plain, 1)
    return f"; did you mean {plain[near[0]]}?" if near else ""
