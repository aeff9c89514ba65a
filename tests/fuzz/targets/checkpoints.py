"""Checkpoints whose contents are not what the learner left: refused, or trained on from."""

import functools
import os
import pathlib
from random import Random

from fuzz import lies, mutate, seeds
from fuzz.targets import Target
from widemargin import models
from widemargin.families.recipes import open_data, train

TEMPLATES = "word[0]\npos[0]\n"
TRAININGS = {
    "ops": {"learner": "ops", "epochs": 3},
    "perceptron": {"learner": "perceptron", "epochs": 3},
    "lbfgs": {"learner": "lbfgs", "epochs": 3},
    "frank-wolfe": {"learner": "bcfw", "epochs": 3},
    "one-slack": {"learner": "one-slack", "epochs": 3},
    "parser": {"learner": "mira", "epochs": 3, "hash_bits": 10, "label_bits": 6},
}
PATH = "case.checkpoint"


class Stop(Exception):
    """A training is interrupted."""


def fit(name: str, **how) -> None:
    task, templates = ("depparse", seeds.ARCS) if name == "parser" else ("chunk", TEMPLATES)
    train(task, data(task), templates=templates, **TRAININGS[name], **how)


@functools.cache
def data(task: str):
    kind = "trees" if task == "depparse" else "columns"
    text = "".join(seeds.sentences(kind)[:3])
    pathlib.Path(f"three.{kind}").write_text(text, encoding="utf-8")
    more = {} if task == "depparse" else {"columns": "word,pos,chunk,ner"}
    return open_data(f"three.{kind}", task, **more)


@functools.cache
def left(name: str) -> tuple[dict, dict]:
    """What a training leaves that is interrupted after its first epoch."""

    def stop(facts: dict) -> None:
        if facts["epoch"] > 1:
            raise Stop

    try:
        fit(name, checkpoint="first.checkpoint", every=0.0, listen=stop)
    except Stop:
        pass
    return models.load("first.checkpoint", verify=True)


def cases(random: Random) -> dict:
    name = random.choice(sorted(TRAININGS))
    return {"training": name, "lies": lies.edits(random, *left(name)) if mutate.chance(random, 0.98) else []}


def run(case: dict) -> None:
    header, arrays = lies.applied(case["lies"], *left(case["training"]))
    models.save(PATH, header, arrays)
    try:
        fit(case["training"], checkpoint=PATH, every=1e9, resume=True)
    finally:
        os.unlink(PATH)


TARGETS = (Target("checkpoints", cases, run, 3),)
