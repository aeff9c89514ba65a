"""SequenceTagger: the library in scikit-learn's conventions.

X is an iterable of sequences (features/sequences.py says of what), y an iterable of label sequences; None and "?" stand for a label that is
not known, which is latent under every objective. A table X [n, features] with flat y is read as n sequences of one token, so that the
estimator works wherever a classifier of rows does. It is no ClassifierMixin: scikit-learn would stratify by y and refuse ragged sequences.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from widemargin.errors import InputError
from widemargin.features.extractor import Extractor, Features
from widemargin.features.given import Given
from widemargin.features.sequences import is_matrix, read_sequences
from widemargin.readers.columns import Columns
from widemargin.readers.items import Items
from widemargin.tasks import confidence
from widemargin.tasks.constraints import Spec
from widemargin.tasks.explaining import Explanation, explain_row
from widemargin.tasks.fitting import Material, Recipe, fit
from widemargin.tasks.gold import HIDDEN, Written, as_model_labels
from widemargin.tasks.growing import grown, untrained
from widemargin.tasks.tagger import Tagger, score_labels
from widemargin.tasks.training import templates_of


class SequenceTagger(BaseEstimator):
    """Labels for sequences: any objective, any learner, templates or features of your own.

    learner, objective, cost, l1, l2: see `widemargin list`; F(w) = mean loss + l2/2 |w|^2 + l1 |w|_1. epochs: sweeps (lbfgs: iterations).
    rate, average: step size and averaging of online learners; settings: a dict of any other settings of the learner.
    templates: a named set, a file or template text, for sequences of words or of tuples; columns: names of a tuple's columns. cutoff,
    hash_bits: features seen less often are left out; features are hashed to so many bits. structure: chain, or choice (token by token).
    labels: as-is, or the scheme of spans inside the model (iob2, bioes). constraints: BIO, BIOES, a list of allowed pairs of labels, or a
    function of two labels; None as a label of a pair stands before the first and after the last token. metric: accuracy, or f1 of spans
    (score, and the choice of the best epoch by dev data). patience: epochs without a better dev score. n_jobs: threads, None: 1.
    """

    def __init__(
        self,
        learner: str = "ops",
        *,
        objective: str | None = None,
        cost: str = "hamming",
        l1: float = 0.0,
        l2: float | None = None,
        epochs: int | None = None,
        rate: float | None = None,
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
        labels, that are added to the model's own. dev: (X, y) to choose the best epoch on, and for patience."""
        data, written = self._read(X, y)
        if self.warm_start and hasattr(self, "tagger_"):
            return self._continue(data, written, self._recipe(), sample_weight, base, fresh=False)
        source, features = self._features(data)
        gold = as_model_labels(written, self.labels, asked=True)
        material = self._material(data, gold, source, features, sample_weight, base)
        held = None
        if dev is not None:
            held_data, held_written = self._read(*dev)
            held = source.transform(held_data), held_written, None  # type: ignore[arg-type]
        done = fit(self._recipe(), material, dev=held, threads=self.n_jobs or 1, listen=self._say if self.verbose else None)
        return self._keep(done, data)

    def partial_fit(self, X: Iterable, y: Iterable, classes=None, *, sample_weight=None, base=None, epochs: int = 1) -> "SequenceTagger":
        """Go on with more data: new features and new labels are added as they come, step sizes are kept. For online learners."""
        data, written = self._read(X, y, classes)
        if self.learner == "lbfgs":
            raise InputError("lbfgs sweeps over all data at once; use fit with warm_start=True, or another learner with partial_fit")
        return self._continue(data, written, self._recipe(epochs), sample_weight, base, fresh=not hasattr(self, "tagger_"))

    def _continue(self, data, written: Written, recipe: Recipe, sample_weight, base, *, fresh: bool) -> "SequenceTagger":
        if fresh:
            source, features = self._features(data)
            gold = as_model_labels(written, self.labels, asked=True)
            start, pace = untrained(recipe, gold, source), None
        else:
            start, pace, gold, features = grown(self.tagger_, getattr(self, "_pace", None), recipe, data, written, self.labels)
        material = self._material(data, gold, start.extractor, features, sample_weight, base)
        done = fit(recipe, material, start=start, pace=pace, threads=self.n_jobs or 1, listen=self._say if self.verbose else None)
        self._pace = done.pace
        done.history[:] = [*getattr(self, "history_", []), *done.history] if not fresh else done.history
        return self._keep(done, data)

    def _recipe(self, epochs: int | None = None) -> Recipe:
        settings = dict(self.settings or {})
        given = {"epochs": epochs or self.epochs, "rate": self.rate, "average": self.average, "patience": self.patience or None}
        if self.random_state is not None and self.learner != "lbfgs":
            given["seed"] = int(self.random_state) if isinstance(self.random_state, int | np.integer) else 1
        settings |= {name: value for name, value in given.items() if value is not None}
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
            constraints=self.constraints,
            settings=settings,
        )

    def _read(self, X: Iterable, y: Iterable, classes=None) -> tuple[Columns | Items, Written]:
        """Data and labels; sequences and labels must be as many."""
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None: give a sequence of labels for each sequence of X")
        data = read_sequences(X, list(self.columns) if self.columns else None)
        written, objects = self._labels_of(y, data.row_ptr, flat=is_matrix(X), classes=classes)
        self._objects = getattr(self, "_objects", {}) | objects if hasattr(self, "tagger_") else objects
        return data, written

    def _labels_of(self, y: Any, row_ptr: np.ndarray, *, flat: bool, classes=None) -> tuple[Written, dict[str, Any]]:
        """Labels as strings, and the objects that those stand for."""
        if flat and not (isinstance(y, list) and y and isinstance(y[0], list | tuple)):
            y = np.asarray(y)
            y = (y if y.ndim == 2 else y.reshape(-1, 1)).tolist()
        rows = [list(row) for row in y]
        lengths = np.diff(row_ptr)
        if len(rows) != len(lengths):
            raise InputError(f"there are {len(lengths)} sequences in X and {len(rows)} in y; give one label sequence for each")
        for i, (row, length) in enumerate(zip(rows, lengths.tolist())):
            if len(row) != length:
                raise InputError(f"sequence {i} has {length} tokens and {len(row)} labels; give one label per token")
        every = [label for row in rows for label in row]
        hidden = {None, HIDDEN}
        distinct = {label for label in dict.fromkeys(every) if label not in hidden} | set(() if classes is None else classes)
        if any(isinstance(label, float) and not np.isfinite(label) for label in distinct):
            raise InputError("y holds NaN or infinity; labels must be strings or finite numbers")
        try:
            ordered = sorted(distinct)
        except TypeError:
            ordered = sorted(distinct, key=str)
        names = [str(label) for label in ordered]
        if len(set(names)) < len(names):
            raise InputError(f"the labels {ordered} are not distinct as text; use strings, or numbers of one type")
        values, number = names, {label: i for i, label in enumerate(ordered)}
        if any(label in hidden for label in dict.fromkeys(every)):
            values = [*names, HIDDEN]
            number |= {None: len(names), HIDDEN: len(names)}
        codes = np.array([number[label] for label in every], np.int32)
        return Written(codes, values, row_ptr, lambda t: f"y, token {t}"), dict(zip(names, ordered))

    def _features(self, data: Columns | Items) -> tuple[Extractor | Given, Features]:
        if isinstance(data, Items):
            given = Given(cutoff=self.cutoff, bits=self.hash_bits)
            return given, given.fit(data)
        extractor = Extractor(templates_of(self.templates, list(data.names)), cutoff=self.cutoff, bits=self.hash_bits)
        return extractor, extractor.fit(data)

    def _material(self, data, gold, source, features, sample_weight, base) -> Material:
        rows = len(features.row_ptr) - 1
        weight = None
        if sample_weight is not None:
            weight = np.asarray(sample_weight, float)
            if weight.shape != (rows,) or not np.isfinite(weight).all() or (weight < 0).any():
                raise InputError(
                    f"sample_weight needs one number of at least 0 for each of the {rows} sequences; its shape is {weight.shape}"
                )
            if not weight.any():
                raise InputError("every sample_weight is zero; at least one sequence must count")
        columns = list(data.names) if isinstance(data, Columns) else []
        facts = {"columns": columns, "objects": {name: label for name, label in self._objects.items() if name != label}}
        return Material(gold, source, features, weight, self._base(base, features, gold.labels), facts=facts)

    def _base(self, base, features: Features, labels: Sequence[str]) -> np.ndarray | None:
        if base is None:
            return None
        rows = [np.asarray(scores, float).reshape(-1, len(labels)) for scores in base]
        if [len(row) for row in rows] != np.diff(features.row_ptr).tolist():
            raise InputError(f"base needs an array [tokens, {len(labels)}] for every sequence, in the order of {', '.join(labels)}")
        return np.concatenate(rows)

    def _say(self, facts: dict) -> None:
        dev = "".join(f"  dev {name} {value:.2f}" for name, value in facts.get("dev", {}).items())
        print(f"epoch {facts['epoch']:3d}  loss {facts['loss']:.5f}{dev}  {facts['seconds']:.1f} s", flush=True)

    def _keep(self, done, data: Columns | Items) -> "SequenceTagger":
        self.tagger_, self.history_ = done.tagger, done.history
        self._adopt()
        if isinstance(data, Items) and data.names is None:
            self.n_features_in_ = data.width
        return self

    def _adopt(self) -> None:
        self.labels_ = [self._objects.get(label, label) for label in self.tagger_.labels]
        self.classes_ = np.array(sorted(self._objects.values(), key=lambda v: (str(type(v)), v)))
        self.n_iter_ = len(self.history_)

    # ---- prediction -------------------------------------------------------------------------------------------------------------

    def predict(self, X: Iterable, *, base=None) -> Any:
        """The best label sequence of every sequence; for a table X one array of labels."""
        _, features = self._known(X)
        codes = self.tagger_.decode(features, base=self._base(base, features, self.tagger_.labels), threads=self.n_jobs or 1)
        codes, values = self.tagger_.as_written(codes, features.row_ptr)
        objects = [self._objects.get(value, value) for value in values]
        if is_matrix(X):
            return np.array(objects)[codes]
        flat = [objects[code] for code in codes.tolist()]
        return [flat[low:high] for low, high in _ranges(features)]

    def predict_marginals(self, X: Iterable, *, as_dicts: bool = False, base=None) -> list:
        """P(label at token | sequence): an array [tokens, len(labels_)] per sequence, or a list of dicts. The columns are `labels_`, which
        are the model's own labels: with labels="bioes" those of that scheme."""
        _, features = self._known(X)
        found = confidence.marginals(self.tagger_, features, base=self._base(base, features, self.tagger_.labels), threads=self.n_jobs or 1)
        if not as_dicts:
            return [found[low:high] for low, high in _ranges(features)]
        return [[dict(zip(self.labels_, row)) for row in found[low:high].tolist()] for low, high in _ranges(features)]

    def predict_kbest(self, X: Iterable, k: int = 5) -> list[list[tuple[float, list]]]:
        """For every sequence its k best label sequences, best first, each with its log-probability."""
        _, features = self._known(X)
        sharpness, out = 1.0 / self.tagger_.temperature, []
        for answers, log_z in zip(self.tagger_.kbest_of(features, k), confidence.log_partition(self.tagger_, features).tolist()):
            out.append([(score * sharpness - log_z, [self._objects.get(v, v) for v in labels]) for score, labels in answers])
        return out

    def predict_log_proba(self, X: Iterable, y: Iterable | None = None) -> np.ndarray:
        """log P(y | x) of a given label sequence for every sequence; unknown labels (None, "?") are summed over."""
        _, features = self._known(X)
        if y is None:
            raise InputError("predict_log_proba needs y, the label sequences whose probability is asked for; predict_marginals is by token")
        return confidence.log_probability(self.tagger_, features, self._codes(y, features), threads=self.n_jobs or 1)

    def span_proba(self, X: Iterable, spans: Sequence[tuple[int, int, int, str]]) -> np.ndarray:
        """P(exactly this span with this type) of spans (sequence, begin, end, type), tokens counted from 0, end exclusive.

        The event: the span's tokens carry exactly the labels that the model's scheme gives it, and the next token does not continue it
        (tasks/confidence.py spells it out by scheme). Needs labels="iob2" or "bioes", or constraints by a scheme.
        """
        _, features = self._known(X)
        return confidence.span_probability(self.tagger_, features, spans, threads=self.n_jobs or 1)

    def entropy(self, X: Iterable) -> np.ndarray:
        """Entropy in nats of every sequence's distribution over label sequences: how unsure the model is."""
        return confidence.entropy(self.tagger_, self._known(X)[1], threads=self.n_jobs or 1)[0]

    def score(self, X: Iterable, y: Iterable, sample_weight=None) -> float:
        """Token accuracy, or F1 of spans (metric="f1"), between 0 and 1."""
        _, features = self._known(X)
        written = self._labels_of(y, features.row_ptr, flat=is_matrix(X))[0]
        codes = self.tagger_.decode(features, threads=self.n_jobs or 1)
        codes, values = self.tagger_.as_written(codes, features.row_ptr)
        if sample_weight is not None:
            if self.tagger_.task.spans:
                raise InputError("F1 of spans takes no sample_weight; use metric='accuracy'")
            right = np.array(list(values))[codes] == np.array(list(written.values))[written.codes]
            each = np.repeat(np.asarray(sample_weight, float), np.diff(features.row_ptr))
            return float(np.average(right, weights=each))
        return score_labels(self.tagger_.task, written, codes, values)[0][self.tagger_.task.metric] / 100.0

    def explain(self, sequence: Any) -> Explanation:
        """Why this sequence gets its labels: for every token the margin to the best sequence with another label there, split by feature."""
        data, features = self._known([sequence])
        shown = [data.cells(c) for c in range(len(data.names))] if isinstance(data, Columns) else [[""] * len(data)]
        return explain_row(self.tagger_, features, tuple(zip(*shown)))

    @property
    def weights(self) -> dict[tuple[str, Any], float]:
        """Weights that are not 0, by (feature name, label)."""
        check_is_fitted(self, "tagger_")
        node, nodes = self.tagger_.weights.node[:, : len(self.labels_)], self.tagger_.extractor.nodes
        names: dict[int, str] = {}
        out = {}
        for f, k in zip(*np.nonzero(node)):
            name = names.setdefault(int(f), nodes.name(int(f)))
            out[name, self.labels_[k]] = float(node[f, k])
        return out

    @property
    def transitions(self) -> dict[tuple[Any, Any], float]:
        """Weights of pairs of neighbouring labels."""
        check_is_fitted(self, "tagger_")
        Y, edge = len(self.labels_), self.tagger_.weights.edge
        return {(a, b): float(edge[i, j]) for i, a in enumerate(self.labels_) for j, b in enumerate(self.labels_)} if len(edge) >= Y else {}

    def _known(self, X: Iterable) -> tuple[Columns | Items, Features]:
        check_is_fitted(self, "tagger_")
        names = self.tagger_.facts["columns"] or None
        data = read_sequences(X, list(names) if names else None)
        if isinstance(data, Items) != isinstance(self.tagger_.extractor, Given):
            kind = "features" if isinstance(self.tagger_.extractor, Given) else "words or columns, for its templates"
            raise InputError(f"the model was trained on sequences of {kind}; give such sequences")
        return data, self.tagger_.features(data, threads=self.n_jobs or 1)

    def _codes(self, y: Iterable, features: Features) -> np.ndarray:
        """Numbers of the model's own labels, -1 where a label is not known."""
        if self.tagger_.scheme != self.tagger_.inside:
            raise InputError(
                "the probability of labels in another scheme than the model's own is not defined token by token; use labels='as-is'"
            )
        number = {self._objects.get(label, label): i for i, label in enumerate(self.tagger_.labels)} | {None: -1, HIDDEN: -1}
        flat = [label for row in y for label in row]
        unknown = next((label for label in flat if label not in number), None)
        if unknown is not None:
            raise InputError(f"the model does not know the label {unknown!r}; its labels are {', '.join(map(str, self.labels_))}")
        return np.array([number[label] for label in flat], np.int64)

    # ---- on disk ----------------------------------------------------------------------------------------------------------------

    def save(self, path: str) -> int:
        """Write the model to one .safetensors file, which `widemargin predict` reads too; returns its size in bytes."""
        check_is_fitted(self, "tagger_")
        return self.tagger_.save(path)

    @classmethod
    def load(cls, path: str) -> "SequenceTagger":
        """Read a model; no code is run. What fit needs (parameters of the estimator) is as at first."""
        self = cls()
        self._take(Tagger.load(path))
        return self

    def _take(self, tagger: Tagger) -> None:
        self.tagger_, self.history_ = tagger, tagger.facts["history"]
        self._objects = {label: label for label in tagger.labels} | tagger.facts.get("objects", {})
        self._adopt()

    def __getstate__(self) -> dict:
        """For pickle: plain parameters, and the model as the JSON object and the arrays of its file: data, no code."""
        state = dict(super().__getstate__())
        if "tagger_" in state:
            state["tagger_"] = self.tagger_.parts()
        return state

    def __setstate__(self, state: dict) -> None:
        state = dict(state)
        if "tagger_" in state:
            state["tagger_"] = Tagger.of_parts(*state["tagger_"])
        super().__setstate__(state)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "tagger_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.non_deterministic = False
        return tags


def _ranges(features: Features):
    return zip(features.row_ptr.tolist(), features.row_ptr[1:].tolist())
