"""Probabilities of labels as predictions write them, where the model's own labels are of another scheme.

A written label at token t says: which type, does a span open here, does it close here. Both depend on pairs of neighbours alone
(schemes.convert), and given the label k at t what is before and what is behind are independent in a chain, so that all is exact:

    P(k at t, a span opens, it closes) = P(k) P(opens | k) P(closes | k)
    P(k at t, a span opens) = sum over j of P(j at t-1, k at t) where (j, k) opens
"""

import dataclasses

import numpy as np

from widemargin.families.tagging import confidence, schemes
from widemargin.families.tagging.decoding import rows_of
from widemargin.families.tagging.model import Tagger
from widemargin.families.tagging.schemes import BEGIN, END, INSIDE, OUTSIDE, SINGLE
from widemargin.scoring.token_features import Features
from widemargin.structures.chain import confidence as kernels


def written_labels(tagger: Tagger) -> list[str]:
    """The labels that predictions may have."""
    if tagger.scheme == tagger.inside:
        return list(tagger.labels)
    types = _types(tagger)[0]
    return ["O", *(tag for name in types for tag in schemes.tags_of(name, tagger.scheme))]


def written_marginals(tagger: Tagger, features: Features, *, base: np.ndarray | None = None, threads: int = 1) -> np.ndarray:
    """P(written label at token | sentence), float32 [N, len(written_labels)]."""
    if tagger.scheme == tagger.inside:
        return confidence.marginals(tagger, features, base=base, threads=threads)
    names, kind, prefix = _types(tagger)
    within = prefix != OUTSIDE
    opening, touching = _pairs(prefix, kind)
    begins = opening & touching if tagger.scheme == "iob1" else opening
    closing = opening | ~within[None, :]
    own, begun, closed = _sums(tagger, features, (begins, closing), base, threads)
    first, last = features.row_ptr[:-1], features.row_ptr[1:] - 1
    begun[first] = 0.0 if tagger.scheme == "iob1" else own[first]
    closed[last] = own[last]
    begun, closed = np.clip(begun, 0.0, own), np.clip(closed, 0.0, own)
    if tagger.scheme in schemes.WHOLE:
        ends = np.divide(closed, own, out=np.zeros_like(own), where=own > 0)
        inside = own - begun
        parts = {SINGLE: begun * ends, BEGIN: begun * (1 - ends), END: inside * ends, INSIDE: inside * (1 - ends)}
    else:
        parts = {INSIDE: own} if tagger.scheme == "io" else {BEGIN: begun, INSIDE: own - begun}
    labels = written_labels(tagger)
    out = np.zeros((len(own), len(labels)), np.float32)
    out[:, 0] = own[:, ~within].sum(axis=1)
    for code, mass in parts.items():
        for k in np.flatnonzero(within):
            out[:, labels.index(schemes.spell(code, names[kind[k]], tagger.scheme))] += mass[:, k]
    return out


def _types(tagger: Tagger) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The types of spans, and the type's number and the prefix of each of the model's labels."""
    prefix, types = schemes.split_tags(tagger.labels, tagger.inside)
    names = list(dict.fromkeys(name for code, name in zip(prefix, types) if code != OUTSIDE))
    return names, np.array([names.index(name) if code != OUTSIDE else -1 for code, name in zip(prefix, types)]), prefix


def _pairs(prefix: np.ndarray, kind: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of pairs of neighbours, bool [Y, Y]: does a span open at the second; are both of the same type?"""
    within = prefix != OUTSIDE
    touching = within[:, None] & within[None, :] & (kind[:, None] == kind[None, :])
    opens = (prefix == BEGIN) | (prefix == SINGLE)
    return within[None, :] & (opens[None, :] | ~touching | (prefix[:, None] >= END)), touching


def _sums(
    tagger: Tagger, features: Features, pairs: tuple[np.ndarray, np.ndarray], base: np.ndarray | None, threads: int
) -> tuple[np.ndarray, ...]:
    """P(label) [N, Y]; P(label, and the pair with the one before is of the first kind); the same with the one behind and the second."""
    size, (ahead, behind) = (int(features.row_ptr[-1]), len(tagger.labels)), pairs
    if tagger.structure.splits_rows:
        own = confidence.marginals(tagger, features, base=base, threads=threads).astype(np.float64)
        before = np.concatenate([np.zeros((1, size[1])), own[:-1]])
        after = np.concatenate([own[1:], np.zeros((1, size[1]))])
        return own, own * (before @ ahead), own * (after @ behind.T)
    if len(features.edge_ptr) <= 1:  # pairs are then known by position
        features = dataclasses.replace(features, edge_ptr=np.zeros(size[0] + 1, np.int64))
    rows = rows_of(tagger.structure, *tagger.scored(features, base, threads=threads))
    own, begun, closed = np.zeros(size), np.zeros(size), np.zeros(size)
    confidence.run(tagger, rows, None, len(rows.weight), threads, lambda *call: kernels.pairs(*call, (ahead, behind), (own, begun, closed)))
    return own, begun, closed
