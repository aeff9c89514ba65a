"""Workers that are threads of this process: kernels release the GIL, so that nothing is copied."""

from typing import Any

from widemargin.workers.crew import Call, Crew, Make, Worker


class Objects(Worker):
    """Objects on their seats. The other kinds of worker have one of these at their far end."""

    def __init__(self) -> None:
        self.there: dict[int, Any] = {}

    def make(self, seat: int, make: Make) -> None:
        self.there[seat] = make()

    def ask(self, call: Call) -> Any:
        return getattr(self.there[call.seat], call.method)(*call.arguments)

    def stop(self) -> None:
        self.there.clear()


class ThreadCrew(Crew):
    """Threads of this process."""

    mortal = False

    def hire(self) -> Worker:
        return Objects()
