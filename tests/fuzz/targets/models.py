"""Model files of every kind whose seals are right and whose contents are not: loaded, asked, shown, pruned."""

import contextlib
import functools
import io
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

from fuzz import lies, seeds
from fuzz.targets import Target
from widemargin import SequenceTagger, models
from widemargin.errors import InputError
from widemargin.families.answers import Wanted
from widemargin.families.recipes import load
from widemargin.families.registry import family_named

ASK = ("answer", "answer", "answer", "kbest", "marginals", "probability", "json", "inspect", "explain", "prune", "again")


@functools.cache
def opened(name: str) -> Any:
    """A seed as a model, unharmed."""
    return load(f"{seeds.SEEDS}/{name}.safetensors")


def cases(random: Random) -> dict:
    name = seeds.any_model(random)
    return {"model": name, "lies": lies.edits(random, *seeds.model_parts(name)), "ask": random.choice(ASK)}


def run(case: dict) -> None:
    header, arrays = lies.applied(case["lies"], *seeds.model_parts(case["model"]))
    models.save("case.safetensors", header, arrays)
    ask(load("case.safetensors"), case["model"], case["ask"])


def ask(model: Any, name: str, what: str) -> None:
    """Everything that a person may want of a model."""
    family = family_named(model.family)
    if what == "inspect":
        family.inspect(model, "case.safetensors")
        return
    if what == "again":
        model.save("again.safetensors")
        return
    if name == "table":
        SequenceTagger.load("case.safetensors").predict(np.zeros((2, 3)))
        return
    if what == "prune":
        model = family.prune(model, threshold=0.01, keep=None)
    for data in family.stream(seeds.input_of(name), model):
        if what == "explain":
            family.explain(model, data, 1, token=1, top=3)
            continue
        wanted = Wanted(3 if what == "kbest" else 0, what == "marginals", what == "probability", 1)
        answers = family.answer(model, data, wanted)
        family.as_json(data, answers) if what == "json" else family.write(data, answers, io.BytesIO())


def warm() -> Iterator[None]:
    """Every kind of model is asked everything once."""
    for name in seeds.model_names():
        for what in sorted(set(ASK)):
            with contextlib.suppress(InputError):
                run({"model": name, "lies": [], "ask": what})
            yield


TARGETS = (Target("models", cases, run, 40, compiled=True, warm=warm),)
