"""widemargin curve, reproduce."""

import os

from widemargin.cli.common import Progress, columns_of, epoch_line, print_json, say_if_compiling, threads_of
from widemargin.cli.training import recipe_of
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
    folder = options.output or options.name
    facts, text = {"gimpel-figure2": _figure2, "gimpel-table2": _table2, "gimpel-figure3": _figure3}[options.name](options, folder)
    if options.json:
        print_json({"reproduces": options.name} | facts)
        return 0
    print(text, end="")
    print(f"\nreport: {', '.join(facts['files'])}")
    return 0


def _figure2(options, folder: str) -> tuple[dict, str]:
    from widemargin.study.comparing import write_texts
    from widemargin.study.figures import draw_curves
    from widemargin.study.gimpel.losses import columns_of as loss_columns
    from widemargin.study.gimpel.losses import figure2
    from widemargin.study.tables import markdown_table, text_table

    curves, rows = figure2()
    columns = loss_columns(rows)
    title = "Losses of binary classification, m = 1"
    written = write_texts(folder, {"table.md": f"# {title}\n\n{markdown_table(rows, columns)}"})
    stem = os.path.join(folder, "figure2")
    axis = "z: score of the right label less that of the wrong one"
    written += draw_curves(curves, stem, title=title, x_label=axis, y_label="loss", y_range=(-0.1, 4.1))
    return {"rows": rows, "curves": curves, "files": written}, text_table(rows, columns)


def _table2(options, folder: str) -> tuple[dict, str]:
    import json

    from widemargin.study.comparing import write_texts
    from widemargin.study.gimpel.data import open_data
    from widemargin.study.gimpel.table2 import table2
    from widemargin.study.tables import markdown_table, text_table

    progress = Progress()
    data = open_data(options.data, options.sentences)
    say_if_compiling(progress)
    found = table2(
        data, epochs=options.epochs, seed=options.seed, samples=options.samples, threads=threads_of(options), listen=_listener(progress)
    )
    _end(progress)
    share = (
        f"{found.hidden['hidden tokens']:.0%} of the labels hidden, in {found.hidden['sentences with hidden labels']:.0%} of the sentences"
    )
    parts = [
        (f"Seven methods: {found.data}, {found.features:,} features", found.rows, found.columns()),
        (f"p on the test data, paired bootstrap, {found.samples:,} samples", found.pair_rows(), found.pair_columns()),
        (f"Softmax-margin, {share}", found.hidden["rows"], found.hidden_columns()),
    ]
    markdown = "\n".join(f"## {title}\n\n{markdown_table(rows, columns)}" for title, rows, columns in parts)
    written = write_texts(folder, {"table2.md": markdown, "table2.json": json.dumps(found.as_dict(), indent=1) + "\n"})
    text = "\n".join(f"{title}\n\n{text_table(rows, columns)}" for title, rows, columns in parts)
    return found.as_dict() | {"files": written}, text


def _figure3(options, folder: str) -> tuple[dict, str]:
    import json

    from widemargin.study.comparing import write_texts
    from widemargin.study.gimpel import figure3
    from widemargin.study.gimpel.data import open_data
    from widemargin.study.tables import markdown_table, text_table
    from widemargin.study.trading import draw

    progress = Progress()
    data = open_data(options.data, options.sentences)
    say_if_compiling(progress)
    curves, steady = figure3.figure3(
        data, epochs=options.epochs, seed=options.seed, threads=threads_of(options), listen=_listener(progress)
    )
    _end(progress)
    rows = [point for points in curves.values() for point in points]
    title = f"Trading precision and recall by the costs: {data.name}, development data"
    facts: dict = {"data": data.name, "steady": steady, "points": rows}
    texts = {
        "figure3.md": f"# {title}\n\n{markdown_table(rows, figure3.columns_of())}",
        "figure3.json": json.dumps(facts, indent=1) + "\n",
    }
    written = write_texts(folder, texts)
    written += draw(curves, "miss", os.path.join(folder, "figure3"), title=title)
    return facts | {"files": written}, text_table(rows, figure3.columns_of())


def _listener(progress: Progress):
    """One line per epoch, under the name of what is trained."""
    return lambda name, facts: progress(f"{name}: {epoch_line(facts, 'f1')}")


def _end(progress: Progress) -> None:
    if progress.live:
        progress("", last=True)
