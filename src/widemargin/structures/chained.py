"""Lists of parts in arrays, for mixtures of trees (engine/frank_wolfe.py): one list per word, chained, the newest part in front.

A NamedTuple of such lists has these fields, whatever a part is:

    first   int32 [N]   the list of a word begins here; -1: it is empty
    next    int32 [E]   -1: the last of its list
    part    [E, ...]
    mass    float64 [E]
    used    int64 [1]   how many of the E places are taken
"""

import numpy as np

from widemargin.compiler.jit import inner
from widemargin.engine.frank_wolfe import refuse_more
from widemargin.errors import InputError

NO_ENTRY = -1


def empty_lists(words: int, *width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """first, next, part, mass and used of empty lists; width: the shape of a part."""
    first, after, part = np.full(words, NO_ENTRY, np.int32), np.zeros(0, np.int32), np.zeros((0, *width), np.int32)
    return first, after, part, np.zeros(0), np.zeros(1, np.int64)


def with_more(lists, more: int, memory: float):
    """These lists with room for so many parts more, within so many megabytes."""
    needed = int(lists.used[0]) + more
    if needed <= len(lists.part):
        return lists
    each = sum(array.itemsize * int(np.prod(array.shape[1:])) for array in (lists.next, lists.part, lists.mass))
    refuse_more(each * needed + lists.first.nbytes, memory)
    return resized(lists, needed + needed // 2)


def resized(lists, room: int):
    """These lists with memory for `room` parts; parts beyond it are lost."""
    tables = {}
    for name in ("next", "part", "mass"):
        old = getattr(lists, name)
        tables[name] = np.zeros((room, *old.shape[1:]), old.dtype)
        tables[name][: len(old)] = old[:room]
    return lists._replace(**tables)


def as_saved(lists, arrays: dict[str, np.ndarray]):
    """Lists of the size of those that were saved, by the names of their fields; refused where a list would not end."""
    part, first, after, used = (arrays[name] for name in ("part", "first", "next", "used"))
    lists = resized(lists, len(part))
    if after.shape != lists.next.shape or used.shape != (1,) or not 0 <= used[0] <= len(part):
        raise InputError("the checkpoint has no lists of parts; train without --resume")
    # what is newer stands in front of what is older: so every list ends
    least = min(first.min(initial=0), after.min(initial=0))
    if least < NO_ENTRY or first.max(initial=-1) >= used[0] or (after[: used[0]] >= np.arange(used[0])).any():
        raise InputError("the checkpoint has lists that leave their parts; train without --resume")
    return lists


@inner
def new_entry(lists, word):
    """A place in front of the list of a word, without mass; its part is to be written."""
    e = lists.used[0]
    lists.used[0] += 1
    lists.mass[e] = 0.0
    lists.next[e], lists.first[word] = lists.first[word], e
    return e
