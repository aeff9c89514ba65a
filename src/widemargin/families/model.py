"""What all models share: they are plain data in one file, a JSON object and arrays."""

import os
from typing import TYPE_CHECKING, Any, ClassVar, Self

from widemargin.errors import InputError
from widemargin.families.answers import Wanted

if TYPE_CHECKING:
    import numpy as np

    from widemargin.contents import Contents


# what people are told of a training, by its type in JSON
FACTS: dict[str, type] = {"learner": dict, "sentences": int, "tokens": int, "history": list, "objective": str, "cost": str, "left_out": int}


class Model:
    """A trained model of a task. Its family knows how to ask it; a subclass says what its data are: `parts`, and `from_contents`, the
    way back."""

    family: ClassVar[str]  # the name of its family, which stands in its file
    kind: ClassVar[str] = "model"  # what it is called in messages
    facts: dict  # how it was trained, for people
    temperature: float = 1.0
    structure_name: str

    def parts(self) -> "tuple[dict, dict[str, np.ndarray]]":
        """All of it as plain data: a JSON object and arrays."""
        raise NotImplementedError

    def header(self: Any, format: int) -> dict:
        """What the JSON object of every model begins with. format: the first version of the file format that knows such models."""
        return {"format": format, "kind": "model", "family": self.family, "task": self.task.name}

    @classmethod
    def from_contents(cls, own: "Contents") -> Self:
        """The model that plain data of this family describe. What `own` is asked for it has checked: ask for all that kernels see."""
        raise NotImplementedError

    def compact(self) -> Self:
        """What goes to a file: a model that answers the same, without what adds nothing to any answer."""
        return self

    def save(self, path: str) -> int:
        """Write the model to one file, atomically, without what adds nothing to any answer; returns its size in bytes."""
        from widemargin import models

        return models.save(path, *self.compact().parts())

    @classmethod
    def load(cls, path: str) -> Self:
        """Read a model; no code is run. Arrays are used where they lie in the file; those of whole numbers are compared with checksums."""
        from widemargin import models

        return cls.of_parts(*models.load(path), path)

    @classmethod
    def of_parts(cls, header: dict, arrays: "dict[str, np.ndarray]", path: str = "<model>") -> Self:
        """The model that these plain data describe; those of another family, or damaged ones, are refused."""
        from widemargin.contents import Contents
        from widemargin.families.registry import family_of_model

        if (found := family_of_model(header, path)).name != cls.family:
            raise InputError(f"this model is of the family {found.name}, and a {cls.kind} is wanted; widemargin.load reads any model", path)
        own = Contents(header, arrays, path)
        for name, kind in FACTS.items():
            own.part("facts").field(name, kind, None)
        try:
            return cls.from_contents(own)
        except InputError as error:  # templates and kernels name themselves, and not the file
            raise (error if error.where == path else InputError(error.sentence, path)) from None
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise own.refusal(f"it lacks or garbles {str(error)[:60]}") from error

    def summary(self) -> dict:
        """What it is, for people."""
        raise NotImplementedError

    def described(self, path: str) -> dict:
        """The same of a model in a file."""
        size = os.path.getsize(path)
        return {"model": path, "bytes": size, "MB": round(size / 1e6, 2)} | self.summary()

    def trained(self) -> dict:
        """How it was trained, for a summary."""
        facts = self.facts
        return {
            "learner": facts.get("learner", {}).get("name"),
            "objective": facts.get("objective"),
            "cost": facts.get("cost"),
            "penalty": f"l1 {facts.get('l1')} l2 {facts.get('l2')}",
            "epoch": facts.get("epoch"),
            "temperature": round(self.temperature, 4),
            "trained on": f"{facts.get('sentences', 0):,} sentences, {facts.get('tokens', 0):,} tokens",
            "version": facts.get("widemargin"),
        }

    def prune(self, *, threshold: float | None = None, keep: int | None = None) -> Self:
        """A smaller model: weights below the threshold in absolute value are left out, or all but the `keep` strongest."""
        from widemargin.families.registry import family_named

        return family_named(self.family).prune(self, threshold=threshold, keep=keep)

    def evaluate(self, data: Any, *, threads: int = 1) -> dict:
        """Numbers by name, in per cent."""
        from widemargin.families.registry import family_named

        family = family_named(self.family)
        return family.evaluate(self, data, family.answer(self, data, Wanted(threads=threads))).as_dict()
