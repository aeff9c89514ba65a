"""widemargin compare."""

import copy

from widemargin.cli import flags
from widemargin.cli.common import Progress, check_settings, listener, print_json, recipe_from, say_if_no_figure, threads_of
from widemargin.errors import InputError

# what is worth seeing side by side when nobody has asked for something else
USUAL = "perceptron,mira,ops:hinge,ops:softmax-margin,sgd:likelihood,adadelta:softmax-margin,lbfgs:likelihood"


def declare(command) -> None:
    flags.task_argument(command)
    flags.two_files(command)
    command.add_argument("--learners", metavar="LIST", help="learners, or learner:objective pairs, separated by commas")
    flags.recipe(command, grid=True)
    command.add_argument(
        "--seeds", action=flags.Number, low=1, default=1, metavar="N", help="train with N seeds, from --seed on; mean and spread (1)"
    )
    command.add_argument("--test", metavar="FILE", help="score what was best on DEV on this file too; it has no part in the choice")
    flags.samples(command)
    command.add_argument("-o", "--output", default="comparison", metavar="DIR", help="where table, curves and JSON go (comparison)")
    flags.engine(command, "the trainings", ("processes", "ray"))
    flags.reading(command)
    flags.machine(command)


def run(options) -> int:
    """Train each learner on the same features; print a table, write curves and JSON."""
    from widemargin.families.registry import family_of_task
    from widemargin.readers.outputs import check_folder
    from widemargin.show.tables import text_table
    from widemargin.study.cells import Means
    from widemargin.study.comparison import compare_recipes, write_report

    check_folder(options.output)
    family, progress = family_of_task(options.task), Progress()
    chosen = flags.choices(options, family, options.task)
    rows, engine = rows_of(options, family, chosen), flags.chosen_engine(options)
    paths = (options.train, options.dev, *([options.test] if options.test is not None else []))
    data, dev, *test = (family.open(path, options.task, **chosen.reading) for path in paths)
    say_if_no_figure(progress)
    means = Means(options.output, engine, threads_of(options), progress)
    how = {"seeds": options.seeds, "samples": options.samples, "means": means, "test": test[0] if test else None}
    study = compare_recipes(rows, data, dev, **how, listen=listener(progress))
    progress.end()
    written = write_report(study, options.output, train=options.train, dev=options.dev)
    if options.json:
        print_json(study.as_dict() | {"files": written})
        return 0
    print(study.table(), end="")
    if study.grid():
        print(f"\n{text_table(study.grid(), study.grid_columns())}", end="")
    print(f"\nreport: {', '.join(written)}")
    return 0


def check_candidate(recipe) -> None:
    """Refuse what cannot be trained before anything is: settings, the objective for this learner and structure, the family's own rules."""
    from widemargin.engine.objectives import objective_named
    from widemargin.learners import learner_named, usual_objective

    check_settings(recipe)
    recipe.family.check(recipe, "compare")
    structure = recipe.family.structures[recipe.structure]
    objective = objective_named(recipe.objective or usual_objective(recipe.learner), structure)
    learner_named(recipe.learner, recipe.settings).refuse_objective(objective)


def rows_of(options, family, chosen: flags.Choices) -> dict:
    """Each row's candidates: the grid of --set, --cost and --l2 around the recipe that the other options make."""
    from widemargin.families.options import READING
    from widemargin.study.grids import Axis, axis_of, candidates, refuse_unused

    names = [name.strip() for name in (options.learners or USUAL).split(",") if name.strip()]
    if not names:
        raise InputError("--learners names no learner; see `widemargin list learners`")
    axes = []
    for axis in map(axis_of, flags.settings_in(options.set)):
        if axis.key in chosen.recipe:
            raise InputError(f"{axis.key} is given twice, by a flag and by --set; give one of them")
        if not family.option(axis.key, READING):
            axes.append(axis)
        elif len(axis.values) > 1 or axis.learner:
            raise InputError(f"--set {axis.key} says how files are read, once for all learners; give one value, without a learner")
        else:
            flags.set_option(chosen, family, axis.key, axis.values[0])
    if options.cost:
        axes.append(Axis("cost", tuple(text.strip() for text in options.cost.split(";"))))
    if options.l1 is not None:
        axes.append(Axis("l1", (str(options.l1),)))
    if options.l2 is not None:
        axes.append(axis_of(f"l2={options.l2}"))
    # everything that may have several values, or is not for every learner, comes by the axes
    plain = copy.copy(options)
    plain.set, plain.cost, plain.l1, plain.l2 = [], None, None, None
    recipes = {name: recipe_from(plain, family, name, chosen) for name in names}
    refuse_unused(axes, recipes)
    rows = {name: candidates(name, recipe, axes) for name, recipe in recipes.items()}
    for candidate in (candidate for found in rows.values() for candidate in found):
        check_candidate(candidate.recipe)
    return rows
