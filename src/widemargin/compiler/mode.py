"""By which of two ways functions are compiled; both give the same results up to rounding.

linked  the usual one: linking.py and machine_code.py, which compile sooner, to faster code, and lean on Numba's inside
plain   Numba's own pipeline and cache

WIDEMARGIN_JIT names one of them. Without it, `linked` is taken with the versions of Numba that it was tested with, and `plain`, after a
warning, with others. (NUMBA_DISABLE_JIT=1 compiles nothing at all.)
"""

import os
import re
import types
import warnings

import numba

from widemargin.errors import InputError

TESTED = (0, 62), (0, 68)  # the oldest and the newest Numba, both tested by .ci/run


def choose() -> types.ModuleType | None:
    """linking.py for `linked`, None for `plain`."""
    wanted = os.environ.get("WIDEMARGIN_JIT", "")
    if wanted not in ("", "linked", "plain"):
        raise InputError(f"WIDEMARGIN_JIT is {wanted!r}; it must be linked or plain, or not be set")
    if wanted == "plain":
        return None
    oldest, newest = TESTED
    version = tuple(int(number) for number in re.findall(r"\d+", numba.__version__)[:2])
    if not wanted and not oldest <= version <= newest:
        _warn("tested with Numba {}.{} to {}.{}".format(*oldest, *newest))
        return None
    try:
        from widemargin.compiler import linking, machine_code  # noqa: F401
    except (ImportError, AttributeError, TypeError) as error:
        if wanted:
            raise
        _warn(f"not made for this one ({error})")
        return None
    return linking


def _warn(why: str) -> None:
    warnings.warn(
        f"Numba is {numba.__version__}, and widemargin's own way of compiling was {why}: kernels are compiled by Numba alone, "
        "which takes longer and makes slower code. WIDEMARGIN_JIT=plain does so without this warning, WIDEMARGIN_JIT=linked does not.",
        RuntimeWarning,
        stacklevel=4,
    )


LINKING = choose()
