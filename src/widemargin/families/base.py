"""What a family is: the data, the answers and the words of one kind of output. The command line, the study and estimators know no more.

A family is a folder: its `__init__.py` has FAMILY, an instance of a subclass of Family, which costs nothing to import (no NumPy, no Numba:
methods import what they need). registry.py finds it. What follows is all that is asked of it; what it lacks it leaves out of `offers`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from widemargin.engine.names import hint
from widemargin.errors import InputError
from widemargin.families.answers import Alternative, Answers, Told, Wanted
from widemargin.families.lazy import lazy
from widemargin.families.model import Model
from widemargin.families.options import RECIPE, Option
from widemargin.families.protocols import Data, Scores

if TYPE_CHECKING:
    import numpy as np

    from widemargin.families.calibration import HeldOut
    from widemargin.families.recipes import Recipe

__all__ = ["OFFERS", "Alternative", "Answers", "Data", "Family", "Model", "Posed", "Scores", "Task", "Told", "Wanted", "Warmup", "lazy"]

# what a family may offer besides training, predicting and scoring; commands and options refuse by it
OFFERS = {
    "kbest": "predict --kbest",
    "marginals": "predict --marginals",
    "probability": "predict --probability",
    "calibrate": "calibrate",
    "explain": "explain",
    "prune": "prune",
    "small": "train --full",
    "curve": "curve",
    "draw": "data draw",
    "errors": "evaluate --errors",
    "report": "evaluate --report",
}


@dataclass(frozen=True)
class Task:
    """What people type: a family, and what is usual for one kind of data."""

    name: str
    about: str
    columns: tuple[str, ...]  # names of a file's columns; () = any
    templates: str  # a named set
    labels: str  # what becomes of labels inside the model
    metric: str  # what early stopping and comparisons look at
    objective: str | None = field(default=None, kw_only=True)  # where no learner and no objective is named; None: the learner's usual one
    cost: str | None = field(default=None, kw_only=True)  # likewise; None: the family's usual one


class Posed(Protocol):
    """Training data as a problem of learning; what decides, judges and becomes a model from its weights. A subclass need not say what has a
    body here: it then has as many features as rows of weights, and answers development data as any others."""

    recipe: "Recipe"
    problem: Any  # engine.problem.Problem
    metric: str
    facts: dict  # of the data, for the model's header
    remarks: tuple[str, ...] = ()  # about the data, for people

    def finish(self, w: "np.ndarray", facts: dict) -> Any: ...  # the model

    def again(self, recipe: "Recipe") -> Any: ...  # the same data posed for a recipe that differs in recipes.FREE alone

    @property
    def features(self) -> int:  # how many there are, before any are merged
        return int(self.problem.shape[0])

    def begin(self, start: Any) -> "np.ndarray":  # a model's weights as the problem's
        return start.weights

    def hold(self, data: Any) -> Any:  # other data with gold, looked up once, for decode and scores; base: as for pose
        return data

    @property
    def decode(self) -> Callable[..., Any]:  # (w, held) -> what weights decide; keywords are the family's own
        answer, wanted = self.recipe.family.answer, Wanted(threads=self.problem.threads)
        return lambda w, held: (model := self.finish(w, {}), answer(model, held, wanted))

    def scores(self, found: Any, held: Any) -> Any:  # Scores of what decode found
        return self.recipe.family.evaluate(found[0], held, found[1])

    def carried(self, handed: dict) -> dict:  # what an online learner hands on (learners/online.py), by features
        return handed


class Warmup(NamedTuple):
    """Something to be done once, so that later commands need not compile; it can be pickled."""

    title: str
    work: Callable[[], object]


class Family:
    """One kind of output. A subclass fills in the table and the methods; those of what it does not offer are never called."""

    name: ClassVar[str]  # stands in model files
    tasks: ClassVar[Mapping[str, Task]]
    options: ClassVar[tuple[Option, ...]] = ()
    offers: ClassVar[frozenset[str]] = frozenset()  # of OFFERS
    lacks: ClassVar[Mapping[str, str]] = {}  # why one of OFFERS is missing, as a sentence
    learner: ClassVar[str]  # the usual one
    structure: ClassVar[str]  # the usual one
    structure_aliases: ClassVar[Mapping[str, str]] = {}  # other names of the field
    cost: ClassVar[str] = "hamming"  # the usual one
    costs: ClassVar[tuple[tuple[str, str], ...]] = ()  # forms of --cost and what they mean
    formats: ClassVar[Mapping[str, tuple[str, ...]]] = {}  # of files, and how their names end
    outputs: ClassVar[tuple[str, ...]] = ("same", "jsonl")  # how predict can write: as the input is, an object a sentence, or as write_as
    verbs: ClassVar[Mapping[str, tuple[str, str]]] = {}  # commands of its own: what each is for, and the module with its declare and run
    is_usual: ClassVar[bool] = False  # is it compiled for when nobody says what for (warmup)?
    public: ClassVar[Mapping[str, tuple[str, ...]]] = {}  # names that `import widemargin` offers, by module of the family's folder

    data_class: ClassVar[Any] = None  # of what `open` gives
    model_class: ClassVar[Any]  # its Model
    refuse: ClassVar[Any] = None  # (recipe): refuses one that cannot be trained
    named_templates: ClassVar[Any] = None  # sets of templates by name (features/named.py), if it has any

    # ---- options ----------------------------------------------------------------------------------------------------------------

    def option(self, name: str, *uses: str) -> Option | None:
        """An option by name, of one of these uses."""
        return next((option for option in self.options if option.name == name and (not uses or option.use in uses)), None)

    def chosen(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Options of a recipe, converted; those that the family does not have are refused."""
        out = {}
        for name, value in given.items():
            option = self.option(name, RECIPE)
            if option is None:
                known = ", ".join(option.name for option in self.options if option.use == RECIPE) or "none"
                raise InputError(f"{next(iter(self.tasks))} has no option {name!r}; its options are {known}{hint(name, known.split(', '))}")
            if value is not None:  # None: as usual
                out[name] = option.converted(value)
        return out

    def holds(self, data: Any) -> bool:
        """Are these data of the family, as `open` gives them?"""
        return isinstance(data, self.data_class) if self.data_class else hasattr(data, "row_ptr") and hasattr(data, "__len__")

    def check(self, recipe: "Recipe", verb: str) -> None:
        """Refuse a recipe that cannot be trained (train), or not on a bench with others (compare)."""
        if recipe.templates is not None and self.named_templates is None:
            raise InputError(f"{recipe.task} has features of its own; leave templates out")
        if self.refuse is not None:
            self.refuse(recipe)

    @property
    def structures(self) -> Mapping[str, Any]:
        """Structures by name."""
        raise NotImplementedError

    @property
    def structure_names(self) -> tuple[Mapping[str, Any], Mapping[str, str]]:
        """Structures by name, and other names for them."""
        return self.structures, self.structure_aliases

    def template_sets(self) -> list[tuple[str, str]]:
        """Named sets of templates, each with a line about it."""
        from widemargin.features.named import described_sets

        return described_sets(self.named_templates) if self.named_templates else []

    # ---- data -------------------------------------------------------------------------------------------------------------------

    def open(self, path: str, task: str | None, *, encoding: str = "utf-8") -> Any:
        """A file, or a part of the embedded corpus, with gold outputs. READING options are keywords of it, of labelled and of stream."""
        raise NotImplementedError

    def labelled(self, path: str, model: Any, *, gold: bool = True, **reading: Any) -> Any:
        """A whole file as a model was trained to read it. gold: outputs must be there."""
        return self.open(path, model.task.name, **reading)

    def stream(self, path: str, model: Any, **reading: Any) -> Iterator[Any]:
        """A file to be answered, piece by piece; gold outputs may be missing. In one piece, unless the family can read it in several."""
        return iter([self.labelled(path, model, gold=False, **reading)])

    def sentence(self, text: str, model: Any) -> Any:
        """One sentence as a person types it."""
        raise InputError("there is no such file; give one, or a part of the embedded corpus such as town:dev", text)

    def stats(self, data: Any) -> dict:
        """What data hold, for people."""
        raise NotImplementedError

    def town(self, part: str, *, sentences: int | None, seed: int) -> str:
        """The text of the embedded corpus."""
        raise NotImplementedError

    # ---- learning ---------------------------------------------------------------------------------------------------------------

    def pose(self, recipe: "Recipe", data: Any, *, start: Any = None, weight: Any = None, threads: int = 1) -> Posed:
        """The problem that a learner is given. start: a model to go on from; weight [S]: how much each sentence counts. A family with the
        option base has one more keyword: a model whose scores are added."""
        raise NotImplementedError

    def grown(self, model: Any, recipe: "Recipe", data: Any) -> Any:
        """The model with room for labels and features of these data too; all else stays as it is."""
        raise InputError(f"training on several files is not for {recipe.task}; give one file, and --mix for several learners")

    def continued(self, model: Any, data: Any) -> Any:
        """A model to go on from, with those features of the data that its file left out because they had no weight."""
        return model

    def load(self, header: dict, arrays: "dict[str, np.ndarray]", path: str = "<model>") -> Any:
        """The model that these plain data describe."""
        return self.model_class.of_parts(header, arrays, path)

    # ---- answers ----------------------------------------------------------------------------------------------------------------

    def answer(self, model: Any, data: Any, wanted: Wanted) -> Answers:
        """What a model says of data. ANSWERING options are keywords of it, of held_out and of explain."""
        raise NotImplementedError

    def write(self, data: Any, answers: Answers, out: Any) -> None:
        """Data with answers in them, to a binary file."""
        raise NotImplementedError

    def write_as(self, format: str, data: Any, answers: Answers, out: Any) -> None:
        """The answers in one of the other `outputs`."""
        raise NotImplementedError

    def as_json(self, data: Any, answers: Answers) -> list[dict]:
        """A dict per sentence: tokens, the answer, and what else was wanted (docs/json.md)."""
        raise NotImplementedError

    def scores(self, gold: Any, system: Any, task: str) -> Scores:
        """Two files of the same sentences. SCORING options are keywords of it and of evaluate."""
        raise NotImplementedError

    def evaluate(self, model: Any, data: Any, answers: Answers) -> Scores:
        """A model's answers against the gold outputs of the data."""
        raise NotImplementedError

    def mistakes(self, model: Any, data: Any, answers: Answers, *, top: int) -> Told:
        """What was taken for what, and the `top` worst sentences, gold beside guess (mistakes.py)."""
        raise NotImplementedError

    def held_out(self, model: Any, data: Any, *, threads: int = 1) -> "HeldOut":
        """What held-out data say of a model's probabilities (calibration.py)."""
        raise NotImplementedError

    def explain(self, model: Any, data: Any, sentence: int, *, token: int | None, top: int) -> Told:
        """Why a model answers a sentence as it does; sentence and token count from 1."""
        raise NotImplementedError

    def inspect(self, model: Any, path: str) -> Told:
        """What a model is: its facts, unless the family knows better. SHOWING options of the verb inspect are keywords."""
        facts = {"task": model.task.name} | self.sizes(model) | {name: fact for name, fact in model.facts.items() if name != "history"}
        return Told(facts, "".join(f"{name:12} {fact}\n" for name, fact in facts.items()))

    def sizes(self, model: Any) -> dict[str, int]:
        """How large a model is, by what is counted: features, labels."""
        return {"numbers": sum(int(array.size) for array in model.parts()[1].values())}

    def prune(self, model: Any, *, threshold: float | None, keep: int | None) -> Any:
        """A model without weights below the threshold in absolute value, or with the `keep` strongest alone."""
        raise NotImplementedError

    def small(self, model: Any) -> Iterable[Any]:
        """Models that answer nearly the same and take less room, the smallest first: small weights are dropped, others rounded. None where
        that is no gain."""
        return ()

    def draw(self, gold: Any, sentence: int, system: Any = None) -> str:
        """A sentence as SVG, or a system's answer to it with what is wrong; the sentence counts from 1."""
        raise NotImplementedError

    def warmups(self, *, every: bool) -> list[Warmup]:
        """Work that compiles the kernels of the usual models, or of every kind that is often used; what was left behind is of no use.
        SHOWING options of warmup are keywords."""
        return []
