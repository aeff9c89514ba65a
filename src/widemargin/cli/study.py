"""widemargin curve, reproduce."""

from widemargin.cli.common import Progress, columns_of, epoch_line, print_json, say_if_compiling, threads_of
from widemargin.cli.training import recipe_of
from widemargin.errors import InputError
from widemargin.tasks.base import task_named


def curve(options) -> int:
    """Sweep one price of the cost; print precision and recall at each point, write table, figure and JSON."""
    from widemargin.study.trading import parse_sweep, trade, write_trade

    progress, task = Progress(), task_named(options.task)
    sweep = parse_sweep(options.cost, options.points)
    recipe = recipe_of(options, options.learner)
    columns, dev = (columns_of(path, options, task) for path in (options.train, options.dev))
    say_if_compiling(progress)
    found = trade(recipe, sweep, columns, dev, how=options.how, threads=threads_of(options), listen=_listener(progress))
    _end(progress)
    written = write_trade(found, options.output, train=options.train, dev=options.dev)
    if options.json:
        print_json(found.as_dict() | {"files": written})
        return 0
    print(found.table(), end="")
    print(f"\nreport: {', '.join(written)}")
    return 0


def reproduce(options) -> int:
    """A figure or a table of a paper."""
    from widemargin.study.reproducing import FOLDED, TASKED, Settings, reproduction_named

    progress, run = Progress(), reproduction_named(options.name)
    if options.task and options.name not in TASKED:
        raise InputError(f"{options.name} has one task; --task is for {', '.join(TASKED)}")
    if options.folds is not None and options.name not in FOLDED:
        raise InputError(f"the data of {options.name} have no folds; --folds is for {', '.join(FOLDED)}")
    say_if_compiling(progress)
    settings = Settings(
        data=options.data,
        task=options.task,
        sentences=options.sentences,
        folds=options.folds,
        epochs=options.epochs,
        seed=options.seed,
        samples=options.samples,
        threads=threads_of(options),
        listen=_listener(progress),
        say=progress,
    )
    report = run(settings)
    _end(progress)
    name = f"{options.name}-{options.task}" if options.task else options.name
    written = report.write(options.output or name, name)
    if options.json:
        print_json({"reproduces": options.name} | report.facts | {"files": written})
        return 0
    print(report.text(), end="")
    print(f"\nreport: {', '.join(written)}")
    return 0


def _listener(progress: Progress):
    """One line per epoch, under the name of what is trained."""
    return lambda name, facts: progress(f"{name}: {epoch_line(facts, 'las' if 'las' in facts.get('dev', {}) else 'f1')}")


def _end(progress: Progress) -> None:
    if progress.live:
        progress("", last=True)
