"""What commands share: models and recipes from options, saying how things go."""

import json
import sys
from typing import Any

from widemargin.cli.flags import Choices, set_option, settings_in
from widemargin.cli.streams import say
from widemargin.engine.names import hint
from widemargin.errors import InputError
from widemargin.families.base import Family


def open_model(path: str) -> tuple[Family, Any]:
    """A model and its family."""
    from widemargin.families.recipes import load
    from widemargin.families.registry import family_named

    model = load(path, verify=True)
    return family_named(model.family), model


def threads_of(options) -> int:
    """--threads, or one per core that this process may use."""
    from widemargin.parallel import cores

    return options.threads or cores()


def recipe_from(options, family: Family, learner: str | None, chosen: Choices):
    """The options as a recipe; what --set says of reading goes to `chosen`."""
    from widemargin.families.recipes import Recipe

    settings: dict = {"seed": options.seed}
    structure = None
    for item in settings_in(options.set):
        key, equals, value = item.partition("=")
        if not equals:
            raise InputError(f"--set {item!r} is not KEY=VALUE")
        if key == "structure":
            structure = value
        elif not set_option(chosen, family, key, value):
            settings[key] = value
    settings |= {} if options.epochs is None else {"epochs": options.epochs}
    settings |= {} if options.patience is None else {"patience": options.patience}
    name, _, objective = (learner or "").partition(":")
    objective = objective or options.objective
    penalty = {"l1": options.l1, "l2": options.l2}
    made = {"objective": objective, "cost": options.cost or None, "templates": options.templates, "structure": structure}
    recipe = Recipe(options.task, name or None, **made, **penalty, settings=settings, options=chosen.recipe)
    check_settings(recipe)
    return recipe


def check_settings(recipe) -> None:
    """Refuse settings now, before any file is read: what --set may say is the learner's, the family's, or the structure."""
    from widemargin.families.options import READING, RECIPE
    from widemargin.learners import chosen_learner, learner_named, settings_of

    learner = learner_named(recipe.learner)
    own = settings_of(learner.name)
    options = [option.name for option in recipe.family.options if option.use in (RECIPE, READING)]
    for key in recipe.settings:
        if learner.name != "cccp" and not hasattr(learner, key):
            of_task = f"options of {recipe.task} are structure, {', '.join(dict.fromkeys(options))}"
            near = hint(key, [*own, *options, "structure"])
            raise InputError(f"--set {key} is not known; settings of {learner.name} are {', '.join(own)}; {of_task}{near}")
    chosen_learner(recipe.learner, recipe.settings)


def refuse_idle_cost(options, recipe) -> None:
    """A cost that the objective does not look at."""
    from widemargin.engine.objectives import OBJECTIVES, objective_named
    from widemargin.learners import usual_objective

    name = recipe.objective or usual_objective(recipe.learner)
    if options.cost and not objective_named(name).costly:
        having = ", ".join(objective.name for objective in OBJECTIVES.values() if objective.costly)
        raise InputError(f"objective {name!r} has no cost, so --cost changes nothing; leave it out, or choose one of {having}")


def print_json(facts: dict) -> None:
    """One object on standard output."""
    print(json.dumps(facts, ensure_ascii=False))


def speed(data_tokens: int, sentences: int, seconds: float) -> dict:
    """How fast it was, under the names that all commands use."""
    return {
        "seconds": round(seconds, 4),
        "tokens_per_second": round(data_tokens / seconds),
        "sentences_per_second": round(sentences / seconds),
    }


class Progress:
    """Lines about work under way, on standard error: rewritten in place on a terminal, plain in a log."""

    def __init__(self):
        self.live = sys.stderr.isatty()

    def __call__(self, text: str, *, last: bool = False) -> None:
        if self.live:
            say("\r\x1b[K" + text, end="\n" if last else "")
        else:
            say(text)

    def passing(self, text: str) -> None:
        """A line for a terminal alone: the next one is written over it."""
        if self.live:
            self(text)

    def note(self, text: str) -> None:
        """A line that stays."""
        self(text, last=True)

    def end(self) -> None:
        """Nothing more to be rewritten."""
        if self.live:
            self("", last=True)


def epoch_line(facts: dict) -> str:
    """One epoch in words."""
    line = f"epoch {facts['epoch']:3d}  loss {facts['loss']:z.5f}"
    if "trials" in facts:
        line = f"rate {facts['rate']:g} (the best of {len(facts['trials'])} on a sample)\n{line}"
    if "dev" in facts:
        line += f"  dev {facts['metric']} {facts['dev'][facts['metric']]:.2f}"
    return line + f"  {facts['seconds']:.1f} s"


def learner_line(facts: dict) -> str:
    """One epoch of one of the mixed learners in words."""
    return f"epoch {facts['epoch']:3d}  learner {facts['learner']} of {facts['learners']}  loss {facts['loss']:z.5f}"


def listener(progress: Progress):
    """Tells each epoch of each recipe."""
    return lambda name, facts: progress(f"{name}: {epoch_line(facts)}")


def say_if_no_figure(progress: Progress) -> None:
    """A missing matplotlib costs the figure alone: say so before the work."""
    from widemargin.show.figures import can_draw

    if not can_draw():
        progress.note("matplotlib is not installed, so no figure will be drawn; pip install 'widemargin[plot]' brings it")
