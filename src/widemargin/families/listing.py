"""Names in messages: a few of them, and how many more there are."""

from collections.abc import Sequence

FEW = 5


def some_of(names: Sequence[str], few: int = FEW) -> str:
    """The first few, with the number of the others.

    >>> some_of(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    shown = ", ".join(name if len(name) <= 40 else name[:37] + "..." for name in names[:few])
    return shown + (f" and {len(names) - few:,} more" if len(names) > few else "")
