"""widemargin curve."""

from widemargin.cli import flags
from widemargin.cli.common import Progress, listener, print_json, recipe_from, say_if_no_figure, threads_of
from widemargin.errors import InputError


def declare(command) -> None:
    flags.task_argument(command)
    flags.two_files(command)
    command.add_argument("--learner", metavar="NAME", help="see `widemargin list learners` (the task's usual one)")
    costs = "miss=LOW..HIGH or false=LOW..HIGH, other prices after a comma (miss=0.25..4)"
    flags.recipe(command, costs=costs, objective="softmax-margin")
    command.add_argument(
        "--points", action=flags.Number, low=2, high=1000, default=5, metavar="N", help="models or biases between LOW and HIGH (5)"
    )
    how = "a model per point, one model with a bias, or both (both)"
    command.add_argument("--how", choices=["train", "bias", "both"], default="both", help=how)
    command.add_argument("-o", "--output", default="curve", metavar="DIR", help="where table, figure and JSON go (curve)")
    flags.reading(command)
    flags.machine(command)


def run(options) -> int:
    """Sweep one price of the cost; print precision and recall at each point, write table, figure and JSON."""
    from widemargin.families.registry import family_of_task
    from widemargin.readers.outputs import check_folder
    from widemargin.study.precision_recall import parse_sweep, trade, write_trade

    check_folder(options.output)
    family, progress = family_of_task(options.task), Progress()
    flags.need(family, "curve", options.task)
    if options.patience is not None:
        raise InputError("a curve shows each model's last epoch, so that no score decides when to stop; leave --patience out")
    sweep = parse_sweep(options.cost or "miss=0.25..4", options.points)
    options.cost, options.objective = None, options.objective or "softmax-margin"
    chosen = flags.choices(options, family, options.task)
    recipe = recipe_from(options, family, options.learner, chosen)
    data, dev = (family.open(path, options.task, **chosen.reading) for path in (options.train, options.dev))
    say_if_no_figure(progress)
    found = trade(recipe, sweep, data, dev, how=options.how, threads=threads_of(options), listen=listener(progress))
    progress.end()
    written = write_trade(found, options.output, train=options.train, dev=options.dev)
    if options.json:
        print_json(found.as_dict() | {"files": written})
        return 0
    print(found.table(), end="")
    print(f"\nreport: {', '.join(written)}")
    return 0
