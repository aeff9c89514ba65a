"""widemargin compare."""

import copy

from widemargin.cli.common import Progress, columns_of, epoch_line, print_json, say_if_compiling, settings_in, threads_of
from widemargin.cli.training import recipe_of
from widemargin.errors import InputError
from widemargin.tasks.base import task_named

# what is worth seeing side by side when nobody has asked for something else
USUAL = "perceptron,mira,ops:hinge,ops:softmax-margin,sgd:likelihood,adadelta:softmax-margin,lbfgs:likelihood"


def compare(options) -> int:
    """Train each learner on the same features; print a table, write curves and JSON."""
    from widemargin.study.comparing import compare_recipes, write_report

    task = task_named(options.task)
    progress = Progress()
    rows = rows_of(options)
    columns, dev = (columns_of(path, options, task) for path in (options.train, options.dev))
    say_if_compiling(progress)

    def listen(name: str, facts: dict) -> None:
        progress(f"{name}: {epoch_line(facts, task.metric)}")

    study = compare_recipes(rows, columns, dev, seeds=options.seeds, samples=options.samples, threads=threads_of(options), listen=listen)
    if progress.live:
        progress("", last=True)
    written = write_report(study, options.output, train=options.train, dev=options.dev)
    if options.json:
        print_json(study.as_dict() | {"files": written})
        return 0
    print(study.table(), end="")
    if study.grid():
        from widemargin.study.tables import text_table

        print(f"\n{text_table(study.grid(), study.grid_columns())}", end="")
    print(f"\nreport: {', '.join(written)}")
    return 0


def rows_of(options) -> dict:
    """Each row's candidates: the grid of --set, --cost and --l2 around the recipe that the other options make."""
    from widemargin.study.grids import Axis, axis_of, candidates, refuse_strangers

    names = [name.strip() for name in (options.learners or USUAL).split(",") if name.strip()]
    if not names:
        raise InputError("--learners names nobody; see `widemargin list learners`")
    axes = [axis_of(item) for item in settings_in(options.set)]
    axes.append(Axis("cost", tuple(text.strip() for text in options.cost.split(";"))))
    if options.l1:
        axes.append(Axis("l1", (str(options.l1),)))
    if options.l2 is not None:
        axes.append(axis_of(f"l2={options.l2}"))
    # everything that may have several values, or is not for every learner, comes by the axes
    plain = copy.copy(options)
    plain.set, plain.cost, plain.l1, plain.l2 = [], "hamming", 0.0, None
    recipes = {name: recipe_of(plain, name) for name in names}
    refuse_strangers(axes, recipes)
    return {name: candidates(name, recipe, axes) for name, recipe in recipes.items()}
