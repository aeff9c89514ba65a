"""widemargin list."""

import textwrap

from widemargin.cli import flags
from widemargin.cli.common import print_json


def declare(command) -> None:
    command.add_argument("what", choices=list(TABLES))
    flags.json_flag(command)


def run(options) -> int:
    """Names with a line about each."""
    from widemargin.show.tables import Column, text_table

    rows = TABLES[options.what]()
    if options.json:
        print_json({options.what: rows})
        return 0
    print(_blocks(rows) if options.what in WIDE else text_table(rows, [Column(key) for key in rows[0]]), end="")
    return 0


def _blocks(rows: list[dict]) -> str:
    """For rows that are too long for lines: the name with the first fact, the others below it, each wrapped."""
    lines = []
    for row in rows:
        (_, name), (_, first), *others = row.items()
        lines += ["", f"{name:15} {first}"]
        for key, value in others:
            value = ("no", "yes")[value] if isinstance(value, bool) else str(value)
            lines += textwrap.wrap(f"{key}: {value}", 110, initial_indent=" " * 16, subsequent_indent=" " * 18, break_on_hyphens=False)
    return "\n".join(lines[1:]) + "\n"


def _learners() -> list[dict]:
    from widemargin.learners import ABOUT, LEARNERS, settings_of

    rows = []
    for name, (_, _, objective) in LEARNERS.items():
        told = " ".join(f"{k}={v}" for k, v in settings_of(name).items())
        rows.append({"learner": name, "about": ABOUT[name], "usual objective": objective, "settings": told})
    return rows


def _objectives() -> list[dict]:
    from widemargin.engine.objectives import ABOUT, OBJECTIVES

    return [
        {
            "objective": o.name,
            "loss": ABOUT[o.name][0],
            "says": ABOUT[o.name][1],
            "convex": o.convex,
            "uses the cost": o.costly,
            "needs": " ".join(o.needs),
        }
        for o in OBJECTIVES.values()
    ]


def _tasks() -> list[dict]:
    from widemargin.families.registry import families

    return [
        {
            "task": task.name,
            "about": task.about,
            "columns": " ".join(task.columns) or "any",
            "templates": task.templates,
            "labels": task.labels,
            "metric": task.metric,
            "learner": family.learner,
            "structure": family.structure,
            "family": family.name,
        }
        for family in families()
        for task in family.tasks.values()
    ]


def _templates() -> list[dict]:
    from widemargin.families.registry import families

    return [{"templates": name, "family": family.name, "about": about} for family in families() for name, about in family.template_sets()]


def _structures() -> list[dict]:
    from widemargin.families.registry import families

    return [
        {
            "structure": name,
            "family": family.name,
            "offers": " ".join(sorted(kind.offers)),
            "about": (kind.__doc__ or "").splitlines()[0],
        }
        for family in families()
        for name, kind in family.structures.items()
    ]


def _costs() -> list[dict]:
    from widemargin.families.registry import families

    return [{"cost": form, "family": family.name, "meaning": meaning} for family in families() for form, meaning in family.costs]


def _options() -> list[dict]:
    from widemargin.families.options import READING, RECIPE
    from widemargin.families.registry import families

    rows = []
    for family in families():
        for option in family.options:
            given = [f"{verb} {option.word}" for verb in option.verbs]
            if option.use in (RECIPE, READING):
                given.append(f"--set {option.name}=")
            usual = "" if option.default is None else str(option.default)
            rows.append({"option": option.name, "family": family.name, "usual": usual, "about": option.about, "given by": ", ".join(given)})
    return rows


WIDE = ("learners", "objectives")
TABLES = {
    "learners": _learners,
    "objectives": _objectives,
    "tasks": _tasks,
    "templates": _templates,
    "structures": _structures,
    "costs": _costs,
    "options": _options,
}
