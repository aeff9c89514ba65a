"""widemargin warmup."""

import time

from widemargin.cli import flags
from widemargin.cli.common import Progress, print_json
from widemargin.errors import InputError


def declare(command) -> None:
    flags.json_flag(command)


def run(options) -> int:
    """Train and predict on a few sentences with every combination that commands use; an option of one family warms that family alone."""
    from widemargin.families.registry import families

    began, tell, done = time.perf_counter(), Progress().note, 0
    plans, refused = [], None
    for family in families():
        try:
            plans.append((family, flags.choices(options, family, family.name).showing))
        except InputError as error:
            refused = error
    if not plans and refused is not None:
        raise refused
    for family, chosen in plans:
        done += family.warm(tell, **chosen)
    seconds = time.perf_counter() - began
    if options.json:
        print_json({"combinations": done, "seconds": round(seconds, 2)})
    else:
        print(f"{done} combinations of labels, objectives and rules are compiled; {seconds:.1f} s")
    return 0
