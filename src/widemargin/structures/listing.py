"""How many of the best outputs can be listed: no more than there are, and than memory holds."""

import os
from typing import Any

from widemargin.engine.settings import as_number, in_range, shown
from widemargin.errors import InputError

MANY = 64  # so many decisions between two things have more outcomes than anybody can count
WITHOUT_SYSCONF = 2 * 2**30


def outcomes(choices: int, decisions: int) -> int:
    """How many outputs that many decisions have, each between that many things; not exact above 2^64."""
    return choices ** min(decisions, MANY)


def memory_for_lists() -> int:
    """Bytes that lists of outputs may take: a quarter of the machine's memory."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4
    except (AttributeError, ValueError, OSError):  # not everywhere
        return WITHOUT_SYSCONF


def listable(k: Any, exist: int, size: int) -> int:
    """k, or how many outputs exist if there are fewer; refused where lists of `size` bytes for each do not fit into memory."""
    number = as_number("k", k, int)
    if number < 1:
        raise InputError(f"{shown(number)} best outputs were asked for; ask for at least 1")
    number, room = min(in_range("k", number, 1), exist), memory_for_lists() // max(1, size)
    if number > room:
        raise InputError(f"the {number:,} best outputs do not fit into memory; ask for at most {room:,}, or for fewer sentences at once")
    return number
