"""SIGTERM and Ctrl-C, wherever in the program they come."""

import _thread
import signal
import sys
from types import FrameType
from typing import Any


class Terminated(KeyboardInterrupt):
    """SIGTERM: as if somebody had pressed Ctrl-C, but for the exit status."""


def heed() -> None:
    """From now on SIGTERM raises Terminated, and no KeyboardInterrupt is lost."""
    signal.signal(signal.SIGTERM, terminate)
    sys.unraisablehook = again


def terminate(number: int, frame: FrameType | None) -> None:
    """Handles the first SIGTERM; a second one ends the process at once."""
    signal.signal(number, signal.SIG_DFL)
    raise Terminated


def again(lost: Any) -> None:
    """Sees to it that a stop comes once more where it was lost: nothing can be raised where C has called Python, as LLVM does when it has
    compiled a kernel."""
    if not (isinstance(lost.exc_type, type) and issubclass(lost.exc_type, KeyboardInterrupt)):
        sys.__unraisablehook__(lost)
    elif issubclass(lost.exc_type, Terminated):
        signal.signal(signal.SIGTERM, terminate)
        _thread.interrupt_main(signal.SIGTERM)
    else:
        _thread.interrupt_main()
