"""Places for results: one that cannot be written is refused before the work, and nothing is left behind.

A result goes to a temporary neighbour, .NAME.XXXXXXXX.part, which takes the name when complete. Its writer holds a lock on it: one without
a lock is of a process that has died, and the next writer to finish with that name removes it.
"""

import contextlib
import errno
import io
import os
import pathlib
import re
import secrets
import stat
from typing import BinaryIO, cast

from widemargin.errors import InputError

try:
    import fcntl
except ImportError:  # Windows, where open files cannot be removed: no locks are needed
    fcntl = None  # type: ignore[assignment]

LONGEST_QUOTE = 60


class OutputFile(io.FileIO):
    """A file whose errors in writing are told as sentences; `told` is its name in them."""

    def __init__(self, path: str | os.PathLike[str], mode: str, told: str):
        super().__init__(path, mode)
        self.told = told

    def write(self, data) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise unwritten(error, self.told) from None


def unwritten(error: OSError, name: str) -> InputError:
    """What is said of a result that got lost on its way to the disk."""
    return InputError(f"the file cannot be written ({error.strerror}); make room or choose another folder.", name)


def check_output(path: str | os.PathLike[str]) -> None:
    """Refuse a file that could not be written; "-" is standard output."""
    name = os.fspath(path)
    if name == "-":
        return
    target = target_of(name)
    if target is not None:
        handle, temporary = open_temporary(target, name)
        handle.close()
        temporary.unlink()
    elif not os.access(name, os.W_OK):
        raise InputError("nothing can be written here (no permission); choose another file.", name)


def check_folder(path: str | os.PathLike[str]) -> None:
    """Refuse a folder for several results that could not be made, or in which nothing could be written. It is not made yet."""
    name = os.fspath(path)
    if not name:
        raise InputError("the name of the output folder is empty; name a folder.")
    place, missing = os.path.abspath(name), []
    try:
        while _is_missing(place):
            missing.append(os.path.basename(place))
            place = os.path.dirname(place)
        for part in missing:  # each where a folder is: what cannot be a name is an error there
            _is_missing(os.path.join(place, part))
        is_folder = stat.S_ISDIR(os.stat(place).st_mode)
    except FileNotFoundError:
        raise InputError("this symbolic link leads nowhere; name a folder for the results.", name) from None
    except (OSError, ValueError) as error:
        raise _impossible(error, name) from None
    if not is_folder:
        raise InputError("this is a file; name a folder for the results.", name)
    check_output(os.path.join(place, "result"))


def _is_missing(path: str) -> bool:
    try:
        os.lstat(path)
    except FileNotFoundError:
        return True
    return False


def target_of(name: str) -> pathlib.Path | None:
    """The file that a name leads to, through symbolic links; None: a pipe or device, to be written directly."""
    if not name:
        raise InputError("the name of the output is empty; name a file.")
    try:
        mode = os.stat(name).st_mode
    except OSError:  # it is not there, or what is wrong shows when it is made
        mode = stat.S_IFREG
    except ValueError as error:
        raise _impossible(error, name) from None
    if stat.S_ISDIR(mode) or name.endswith(("/", os.sep)):
        raise InputError("this is a folder; name a file in it.", name)
    if not stat.S_ISREG(mode):
        return None
    target = pathlib.Path(os.path.realpath(name))
    if os.path.islink(target):
        raise InputError("this symbolic link leads back to itself; choose another name.", name)
    return target


def open_temporary(target: pathlib.Path, name: str) -> tuple[BinaryIO, pathlib.Path]:
    """A new file beside the target, locked, with the mode of the one that it is to replace; and its path. name: for messages."""
    while True:
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
        try:
            handle = io.BufferedWriter(OutputFile(temporary, "xb", name))
        except FileNotFoundError:
            raise InputError(f"there is no folder {target.parent}; make it first.", name) from None
        except OSError as error:
            raise _impossible(error, name) from None
        with contextlib.suppress(OSError):
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX)
        if temporary.exists():  # nobody took it for a dead one's before the lock was there
            break
        handle.close()
    with contextlib.suppress(OSError):
        os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
    return cast(BinaryIO, handle), temporary


def finish(handle: BinaryIO, temporary: pathlib.Path, target: pathlib.Path) -> None:
    """Give a complete temporary file its name, before its lock goes with its handle."""
    handle.flush()
    try:
        os.fsync(handle.fileno())
        if fcntl is None:
            handle.close()  # an open file cannot be renamed there
        os.replace(temporary, target)
    except OSError as error:
        raise unwritten(error, str(target)) from None
    remove_dead(target)


def remove_dead(target: str | os.PathLike[str]) -> None:
    """Remove the temporary neighbours of a file whose writers are no more."""
    folder, name = os.path.split(os.path.realpath(target))
    ours = re.compile(re.escape(f".{name}.") + r"[0-9a-f]{8}\.part")
    with contextlib.suppress(OSError):
        for entry in os.listdir(folder):
            if ours.fullmatch(entry):
                with contextlib.suppress(OSError):
                    _remove_if_dead(os.path.join(folder, entry))


def _remove_if_dead(path: str) -> None:
    """OSError where somebody still writes."""
    if fcntl is None:
        os.unlink(path)
        return
    file = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)
    finally:
        os.close(file)


def _impossible(error: OSError | ValueError, name: str) -> InputError:
    """What is said of a name that cannot be a file's."""
    if isinstance(error, ValueError):
        return InputError(f"{name!r:.{LONGEST_QUOTE}} cannot name a file; use other letters.")
    told = name if error.errno != errno.ENAMETOOLONG or len(name) <= LONGEST_QUOTE else f"{name[:LONGEST_QUOTE]}..."
    return InputError(f"nothing can be written here ({error.strerror}); choose another place.", told)
