"""Long-lived workers that hold objects and are asked things: threads of this process, other processes, or actors of a Ray cluster.

crew.py says what a crew is and replaces workers that die; threads.py, processes.py and cluster.py are the three kinds of worker.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from widemargin.errors import InputError

if TYPE_CHECKING:
    from widemargin.workers.crew import Crew

ENGINES = ("threads", "processes", "ray")


@dataclass(frozen=True)
class Engine:
    """Who does the work; it never decides what comes out. workers: how many, 0 for one per core (of the cluster, for ray). address: of a
    Ray cluster, by default that of RAY_ADDRESS; where there is neither, Ray is started on this machine."""

    name: str = "threads"
    workers: int = 0
    address: str | None = None

    def __post_init__(self):
        if self.name not in ENGINES:
            raise InputError(f"engine {self.name!r} is not known; choose one of {', '.join(ENGINES)}")
        if self.address is not None and self.name != "ray":
            raise InputError(f"an address is that of a Ray cluster, and the engine is {self.name}; use the engine ray, or leave it out")

    def crew(self, notice: Callable[[str], None] | None = None) -> "Crew":
        """The workers, to be closed by whoever has asked for them; notice is told of those that die."""
        if self.name == "threads":
            from widemargin.workers.threads import ThreadCrew

            return ThreadCrew(self.workers, notice)
        if self.name == "processes":
            from widemargin.workers.processes import ProcessCrew

            return ProcessCrew(self.workers, notice)
        from widemargin.workers.cluster import RayCrew

        return RayCrew(self.workers, notice, self.address)
