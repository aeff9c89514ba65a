"""widemargin warmup."""

import time

from widemargin.cli import flags
from widemargin.cli.common import Progress, print_json
from widemargin.errors import InputError, several

PROCESSES = 2  # that compile at the same time, where there are cores for them


def declare(command) -> None:
    from widemargin.families.registry import tasks

    named = f"what to compile for: {', '.join(tasks())} (the usual ones)"
    command.add_argument("tasks", metavar="TASK", nargs="*", help=named)
    command.add_argument("--all", action="store_true", help="for all learners and objectives in common use, not only the usual ones")
    flags.json_flag(command)


def run(options) -> int:
    """Train and predict on a few sentences, so that kernels are compiled, in two processes; an option of one family warms that alone."""
    from widemargin.families.registry import families, family_of_task

    began, tell = time.perf_counter(), Progress().note
    wanted = list(dict.fromkeys(map(family_of_task, options.tasks))) or [f for f in families() if f.is_usual or options.all]
    jobs, refused = [], None
    for family in wanted:
        try:
            jobs += family.warmups(every=options.all, **flags.choices(options, family, family.name).showing)
        except InputError as error:
            refused = error
    if refused is not None and (options.tasks or not jobs):
        raise refused
    _compile(jobs, tell)
    seconds = time.perf_counter() - began
    if options.json:
        print_json({"combinations": len(jobs), "seconds": round(seconds, 2)})
    else:
        print(f"compiled for {several(len(jobs), 'kind')} of models; {seconds:.1f} s")
    return 0


def _compile(jobs: list, tell) -> None:
    """Each job once, by whichever process is free, the longest first."""
    from widemargin.parallel import cores
    from widemargin.workers import Engine
    from widemargin.workers.crew import Call

    processes = min(PROCESSES, cores(), len(jobs))
    with Engine("processes" if processes > 1 else "threads", max(processes, 1)).crew(tell) as crew:
        crew.seat(crew.size, lambda seat: Compiler)
        crew.ask([Call(-1, "compile", (job.work,)) for job in jobs], lambda i, seconds: tell(f"{jobs[i].title}: {seconds:.1f} s"))


class Compiler:
    """Does what compiles kernels, and says how long it took."""

    def compile(self, work) -> float:
        began = time.perf_counter()
        work()
        return time.perf_counter() - began
