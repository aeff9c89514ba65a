"""A trained tagger: features, weights and labels; reads columns, answers with labels, probabilities, alternatives."""

import dataclasses
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from widemargin import models
from widemargin.corpus import NO_BASE, ONES
from widemargin.errors import InputError
from widemargin.features.expansion import Expansion, plain
from widemargin.features.extractor import Extractor, Features
from widemargin.features.given import Given
from widemargin.features.lexicons import Strings
from widemargin.kernels.decode import decode
from widemargin.kernels.given import Base, Values
from widemargin.kernels.lanes import WIDTH
from widemargin.kernels.score import Linear, Tokens, score_one
from widemargin.kernels.terms import UNKNOWN, augment_row
from widemargin.metrics.spans import SpanScores, span_scores
from widemargin.metrics.tokens import token_accuracy
from widemargin.parallel import together
from widemargin.readers import schemes
from widemargin.readers.columns import Columns, from_sentences
from widemargin.readers.items import ItemFile, Items
from widemargin.scorers.tokens import SupportTokens, without_nodes
from widemargin.structures import STRUCTURES, Chain, Legal

from .base import Task, task_named
from .constraints import PAIRS, legal_of
from .gold import HIDDEN, Written, known_part, written_in

SOURCES: dict[str, Any] = {"templates": Extractor, "given": Given, "expansion": Expansion}
Data = Columns | Items
KERNELS = 2  # the first format with kernel models; all others are written as format 1, which older versions read


@dataclass
class Tagger:
    """Everything that prediction needs. Weights are float32, padded to whole lanes, and may be memory-mapped."""

    task: Task
    labels: tuple[str, ...]  # the model's own labels
    scheme: str  # the tag scheme of files ("iob1", "iob2", "bioes"), or "" when labels are not spans or are kept as they are
    inside: str  # the scheme of the model's labels, "" likewise
    label_column: str
    constraints: str  # "" or a scheme whose legal sequences alone are considered
    structure_name: str
    extractor: Any  # Extractor, Given or Expansion: where features come from
    weights: Linear
    facts: dict = field(default_factory=dict)  # how it was trained, for people
    temperature: float = 1.0  # scores are divided by it where they become probabilities (confidence.py)
    legal: Legal | None = None  # masks of the legal sequences; given where constraints are no scheme (constraints.PAIRS)
    support: SupportTokens | None = None  # of a kernel model, whose weights are those of transitions alone

    def __post_init__(self):
        if self.constraints and self.constraints != PAIRS:
            self.legal = legal_of(self.constraints, self.labels)[1]
        self.structure = STRUCTURES[self.structure_name](len(self.labels), self.legal)

    # ---- prediction -------------------------------------------------------------------------------------------------------------

    @property
    def takes(self) -> str:
        """What sequences are made of, in words."""
        return "features" if isinstance(plain(self.extractor), Given) else "words or columns, for its templates"

    def features(self, data: Data, *, threads: int = 1) -> Features:
        """Known features of the tokens of a file, or of items where the model takes those."""
        if isinstance(data, Items) != isinstance(plain(self.extractor), Given):
            raise InputError(f"the model was trained on sequences of {self.takes}; give such sequences")
        return self.extractor.transform(data, threads=threads)

    def predict_codes(self, data: Data, *, base: np.ndarray | None = None, threads: int = 1) -> np.ndarray:
        """Best labels int32 [N], numbers of the model's own labels. base [N, Y]: scores to add to the model's."""
        return self.decode(self.features(data, threads=threads), base=base, threads=threads)

    def decode(self, features: Features, *, base: np.ndarray | None = None, threads: int = 1) -> np.ndarray:
        """The same from features."""
        features, base = self.scored(features, base, threads=threads)
        return decode_features(self.structure, self.weights, features, base=base, threads=threads)

    def scored(self, features: Features, base: np.ndarray | None, *, threads: int = 1) -> tuple[Features, np.ndarray | None]:
        """Features, and scores in whole lanes to be added to what the weights give them: the base's, and those of a kernel."""
        base = self.check_base(base)
        if self.support is None:
            return features, base
        own = self.support.scores(features, threads=threads)
        return without_nodes(features), np.ascontiguousarray(own if base is None else own + base, np.float32)

    def predict(self, data: Data, *, base: np.ndarray | None = None, threads: int = 1) -> tuple[np.ndarray, list[str]]:
        """Best labels as (codes, values), in the scheme of the training file."""
        return self.as_written(self.predict_codes(data, base=base, threads=threads), data.row_ptr)

    def check_base(self, base: np.ndarray | None) -> np.ndarray | None:
        """Base scores in whole lanes; a model that was trained with some cannot do without."""
        if base is None:
            if self.facts.get("base"):
                raise InputError("this model was trained on top of base scores; give those of the same base model (--base MODEL)")
            return None
        return in_lanes(base, self.structure)

    def part_scores(self, data: Data, *, labels: tuple[str, ...] | None = None, threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Scores as a base for another model with these labels: of every token [N, Y], and of pairs of neighbours [Y, Y]."""
        labels = labels or self.labels
        unknown = sorted(set(labels) - set(self.labels))
        if unknown:
            raise InputError(f"the base model does not know the label {unknown[0]}; train it on the same labels")
        if len(self.extractor.edges):
            raise InputError("a base model's transitions must not look at the input; train it without label[-1] templates")
        features, own = self.scored(self.features(data, threads=threads), None, threads=threads)
        order = [self.labels.index(label) for label in labels]
        tokens, Y = rows_of(self.structure, features, own), len(self.labels)
        longest = int(np.diff(tokens.token).max(initial=1))
        s = self.structure.workspace(longest, per_position=False, dtype=np.float32)
        node = np.zeros((int(features.row_ptr[-1]), Y), np.float32)
        for low, high in zip(tokens.token.tolist(), tokens.token[1:].tolist()):
            score_one(s, tokens, low, high - low, self.weights)
            node[low:high] = s.node[: high - low, :Y]
        edge = self.weights.edge[:Y, :Y] if len(self.weights.edge) else np.zeros((Y, Y), np.float32)
        return node[:, order], np.array(edge)[np.ix_(order, order)]

    def tag(self, sentence: list[tuple[str, ...]]) -> list[str]:
        """Labels of one sentence, given as a tuple per token in the order of the training columns (the label left out)."""
        codes, values = self.predict(from_sentences([sentence], names=self.input_columns()))
        return [values[code] for code in codes]

    def input_columns(self) -> list[str]:
        """The names of the training columns, the label left out; none where the data were items."""
        names = list(self.facts["columns"])
        return names[: self.label_place()] + names[self.label_place() + 1 :] if names else []

    def label_place(self) -> int:
        """Where the label stood among the training columns."""
        names = self.facts["columns"]
        return int(self.label_column) % len(names) if self.label_column.lstrip("-").isdigit() else names.index(self.label_column)

    def as_written(self, codes: np.ndarray, row_ptr: np.ndarray) -> tuple[np.ndarray, list[str]]:
        """The model's labels in the scheme of the training file."""
        if self.scheme == self.inside:
            return codes, list(self.labels)
        return schemes.convert(codes, list(self.labels), row_ptr, self.inside, self.scheme, strict=False)

    def marginals(self, data: Data, *, base: np.ndarray | None = None, threads: int = 1) -> np.ndarray:
        """P(label at token | sentence) [N, Y] over the model's own labels, at its temperature."""
        from .confidence import marginals

        return marginals(self, self.features(data, threads=threads), base=base, threads=threads)

    def kbest(self, data: Data, k: int, *, base: np.ndarray | None = None) -> list[list[tuple[float, list[str]]]]:
        """For each sentence its k best label sequences with their scores, best first, in the scheme of the training file."""
        return self.kbest_of(self.features(data), k, base=base)

    def kbest_of(self, features: Features, k: int, *, base: np.ndarray | None = None) -> list[list[tuple[float, list[str]]]]:
        """The same from features."""
        structure = self.structure
        if not isinstance(structure, Chain):
            raise InputError("k-best sequences need a chain; this model decides every token by itself (structure choice)")
        out = []
        tokens = rows_of(self.structure, *self.scored(features, base))
        longest = int(np.diff(tokens.token).max(initial=1))
        s = structure.workspace(longest, per_position=len(tokens.edge_ptr) > 1, dtype=np.float32)
        for low, high in zip(features.row_ptr, features.row_ptr[1:]):
            n = int(high - low)
            score_one(s, tokens, int(low), n, self.weights)
            augment_row(s, np.full(n, UNKNOWN, np.int32), s.price, n)
            paths, values = structure.kbest_paths(s, n, k)
            found = []
            for path, value in zip(paths, values):
                codes, names = self.as_written(path, np.array([0, n]))
                found.append((float(value), [names[c] for c in codes]))
            out.append(found)
        return out

    # ---- evaluation -------------------------------------------------------------------------------------------------------------

    def evaluate(self, columns: Columns | ItemFile, *, strict: str | None = None, base: np.ndarray | None = None, threads: int = 1) -> dict:
        """Metrics, in per cent, of predictions against the label column."""
        codes, values = self.predict(columns, base=base, threads=threads)
        return score_labels(self.task, written_in(columns, self.label_column), codes, values, strict=strict)[0]

    # ---- on disk ----------------------------------------------------------------------------------------------------------------

    def save(self, path: str) -> int:
        """Write the model to one file, atomically; returns its size in bytes."""
        return models.save(path, *self.parts())

    def parts(self) -> tuple[dict, dict[str, np.ndarray]]:
        """All of it as plain data: a JSON object and arrays."""
        header = {
            "format": KERNELS if self.support else 1,
            "kind": "model",
            "task": self.task.name,
            "labels": list(self.labels),
            "scheme": self.scheme,
            "inside": self.inside,
            "label_column": self.label_column,
            "constraints": self.constraints,
            "structure": self.structure_name,
            "features": self.extractor.header(),
            "facts": self.facts,
            "temperature": self.temperature,
        }
        arrays = {f"features.{k}": v for k, v in self.extractor.to_arrays().items()}
        if self.constraints == PAIRS and self.legal is not None:
            arrays |= {f"legal.{name}": np.asarray(mask, np.uint8) for name, mask in self.legal._asdict().items()}
        if self.support is not None:
            header["kernel"] = dataclasses.asdict(self.support.kernel)
            arrays |= {f"support.{name}": array for name, array in self.support.to_arrays().items()}
        return header, arrays | {"weights.node": self.weights.node, "weights.edge": self.weights.edge}

    @classmethod
    def load(cls, path: str) -> "Tagger":
        """Read a model; arrays stay on disk until they are touched, and no code is run."""
        return cls.of_parts(*models.load(path), path)

    @classmethod
    def of_parts(cls, header: dict, arrays: dict[str, np.ndarray], path: str = "<model>") -> "Tagger":
        """The model that these plain data describe."""
        if header.get("task") == "depparse":
            raise InputError("this model is a dependency parser, and labels of tokens are wanted here; give a tagger", path)
        if header.get("kind") != "model":
            raise InputError("this is a checkpoint, not a model; finish its training with `widemargin train ... --resume`", path)
        try:
            features = {k.removeprefix("features."): v for k, v in arrays.items() if k.startswith("features.")}
            support = {k.removeprefix("support."): v for k, v in arrays.items() if k.startswith("support.")}
            return cls(
                task=task_named(header["task"]),
                labels=tuple(header["labels"]),
                scheme=header["scheme"],
                inside=header["inside"],
                label_column=header["label_column"],
                constraints=header["constraints"],
                structure_name=header["structure"],
                extractor=SOURCES[header["features"].get("kind", "templates")].from_arrays(header["features"], features),
                weights=Linear(arrays["weights.node"], arrays["weights.edge"]),
                legal=Legal(*(arrays[f"legal.{n}"].astype(bool) for n in Legal._fields)) if header["constraints"] == PAIRS else None,
                facts=header["facts"],
                temperature=float(header.get("temperature", 1.0)),
                support=SupportTokens.from_arrays(header["kernel"], support) if "kernel" in header else None,
            )
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise InputError(f"the model file lacks or garbles {error}; train it again", path) from error


def in_lanes(scores: np.ndarray, structure) -> np.ndarray:
    """Scores [N, Y] in whole lanes float32 [N, L]."""
    out = np.zeros((len(scores), WIDTH * len(structure.lanes)), np.float32)
    out[:, : structure.labels] = scores
    return out


def rows_of(structure, features: Features, base: np.ndarray | None = None) -> Tokens:
    """Rows of a structure: sentences of a chain, single tokens of a choice."""
    token = np.arange(features.row_ptr[-1] + 1) if structure.name == "choice" else features.row_ptr
    edge_ptr = features.edge_ptr if len(features.edge_ptr) else np.zeros(1, np.int64)
    value = Values(features.node_val) if len(features.node_val) else ONES
    token = np.ascontiguousarray(token, np.int64)
    return Tokens(token, features.node_ptr, features.node_ind, edge_ptr, features.edge_ind, value, NO_BASE if base is None else Base(base))


def decode_features(structure, weights: Linear, features: Features, *, base: np.ndarray | None = None, threads: int = 1) -> np.ndarray:
    """Best labels int32 [N] under the weights, and base scores in whole lanes [N, L]."""
    tokens = rows_of(structure, features, base)
    out = np.zeros(int(features.row_ptr[-1]), np.int32)
    longest = int(np.diff(tokens.token).max(initial=1))
    unknown, price = np.full(longest, UNKNOWN, np.int32), np.zeros((1, weights.node.shape[1]), np.float32)

    def job(low, high):
        s = structure.workspace(longest, per_position=len(tokens.edge_ptr) > 1, dtype=np.float32)
        return lambda: decode(low, high, tokens, s, weights, unknown, price, out)

    together(pieces(job, len(tokens.token) - 1, threads), threads=threads)
    return out


def pieces(job, rows: int, threads: int):
    """Jobs over row ranges; one range per thread, because rows do not touch each other's results."""
    cuts = np.linspace(0, rows, max(threads, 1) + 1).astype(int)
    return [job(int(a), int(b)) for a, b in zip(cuts, cuts[1:])]


def score_labels(task: Task, gold: Written, codes, values, *, strict=None) -> tuple[dict, SpanScores | None]:
    """Metrics of labels (codes, values) against gold labels; span scores too where the task has spans.

    Where gold labels are hidden, accuracy leaves out those tokens, and spans are counted in the other sentences.
    """
    if HIDDEN in gold.values:
        gold, codes = known_part(gold, codes, sentences=task.spans)
    if task.spans:
        spans = span_scores(gold.codes, codes, gold.values, values, gold.row_ptr, strict=strict)
        return spans.as_dict(), spans
    return {"accuracy": token_accuracy(gold.codes, codes, gold_values=gold.values, guess_values=values)}, None


# Numba finishes importing itself when the first kernel is called. This is a small one: done here, no first answer is late by half a second.
Strings.of_bytes([]).hashes()
