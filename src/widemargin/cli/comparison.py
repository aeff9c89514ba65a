"""widemargin compare."""

import dataclasses

from widemargin.cli.common import Progress, columns_of, epoch_line, print_json, say_if_compiling, threads_of
from widemargin.cli.training import recipe_of
from widemargin.tasks.base import task_named

# what is worth seeing side by side when nobody has asked for something else
USUAL = "perceptron,mira,ops:hinge,ops:softmax-margin,sgd:likelihood,adadelta:softmax-margin,lbfgs:likelihood"


def compare(options) -> int:
    """Train each learner on the same features; print a table, write curves and JSON."""
    from widemargin.study.comparing import compare_recipes, write_report

    task = task_named(options.task)
    progress = Progress()
    names = [name.strip() for name in (options.learners or USUAL).split(",") if name.strip()]
    recipes = {name: _without_penalty(recipe_of(options, name)) for name in names}
    columns, dev = (columns_of(path, options, task) for path in (options.train, options.dev))
    say_if_compiling(progress)

    def listen(name: str, facts: dict) -> None:
        progress(f"{name}: {epoch_line(facts, task.metric)}")

    study = compare_recipes(recipes, columns, dev, threads=threads_of(options), listen=listen)
    if progress.live:
        progress("", last=True)
    written = write_report(study, options.output, train=options.train, dev=options.dev)
    if options.json:
        print_json(study.as_dict() | {"files": written})
        return 0
    print(study.table(), end="")
    print(f"\nreport: {', '.join(written)}")
    return 0


def _without_penalty(recipe):
    """A penalty given for all is not for the learners that have none."""
    return dataclasses.replace(recipe, l1=0.0, l2=None) if recipe.learner in ("perceptron", "mira") else recipe
