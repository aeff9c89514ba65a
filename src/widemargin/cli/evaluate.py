"""widemargin evaluate."""

import time

from widemargin.cli import flags
from widemargin.cli.common import open_model, print_json, speed, threads_of
from widemargin.families.base import Wanted


def declare(command) -> None:
    command.add_argument("model", metavar="MODEL")
    command.add_argument("gold", metavar="GOLD", help=flags.FILES)
    flags.reading(command)
    flags.machine(command)


def run(options) -> int:
    """Predict and compare with the gold outputs of the file."""
    family, model = open_model(options.model)
    chosen = flags.choices(options, family, model.task.name)
    data = family.labelled(options.gold, model, **chosen.reading)
    began = time.perf_counter()
    answers = family.answer(model, data, Wanted(threads=threads_of(options)), **chosen.answering)
    seconds = time.perf_counter() - began
    scores = family.evaluate(model, data, answers, **chosen.scoring)
    if options.json:
        print_json({"task": model.task.name, "metrics": scores.as_dict()} | speed(int(data.row_ptr[-1]), len(data.row_ptr) - 1, seconds))
    else:
        print(scores.report(), end="")
    return 0
