"""The polynomial kernel written out: a token's binary features to weighted conjunctions, exactly.

For binary a, b the product <a, b> = s counts common features, and C(s, k) counts common conjunctions of k of them. Newton's forward
differences of K(s) = (gamma s + coef)^degree at 0 give

    K(s) = sum_{k <= degree} A_k C(s, k),    A_k = sum_{j <= k} (-1)^(k-j) C(k, j) K(j)

so a conjunction of k features with the value sqrt(A_k) makes <phi(a), phi(b)> = K; with degree 2 and gamma = coef = 1: 1, sqrt 3, sqrt 2.

Values never meet the kernels: a feature of value v and weight u adds v u to a score, and steps, penalties and lengths of v u are those of a
row that stands for v^2 = A_k equal features (corpus.py). A model keeps v u, and its features just fire.
"""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from widemargin.contents import Contents
from widemargin.engine.hash import U32
from widemargin.errors import InputError
from widemargin.features import monomials as kernels
from widemargin.features.explicit import ColumnIndex, Given, NameIndex
from widemargin.features.extract import keep_frequent
from widemargin.features.extractor import Extractor
from widemargin.features.index import AND, FeatureIndex, HashedIndex
from widemargin.parallel import joined_rows
from widemargin.readers.columns import Columns
from widemargin.readers.items import Items
from widemargin.scoring.kernels import Kernel
from widemargin.scoring.token_features import Features

CONSTANT = "constant"
MOST_ENTRIES = (1 << 31) - 1  # 8 GB of them
FIRST_NODES = 1 << 16  # nodes that there is room for at first
PlainIndex = FeatureIndex | HashedIndex | NameIndex | ColumnIndex


def squared_values(kernel: Kernel) -> np.ndarray:
    """float64 [degree + 1]: A_k, the squared value of a conjunction of k features."""
    gamma, coef, degree = Fraction(kernel.gamma), Fraction(kernel.coef), kernel.degree
    at = [(gamma * s + coef) ** degree for s in range(degree + 1)]
    return np.array([float(sum((-1) ** (k - j) * math.comb(k, j) * at[j] for j in range(k + 1))) for k in range(degree + 1)])


@dataclass(frozen=True, eq=False)
class ConjunctionIndex:
    """K conjunctions of features of another index: "word[0]=the & pos[1]=NN". Number 0 is the constant, which has none of them.

    A feature that is a conjunction of atoms itself stands in brackets: "(pos[0]=DT & pos[1]=NN) & word[0]=the".
    """

    base: PlainIndex
    link: np.ndarray  # uint64 [K], see features/monomials.py
    slots: np.ndarray  # uint32 [2^b]

    @classmethod
    def of(cls, base: PlainIndex, link: np.ndarray) -> "ConjunctionIndex":
        """The index of these links."""
        return cls(base, link, _filled(link, len(link)))

    @property
    def bits(self) -> int:
        return self.base.bits

    def __len__(self) -> int:
        return len(self.link)

    @property
    def sizes(self) -> np.ndarray:
        """uint8 [K]: how many features each conjunction has."""
        out = np.zeros(len(self), np.uint8)
        kernels.count_features(self.link, out)
        return out

    def members(self, feature: int) -> list[int]:
        """The features of a conjunction, in increasing order."""
        found = []
        while feature:
            feature, last = divmod(int(self.link[feature]), 1 << 32)
            found.append(last)
        return found[::-1]

    def name(self, feature: int) -> str:
        """The name of a conjunction."""
        if not 0 <= feature < len(self):
            raise IndexError(f"there is no feature {feature}; there are {len(self)}")
        return AND.join(bracketed(self.base.name(f)) for f in self.members(feature)) or CONSTANT

    def each_name(self) -> Iterator[str]:
        """All names, in order, one at a time; names of features are made once."""
        names = [bracketed(name) for name in self.base.names()]
        return (AND.join(names[f] for f in self.members(n)) or CONSTANT for n in range(len(self)))

    def names(self) -> list[str]:
        """All names, in order."""
        return list(self.each_name())

    def find(self, name: str) -> int:
        """The conjunction of that name, or -1."""
        if name == CONSTANT:
            return 0
        for features in self._readings(name.split(AND)):
            with np.errstate(over="ignore"):
                found = int(kernels.find_node(self.slots, self.link, np.array(sorted(set(features)), np.uint64)))
            if found >= 0 and self.name(found) == name:
                return found
        return -1

    def _readings(self, parts: list[str]) -> Iterator[list[int]]:
        """The ways to read a split name as features."""
        if not parts:
            yield []
        for stop in range(1, len(parts) + 1):
            text = AND.join(parts[:stop])
            if stop > 1 and not (text.startswith("(") and text.endswith(")")):
                continue
            feature = self.base.find(text[1:-1] if stop > 1 else text)
            if feature >= 0:
                yield from ([feature, *rest] for rest in self._readings(parts[stop:]))


class Expansion:
    """A source of features whose nodes are the conjunctions of another's, for kernel=poly. Edge features stay as they are.

    A feature that fires twice at a token is there once: features are binary.
    cutoff: conjunctions of two features and more that fire less often in training are left out, and the kernel is no longer exact.
    """

    nodes: ConjunctionIndex

    def __init__(self, base: Extractor | Given, kernel: Kernel, *, cutoff: int = 1):
        self.base, self.kernel, self.conjunction_cutoff = base, kernel, cutoff
        self.nodes = ConjunctionIndex.of(base.nodes, np.zeros(1, np.uint64))

    @property
    def edges(self) -> FeatureIndex:
        return self.base.edges

    @property
    def cutoff(self) -> int:
        return self.base.cutoff

    @property
    def copies(self) -> np.ndarray:
        """float64 [K]: how many equal features of value 1 each conjunction stands for: its squared value. A constant of 0 never fires."""
        values = squared_values(self.kernel)
        return np.where(values > 0.0, values, 1.0)[self.nodes.sizes]

    def fit(self, data: Columns | Items) -> Features:
        """Learn the features and the conjunctions of these data, numbered in order of first firing."""
        found = self.base.fit(data)  # type: ignore[arg-type]
        out = self.grow(found)
        if self.conjunction_cutoff > 1:
            kept = (np.bincount(out.node_ind, minlength=len(self.nodes)) >= self.conjunction_cutoff) | (self.nodes.sizes < 2)
            new = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
            out.node_ind.resize(int(keep_frequent(out.node_ptr, out.node_ind, new)), refcheck=False)
            self.nodes = ConjunctionIndex.of(self.base.nodes, relinked(self.nodes.link, kept, np.arange(len(self.base.nodes))))
        return out

    def transform(self, data: Columns | Items, *, threads: int = 1) -> Features:
        """The known conjunctions of the known features of these data."""
        found = self.base.transform(data, threads=threads)  # type: ignore[arg-type]
        cuts = np.linspace(0, len(found), max(1, threads) + 1).astype(int).tolist()

        def part(start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
            work = _Work(found, self.kernel, start, stop)
            work.expand(self.nodes.link, self.nodes.slots, grow=False)
            return work.done()

        return _with_nodes(found, *joined_rows(part, cuts))

    def grow(self, found: Features) -> Features:
        """The conjunctions of these features of the base, all of them; those that are new are numbered behind the others."""
        work, link = _Work(found, self.kernel, 0, len(found)), self.nodes.link
        work.state[kernels.COUNT] = count = len(link)
        wanted = max(FIRST_NODES, 2 * count)
        while True:
            wanted = max(wanted, count + work.most)
            larger = np.zeros(wanted, np.uint64)
            larger[:count], link = link[:count], larger
            slots = _filled(link[:count], wanted)
            if work.expand(link, slots, grow=True):
                break
            count, wanted = int(work.state[kernels.COUNT]), 2 * wanted
        self.nodes = ConjunctionIndex(self.base.nodes, link[: int(work.state[kernels.COUNT])].copy(), slots)
        return _with_nodes(found, *work.done())

    def header(self) -> dict[str, Any]:
        """What is not an array, for a model's JSON header."""
        own = {"kernel": asdict(self.kernel), "conjunction_cutoff": self.conjunction_cutoff}
        return {"kind": "expansion", **own, "base": self.base.header()}

    def to_arrays(self) -> dict[str, np.ndarray]:
        """The arrays of a model."""
        own = {"link": self.nodes.link, "slots": self.nodes.slots}
        return own | {f"base.{name}": array for name, array in self.base.to_arrays().items()}

    @classmethod
    def from_contents(cls, own: Contents) -> "Expansion":
        """The source as it was; arrays mapped from a file are used where they lie."""
        base, kernel = own.part("base"), Kernel.from_contents(own.part("kernel"))
        if kernel.kind != "poly":
            raise own.refusal(f"its kernel is {kernel.kind}, and only poly can be written out")
        source = (Given if base.header.get("kind") == "given" else Extractor).from_contents(base)
        self = cls(source, kernel, cutoff=own.whole("conjunction_cutoff", 0))
        link = kernels.stored_links(own, len(source.nodes), kernel.degree)
        self.nodes = ConjunctionIndex(source.nodes, link, own.table("slots", "u4", 0xFFFFFFFF, len(link) - 1))
        return self


class _Work:
    """The tokens start to stop on their way to conjunctions; pages of `out` that are never written cost nothing."""

    def __init__(self, found: Features, kernel: Kernel, start: int, stop: int):
        if len(found.node_val):
            value = found.node_val[np.argmax(found.node_val != 1.0)]
            raise InputError(
                f"expand needs features that fire or do not, and one has the value {value:g}; give each the value 1 or leave it out"
            )
        active = np.bincount(np.diff(found.node_ptr[start : stop + 1]), minlength=1).tolist()
        nodes = [sum(math.comb(m, k) for k in range(kernel.degree + 1)) for m in range(len(active))]
        total = sum(map(int.__mul__, nodes, active))
        if total > MOST_ENTRIES:
            raise InputError(
                f"degree {kernel.degree} makes up to {nodes[-1]:,} conjunctions of a token's {len(active) - 1} features, {total:,} in all; "
                "use fewer templates, less data or a lower degree"
            )
        self.tokens = kernels.TokenConjunctions(
            ptr=found.node_ptr,
            ind=found.node_ind,
            degree=np.int64(kernel.degree),
            first=np.int64(kernel.coef == 0.0),  # without a constant, number 0 does not fire
            stop=np.int64(stop),
            active=np.zeros(len(active), np.uint64),
            node=np.zeros(nodes[-1], np.uint32),
            after=np.zeros(nodes[-1], np.int64),
            state=np.array([start, 0, 0], np.int64),
            out_ptr=np.zeros(stop - start + 1, np.int64),
            out=np.empty(total, np.int32),
        )
        self.state, self.most = self.tokens.state, nodes[-1]

    def expand(self, link: np.ndarray, slots: np.ndarray, *, grow: bool) -> bool:
        """Go on; False when links and slots must be larger first."""
        with np.errstate(over="ignore"):
            return kernels.expand(self.tokens, kernels.Trie(slots, link), grow)

    def done(self) -> tuple[np.ndarray, np.ndarray]:
        """Bounds int64 [tokens + 1] and conjunctions int32."""
        self.tokens.out.resize(int(self.state[kernels.ENTRIES]), refcheck=False)
        return self.tokens.out_ptr, self.tokens.out


def expanded(source: Extractor | Given, kernel: Kernel, expand: bool, cutoff: int) -> "Extractor | Given | Expansion":
    """The source that a recipe asks for."""
    return Expansion(source, kernel, cutoff=cutoff) if expand else source


def plain(source: "Extractor | Given | Expansion") -> Extractor | Given:
    """Where the features come from before they are expanded."""
    return source.base if isinstance(source, Expansion) else source


def relinked(link: np.ndarray, kept: np.ndarray, feature: np.ndarray) -> np.ndarray:
    """The links of the kept nodes bool [K], whose parents are kept, in the new numbers of nodes and of features int64 [F]."""
    new, old = np.cumsum(kept) - 1, link[kept]
    out = (new[old >> U32].astype(np.uint64) << U32) | feature[old & kernels.FEATURE].astype(np.uint64)
    out[0] = 0
    return out


def bracketed(name: str) -> str:
    """A feature's name as part of a conjunction's."""
    return f"({name})" if AND in name else name


def _with_nodes(found: Features, ptr: np.ndarray, ind: np.ndarray) -> Features:
    return Features(found.row_ptr, ptr, ind, found.edge_ptr, found.edge_ind)


def _filled(link: np.ndarray, wanted: int) -> np.ndarray:
    """Slots with these links, and with room for `wanted` of them."""
    slots = np.zeros(1 << max(2, (2 * wanted - 1).bit_length()), np.uint32)
    with np.errstate(over="ignore"):
        kernels.fill_slots(link, slots)
    return slots
