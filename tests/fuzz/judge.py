"""What counts as a finding: whatever is neither success nor one short sentence."""

import linecache
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from widemargin.errors import InputError

LONGEST = 700  # characters of a message: a place and a sentence, as errors.py cuts them


class Difference(Exception):
    """Two ways to the same thing do not agree."""


@dataclass(frozen=True)
class Finding:
    """Something that must not happen."""

    kind: str  # foreign, message, difference, memory, hang, crash
    what: str
    where: str = ""  # the innermost place in the package

    @property
    def mark(self) -> str:
        """Equal for findings that are likely to be one fault."""
        what = self.what.partition(":")[0] if self.kind in ("foreign", "crash") else "" if self.kind in ("hang", "message") else self.what
        return " ".join(filter(None, (self.kind, what, self.where)))


def judge(run: Callable[[Any], None], case: Any, *, sentences: tuple[type[Exception], ...] = ()) -> Finding | None:
    """Run a case. sentences: exceptions that are as good as an InputError where the package, or scikit-learn, raised them itself."""
    try:
        run(case)
    except InputError as error:
        return of_message(str(error), place(error))
    except Difference as error:
        return Finding("difference", str(error)[:LONGEST])
    except MemoryError as error:
        return Finding("memory", "MemoryError", place(error))
    except BaseException as error:
        if isinstance(error, sentences) and raised_on_purpose(error):
            return of_message(str(error), place(error))
        return Finding("foreign", f"{type(error).__name__}: {error}"[:200], place(error))
    return None


def of_message(text: str, where: str) -> Finding | None:
    """A message that is no short sentence."""
    if len(text) > LONGEST:
        return Finding("message", f"{len(text)} characters: {text[:80]}...", where)
    if not text or text.splitlines() != [text]:
        return Finding("message", f"not one line: {text[:120]!r}", where)
    return None


def place(error: BaseException) -> str:
    """file:function of the innermost frame in the package."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/widemargin/" in frame.filename]
    if not frames:
        return ""
    return f"{frames[-1].filename.rpartition('/widemargin/')[2]}:{frames[-1].name}"


def raised_on_purpose(error: BaseException) -> bool:
    """Did a raise statement of the package or of scikit-learn make it, and not an operation inside?"""
    inner = error.__traceback__
    while inner is not None and inner.tb_next is not None:
        inner = inner.tb_next
    if inner is None:
        return False
    name = inner.tb_frame.f_code.co_filename
    return any(f"/{package}/" in name for package in ("widemargin", "sklearn", "joblib")) and linecache.getline(
        name, inner.tb_lineno
    ).lstrip().startswith("raise")


def agree(what: str, first: Callable[[], Any], second: Callable[[], Any]) -> None:
    """Both refuse, or both give the same; else a Difference. A refusal of both is raised, as the first says it."""
    try:
        one = first()
    except InputError as refusal:
        try:
            second()
        except InputError as other:
            if of_message(str(other), ""):
                raise other from None
            raise refusal from None
        raise Difference(f"{what}: the first refuses, the second accepts ({shortened(refusal)})") from None
    try:
        other = second()
    except InputError as refusal:
        raise Difference(f"{what}: the first accepts, the second refuses ({shortened(refusal)})") from None
    if one != other:
        raise Difference(f"{what}: not the same")


def shortened(refusal: InputError) -> str:
    return refusal.sentence[:60]
