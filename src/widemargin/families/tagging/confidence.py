"""How sure a tagger is: probabilities of labels, of whole sequences and of spans, and entropies.

A tagger gives a sentence's label sequence y the probability p(y) = exp(score(y) / T) / Z, the sum Z over the sequences that its constraints
let through; with structure choice every token is decided by itself and p(y) is a product over tokens. T is the temperature: above 1 it
flattens p, below 1 it sharpens it. Unless given, it is the tagger's own: 1, or what `widemargin calibrate` has found. All is exact.
"""

from collections.abc import Callable, Sequence

import numpy as np

from widemargin.engine.terms import UNKNOWN
from widemargin.errors import InputError
from widemargin.families.tagging.decoding import longest_of, looks_at_input, pieces, rows_of
from widemargin.families.tagging.model import Tagger
from widemargin.families.tagging.schemes import BEGIN, END, INSIDE, SINGLE, WHOLE, split_tags
from widemargin.parallel import together
from widemargin.scoring.token_features import Features
from widemargin.structures.chain import confidence as kernels

Span = tuple[int, int, int, str]  # sentence, begin, end (exclusive; tokens of the sentence, from 0), type


def marginals(tagger: Tagger, features: Features, temperature: float | None = None, *, base=None, threads: int = 1) -> np.ndarray:
    """P(label at token | sentence), float32 [N, Y], over the model's own labels. base: see Tagger.predict_codes."""
    return _marginals(tagger, features, temperature, base, threads)[0]


def log_partition(tagger: Tagger, features: Features, temperature: float | None = None, *, base=None, threads: int = 1) -> np.ndarray:
    """log Z of each sentence [S]."""
    value = _marginals(tagger, features, temperature, base, threads)[1]
    return np.add.reduceat(value, features.row_ptr[:-1]) if tagger.structure.splits_rows else value


def _marginals(tagger, features, temperature, base, threads) -> tuple[np.ndarray, np.ndarray]:
    rows = rows_of(tagger.structure, *tagger.scored(features, base, threads=threads))
    count = len(rows.weight)
    out, value = np.zeros((int(features.row_ptr[-1]), len(tagger.labels)), np.float32), np.zeros(count)
    run(tagger, rows, temperature, count, threads, lambda *call: kernels.marginals(*call, out, value))
    return out, value


def entropy(
    tagger: Tagger, features: Features, temperature: float | None = None, *, base=None, threads: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Entropies in nats: of each sentence's label sequence [S], and of each token's label [N]."""
    rows = rows_of(tagger.structure, *tagger.scored(features, base, threads=threads))
    count = len(rows.weight)
    of_row, of_token = np.zeros(count), np.zeros(int(features.row_ptr[-1]))
    run(tagger, rows, temperature, count, threads, lambda *call: kernels.entropies(*call, of_row, of_token))
    return (np.add.reduceat(of_row, features.row_ptr[:-1]) if tagger.structure.splits_rows else of_row), of_token


def log_probability(
    tagger: Tagger, features: Features, codes: np.ndarray, temperature: float | None = None, *, base=None, threads: int = 1
) -> np.ndarray:
    """log p of each sentence's labels [S], given as numbers of the model's own labels, int [N]; -1 stands for any label.

    Sequences that the constraints do not let through have -inf.
    """
    codes = np.asarray(codes)
    if len(codes) != features.row_ptr[-1]:
        raise InputError(f"there are {len(codes)} labels for {features.row_ptr[-1]} tokens; give one per token")
    if len(codes) and not (codes.min() >= UNKNOWN and codes.max() < len(tagger.labels)):
        raise InputError(f"labels are numbers from 0 to {len(tagger.labels) - 1}, or -1 for any; some are not")
    allowed = (codes[:, None] == np.arange(len(tagger.labels))) | (codes[:, None] == UNKNOWN)
    sentences = np.arange(len(features.row_ptr) - 1)
    begin = np.zeros(len(sentences), np.int64)
    events = kernels.Events(sentences, begin, features.row_ptr.astype(np.int64), allowed)
    return _log_events(tagger, features, events, temperature, base, threads)


def span_probability(
    tagger: Tagger, features: Features, spans: Sequence[Span], temperature: float | None = None, *, base=None, threads: int = 1
) -> np.ndarray:
    """P(exactly this span with this type) [len(spans)], for spans (sentence, begin, end, type).

    The event: the span's tokens carry the labels that the model's scheme gives it, and its neighbours do not make it another span. With T
    the type, by scheme:
        iob2    B-T I-T ... I-T, and the next token is not I-T
        bioes   B-T I-T ... E-T, or S-T alone; the tokens around it are free
        iob1    I-T ... I-T behind a token outside T, or B-T I-T ... I-T behind a token of T; and the next token is not I-T
    These are the sequences in which a strict reading finds the span (metrics.spans.spans, strict=scheme). A type or prefix that the model
    has no label for has probability 0.
    """
    scheme = tagger.inside or tagger.constraints
    if not scheme:
        raise InputError(
            "the model keeps its labels as they are, so spans have no labels of their own; train with --set labels=iob2 or bioes"
        )
    sizes = np.diff(features.row_ptr)
    owner, sentence, begin, masks = [], [], [], []
    for i, (row, first, end, kind) in enumerate(spans):
        if not (0 <= row < len(sizes) and 0 <= first < end <= sizes[row]):
            raise InputError(f"the span {spans[i]} does not lie in a sentence; give (sentence, begin, end, type) with begin < end, from 0")
        for at, mask in _span_events(scheme, tagger.labels, first, end, int(sizes[row]), kind):
            owner.append(i)
            sentence.append(row)
            begin.append(at)
            masks.append(mask)
    if not masks:
        return np.zeros(len(spans))
    order = np.argsort(sentence, kind="stable")
    ptr = np.concatenate([[0], np.cumsum([len(masks[e]) for e in order])]).astype(np.int64)
    allowed = np.concatenate([masks[e] for e in order])
    events = kernels.Events(np.array(sentence, np.int64)[order], np.array(begin, np.int64)[order], ptr, allowed)
    found = _log_events(tagger, features, events, temperature, base, threads)
    return np.bincount(np.array(owner)[order], np.exp(found), minlength=len(spans))


def _span_events(scheme: str, labels: Sequence[str], first: int, end: int, size: int, kind: str) -> list[tuple[int, np.ndarray]]:
    """Disjoint events that make up the span: where each begins, and the labels that it allows from there on, bool [tokens, Y]."""
    prefix, types = split_tags(labels, scheme)
    own = np.array([name == kind for name in types])
    begins, inside, ends, single = (own & (prefix == p) for p in (BEGIN, INSIDE, END, SINGLE))
    length = end - first
    if scheme in WHOLE:
        return [(first, np.array([single] if length == 1 else [begins] + [inside] * (length - 2) + [ends]))]
    rest = [inside] * (length - 1) + [~inside] * (end < size)
    if scheme == "iob2":
        return [(first, np.array([begins] + rest))]
    if first == 0:
        return [(first, np.array([inside] + rest))]
    if scheme == "io":
        return [(first - 1, np.array([~inside, inside] + rest))]
    touching = begins | inside
    return [(first - 1, np.array([~touching, inside] + rest)), (first - 1, np.array([touching, begins] + rest))]


def _log_events(tagger, features, events, temperature, base, threads) -> np.ndarray:
    """log P [E] of events whose rows are sentences."""
    rows, ptr = rows_of(tagger.structure, *tagger.scored(features, base, threads=threads)), events.ptr
    if tagger.structure.splits_rows:  # an event is a product of one event per token
        row = np.repeat(features.row_ptr[events.row] + events.begin - ptr[:-1], np.diff(ptr)) + np.arange(ptr[-1])
        events = kernels.Events(row, np.zeros(len(row), np.int64), np.arange(len(row) + 1), events.allowed)
    out = np.zeros(len(events.row))
    run(tagger, rows, temperature, len(out), threads, lambda *call: kernels.events(*call, events, out))
    return np.add.reduceat(out, ptr[:-1]) if tagger.structure.splits_rows else out


def run(tagger: Tagger, rows, temperature: float | None, count: int, threads: int, call: Callable) -> None:
    """call(low, high, rows, distribution) on pieces of 0..count, each with scratch memory of its own."""
    temperature = tagger.temperature if temperature is None else temperature
    if not 0.0 < temperature < np.inf:
        raise InputError(f"the temperature is {temperature}; it must be a number above 0")
    longest, reader = longest_of(rows), tagger.reader()

    def job(low, high):
        s, exact = (
            tagger.structure.workspace(longest, per_position=looks_at_input(rows), dtype=dtype) for dtype in (np.float32, np.float64)
        )
        return lambda: call(low, high, rows, kernels.Distribution(s, exact, reader, 1.0 / temperature))

    together(pieces(job, count, threads), threads=threads)
