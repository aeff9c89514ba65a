"""Recipes, and training by one: what any family, learner and objective share, from data to model."""

import dataclasses
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import widemargin
from widemargin import models
from widemargin.engine.names import hint, known
from widemargin.engine.objectives import Objective, objective_named
from widemargin.engine.penalty import Penalty
from widemargin.engine.settings import as_number, in_range, shown
from widemargin.errors import InputError
from widemargin.families import arguments, shards
from widemargin.families.base import Family, Posed
from widemargin.families.checkpoints import Checkpointer, fingerprint
from widemargin.families.inputs import checked_weights
from widemargin.families.options import READING, RECIPE
from widemargin.families.registry import family_of_model, family_of_task
from widemargin.families.watching import DevScorer, Listener, watcher
from widemargin.learners import canonical, chosen_learner, learner_named, usual_l1, usual_l2, usual_objective, usual_patience
from widemargin.learners.mixing import Shards
from widemargin.workers import Engine

# what a recipe may change while features and gold outputs stay what they are
FREE = ("learner", "objective", "cost", "l1", "l2", "settings")


@dataclass(frozen=True, init=False)
class Recipe:
    """What to train and how; everything that decides the model's bytes, and nothing else (threads do not).

    Options of the task's family may be given as keywords, Recipe("ner", labels="iob2"), and to dataclasses.replace.
    """

    task: str
    learner: str  # None: the family's usual one
    objective: str | None  # None: the learner's usual one; where no learner is named either, the task's
    cost: str  # None: the family's usual one; where neither learner nor objective is named, the task's
    l1: float | None  # None: the learner's usual one
    l2: float | None  # None: the learner's usual one
    templates: str | None  # a named set, a file, or (with a newline) the text itself; None: the task's set
    structure: str  # None: the family's usual one
    settings: dict  # of the learner
    options: dict  # of the family, those that were given; `option` knows the others

    def __init__(
        self,
        task: str = "chunk",
        learner: str | None = None,
        *,
        objective: str | None = None,
        cost: str | None = None,
        l1: float | None = None,
        l2: float | None = None,
        templates: str | None = None,
        structure: str | None = None,
        settings: dict | None = None,
        options: dict | None = None,
        **more: Any,
    ):
        family = family_of_task(arguments.text("task", task))
        usual = family.tasks[task] if learner is None and objective is None else None
        if usual is not None:
            objective, cost = usual.objective, usual.cost if cost is None else cost
        fields: dict[str, Any] = {
            "task": task,
            "learner": canonical(arguments.text_or_none("learner", learner) or family.learner),
            "objective": None if arguments.text_or_none("objective", objective) is None else objective_named(str(objective)).name,
            "cost": family.cost if cost is None else arguments.text("cost", cost),
            "l1": None if l1 is None else arguments.penalty("l1", l1),
            "l2": None if l2 is None else arguments.penalty("l2", l2),
            "templates": arguments.text_or_none("templates", templates),
            "structure": known("structure", arguments.text_or_none("structure", structure) or family.structure, *family.structure_names),
            "settings": arguments.mapping("settings", settings),
        }
        for name, value in (fields | {"options": family.chosen(arguments.mapping("options", options) | more)}).items():
            object.__setattr__(self, name, value)

    @property
    def family(self) -> Family:
        """The family of the task."""
        return family_of_task(self.task)

    def option(self, name: str) -> Any:
        """An option of the family, as given or as usual."""
        if name in self.options:
            return self.options[name]
        option = self.family.option(name, RECIPE)
        assert option is not None, name
        return option.default

    def aim(self, structure: Any, rows: int) -> tuple[Objective, Penalty]:
        """What is minimised over so many rows: as given, or as is usual for the learner. What the structure cannot do is refused."""
        objective = objective_named(self.objective or usual_objective(self.learner), structure)
        l1 = usual_l1(self.learner, rows) if self.l1 is None else self.l1
        return objective, Penalty(l1, usual_l2(self.learner, rows) if self.l2 is None else self.l2)

    def patient(self) -> "Recipe":
        """The same recipe with the learner's usual patience, unless it says how long to wait for a better development score."""
        usual = usual_patience(self.learner)
        return self if "patience" in self.settings or not usual else dataclasses.replace(self, settings={"patience": usual} | self.settings)

    def rows(self) -> dict:
        """What decides features and gold outputs: equal where two recipes differ in FREE alone."""
        options = {option.name: self.option(option.name) for option in self.family.options if option.use == RECIPE}
        return {"task": self.task, "templates": self.templates, "structure": self.structure} | options


def recipe_of(task: str, **keywords: Any) -> tuple[Recipe, dict]:
    """A recipe from keywords: fields of Recipe, options of the family, else settings of the learner; and the options of reading."""
    family = family_of_task(task)
    fields: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    reading: dict[str, Any] = {}
    arguments.refuse_numerals(
        {name: value for name, value in keywords.items() if (own := family.option(name)) is None or own.kind is not str}
    )
    for name, value in keywords.items():
        if name in Recipe.__dataclass_fields__:
            fields[name] = value
        elif option := family.option(name, RECIPE, READING):
            (fields if option.use == RECIPE else reading)[name] = value
        elif name == "encoding":
            reading[name] = value
        else:
            settings[name] = value
    recipe = Recipe(task, **fields | {"settings": arguments.mapping("settings", fields.get("settings")) | settings})
    chosen_learner(recipe.learner, recipe.settings)  # refuses what it does not know
    return recipe, reading


def open_data(path: str, task: str, *, encoding: str = "utf-8", **reading: Any) -> Any:
    """The data of a task: a file (.gz too, - for standard input) or town:PART[:SENTENCES]; what else can be said is up to the family."""
    family, path = family_of_task(arguments.text("task", task)), arguments.text("path", os.fspath(path))
    arguments.text("encoding", encoding)
    found = {}
    for name, value in reading.items():
        option = family.option(name, READING)
        if option is None:
            has = ["encoding", *(option.name for option in family.options if option.use == READING)]
            raise InputError(f"{name!r} is not an option for reading files of {task}; the options are {', '.join(has)}{hint(name, has)}")
        found[name] = option.converted(value)
    return family.open(path, task, encoding=encoding, **found)


def load(path: str, *, verify: bool = False) -> Any:
    """A model of any family; no code is run. Arrays of whole numbers are compared with their checksums, all of them where `verify` is set;
    commands do that."""
    header, arrays = models.load(path, verify=verify)
    return family_of_model(header, path).load(header, arrays, path)


AGAIN, MORE, NOTHING = "again", "more", "nothing"  # after a fit


@dataclass
class Fit:
    """A trained model, and what only a later step of the same learner needs."""

    model: Any
    carry: Callable[[], dict] | None  # of an online learner: what going on with more data needs, rows not merged (learners/online.py)
    history: list[dict]


def train(
    recipe: Recipe | str,
    data: Any,
    *,
    dev: Any = None,
    start: Any = None,
    base: Any = None,
    weight: Any = None,
    threads: int = 1,
    listen: Listener | None = None,
    notice: Callable[[str], None] | None = None,
    checkpoint: str | None = None,
    every: float = 30.0,
    resume: bool = False,
    engine: Engine | str | None = None,
    heard: Listener | None = None,
    reading: dict | None = None,
    **keywords: Any,
) -> Any:
    """Train a model of any family: train(Recipe("chunk", ...), data), or train("chunk", data, learner="ops", epochs=5, ...).

    recipe: a Recipe, or the name of a task with fields of Recipe, options of its family, settings of the learner and ways of reading files
    as keywords. data, dev: as open_data gives them, or what it opens; with dev data the best epoch is kept, and online learners stop after
    three epochs without a better one (patience; 0: never). A list of files as data is a
    shard for each of as many mixed learners (shards.py). engine: who runs them, an Engine or its name; heard gets one dict per epoch
    of each of them. reading: how files are read, beside a Recipe. start: a model to go on from;
    base: a model whose scores are added to the new one's, in training and in prediction (both may be files). weight [sentences]: how much
    each counts. listen gets one dict per epoch, notice remarks in words. checkpoint: a file to which the whole state goes at most every
    `every` seconds, so that resume continues to the same bytes; it is left there until the caller, having saved the model, forgets it
    (checkpoints.forget).
    """
    reading = arguments.mapping("reading", reading)
    if isinstance(recipe, str):
        recipe, more = recipe_of(recipe, **keywords)
        reading |= more
    elif not isinstance(recipe, Recipe):
        raise InputError(f"the recipe is {shown(recipe)}; give a Recipe, or the name of a task")
    elif keywords:
        raise InputError(f"{sorted(keywords)[0]} is given together with a recipe; put it into the recipe, or give a task instead")
    listen, notice = arguments.called("listen", listen), arguments.called("notice", notice)
    arguments.refuse_numerals({"threads": threads, "every": every})
    threads, every = arguments.threads(threads), in_range("every", as_number("every", every, float), 0)
    checkpoint = arguments.file_or_none("checkpoint", checkpoint)
    start, base = arguments.model_or_file("start", start), arguments.model_or_file("base", base)
    dev = None if dev is None else arguments.data_or_file("dev", dev, recipe.family)
    dev = open_data(dev, recipe.task, **reading) if isinstance(dev, str) else dev
    recipe = recipe if dev is None else recipe.patient()
    start, base = (load(model) if isinstance(model, str) else model for model in (start, base))
    with shards.crew_for(recipe, data, engine, threads, notice) as crew:
        if isinstance(data, list | tuple):
            shards.refuse_beside_files(base, weight)
            found = shards.pose_files(recipe, data, reading, start=start, threads=threads)
        else:
            data = arguments.data_or_file("data", data, recipe.family)
            data = open_data(data, recipe.task, **reading) if isinstance(data, str) else data
            weight = checked_weights(weight, len(data.row_ptr) - 1)
            begin = None if start is None else recipe.family.continued(start, data)
            found = shards.Found(pose(recipe, data, start=begin, base=base, weight=weight, threads=threads), [data], begin)
        posed = found.posed
        for remark in posed.remarks if notice is not None else ():
            notice(remark)
        held = posed.hold(dev, **arguments.base_of(recipe.family, base, recipe.task)) if dev is not None else None
        mark = fingerprint(posed.recipe, (*found.texts, dev), (start, base), weight)
        keep = Checkpointer(checkpoint, mark, every, notice, resume=resume) if checkpoint else None
        who = None if crew is None else found.shards(crew, heard)
        return fit(posed, held=held, start=found.start, listen=listen, keep=keep, shards=who, after=NOTHING).model


def pose(recipe: Recipe, data: Any, *, start: Any = None, base: Any = None, weight: Any = None, threads: int = 1) -> Posed:
    """Data as a problem of learning; what the family cannot do is refused."""
    family = recipe.family
    arguments.check_family(start, "start", family.name, recipe.task)
    on_base = arguments.base_of(family, base, recipe.task)
    family.check(recipe, "train")
    return family.pose(recipe, data, start=start, weight=weight, threads=threads, **on_base)


def fit(
    posed: Posed,
    *,
    held: Any = None,
    start: Any = None,
    carry: dict | None = None,
    listen: Listener | None = None,
    keep: Checkpointer | None = None,
    shards: Shards | None = None,
    after: str = AGAIN,
) -> Fit:
    """Minimise F. held: development data (posed.hold), on which the best epoch is chosen. shards: of mixed learners. after: what may
    follow, AGAIN a fit of the same problem, MORE data, or NOTHING; what nobody will need is let go before the model is made."""
    recipe, problem = posed.recipe, posed.problem
    learner = learner_named(recipe.learner, recipe.settings)
    watch = watcher(DevScorer(posed, held) if held is not None else None, posed.metric, listen)
    state = keep.load() if keep and keep.resume else None
    begin = posed.begin(start) if start is not None else None
    mixed = {} if shards is None else {"shards": shards}
    result = learner.fit(problem, begin, watch, state=state, keep=keep, carry=carry, **mixed)
    facts = {
        "widemargin": widemargin.__version__,
        "learner": dataclasses.asdict(learner),
        "objective": problem.objective.name,
        "cost": recipe.cost,
        "l1": problem.penalty.l1,
        "l2": problem.penalty.l2,
        **posed.facts,
        "epoch": result.epoch,
        "stopped": result.why,
        "history": result.history,
    }
    if after != AGAIN:
        problem.put_away()
    if after == NOTHING:
        result.carry = None
    handed = result.carry
    return Fit(posed.finish(result.w, facts), None if handed is None else lambda: posed.carried(handed()), result.history)
