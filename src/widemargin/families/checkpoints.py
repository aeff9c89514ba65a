"""Checkpoints: a learner's whole state on disk, so that a training killed at any moment goes on to the same bytes."""

import contextlib
import dataclasses
import hashlib
import json
import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from widemargin import models
from widemargin.errors import InputError
from widemargin.readers.outputs import remove_dead


class Checkpointer:
    """Writes the learner's state to one file, atomically, at most every `every` seconds; `mark` says of which training it is.

    A state that cannot be written is told to `notice` (a warning where there is none), once, and does not end the training."""

    def __init__(self, path: str, mark: str, every: float, notice: Callable[[str], None] | None = None, *, resume: bool = False):
        """resume: a training is to go on from the state that is there."""
        self.path, self.mark, self.every, self.notice, self.resume = path, mark, every, notice or _warn, resume
        self.last, self.failed = time.monotonic(), False

    def __call__(self, epoch: int, state: Callable[[], dict], history: list[dict], final: bool) -> None:
        if not final and time.monotonic() - self.last >= self.every:
            header = {"format": models.FORMAT, "kind": "checkpoint", "mark": self.mark, "history": history}
            try:
                models.save(self.path, header, state())
                self.failed = False
            except InputError as error:
                if not self.failed:
                    self.notice(f"no checkpoint could be written, and training goes on: {error}")
                self.failed = True
            self.last = time.monotonic()

    def load(self):
        """(arrays, history) of the checkpoint, or None when there is none."""
        if not os.path.exists(self.path):
            return None
        header, arrays = models.load(self.path, verify=True)
        if header.get("kind") != "checkpoint" or header.get("mark") != self.mark:
            raise InputError(
                "the checkpoint is from other data or other settings; repeat the same command, or train without --resume", self.path
            )
        history = header.get("history")
        if not isinstance(history, list) or not all(isinstance(facts, dict) for facts in history):
            raise InputError("the checkpoint has no history; train without --resume", self.path)
        return arrays, history


def _warn(sentence: str) -> None:
    warnings.warn(sentence, RuntimeWarning, stacklevel=2)


def forget(path: str) -> None:
    """A model that has been saved needs no checkpoint."""
    with contextlib.suppress(OSError):
        os.unlink(path)
    remove_dead(path)


@contextlib.contextmanager
def resumable(path: str) -> Iterator[None]:
    """Whoever stops a training in here is told of its checkpoint, where there is one."""
    try:
        yield
    except KeyboardInterrupt as stop:
        if os.path.exists(path):
            stop.add_note(f"{path} has the last checkpoint: repeat the command with --resume to go on")
        raise


def fingerprint(recipe: Any, data: Iterable[Any], others: Iterable[Any], weight: Any = None) -> str:
    """A digest of everything that decides the outcome: the recipe, the text of all data, every array of other models (None: there is none),
    and the weights of sentences.

    An array is digested with its name, type and shape, so that no two models with other numbers share a checkpoint.
    """
    digest = hashlib.sha256(json.dumps(dataclasses.asdict(recipe), sort_keys=True, default=repr).encode())
    for number, part in enumerate(data):
        if part is not None:
            digest.update(f"data {number} {len(part)}".encode() + bytes(part.text))
    arrays = {} if weight is None else {"weight": weight}
    for number, model in enumerate(others):
        if model is not None:
            arrays |= {f"{number} {name}": array for name, array in model.parts()[1].items()}
    for name, array in sorted(arrays.items()):
        array = np.ascontiguousarray(array)
        digest.update(f"{name} {array.dtype} {array.shape}".encode() + array.tobytes())
    return digest.hexdigest()
