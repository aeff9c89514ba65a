"""SequenceTagger: the library in scikit-learn's conventions.

X is an iterable of sequences (features/sequences.py says of what), y an iterable of label sequences; None and "?" stand for a label that is
not known, which is latent under every objective. A table X [n, features] with flat y is read as n sequences of one token, so that the
estimator works wherever a classifier of rows does. It is no ClassifierMixin: scikit-learn would stratify by y and refuse ragged sequences.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from widemargin.answers import Answers, numbers_in
from widemargin.errors import InputError
from widemargin.features.expansion import Expansion, expanded, plain
from widemargin.features.extractor import Extractor, Features
from widemargin.features.given import ColumnIndex, Given
from widemargin.features.sequences import is_matrix, read_sequences
from widemargin.readers.columns import Columns
from widemargin.readers.items import Items
from widemargin.scorers.kernel import kernel_settings
from widemargin.tasks.constraints import Spec
from widemargin.tasks.estimating import parameters_of
from widemargin.tasks.fitting import Fit, Material, Recipe, fit
from widemargin.tasks.gold import Written, as_model_labels, written_as
from widemargin.tasks.growing import grown, untrained
from widemargin.tasks.tagger import Tagger
from widemargin.tasks.training import templates_of

LABEL = "label"  # the name of the last column, where the model meets files of columns


class SequenceTagger(Answers):
    """Labels for sequences: any objective, any learner, templates or features of your own.

    learner, objective, cost, l1, l2: see `widemargin list`; F(w) = mean loss + l2/2 |w|^2 + l1 |w|_1. epochs: sweeps (lbfgs: iterations).
    rate, average: step size (a number, or auto) and averaging of online learners; settings: a dict of any other settings of the
    learner, and of the kernel (kernel, degree, gamma, coef, expand, conjunction_cutoff).
    templates: a named set, a file or template text, for sequences of words or of tuples; columns: names of a tuple's columns. cutoff,
    hash_bits: features seen less often are left out; features are hashed to so many bits. structure: chain, or choice (token by token).
    labels: as-is, or the scheme of spans inside the model (iob2, bioes). constraints: BIO, BIOES, a list of allowed pairs of labels, or a
    function of two labels; None as a label of a pair stands before the first and after the last token. metric: accuracy, or f1 of spans
    (score, and the choice of the best epoch by dev data). patience: epochs without a better dev score. n_jobs: threads, None: 1.
    """

    _kind, _place = Tagger, "tagger_"

    def __init__(
        self,
        learner: str = "ops",
        *,
        objective: str | None = None,
        cost: str = "hamming",
        l1: float = 0.0,
        l2: float | None = None,
        epochs: int | None = None,
        rate: float | str | None = None,
        average: bool | None = None,
        settings: dict | None = None,
        templates: str = "tagging",
        columns: Sequence[str] | None = None,
        cutoff: int = 1,
        hash_bits: int = 0,
        structure: str = "chain",
        labels: str = "as-is",
        constraints: Spec | None = None,
        metric: str = "accuracy",
        patience: int = 0,
        random_state: int | None = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
        verbose: int = 0,
    ):
        self.learner, self.objective, self.cost, self.l1, self.l2 = learner, objective, cost, l1, l2
        self.epochs, self.rate, self.average, self.settings = epochs, rate, average, settings
        self.templates, self.columns, self.cutoff, self.hash_bits = templates, columns, cutoff, hash_bits
        self.structure, self.labels, self.constraints, self.metric = structure, labels, constraints, metric
        self.patience, self.random_state, self.n_jobs = patience, random_state, n_jobs
        self.warm_start, self.verbose = warm_start, verbose

    # ---- training ---------------------------------------------------------------------------------------------------------------

    def fit(self, X: Iterable, y: Iterable, *, sample_weight=None, base=None, dev: tuple | None = None) -> "SequenceTagger":
        """Train. sample_weight [sequences]: how much each counts. base: scores [tokens, labels] per sequence, in the order of the sorted
        labels (of `labels_`), that are added to the model's own. dev: (X, y), or (X, y, base), to choose the best epoch on, and for
        patience."""
        data, written, objects = self._read(X, y)
        if self.warm_start and hasattr(self, "tagger_"):
            return self._continue(data, written, objects, self._recipe(objects), sample_weight, base, dev)
        recipe = self._recipe(objects)
        source, features = self._features(data, recipe)
        gold = as_model_labels(written, self.labels, asked=True)
        material = self._material(data, gold, source, features, objects, sample_weight, base)
        done = self._train(recipe, material, dev=self._held(dev, source, gold.labels, base))
        return self._keep(done, data, objects)

    def partial_fit(self, X: Iterable, y: Iterable, classes=None, *, sample_weight=None, base=None, epochs: int = 1) -> "SequenceTagger":
        """Go on with more data: new features and new labels are added as they come; step sizes and averages are kept, as if the earlier
        epochs had been the first of this training. For online learners."""
        if self.learner == "lbfgs":
            raise InputError("lbfgs sweeps over all data at once; use fit with warm_start=True, or another learner with partial_fit")
        data, written, objects = self._read(X, y, () if classes is None else classes)
        return self._continue(data, written, objects, self._recipe(objects, epochs), sample_weight, base, None)

    def _continue(self, data, written: Written, objects: dict, recipe: Recipe, sample_weight, base, dev) -> "SequenceTagger":
        if hasattr(self, "tagger_"):
            start, carry, gold, features = grown(self.tagger_, self._carry, recipe, data, written)
            history, objects = self.history_, self._objects | objects
        else:
            source, features = self._features(data, recipe)
            gold = as_model_labels(written, self.labels, asked=True)
            start, carry, history = untrained(recipe, gold, source), None, []
        source = start.extractor
        material = self._material(data, gold, source, features, objects, sample_weight, base, idle=bool(history))
        done = self._train(recipe, material, start=start, carry=carry, dev=self._held(dev, source, gold.labels, base))
        done.history[:] = [*history, *done.history]
        return self._keep(done, data, objects)

    def _train(self, recipe: Recipe, material: Material, **more) -> Fit:
        return fit(recipe, material, threads=self._threads, listen=self._say if self.verbose else None, **more)

    def _held(self, dev: tuple | None, source: Extractor | Given | Expansion, labels: Sequence[str], base):
        """Development data as a fit wants them."""
        if dev is None:
            return None
        if not isinstance(dev, tuple | list) or len(dev) != (2 if base is None else 3):
            raise InputError("dev is (X, y), or (X, y, base) where there are base scores")
        data, written, _ = self._read(*dev[:2])
        features = source.transform(data)  # type: ignore[arg-type]
        return features, written, None if base is None else self._base(dev[2], features.row_ptr, labels)

    def _recipe(self, objects: dict[str, Any], epochs: int | None = None) -> Recipe:
        settings = dict(self.settings or {})
        given = {"epochs": self.epochs if epochs is None else epochs, "rate": self.rate, "average": self.average}
        given["patience"] = self.patience or None
        if self.random_state is not None and self.learner != "lbfgs":
            number = isinstance(self.random_state, int | np.integer)
            given["seed"] = int(self.random_state) if number else int(check_random_state(self.random_state).randint(2**31 - 1))
        settings |= {name: value for name, value in given.items() if value is not None}
        kernel, settings = kernel_settings(settings)
        if self.metric not in ("accuracy", "f1"):
            raise InputError(f"metric {self.metric!r} is not known; choose accuracy or f1")
        return Recipe(
            task="tag" if self.metric == "accuracy" else "span",
            learner=self.learner,
            objective=self.objective,
            cost=self.cost,
            l1=self.l1,
            l2=self.l2,
            bits=self.hash_bits,
            cutoff=self.cutoff,
            structure=self.structure,
            labels=self.labels,
            constraints=self._constraints(objects),
            settings=settings,
            **kernel,
        )

    def _constraints(self, objects: dict[str, Any]) -> Spec | None:
        """Constraints on labels, given as objects, on their strings."""
        spec, known = self.constraints, getattr(self, "_objects", {}) | objects
        if spec is None or isinstance(spec, str):
            return spec
        if callable(spec):
            rule = spec
            return lambda a, b: rule(known.get(a, a), known.get(b, b))
        return [tuple(None if label is None else str(label) for label in pair) for pair in spec]  # type: ignore[misc]

    def _read(self, X: Iterable, y: Iterable, classes: Iterable = ()) -> tuple[Columns | Items, Written, dict[str, Any]]:
        """Data, labels, and the objects that the labels stand for; sequences and labels must be as many."""
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None: give a sequence of labels for each sequence of X")
        table = is_matrix(X)
        data = read_sequences(X, list(self.columns) if self.columns else None)
        empty = np.flatnonzero(np.diff(data.row_ptr) < 1)
        if len(empty):
            raise InputError(f"sequence {empty[0]} has no token; leave empty sequences out of training")
        return data, *written_as(y, data.row_ptr, flat=table, classes=classes)

    def _features(self, data: Columns | Items, recipe: Recipe) -> tuple[Extractor | Given | Expansion, Features]:
        if isinstance(data, Items):
            source: Any = Given(cutoff=self.cutoff, bits=self.hash_bits)
        else:
            source = Extractor(templates_of(self.templates, list(data.names)), cutoff=self.cutoff, bits=self.hash_bits)
        source = expanded(source, recipe.kernel, recipe.expand, recipe.conjunction_cutoff)
        return source, source.fit(data)

    def _material(self, data, gold, source, features, objects, sample_weight, base, *, idle: bool = False) -> Material:
        """idle: all weights may be 0."""
        rows = len(features.row_ptr) - 1
        weight = None
        if sample_weight is not None:
            weight = numbers_in(sample_weight, "sample_weight")
            if weight.shape != (rows,) or not np.isfinite(weight).all() or (weight < 0).any():
                raise InputError(
                    f"sample_weight needs one number of at least 0 for each of the {rows} sequences; its shape is {weight.shape}"
                )
            if not weight.any() and not idle:
                raise InputError("every sample_weight is zero; at least one sequence must count")
        facts = {"columns": [*data.names, LABEL] if isinstance(data, Columns) else [], "classes": list(objects.values())}
        return Material(gold, source, features, weight, self._base(base, features.row_ptr, gold.labels), facts=facts)

    def _keep(self, done: Fit, data: Columns | Items, objects: dict[str, Any]) -> "SequenceTagger":
        self._carry = done.carry() if done.carry is not None else None
        self._adopt(done.tagger, done.history, objects)
        if isinstance(data, Items) and data.names is None:
            self.n_features_in_ = data.width
        return self

    def _adopt(self, tagger: Tagger, history: list[dict], objects: dict[str, Any]) -> None:
        self.tagger_, self.history_, self._objects = tagger, history, objects
        self.labels_ = [objects.get(label, label) for label in tagger.labels]
        classes = list(objects.values())
        same = len({type(label) for label in classes}) == 1
        self.classes_ = np.array(sorted(classes) if same else classes, None if same else object)
        self.n_iter_ = len(history)

    # ---- on disk ----------------------------------------------------------------------------------------------------------------

    @classmethod
    def load(cls, path: str) -> "SequenceTagger":
        """Read a model, with the parameters that it was trained with; no code is run."""
        tagger = Tagger.load(path)
        self = cls(**parameters_of(tagger))
        self._carry = None
        classes = tagger.facts.get("classes", tagger.labels)
        self._adopt(tagger, tagger.facts["history"], {str(label): label for label in classes})
        columns = plain(tagger.extractor).nodes
        if isinstance(columns, ColumnIndex):
            self.n_features_in_ = len(columns)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.non_deterministic = False
        return tags
