"""Checkpoints: a learner's whole state on disk, so that a training killed at any moment goes on to the same bytes."""

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable

import numpy as np

from widemargin import models
from widemargin.errors import InputError
from widemargin.readers.columns import Columns
from widemargin.readers.items import ItemFile

from .tagger import Tagger


class Keeper:
    """Checkpoints: the learner's whole state in one file, written atomically, at most every `every` seconds."""

    def __init__(self, path: str, mark: str, every: float):
        self.path, self.mark, self.every = path, mark, every
        self.last = time.monotonic()

    def __call__(self, epoch: int, state: Callable[[], dict], history: list[dict], final: bool) -> None:
        if not final and time.monotonic() - self.last >= self.every:
            header = {"format": models.FORMAT, "kind": "checkpoint", "mark": self.mark, "history": history}
            models.save(self.path, header, state())
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
        return arrays, header["history"]


def forget(path: str) -> None:
    """A model that has been saved needs no checkpoint."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def fingerprint(
    recipe: dict, columns: Columns | ItemFile, dev: Columns | ItemFile | None, start: Tagger | None, base: Tagger | None = None
) -> str:
    """A digest of everything that decides the outcome."""
    digest = hashlib.sha256(json.dumps(recipe, sort_keys=True, default=repr).encode())
    for part in (columns, dev):
        if part is not None:
            digest.update(bytes(part.text))
    for model in (start, base):
        if model is not None:
            digest.update(np.ascontiguousarray(model.weights.node if model.support is None else model.support.alpha).tobytes())
    return digest.hexdigest()
