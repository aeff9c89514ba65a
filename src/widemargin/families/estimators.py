"""ModelEstimator: what all estimators of the library share, in scikit-learn's conventions. A subclass says what X and y are."""

import dataclasses
import sys
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from widemargin.engine.settings import is_sequence, shown
from widemargin.errors import InputError
from widemargin.families.arguments import check_fields, threads
from widemargin.families.calibration import HeldOut, fit_temperature
from widemargin.families.inputs import checked_weights, seed_of
from widemargin.families.options import RECIPE, Option
from widemargin.families.parameters import Parameters, check_is_fitted
from widemargin.families.recipes import MORE, Fit, Posed, Recipe, fit
from widemargin.families.registry import family_named
from widemargin.learners import LEARNERS, canonical, chosen_learner

# what a learner's settings hold that is a parameter of every estimator
LEARNING = ("epochs", "rate", "average", "patience")

PARAMETERS = """
    Parameters
    ----------
    learner : how weights are learnt: perceptron, mira, sgd, ops, adadelta, smd, lbfgs, ... (`widemargin list learners`).
    objective : what is minimised, F(w) = mean loss + l2/2 |w|^2 + l1 |w|_1; None: the learner's usual loss (`widemargin list objectives`).
    cost : what errors cost (`widemargin list costs`).
    l1 : penalty on absolute weights; None: the learner's usual one.
    l2 : penalty on squared weights; None: the learner's usual one.
    epochs : sweeps over the data, of lbfgs iterations; None: the learner's usual number.
    rate : step size of an online learner, a number or "auto"; None: the learner's usual one.
    average : average the weights over all steps of an online learner; None: as the learner usually does.
    settings : dict of any other settings of the learner.
    templates : a named set, a file, or (with a newline) the text of feature templates (docs/templates.md); None: the usual set.
    structure : what outputs are possible and how they are scored.
    hash_bits : features are hashed to 2^hash_bits weights.
    patience : stop after so many epochs without a better score on dev; 0: never.
    random_state : None, an int, a RandomState or a Generator: the order of the data in each epoch.
    n_jobs : threads; None is 1, -1 all cores. Models are the same for any number.
    warm_start : let fit go on from the last fit.
    verbose : print a line per epoch.
"""

ATTRIBUTES = """
    Attributes
    ----------
    model_ : the model, as `widemargin.load` gives it.
    labels_ : the model's own labels, in the order of its probabilities.
    classes_ : array of the labels that y may hold.
    history_ : list of a dict per epoch: its number, the mean loss, scores on dev.
    n_iter_ : the number of epochs.
"""


@dataclass(eq=False, repr=False)
class ModelEstimator(Parameters):
    """An estimator around a model of one family. Subclasses read X and y (the abstract methods) and ask the model.

    Fields are scikit-learn's parameters; a subclass, a dataclass too, adds its own and changes defaults. What fitting sets is no parameter.
    """

    family: ClassVar[str]  # name of the family
    model_type: ClassVar[Any]  # its models' class

    learner: str = "ops"
    _: KW_ONLY
    objective: str | None = None
    cost: str = "hamming"
    l1: float | None = None
    l2: float | None = None
    epochs: int | None = None
    rate: float | str | None = None
    average: bool | None = None
    settings: dict | None = None
    templates: str | None = None
    structure: str = ""
    hash_bits: int = 0
    metric: str = ""
    patience: int = 0
    random_state: Any = None
    n_jobs: int | None = None
    warm_start: bool = False
    verbose: int | bool = 0

    model_: Any = field(init=False)
    labels_: list = field(init=False)
    classes_: np.ndarray = field(init=False)
    history_: list[dict] = field(init=False)
    n_iter_: int = field(init=False)
    _carry: dict | None = field(init=False)  # what an online learner goes on from (learners/online.py)

    # ---- training ---------------------------------------------------------------------------------------------------------------

    @abstractmethod
    def _read(self, X: Any, y: Any, classes: Iterable = ()) -> Any:
        """Training data, checked; y has one output for each sequence of X."""

    @abstractmethod
    def _pose(self, recipe: Recipe, data: Any, weight: np.ndarray | None, *, before: bool, base: Any = None) -> tuple:
        """The problem (families.base.Posed), a model to start from or None, and what the learner carries on or None.

        before: this is a part, the first or a later one, of a training in parts. base: scores to add to the model's, where the family
        takes any."""

    @abstractmethod
    def _hold(self, posed: Posed, dev: Any, *, base: Any = None) -> Any:
        """Development data for posed.decode and posed.scores."""

    @abstractmethod
    def _adopt(self, model: Any, history: list[dict]) -> Self:
        """Take a model, and set the fitted attributes."""

    def _fit(self, X: Any, y: Any, *, sample_weight: Any = None, dev: Any = None, base: Any = None) -> Self:
        """fit, for the subclass's own signature."""
        check_fields(self)
        return self._learn(self._read(X, y), None, sample_weight, dev, before=bool(self.warm_start) and self._fitted, base=base)

    def _partial_fit(self, X: Any, y: Any, classes: Any, *, epochs: int, sample_weight: Any = None, base: Any = None) -> Self:
        """partial_fit, for the subclass's own signature."""
        check_fields(self)
        if classes is not None and not is_sequence(classes):
            raise InputError(f"classes is {shown(classes)}; give the labels that may occur, or None")
        name = canonical(self.learner)
        if name in LEARNERS and not hasattr(LEARNERS[name][0], "going_on"):
            raise InputError(
                f"{self.learner} sweeps over all data at once; use fit with warm_start=True, or another learner with partial_fit"
            )
        return self._learn(self._read(X, y, () if classes is None else classes), epochs, sample_weight, None, before=True, base=base)

    def _learn(self, data: Any, epochs: int | None, sample_weight: Any, dev: Any, *, before: bool, base: Any) -> Self:
        history = self.history_ if before and self._fitted else []
        weight = checked_weights(sample_weight, len(data.row_ptr) - 1, idle=bool(history))
        posed, start, carry = self._pose(self._recipe(data, epochs), data, weight, before=before, base=base)
        held = None if dev is None else self._hold(posed, dev, base=base)
        done: Fit = fit(posed, held=held, start=start, carry=carry, listen=self._say if self.verbose else None, after=MORE)
        done.history[:0] = history
        self._carry = done.carry() if done.carry is not None else None
        return self._adopt(done.model, done.history)

    def _recipe(self, data: Any, epochs: int | None = None) -> Recipe:
        """The parameters as a recipe; options of the family are those that differ from its usual ones."""
        chosen, settings = self.get_params(deep=False), dict(self.settings or {})
        given = {name: chosen[name] for name in LEARNING} | ({} if epochs is None else {"epochs": epochs})
        given["patience"] = given["patience"] or None
        if self.random_state is not None:
            given["seed"] = seed_of(self.random_state)
        settings |= {name: value for name, value in given.items() if value is not None}
        settings = {name: value for name, value in settings.items() if self._option(name) is None}
        same = {name: chosen[name] for name in ("learner", "objective", "cost", "l1", "l2", "templates", "structure")}
        recipe = Recipe(self._task(), **same, settings=settings, options=self._options(data))
        chosen_learner(recipe.learner, recipe.settings)  # refuses what it does not know
        recipe.family.check(recipe, "train")
        return recipe

    def _task(self) -> str:
        """The task whose recipe this is: the family's only one."""
        return next(iter(family_named(self.family).tasks))

    def _option(self, name: str) -> Option | None:
        """An option of the family's recipes."""
        return family_named(self.family).option(name, RECIPE)

    def _options(self, data: Any) -> dict[str, Any]:
        """Options of the family for these data: parameters that are not as usual, and what settings say."""
        given = self.get_params(deep=False)
        own = {name: value for name, value in given.items() if (o := self._option(name)) and not _same(value, o.default)}
        return own | {name: value for name, value in (self.settings or {}).items() if self._option(name)}

    def _say(self, facts: dict) -> None:
        dev = "".join(f"  dev {name} {value:.2f}" for name, value in facts.get("dev", {}).items())
        print(f"epoch {facts['epoch']:3d}  loss {facts['loss']:z.5f}{dev}  {facts['seconds']:.1f} s", flush=True)

    # ---- the model --------------------------------------------------------------------------------------------------------------

    @abstractmethod
    def _held_out(self, X: Any, y: Any, *, base: Any = None) -> HeldOut:
        """What held-out data say of the model's probabilities."""

    def _calibrate(self, X: Any, y: Any, *, base: Any = None) -> Self:
        """calibrate, for the subclass's own signature."""
        held = self._held_out(X, y, base=base)
        self.model_ = dataclasses.replace(self.model_, temperature=fit_temperature(held))
        return self

    def prune(self, threshold: float = 0.0) -> Self:
        """Drop the features whose weights are below the threshold in absolute value; 0 drops zeros alone and changes no answer."""
        check_is_fitted(self)
        self.model_, self._carry = family_named(self.family).prune(self.model_, threshold=threshold, keep=None), None
        return self

    # ---- on disk ----------------------------------------------------------------------------------------------------------------

    @classmethod
    @abstractmethod
    def _own_parameters(cls, model: Any) -> dict[str, Any]:
        """Parameters of this estimator alone, and settings of the learner that are options of the family, from a model."""

    @classmethod
    def load(cls, path: str) -> Self:
        """Read a model, with the parameters that it was trained with; no code is run."""
        model = cls.model_type.load(path)
        facts, own = model.facts, cls._own_parameters(model)
        learner = dict(facts.get("learner", {}))
        if "name" not in learner or not {"objective", "cost", "l1", "l2", "history"} <= set(facts):
            raise InputError("the model does not say how it was trained, which an estimator must know; widemargin.load reads it", path)
        chosen = {"learner": learner.pop("name"), "random_state": learner.pop("seed", None), "structure": model.structure_name}
        chosen |= {name: learner.pop(name) for name in LEARNING if name in learner}
        chosen |= {name: facts[name] for name in ("objective", "cost", "l1", "l2")}
        self = cls(**chosen | own | {"settings": learner | own.pop("settings", {})})
        self._carry = None
        return self._adopt(model, facts["history"])

    def save(self, path: str) -> int:
        """Write the model to one .safetensors file, which `widemargin predict` reads too; returns its size in bytes."""
        check_is_fitted(self)
        return self.model_.save(path)

    def __getstate__(self) -> dict:
        """For pickle: plain parameters, and the model as the JSON object and the arrays of its file: data, no code."""
        state = dict(super().__getstate__())
        if "model_" in state:
            state["model_"] = state["model_"].parts()
        if state.get("_carry"):
            state["_carry"] = state["_carry"] | {"planes": np.stack(list(state["_carry"]["planes"]))}
        return state

    def __setstate__(self, state: dict) -> None:
        state = dict(state)
        if "model_" in state:
            state["model_"] = self.model_type.of_parts(*state["model_"])
        super().__setstate__(state)

    # ---- scikit-learn -----------------------------------------------------------------------------------------------------------

    @property
    def _fitted(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_is_fitted__(self) -> bool:
        return self._fitted

    @property
    def _threads(self) -> int:
        """n_jobs as scikit-learn counts: None is 1, -1 all cores."""
        if self.n_jobs is None and "joblib" not in sys.modules:  # joblib, where it is in use, may have been told another number
            return 1
        from joblib import effective_n_jobs

        return threads(effective_n_jobs(self.n_jobs))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.non_deterministic = False
        return tags


def _same(value: Any, usual: Any) -> bool:
    return not isinstance(value, np.ndarray) and value == usual


def public(kind: type) -> type:
    """A class decorator: pickles name the class as users do, widemargin.NAME, and survive a move of its module; common sections are put
    into its docstring, where it has the words PARAMETERS and ATTRIBUTES."""
    kind.__module__ = "widemargin"
    assert kind.__doc__ is not None
    kind.__doc__ = kind.__doc__.replace("    PARAMETERS\n", PARAMETERS[1:]).replace("    ATTRIBUTES\n", ATTRIBUTES[1:])
    return kind
