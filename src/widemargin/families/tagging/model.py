"""A trained tagger: features, weights and labels; reads columns, answers with labels, probabilities, alternatives."""

import dataclasses
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from widemargin.contents import Contents
from widemargin.engine.gradient import score_row
from widemargin.errors import InputError
from widemargin.families.model import Model
from widemargin.families.packing import label_columns, restored, stored
from widemargin.families.tagging import schemes
from widemargin.families.tagging.constraints import PAIRS, legal_of, stored_pairs
from widemargin.families.tagging.decoding import decode_features, in_lanes, longest_of, rows_of
from widemargin.families.tagging.gold import column_key, written_in
from widemargin.families.tagging.scores import LabelScores
from widemargin.families.tagging.tasks import TASKS, Task, task_named
from widemargin.features.expansion import Expansion, plain
from widemargin.features.explicit import Given
from widemargin.features.extractor import Extractor
from widemargin.features.lexicons import Strings
from widemargin.readers.columns import Columns, from_sentences
from widemargin.readers.items import ItemFile, Items
from widemargin.scoring.kernels import Kernel
from widemargin.scoring.kernels.support_tokens import SupportTokens, without_nodes
from widemargin.scoring.score import Linear, reader_of
from widemargin.scoring.token_features import Features
from widemargin.structures import STRUCTURES, Legal

if TYPE_CHECKING:
    from widemargin.families.explanations import Explanation

SOURCES: dict[str, Any] = {"templates": Extractor, "given": Given, "expansion": Expansion}
Data = Columns | Items
TABLES = "weights.node", "weights.edge"
ITEMS = "features"  # what sequences are made of where no templates look at them
KERNELS = 2  # the first format with kernel models; all others are written as format 1, which older versions read


@dataclass
class Tagger(Model):
    """Everything that prediction needs. Weights are float32, padded to whole lanes, and may be memory-mapped."""

    kind: ClassVar[str] = "tagger"
    family: ClassVar[str] = "tagging"

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
        return ITEMS if isinstance(plain(self.extractor), Given) else "words or columns, for its templates"

    def features(self, data: Data, *, threads: int = 1) -> Features:
        """Known features of the tokens of a file, or of items where the model takes those."""
        if isinstance(data, Items) != isinstance(plain(self.extractor), Given):
            raise InputError(f"the model was trained on sequences of {self.takes}; give such sequences")
        return self.extractor.transform(data, threads=threads)

    def predict_codes(self, data: Data, *, base: np.ndarray | None = None, threads: int = 1) -> np.ndarray:
        """Best labels int32 [N], numbers of the model's own labels. base [N, Y]: scores to add to the model's."""
        return self.decode(self.features(data, threads=threads), base=base, threads=threads)

    def decode(self, features: Features, *, base: np.ndarray | None = None, threads: int = 1) -> np.ndarray:
        """Best labels int32 [N] of tokens whose features are given; see predict_codes."""
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
        rows, Y, reader = rows_of(self.structure, features, own), len(self.labels), self.reader()
        s = self.structure.workspace(longest_of(rows), per_position=False, dtype=np.float32)
        node, bounds = np.zeros((int(features.row_ptr[-1]), Y), np.float32), rows.target.token.tolist()
        for i, (low, high) in enumerate(zip(bounds, bounds[1:])):
            score_row(rows, s, i, reader)
            node[low:high] = s.node[: high - low, :Y]
        edge = self.weights.transitions[:Y, :Y] if len(self.weights.transitions) else np.zeros((Y, Y), np.float32)
        return node[:, order], np.array(edge)[np.ix_(order, order)]

    def reader(self):
        """Reads the weights."""
        return reader_of(self.weights, len(self.labels))

    def tag(self, sentence: list[tuple[str, ...]]) -> list[str]:
        """Labels of one sentence, given as a tuple per token in the order of the training columns (the label left out)."""
        codes, values = self.predict(from_sentences([sentence], names=self.input_columns()))
        return [values[code] for code in codes]

    def input_columns(self) -> list[str]:
        """The names of the training columns, the label left out; none where the data were items."""
        names = list(self.facts["columns"])
        return names[: self.label_place()] + names[self.label_place() + 1 :] if names else []

    def looks_at(self) -> set[str]:
        """Names of the columns that its templates look at; none where the data were items."""
        source = plain(self.extractor)
        return set().union(*(template.columns for template in source.templates)) if isinstance(source, Extractor) else set()

    def remembers_documents(self) -> bool:
        """Does a template of it look at the rest of the document?"""
        source = plain(self.extractor)
        return isinstance(source, Extractor) and any(template.of_documents for template in source.templates)

    def label_place(self) -> int:
        """Where the label stood among the training columns."""
        names = self.facts["columns"]
        key = column_key(self.label_column)
        return key % len(names) if isinstance(key, int) else names.index(key)

    def as_written(self, codes: np.ndarray, row_ptr: np.ndarray) -> tuple[np.ndarray, list[str]]:
        """The model's labels in the scheme of the training file."""
        if self.scheme == self.inside:
            return codes, list(self.labels)
        return schemes.convert(codes, list(self.labels), row_ptr, self.inside, self.scheme, strict=False)

    def marginals(self, data: Data, *, base: np.ndarray | None = None, threads: int = 1) -> np.ndarray:
        """P(label at token | sentence) [N, Y] over the model's own labels, at its temperature."""
        from widemargin.families.tagging.confidence import marginals

        return marginals(self, self.features(data, threads=threads), base=base, threads=threads)

    def kbest(self, data: Data, k: int, *, base: np.ndarray | None = None) -> list[list[tuple[float, list[str]]]]:
        """For each sentence its k best label sequences with their scores, best first, in the scheme of the training file."""
        return self.kbest_of(self.features(data), k, base=base)

    def kbest_of(self, features: Features, k: int, *, base: np.ndarray | None = None) -> list[list[tuple[float, list[str]]]]:
        """kbest of sentences whose features are given."""
        from widemargin.families.tagging.best_sequences import kbest

        return kbest(self, features, k, base=base)

    def explain(self, data: Columns | ItemFile, sentence: int = 0, *, base: np.ndarray | None = None) -> "Explanation":
        """Why a sentence (numbered from 0) gets its labels: for every token the margin to the best sequence with another label there."""
        from widemargin.families.tagging.explanations import explain

        return explain(self, data, sentence, base=base)

    def summary(self) -> dict:
        from widemargin.families.tagging.pruning import largest_weights

        nonzero = int(np.count_nonzero(self.weights.labels)) + int(np.count_nonzero(self.weights.transitions))
        weights = (len(self.weights.labels) + len(self.weights.transitions)) * len(self.labels)
        kernel = {}
        if self.support is not None:
            settings = " ".join(f"{k}={v}" for k, v in self.support.kernel.settings().items())
            kernel = {"kernel": settings, "support": f"{len(self.support):,} tokens"}
        return {
            "task": self.task.name,
            "structure": self.structure_name,
            "features": len(self.extractor.nodes) + len(self.extractor.edges),
            **kernel,
            "zero rows": sum(int(np.count_nonzero(largest == 0)) for largest in largest_weights(self)),  # what prune drops at no cost
            "weights": weights,
            "nonzero": nonzero,
            "zero": weights - nonzero,
            "labels": " ".join(self.labels),
        } | self.trained()

    # ---- evaluation -------------------------------------------------------------------------------------------------------------

    def evaluate(self, columns: Columns | ItemFile, *, strict: str | None = None, base: np.ndarray | None = None, threads: int = 1) -> dict:
        """Metrics, in per cent, of predictions against the label column."""
        codes, values = self.predict(columns, base=base, threads=threads)
        return LabelScores(self.task, written_in(columns, self.label_column), codes, values, strict=strict).as_dict()

    # ---- on disk ----------------------------------------------------------------------------------------------------------------

    def compact(self) -> "Tagger":
        """Features all of whose weights are 0 are left out, where they have names."""
        from widemargin.families.tagging.pruning import without_zeros

        return without_zeros(self)

    def parts(self) -> tuple[dict, dict[str, np.ndarray]]:
        header = self.header(KERNELS if self.support else 1) | {
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
        columns = label_columns(len(self.labels))[0]
        arrays = {f"features.{k}": v for k, v in self.extractor.to_arrays().items()}
        if self.constraints == PAIRS and self.legal is not None:
            arrays |= {f"legal.{name}": np.asarray(mask, np.uint8) for name, mask in self.legal._asdict().items()}
        if self.support is not None:
            header["kernel"] = dataclasses.asdict(self.support.kernel)
            arrays |= {f"support.{name}": array for name, array in self.support.to_arrays().items()}
            arrays["support.alpha"] = np.ascontiguousarray(self.support.alpha[:, :columns])
        packed, tables = stored(dict(zip(TABLES, self.weights)), dict.fromkeys(TABLES, columns))
        return header | packed, arrays | tables

    @classmethod
    def from_contents(cls, own: Contents) -> "Tagger":
        labels, structure = own.texts("labels", least=1), own.choice("structure", STRUCTURES)
        Y, (across, width), transitions = len(labels), label_columns(len(labels)), not STRUCTURES[structure].splits_rows
        extractor = SOURCES[own.part("features").header.get("kind", "templates")].from_contents(own.part("features"))
        if len(extractor.edges) and not transitions:
            raise own.refusal(f"it has features of transitions, and structure {structure} has no transitions")
        kernel = Kernel.from_contents(own.part("kernel")) if "kernel" in own.header else None
        nodes, edges = len(extractor.nodes), (1 + len(extractor.edges)) * Y if transitions else 0
        self = cls(
            task=task_named(own.choice("task", TASKS)),
            labels=labels,
            scheme=own.choice("scheme", ("", *schemes.SCHEMES)),
            inside=own.choice("inside", ("", *schemes.SCHEMES)),
            label_column=own.field("label_column", str),
            constraints=(constraints := own.choice("constraints", ("", PAIRS, *schemes.SCHEMES))),
            structure_name=structure,
            extractor=extractor,
            weights=Linear(*(restored(own, name, rows, across, width) for name, rows in zip(TABLES, (0 if kernel else nodes, edges)))),
            legal=stored_pairs(own.below("legal"), labels) if constraints == PAIRS else None,
            facts=own.field("facts", dict),
            temperature=own.positive("temperature"),
            support=SupportTokens.from_contents(kernel, own.below("support"), nodes, across, width) if kernel else None,
        )
        if self.scheme != self.inside:
            schemes.split_tags(labels, self.inside or None)
            schemes.scheme_name(self.scheme)
        classes = own.part("facts").field("classes", list, [])
        if not all(isinstance(label, str | int | float) for label in classes):
            raise own.refusal("facts.classes in its header has something other than texts and numbers")
        columns = own.part("facts").texts("columns", least=0 if self.takes == ITEMS else 2, distinct=False)
        if columns and self.label_column not in columns and not re.fullmatch("-?[0-9]{1,9}", self.label_column):
            raise own.refusal("label_column in its header is none of the columns that it was trained on")
        return self


# Numba finishes importing itself when the first kernel is called. This is a small one: done here, no first answer is late by half a second.
Strings.of_bytes([]).hashes()
