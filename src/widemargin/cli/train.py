"""widemargin train."""

import time

from widemargin.cli import flags
from widemargin.cli.common import (
    Progress,
    epoch_line,
    learner_line,
    print_json,
    recipe_from,
    refuse_idle_cost,
    threads_of,
)
from widemargin.errors import InputError

ALLOWED = 0.05  # of the metric, in per cent, that a smaller model may cost


def declare(command) -> None:
    flags.task_argument(command)
    several = "; several files: a mixed learner for each, read by its worker"
    command.add_argument("train", metavar="TRAIN", nargs="+", help=flags.FILES + several)
    command.add_argument("--dev", metavar="DEV", help="development file: the best epoch is kept, and training stops when it gets no better")
    command.add_argument("-o", "--output", required=True, metavar="MODEL", help="where the model goes")
    command.add_argument("--learner", metavar="NAME", help="see `widemargin list learners` (the task's usual one: `widemargin list tasks`)")
    flags.recipe(command)
    command.add_argument("--init", metavar="MODEL", help="start from this model's features and weights")
    command.add_argument("--resume", action="store_true", help="continue a training that was interrupted, to the same bytes")
    often = "write the state of training to MODEL.checkpoint at most every SECONDS seconds (30)"
    command.add_argument("--checkpoint", action=flags.Number, kind=float, default=30.0, metavar="SECONDS", help=often)
    less = f"if that lowers the dev score by less than {ALLOWED} points"
    full = f"keep every weight as it is; else, with --dev, small ones are dropped and others rounded to 16 bits {less}"
    command.add_argument("--full", action="store_true", help=full)
    mixed = "train N online learners, each on its share of the sentences, and mix their weights after every epoch (1, or one per file)"
    command.add_argument("--mix", action=flags.Number, low=1, metavar="N", help=mixed)
    shares = "all alike (uniform), by its sentences (size), by its mistakes (errors), or, for each feature, only those that changed its"
    weights = f"how much each learner counts in the mix: {shares} weights (active); uniform unless given"
    command.add_argument("--mix-weights", choices=("uniform", "size", "errors", "active"), help=weights)
    flags.engine(command, "mixed learners")
    flags.reading(command)
    flags.machine(command)


def run(options) -> int:
    """Read, fit, save; one line per epoch on standard error, the outcome on standard output."""
    from widemargin.families.checkpoints import forget, resumable
    from widemargin.families.recipes import load, train
    from widemargin.families.registry import family_of_task
    from widemargin.models import check_place

    check_place(options.output)
    began, progress, family = time.perf_counter(), Progress(), family_of_task(options.task)
    chosen = flags.choices(options, family, options.task)
    if options.full:
        flags.need(family, "small", options.task)
    options.set = options.set + [f"{name}={value}" for name in ("mix", "mix_weights") if (value := getattr(options, name)) is not None]
    recipe, engine = recipe_from(options, family, options.learner, chosen), flags.chosen_engine(options)
    refuse_idle_cost(options, recipe)
    if options.mix_weights and options.mix is None and len(options.train) == 1:
        raise InputError("--mix-weights is for mixed learners, and there is only one learner; give --mix N, or several files")
    if options.patience is not None and not options.dev:
        raise InputError("--patience waits for a better score on development data; name some with --dev, or leave it out")
    several = len(options.train) > 1
    dev = family.open(options.dev, options.task, **chosen.reading) if options.dev else None
    data = options.train if several else family.open(options.train[0], options.task, **chosen.reading)
    checkpoint = options.output + ".checkpoint"
    with resumable(checkpoint):
        model = train(
            recipe,
            data,
            dev=dev,
            start=load(options.init, verify=True) if options.init else None,
            **chosen.answering,
            threads=threads_of(options),
            listen=lambda facts: progress(epoch_line(facts)),
            notice=progress.note,
            checkpoint=checkpoint,
            every=options.checkpoint,
            resume=options.resume,
            engine=engine,
            heard=lambda facts: progress.passing(learner_line(facts)),
            reading=chosen.reading if several else None,
        )
    if "small" in family.offers and not options.full and dev is not None and not chosen.answering:
        model = _small(family, model, dev, threads_of(options), progress)
    size = model.save(options.output)
    forget(checkpoint)
    return _report(options, family, model, size, time.perf_counter() - began, progress)


def _small(family, model, dev, threads: int, progress: Progress):
    """The smallest model that costs less than ALLOWED of the score on development data; the model itself if none does."""
    metric, before, after = model.task.metric, None, None
    for small in family.small(model):
        before = model.evaluate(dev, threads=threads)[metric] if before is None else before
        after = small.evaluate(dev, threads=threads)[metric]
        if after > before - ALLOWED:
            return small
    if after is not None:
        progress.note(f"every weight is kept as it is: without the small ones, dev {metric} would be {after - before:+.2f}")
    return model


def _report(options, family, model, size: int, seconds: float, progress: Progress) -> int:
    facts, sizes = model.facts, family.sizes(model)
    kept: dict = next((h for h in facts["history"] if h["epoch"] == facts["epoch"]), {})
    if options.json:
        told = {name: facts[name] for name in ("epoch", "stopped")} | {"metrics": kept.get("dev", {}), "history": facts["history"]}
        print_json({"task": options.task, "model": options.output, "bytes": size, **sizes, **told, "seconds": round(seconds, 3)})
        return 0
    progress.note(f"{facts['stopped']}; kept epoch {facts['epoch']}")
    found = ", ".join(f"{count:,} {name}" for name, count in sizes.items())
    print(f"{options.output}: {found}, {size / 1e6:.1f} MB, {seconds:.1f} s")
    return 0
