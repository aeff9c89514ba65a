"""widemargin prune."""

import os

from widemargin.cli import flags
from widemargin.cli.common import open_model, print_json, threads_of
from widemargin.engine.settings import LARGEST
from widemargin.errors import InputError


def declare(command) -> None:
    command.add_argument("model", metavar="MODEL", help="a model file")
    command.add_argument("-o", "--output", required=True, metavar="OUT", help="where the smaller model goes")
    how = command.add_mutually_exclusive_group(required=True)
    how.add_argument(
        "--threshold",
        action=flags.Number,
        kind=float,
        low=-LARGEST,
        metavar="X",
        help="drop features whose weights are all below X in absolute value; 0: those without any weight, which changes no answer",
    )
    how.add_argument("--keep", action=flags.Number, metavar="N", help="keep the N features with the largest weights")
    command.add_argument("--dev", metavar="DEV", help="score before and after on this file")
    flags.reading(command)
    flags.machine(command)


def run(options) -> int:
    """Drop features, save, and say what was gained in bytes and lost in score."""
    from widemargin.models import check_place

    check_place(options.output)
    family, model = open_model(options.model)
    flags.need(family, "prune", model.task.name)
    chosen = flags.choices(options, family, model.task.name)
    idle = ["threads"] if options.threads is not None else []
    if (idle := [*chosen.reading, *idle]) and not options.dev:
        raise InputError(f"--{idle[0]} is for scores on --dev, which is not given; leave it out")
    dev = family.labelled(options.dev, model, **chosen.reading) if options.dev else None
    small = family.prune(model, threshold=options.threshold, keep=options.keep)
    size = os.path.getsize(options.model)  # before saving: the two may be one file
    rows: list[dict] = [{"model": "before"} | family.sizes(model) | {"bytes": size}, {"model": "after"} | family.sizes(small)]
    if dev is not None:
        for row, one in zip(rows, (model, small)):
            metrics = one.evaluate(dev, threads=threads_of(options))
            row["metrics"] = {name: value for name, value in metrics.items() if isinstance(value, float)}
    rows[1]["bytes"] = small.save(options.output)
    if options.json:
        how = {"threshold": options.threshold} if options.keep is None else {"keep": options.keep}
        facts = {"task": model.task.name, "model": options.model, "output": options.output, **how}
        print_json(facts | {row.pop("model"): row for row in rows})
        return 0
    _print(rows, model.task.metric if dev is not None else None, options.output)
    return 0


def _print(rows: list[dict], metric: str | None, output: str) -> None:
    from widemargin.show.tables import Column, text_table

    columns = [Column(name) for name in rows[0] if name not in ("bytes", "metrics")] + [Column("MB", precision=2)]
    for row in rows:
        row["MB"] = row["bytes"] / 1e6
        if metric is not None:
            row[metric] = row["metrics"][metric]
    columns += [Column(metric, precision=2)] if metric is not None else []
    print(text_table(rows, columns), end="")
    cost = f", {metric} {rows[1][metric] - rows[0][metric]:+.2f}" if metric is not None else ""
    print(f"{output}: {rows[0]['bytes'] / rows[1]['bytes']:.1f} times smaller{cost}")
