"""widemargin train."""

import time

from widemargin.cli.common import Progress, data_of, epoch_line, say_if_compiling, settings_in, threads_of, training_end
from widemargin.errors import InputError
from widemargin.tasks.base import task_named

RECIPE_SETTINGS = ("structure", "labels", "constraints")


def train(options) -> int:
    """Read, fit, save; one line per epoch on standard error, the outcome on standard output."""
    if options.task == "depparse":
        from widemargin.cli.parsing import train_trees

        return train_trees(options)
    began = time.perf_counter()
    progress = Progress()
    task = task_named(options.task)
    recipe = recipe_of(options, options.learner or "ops")
    items = options.format == "crfsuite"
    data = data_of(options.train, options, task, items=items)
    dev = data_of(options.dev, options, task, items=items) if options.dev else None
    say_if_compiling(progress)
    from widemargin.tasks.tagger import Tagger
    from widemargin.tasks.training import train as fit

    start = Tagger.load(options.init) if options.init else None
    base = Tagger.load(options.base) if options.base else None

    def listen(facts: dict) -> None:
        progress(epoch_line(facts, task.metric))

    model = fit(
        recipe,
        data,
        dev=dev,
        start=start,
        base=base,
        threads=threads_of(options),
        listen=listen,
        notice=progress.note,
        checkpoint=options.output + ".checkpoint",
        every=options.checkpoint,
        resume=options.resume,
    )
    counts = {"features": len(model.extractor.nodes) + len(model.extractor.edges), "labels": len(model.labels)}
    return training_end(options, model, progress, began, task.name, counts)


def recipe_of(options, learner: str):
    """The options as a recipe."""
    from widemargin.scorers.kernel import kernel_settings
    from widemargin.tasks.training import Recipe

    settings: dict = {"seed": options.seed}
    chosen: dict = {}
    for item in settings_in(options.set):
        key, equals, value = item.partition("=")
        if not equals:
            raise InputError(f"--set {item!r} is not KEY=VALUE")
        (chosen if key in RECIPE_SETTINGS else settings)[key] = value
    if options.epochs is not None:
        settings["epochs"] = options.epochs
    if options.patience:
        settings["patience"] = options.patience
    kernel, settings = kernel_settings(settings)
    name, _, objective = learner.partition(":")
    return Recipe(
        task=options.task,
        learner=name,
        objective=objective or options.objective,
        cost=options.cost,
        l1=options.l1,
        l2=options.l2,
        templates=options.templates,
        cutoff=options.cutoff,
        bits=options.hash_bits,
        label_column=options.label,
        settings=settings,
        **kernel,
        **chosen,
    )
