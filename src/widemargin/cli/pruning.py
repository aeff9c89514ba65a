"""widemargin prune."""

import os

from widemargin.cli.common import print_json, threads_of
from widemargin.cli.prediction import labelled_columns
from widemargin.study.tables import Column, text_table
from widemargin.tasks.pruning import pruned
from widemargin.tasks.tagger import Tagger


def prune(options) -> int:
    """Drop features, save, and say what was gained in bytes and lost in score."""
    model = Tagger.load(options.model)
    dev = labelled_columns(options.dev, options, model) if options.dev else None
    small = pruned(model, threshold=options.threshold, keep=options.keep)
    size = os.path.getsize(options.model)  # before saving: the two may be one file
    rows = [_row("before", model, size), _row("after", small, 0)]
    if dev is not None:
        for row, tagger in zip(rows, (model, small)):
            metrics = tagger.evaluate(dev, threads=threads_of(options))
            row["metrics"] = {name: value for name, value in metrics.items() if isinstance(value, float)}
    rows[1]["bytes"] = small.save(options.output)
    metric = model.task.metric
    if options.json:
        chosen = {"threshold": options.threshold} if options.keep is None else {"keep": options.keep}
        print_json({"model": options.model, "output": options.output, **chosen, **{row.pop("model"): row for row in rows}})
        return 0
    columns = [Column("model"), Column("features"), Column("MB", precision=2)]
    for row in rows:
        row["MB"] = row["bytes"] / 1e6
        if dev is not None:
            row[metric] = row["metrics"][metric]
    if dev is not None:
        columns.append(Column(metric, precision=2))
    print(text_table(rows, columns), end="")
    cost = f", {metric} {rows[1][metric] - rows[0][metric]:+.2f}" if dev is not None else ""
    print(f"{options.output}: {rows[0]['bytes'] / rows[1]['bytes']:.1f} times smaller{cost}")
    return 0


def _row(name: str, model: Tagger, size: int) -> dict:
    return {"model": name, "features": len(model.extractor.nodes) + len(model.extractor.edges), "bytes": size}
