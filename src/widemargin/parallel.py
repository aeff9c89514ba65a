"""Jobs on threads: kernels release the GIL, so that threads are enough and nothing is copied."""

import functools
import itertools
import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

import numpy as np

T = TypeVar("T")


@functools.cache
def _pool(process: int) -> ThreadPoolExecutor:
    """The helpers of one process, started when first needed; a forked child inherits no threads, hence the process number."""
    return ThreadPoolExecutor(max_workers=max(32, os.cpu_count() or 1), thread_name_prefix="widemargin")


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1))


def together(jobs: Sequence[Callable[[], T]], *, threads: int) -> list[T]:
    """The jobs' results in their order, computed on at most `threads` threads of which the caller's is one.

    Jobs are taken in order as threads become free. The first error in job order is raised when the jobs already begun have ended, and the
    others are left undone; so is a KeyboardInterrupt. A job may itself call `together`: helpers that found no thread are not waited for.
    """
    helpers = min(threads, len(jobs)) - 1
    if helpers < 1:
        return [job() for job in jobs]
    results: dict[int, T] = {}
    errors: dict[int, BaseException] = {}
    left = deque(enumerate(jobs))

    def work() -> None:
        while True:
            try:
                i, job = left.popleft()
            except IndexError:
                return
            try:
                results[i] = job()
            except BaseException as error:
                errors[i] = error
                left.clear()

    futures: list[Future] = []
    try:
        for _ in range(helpers):
            futures.append(_pool(os.getpid()).submit(work))
        work()
    finally:
        left.clear()
        wait([future for future in futures if not future.cancel()])
    if errors:
        raise errors[min(errors)]
    return [results[i] for i in range(len(jobs))]


def joined_rows(part: Callable[[int, int], tuple[np.ndarray, np.ndarray]], cuts: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Sparse rows (bounds, entries) from part(low, high) between neighbouring cuts, a thread for each, one behind the other."""
    parts = together([functools.partial(part, *ends) for ends in itertools.pairwise(cuts)], threads=len(cuts) - 1)
    if len(parts) == 1:
        return parts[0]
    before = itertools.accumulate((len(entries) for _, entries in parts), initial=0)
    bounds = [bounds[1:] + shift for (bounds, _), shift in zip(parts, before)]
    return np.concatenate([np.zeros(1, np.int64), *bounds]), np.concatenate([entries for _, entries in parts])
