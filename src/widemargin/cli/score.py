"""widemargin score."""

from widemargin.cli import flags
from widemargin.cli.against import compared, told
from widemargin.cli.common import print_json
from widemargin.errors import InputError


def declare(command) -> None:
    flags.task_argument(command)
    command.add_argument("gold", metavar="GOLD", help="a treebank, or a column file whose last column is the gold label")
    command.add_argument("system", metavar="SYSTEM", help="the same sentences with a system's trees, or its labels in the last column")
    command.add_argument("--against", metavar="OTHER", help="another system's file: is the difference significant? (paired bootstrap)")
    command.add_argument("--samples", action=flags.Number, low=1, metavar="N", help="with --against: bootstrap samples (10000)")
    flags.reading(command)
    flags.json_flag(command)


def run(options) -> int:
    """Compare two files; or three, which of two systems is better on the first and whether that is chance."""
    from widemargin.families.registry import family_of_task
    from widemargin.families.sources import TOWN

    family = family_of_task(options.task)
    chosen = flags.choices(options, family, options.task)
    if options.samples is not None and not options.against:
        raise InputError("--samples is for the bootstrap that compares with --against OTHER; leave it out, or name the other system")

    def opened(path: str):
        """Scoring looks at the answers alone, so that a file may have any other columns."""
        return family.open(path, options.task if path.startswith(TOWN) else None, **chosen.reading)

    gold = opened(options.gold)
    scores = family.scores(gold, opened(options.system), options.task, **chosen.scoring)
    if options.against:
        other = family.scores(gold, opened(options.against), options.task, **chosen.scoring)
        facts = compared(scores, other, options.samples)
        if options.json:
            print_json({"task": options.task} | facts)
        else:
            print(told(facts), end="")
        return 0
    if options.json:
        print_json({"task": options.task, "metrics": scores.as_dict()})
    else:
        print(scores.report(), end="")
    return 0
