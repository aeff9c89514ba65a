"""Workers that are processes of this machine. Messages are pickles through pipes, arrays behind them as they lie in memory.

A worker runs `serve` below in a new Python, so that no script is run a second time and no thread is inherited. Only this process talks to
it; it ends when its standard input does, thus with this process however that ends.
"""

import os
import pickle
import signal
import struct
import subprocess
import sys
from typing import IO, Any

from widemargin.errors import InputError
from widemargin.workers.crew import Call, Crew, Lost, Make, Worker
from widemargin.workers.threads import Objects

ORDER = "from widemargin.workers.processes import serve; serve()"
COUNT = struct.Struct("<q")


def send(pipe: IO[bytes], message: Any) -> None:
    """A message: how many pieces, and each with its length before it; the first is the pickle, the others are its arrays."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
    pieces = [memoryview(head), *(buffer.raw() for buffer in buffers)]
    pipe.write(COUNT.pack(len(pieces)))
    for piece in pieces:
        pipe.write(COUNT.pack(piece.nbytes))
        pipe.write(piece)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """The next message; EOFError where there is none, or not all of one."""
    head, *arrays = [_exactly(pipe, _count(pipe)) for _ in range(_count(pipe))]
    return pickle.loads(head, buffers=arrays)


def _count(pipe: IO[bytes]) -> int:
    return COUNT.unpack(_exactly(pipe, COUNT.size))[0]


def _exactly(pipe: IO[bytes], size: int) -> bytearray:
    block = bytearray(size)
    view, place = memoryview(block), 0
    while place < size:
        more = pipe.readinto(view[place:])  # type: ignore[attr-defined]
        if not more:
            raise EOFError
        place += more
    return block


def serve() -> None:
    """The far end: answers messages until there are none. What is printed here goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asks
    inward, outward = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    objects = Objects()
    while True:
        try:
            name, arguments = receive(inward)
        except EOFError:
            return
        try:
            answer = True, getattr(objects, name)(*arguments)
        except BaseException as error:
            answer = False, error
        try:
            send(outward, answer)
        except BrokenPipeError:
            return


class Process(Worker):
    """One process."""

    def __init__(self) -> None:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        self.process = subprocess.Popen([sys.executable, "-c", ORDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)

    def make(self, seat: int, make: Make) -> None:
        self._ask("make", seat, make)

    def ask(self, call: Call) -> Any:
        return self._ask("ask", call)

    def _ask(self, name: str, *arguments: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            try:
                send(self.process.stdin, (name, arguments))
            except (pickle.PicklingError, AttributeError, TypeError) as error:
                raise InputError(f"this cannot be sent to another process ({error}); use the engine threads") from error
            fine, answer = receive(self.process.stdout)
        except (OSError, EOFError) as error:
            raise Lost from error
        if not fine:
            raise answer
        return answer

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            _close(pipe)


def _close(pipe: IO[bytes] | None) -> None:
    try:
        if pipe is not None:
            pipe.close()
    except OSError:  # what was not sent yet has no reader
        pass


class ProcessCrew(Crew):
    """Processes of this machine."""

    def hire(self) -> Process:
        return Process()
