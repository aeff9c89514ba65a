"""Workers that are actors of a Ray cluster, on this machine or on many.

Ray is told not to restart actors by itself: a replacement must first be brought back to where the lost one was, which the crew does.
What is sent goes through Ray's object store as bytes, once for all workers of a machine. Bytes, because arrays that Ray maps are read-only,
and kernels would be compiled anew for those.
"""

import importlib
import logging
import os
import pickle
import threading
from collections.abc import Callable
from typing import Any

from widemargin.errors import InputError
from widemargin.workers.crew import Call, Crew, Lost, Make, Worker
from widemargin.workers.threads import Objects


def connected(address: str | None) -> Any:
    """The package ray, connected to a cluster: that of the address or of RAY_ADDRESS, else one that is started here; no dashboard."""
    try:
        ray = importlib.import_module("ray")
    except ImportError:
        raise InputError("the engine ray needs the package ray; install it with pip install 'widemargin[ray]'") from None
    if ray.is_initialized():
        return ray
    address = address or os.environ.get("RAY_ADDRESS")
    own: dict[str, Any] = {"address": address} if address else {"include_dashboard": False}
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        ray.init(**own, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, ValueError, RuntimeError, TimeoutError) as error:
        raise InputError(f"no Ray cluster answers at {address or 'this machine'} ({error}); check the address, or leave it out") from error
    return ray


class Remote:
    """The far end: objects, and messages as bytes."""

    def __init__(self) -> None:
        self.objects = Objects()

    def make(self, seat: int, make: bytes) -> None:
        """Worker.make."""
        self.objects.make(seat, pickle.loads(make))

    def ask(self, seat: int, method: str, arguments: bytes) -> bytes:
        """Worker.ask."""
        return pickle.dumps(self.objects.ask(Call(seat, method, pickle.loads(arguments))), protocol=5)


class Actor(Worker):
    """One actor. Ray places it where a core is free, if one is, and counts none as taken: a replacement never waits for a core."""

    def __init__(self, ray: Any, put: Callable[[tuple], Any]):
        """put: arguments into the object store."""
        self.ray, self.put = ray, put
        self.actor = ray.remote(max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD")(Remote).remote()

    def make(self, seat: int, make: Make) -> None:
        self._wait(self.actor.make.remote(seat, self.ray.cloudpickle.dumps(make)))

    def ask(self, call: Call) -> Any:
        return pickle.loads(self._wait(self.actor.ask.remote(call.seat, call.method, self.put(call.arguments))))

    def _wait(self, asked: Any) -> Any:
        errors = self.ray.exceptions
        try:
            return self.ray.get(asked)
        except errors.RayTaskError as error:
            raise error.cause from error
        except (errors.RayActorError, errors.ObjectLostError, errors.NodeDiedError, errors.WorkerCrashedError) as error:
            raise Lost from error

    def stop(self) -> None:
        if self.ray.is_initialized():
            self.ray.kill(self.actor, no_restart=True)


class RayCrew(Crew):
    """Actors of a Ray cluster; without a number, one for each of its cores."""

    def __init__(self, workers: int = 0, notice: Callable[[str], None] | None = None, address: str | None = None):
        self.ray = connected(address)
        super().__init__(workers or int(self.ray.cluster_resources().get("CPU", 1)), notice)
        self.stored: tuple[tuple, Any] = ((), None)
        self.storing = threading.Lock()

    def put(self, arguments: tuple) -> Any:
        """The arguments in the object store; the same ones for several workers are there once."""
        with self.storing:
            if self.stored[1] is None or self.stored[0] is not arguments:
                self.stored = arguments, self.ray.put(self.ray.cloudpickle.dumps(arguments))
            return self.stored[1]

    def hire(self) -> Actor:
        return Actor(self.ray, self.put)
