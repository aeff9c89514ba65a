"""A process that runs cases. Orders come as lines of JSON on standard input, answers go to standard output; the parent watches.

A case that takes too much processor time ends the process by SIGPROF, which no compiled kernel and no regular expression holds back.
"""

import faulthandler
import json
import math
import os
import pathlib
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from random import Random

MEMORY = 3 << 30  # bytes for a case
SHARED = "/dev/shm"
warmed: set[str] = set()  # targets


def main(seeds: str, limit: float) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # nobody else speaks on standard output
    faulthandler.enable()
    faulthandler.register(signal.SIGPROF, chain=True)
    warnings.simplefilter("ignore")
    folder = tempfile.mkdtemp(prefix="fuzz-", dir=SHARED if os.path.isdir(SHARED) else None)
    os.chdir(folder)
    shutil.copytree(seeds, "seeds")

    def answer(**told) -> None:
        print(json.dumps(told), file=answers, flush=True)

    from fuzz.targets import targets

    targets()
    limit_memory()
    answer(ready=folder)
    for line in sys.stdin:
        obey(json.loads(line), limit, answer)
    shutil.rmtree(folder, ignore_errors=True)


def obey(order: dict, limit: float, answer) -> None:
    """Run a stretch of cases, or one that is given, or show one."""
    from fuzz.cases import packed, unpacked
    from fuzz.targets import targets

    target = targets()[order["target"]]
    if "show" in order:
        answer(done=0, case=packed(case_of(target, order["seed"], order["show"])))
        return
    if "case" in order:
        finding, seconds = watched(target, unpacked(order["case"]), limit)
        answer(done=1, seconds=seconds, found=finding and [finding.kind, finding.what, finding.where, finding.mark])
        return
    if target.warm and target.name not in warmed:
        warmed.add(target.name)
        limit_memory(math.inf)
        for _ in target.warm():
            answer(alive=-1)
        limit_memory()
    slowest, told, now = 0.0, time.monotonic(), os.open("now", os.O_WRONLY | os.O_CREAT)
    for i in range(order["first"], order["first"] + order["count"]):
        case = case_of(target, order["seed"], i)
        os.pwrite(now, b"%20d" % i, 0)
        finding, seconds = watched(target, case, limit)
        slowest = max(slowest, seconds)
        if finding:
            answer(found=[finding.kind, finding.what, finding.where, finding.mark], i=i, case=packed(case), seconds=seconds)
        elif time.monotonic() - told > 1:
            told = time.monotonic()
            answer(alive=i)
    os.close(now)
    answer(done=order["count"], slowest=slowest)


def limit_memory(more: float = MEMORY) -> None:
    """So many bytes beside what the process has now."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
    soft = resource.RLIM_INFINITY if more == math.inf else pages * resource.getpagesize() + int(more)
    resource.setrlimit(resource.RLIMIT_AS, (soft, resource.RLIM_INFINITY))


def case_of(target, seed: int, i: int) -> dict:
    """Case i of a target: always the same."""
    return target.cases(Random(f"{seed} {target.name} {i}"))


def watched(target, case: dict, limit: float):
    """The verdict on a case, and how long it took."""
    from fuzz.judge import judge

    began = time.perf_counter()
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        finding = judge(target.run, case, sentences=target.sentences)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return finding, time.perf_counter() - began


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
