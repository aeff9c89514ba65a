"""Why a tagger chose these labels: the difference to the next best sequence, split by feature.

A sequence's score is a sum of weights, so the difference of two scores is a sum too, over the places where the sequences differ:

    s(y) - s(z) = sum_t sum_{f at t} w[f, y_t] - w[f, z_t]  +  sum_t sum_{e at t} w[e, y_{t-1}, y_t] - w[e, z_{t-1}, z_t]

A kernel's score is a sum over support tokens u of training, which then stand in the place of features, each with alpha[u, y] K(x_u, x_t).
Here e runs over the shared transitions and the edge features of token t. Nothing is estimated or left out. A token's margin is the
difference to the best legal sequence that has another label there.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from widemargin.errors import InputError
from widemargin.families.explanations import Comparison, Contribution, Decision, Explanation
from widemargin.families.tagging.model import Tagger
from widemargin.readers.columns import Columns
from widemargin.readers.items import ItemFile
from widemargin.scoring.kernels.support_tokens import SupportTokens, without_nodes
from widemargin.scoring.score import Linear
from widemargin.scoring.token_features import Features
from widemargin.structures import Parts

SHARED = "label[-1]"  # the name of the shared transitions, as in templates
SHOWN = 3  # features that a support token is said to share
Name = Callable[[int, bool], str]  # of a node feature (False) or an edge feature (True)


def explain(tagger: Tagger, columns: Columns | ItemFile, sentence: int = 0, *, base: np.ndarray | None = None) -> Explanation:
    """Why the tagger labels a sentence (numbered from 0) as it does; base [N, Y]: see Tagger.predict_codes."""
    sentences = len(columns.row_ptr) - 1
    if not 0 <= sentence < sentences:
        raise InputError(f"there is no sentence {sentence + 1}; there are {sentences:,}.", columns.source)
    low, high = int(columns.row_ptr[sentence]), int(columns.row_ptr[sentence + 1])
    if isinstance(columns, ItemFile):
        cells = [["item"] * (high - low)]  # items have no text of their own
    else:
        cells = [columns.cells(c)[low:high] for c in range(len(columns.names))]
    own = None if base is None else base[low:high]
    return explain_row(tagger, one_row(tagger.features(columns), sentence), tuple(zip(*cells)), base=own)


def explain_row(tagger: Tagger, row: Features, tokens: tuple[tuple[str, ...], ...], *, base: np.ndarray | None = None) -> Explanation:
    """Why the tagger labels one sentence, given by its features, as it does; tokens: what to show of each."""
    if tagger.facts.get("base"):
        raise InputError("this model was trained on top of base scores, which its features do not explain; explain a model without a base")
    weights, structure, labels = tagger.weights, tagger.structure, tagger.labels
    ours, own = tagger.decode(row, base=base), None
    split = Split(weights, row, labels, base, cache(lambda f, edge: feature_name(tagger, f, edge)))
    if tagger.support is not None:
        own = tagger.support.scores(row)[:, : len(labels)]
        split = SupportSplit(tagger.support, split)
        row = without_nodes(row)
    parts = part_scores(weights, row, len(labels))
    for more in (base, own):
        parts = parts if more is None else parts._replace(node=parts.node + more)
    score = path_score(parts, ours)
    decisions = []
    for t, label in enumerate(ours):
        theirs = best_other(structure, parts, ours, t)
        if theirs is None:
            decisions.append(Decision(t, labels[label], None, None, None))
            continue
        difference = score - path_score(parts, theirs)
        comparison = Comparison(_named(labels, ours), _named(labels, theirs), difference, split(ours, theirs))
        decisions.append(Decision(t, labels[label], labels[theirs[t]], difference, comparison))
    codes, values = tagger.as_written(ours, np.array([0, len(ours)]))
    return Explanation(tokens, _named(labels, ours), _named(values, codes), score, tuple(decisions))


def feature_name(tagger: Tagger, f: int, edge: bool) -> str:
    """The name of a node or edge feature of a tagger."""
    return (tagger.extractor.edges if edge else tagger.extractor.nodes).name(f)


def one_row(features: Features, sentence: int) -> Features:
    """The features of one sentence."""
    low, high = (int(bound) for bound in features.row_ptr[sentence : sentence + 2])
    node_ptr, node_ind = _slice(features.node_ptr, features.node_ind, low, high)
    edge = (features.edge_ptr, features.edge_ind)
    edge_ptr, edge_ind = _slice(*edge, low, high) if len(features.edge_ptr) > 1 else edge
    value = features.node_val[features.node_ptr[low] : features.node_ptr[high]] if len(features.node_val) else features.node_val
    return Features(np.array([0, high - low]), node_ptr, node_ind, edge_ptr, edge_ind, value)


def part_scores(weights: Linear, row: Features, labels: int) -> Parts:
    """The scores of a sentence's parts in float64: node [T, Y]; edge [Y, Y], [T, Y, Y] with edge features, None without edges."""
    values = row.node_val if len(row.node_val) else np.ones(len(row.node_ind), np.float32)
    active = [slice(row.node_ptr[t], row.node_ptr[t + 1]) for t in range(len(row))]
    node = np.array([values[at].astype(np.float64) @ weights.labels[row.node_ind[at], :labels] for at in active])
    if not len(weights.transitions):
        return Parts(node)
    shared = weights.transitions[:labels, :labels].astype(np.float64)
    if len(row.edge_ptr) <= 1:
        return Parts(node, shared)
    edge = np.repeat(shared[None], len(row), axis=0)
    for t in range(1, len(row)):
        for f in _at(row.edge_ptr, row.edge_ind, t):
            edge[t] += weights.transitions[(1 + f) * labels : (2 + f) * labels, :labels]
    return Parts(node, edge)


def path_score(parts: Parts, path: np.ndarray) -> float:
    """The score of a label sequence."""
    t = np.arange(len(path))
    score = parts.node[t, path].sum()
    if parts.edge is not None:
        edge = np.broadcast_to(parts.edge, (len(path), *parts.edge.shape[-2:]))
        score += edge[t[1:], path[:-1], path[1:]].sum()
    return float(score)


def best_other(structure, parts: Parts, ours: np.ndarray, t: int) -> np.ndarray | None:
    """The best legal sequence with another label at token t, or None when there is none. Rows of a choice are single tokens."""
    row = slice(t, t + 1) if parts.edge is None else slice(None)
    scores = parts._replace(node=parts.node[row])
    allowed = np.ones(parts.node.shape, bool)
    allowed[t, ours[t]] = False
    try:
        _, found = structure.argmax(scores, allowed[row])
    except InputError:  # nothing is left to choose from
        return None
    theirs = ours.copy()
    theirs[row] = found.node.argmax(axis=1)
    return theirs


class Split:
    """Differences of scores of one sentence, split by feature."""

    def __init__(self, weights: Linear, row: Features, labels: tuple[str, ...], base: np.ndarray | None, name: Name):
        self.weights, self.row, self.labels, self.base, self.name = weights, row, labels, base, name

    def __call__(self, ours: np.ndarray, theirs: np.ndarray) -> tuple[Contribution, ...]:
        """Contributions to score(ours) - score(theirs), the strongest first."""
        found = []
        for t in range(len(ours)):
            if ours[t] != theirs[t]:
                found += self._nodes(t, ours, theirs)
                if self.base is not None:
                    pair = _named(self.labels, ours[t : t + 1]), _named(self.labels, theirs[t : t + 1])
                    found.append(Contribution("base", t, *pair, float(self.base[t, ours[t]]) - float(self.base[t, theirs[t]])))
            if t and len(self.weights.transitions) and (ours[t - 1 : t + 1] != theirs[t - 1 : t + 1]).any():
                edges = _at(self.row.edge_ptr, self.row.edge_ind, t).tolist() if len(self.row.edge_ptr) > 1 else []
                found += [self._edge(t, f, ours, theirs) for f in [-1, *edges]]
        return tuple(sorted(found, key=lambda contribution: -abs(contribution.value)))

    def _nodes(self, t: int, ours: np.ndarray, theirs: np.ndarray) -> list[Contribution]:
        """What the features of token t add."""
        return [self._node(t, p, ours, theirs) for p in range(self.row.node_ptr[t], self.row.node_ptr[t + 1])]

    def _node(self, t: int, p: int, ours: np.ndarray, theirs: np.ndarray) -> Contribution:
        """The feature of occurrence p, times its value."""
        f = int(self.row.node_ind[p])
        w = self.weights.labels[f] * (self.row.node_val[p] if len(self.row.node_val) else 1.0)
        pair = _named(self.labels, ours[t : t + 1]), _named(self.labels, theirs[t : t + 1])
        return Contribution(self.name(f, False), t, *pair, float(w[ours[t]]) - float(w[theirs[t]]))

    def _edge(self, t: int, f: int, ours: np.ndarray, theirs: np.ndarray) -> Contribution:
        """Edge feature f, or the shared transitions, whose rows stand where a feature -1 would have its own."""
        Y = len(self.labels)
        w = self.weights.transitions[(1 + f) * Y : (2 + f) * Y]
        pair = _named(self.labels, ours[t - 1 : t + 1]), _named(self.labels, theirs[t - 1 : t + 1])
        value = float(w[ours[t - 1], ours[t]]) - float(w[theirs[t - 1], theirs[t]])
        return Contribution(SHARED if f < 0 else self.name(f, True), t, *pair, value)


class SupportSplit(Split):
    """Differences of scores under a kernel, split by support tokens.

    One is named by its place in the training data and what it shares with the token."""

    def __init__(self, support: SupportTokens, split: Split):
        super().__init__(split.weights, split.row, split.labels, split.base, split.name)
        self.support, self.gram = support, support.rows(split.row)  # [T, S]

    def _nodes(self, t: int, ours: np.ndarray, theirs: np.ndarray) -> list[Contribution]:
        support, alpha = self.support, self.support.alpha.astype(np.float64)
        pair = _named(self.labels, ours[t : t + 1]), _named(self.labels, theirs[t : t + 1])
        values = self.gram[t] * (alpha[:, ours[t]] - alpha[:, theirs[t]])
        return [Contribution(self._token(int(u), t), t, *pair, float(values[u])) for u in np.flatnonzero(values)] if len(support) else []

    def _token(self, u: int, t: int) -> str:
        support, here = self.support, set(_at(self.row.node_ptr, self.row.node_ind, t).tolist())
        shared = [f for f in _at(support.ptr, support.ind, u).tolist() if f in here]
        sentence, token = (int(number) + 1 for number in support.place[u])
        more = f" and {len(shared) - SHOWN} more" if len(shared) > SHOWN else ""
        names = ", ".join(self.name(f, False) for f in shared[:SHOWN]) or "nothing"
        return f"training sentence {sentence}, token {token} (shares {names}{more})"


def _named(labels, codes: np.ndarray) -> tuple[str, ...]:
    return tuple(labels[code] for code in codes)


def _at(ptr: np.ndarray, ind: np.ndarray, t: int) -> np.ndarray:
    return ind[ptr[t] : ptr[t + 1]]


def _slice(ptr: np.ndarray, ind: np.ndarray, low: int, high: int) -> tuple[np.ndarray, np.ndarray]:
    return ptr[low : high + 1] - ptr[low], ind[ptr[low] : ptr[high]]
