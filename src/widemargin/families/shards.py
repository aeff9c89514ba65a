"""Training files as shards of mixed learners (learners/mixing.py): each is read by the worker that learns from it.

First all of them must agree on labels and features. The files are read here one after the other, and a model without weights grows by what
each has that is new (Family.grown, as for partial_fit); so one file at a time is in memory here, and the order of the files decides the
order of features. Every worker then poses its own file for that model, in which nothing is new any more.
"""

import contextlib
import dataclasses
import functools
import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin.engine.settings import shown
from widemargin.errors import InputError
from widemargin.families import arguments
from widemargin.families.base import Posed
from widemargin.learners import learner_named
from widemargin.learners.mixing import Heard, Shards, in_memory
from widemargin.workers import Engine
from widemargin.workers.crew import Crew

if TYPE_CHECKING:
    from widemargin.families.recipes import Recipe


class Text:
    """What a checkpoint's mark needs of a file: a digest in place of its text, and its length."""

    def __init__(self, data: Any):
        self.text, self.length = hashlib.sha256(bytes(data.text)).digest(), len(data)

    def __len__(self) -> int:
        return self.length


@dataclasses.dataclass
class Found:
    """Data, posed. start: the model that learning begins with. problem: of file shards, what makes shard k; None where all rows are in
    `posed`."""

    posed: Posed
    texts: Sequence[Any]
    start: Any = None
    problem: Callable[[int], Callable[[], Any]] | None = None

    def shards(self, crew: Crew, heard: Heard | None) -> Shards:
        """For the learners that are mixed."""
        if self.problem is not None:
            return Shards(crew, len(self.texts), self.problem, heard)
        problem, recipe = self.posed.problem, self.posed.recipe
        return in_memory(problem, learner_named(recipe.learner, recipe.settings).mix, crew, heard)


@contextlib.contextmanager
def crew_for(
    recipe: "Recipe", data: Any, engine: Engine | str | None, threads: int, notice: Callable[[str], None] | None
) -> Iterator[Crew | None]:
    """Workers, where learners are mixed; an engine that would have nothing to do is refused."""
    engine = Engine(engine) if isinstance(engine, str) else engine
    mix = getattr(learner_named(recipe.learner, recipe.settings), "mix", 1)
    if mix == 1 and not isinstance(data, list | tuple):
        if engine is not None and engine.name != "threads":
            raise InputError(
                f"the engine {engine.name} runs mixed learners, and there is only one learner; give --mix N (mix=N), or several files"
            )
        yield None
        return
    engine = engine or Engine()
    if engine.name == "threads" and not engine.workers:
        engine = dataclasses.replace(engine, workers=threads)
    with engine.crew(notice) as crew:
        yield crew


def refuse_beside_files(base: Any, weight: Any) -> None:
    """What is given per sentence needs sentences that are here."""
    if base is not None or weight is not None:
        raise InputError("a base model and weights of sentences are for training data in one file; give one file, or leave them out")


def pose_files(recipe: "Recipe", paths: Sequence[Any], reading: dict, *, start: Any, threads: int) -> Found:
    """The first file, posed for all of them; and how the others are. start: a model that brings all labels and features."""
    from widemargin.families.recipes import open_data, pose

    names = [arguments.file_or_none("data", path) or "" for path in paths]
    if len(names) < 2 or "-" in names:
        raise InputError(f"data is {shown(paths)}; give two files or more, none of them standard input, or one file by itself")
    learner = learner_named(recipe.learner, recipe.settings)
    if not hasattr(learner, "mix") or learner.mix not in (1, len(names)):
        raise InputError(f"{len(names)} files are for as many mixed online learners; use ops, perceptron or mira, without --mix")
    recipe = dataclasses.replace(recipe, settings=recipe.settings | {"mix": len(names)})
    model, texts, counts, facts = start, [], {"sentences": 0, "tokens": 0}, {}
    for name in names:
        data = open_data(name, recipe.task, **reading)
        texts.append(Text(data))
        counts = {"sentences": counts["sentences"] + len(data.row_ptr) - 1, "tokens": counts["tokens"] + int(data.row_ptr[-1])}
        if model is None:
            first = pose(recipe, data, threads=threads)
            model, facts = first.finish(np.zeros(first.problem.shape, np.float32), {}), first.facts
        else:
            model = recipe.family.grown(model, recipe, data) if start is None else recipe.family.continued(model, data)
    posed = pose(recipe, open_data(names[0], recipe.task, **reading), start=model, threads=threads)
    posed.facts = posed.facts | counts
    model.facts.update(facts)  # of its file's columns, for one
    plain = model.parts()
    return Found(posed, texts, None if start is None else model, lambda k: functools.partial(problem_of, recipe, names[k], reading, plain))


def problem_of(recipe: "Recipe", path: str, reading: dict, plain: tuple[dict, dict]) -> Any:
    """The problem of one file, on the worker that reads it. plain: parts of the model that knows all labels and features."""
    from widemargin.families.recipes import open_data, pose

    model = recipe.family.load(plain[0], plain[1], path)
    return pose(recipe, open_data(path, recipe.task, **reading), start=model).problem
