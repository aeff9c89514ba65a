"""Precision, recall and F1 of spans (chunks, names), counted as conlleval counts them, or strictly by a tag scheme.

conlleval (Tjong Kim Sang, 2004) reads any tag sequence: between two tags of types p and q a span starts or ends when

    ends      after E S [ ];  B|I before B S O;  after anything but O and "." when p != q
    starts    at B S [ ];  O|E|S before I E;     at anything but O and "." when p != q

and every sentence ends. L and U are E and S (BILUO), and where no label has a prefix, a span is a run of one label (IO). The script of
2004 knows no S, and no B right after E of the same type: it joins such spans, and so do we where its quirks are asked for. On B, I and O,
and on I, E and O, both agree. Strict reading counts only the spans that are well formed in the scheme, as seqeval's strict mode.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.families.tagging.schemes import (
    BEGIN,
    END,
    INSIDE,
    OUTSIDE,
    PREFIXES,
    SINGLE,
    WHOLE,
    are_bare,
    letters_of,
    scheme_name,
    split_tags,
)
from widemargin.metrics.rates import rates

HEADS = "OBIES.[]"  # the first five as in schemes.PREFIXES; any other prefix has the number after these
OTHER = len(HEADS)
WITHIN = np.array([head not in "O." for head in HEADS + "?"])
STARTS, ENDS = np.zeros((OTHER + 1, OTHER + 1), bool), np.zeros((OTHER + 1, OTHER + 1), bool)  # [tag before, tag], equal types
STARTS[:, [BEGIN, SINGLE, HEADS.index("["), HEADS.index("]")]] = True
STARTS[np.ix_([OUTSIDE, END, SINGLE], [INSIDE, END])] = True
ENDS[[END, SINGLE, HEADS.index("["), HEADS.index("]")], :] = True
ENDS[np.ix_([BEGIN, INSIDE], [BEGIN, SINGLE, OUTSIDE])] = True
# the same, pair by pair, as conlleval's script of 2004 has it: it knows no S, and E before B neither ends nor starts a span
QUIRKY_STARTS, QUIRKY_ENDS = np.zeros_like(STARTS), np.zeros_like(ENDS)
for _table, _pairs in ((QUIRKY_STARTS, "BB IB OB OI EE EI OE"), (QUIRKY_ENDS, "BB BO IB IO EE EI EO")):
    for _pair in _pairs.split():
        _table[HEADS.index(_pair[0]), HEADS.index(_pair[1])] = True
QUIRKY_STARTS[:, [HEADS.index("["), HEADS.index("]")]] = True
QUIRKY_ENDS[[HEADS.index("["), HEADS.index("]")], :] = True


@dataclass(frozen=True)
class SpanScores:
    """Counts of spans: right ones, those guessed and those in the gold standard, in all and by type; and of tokens tagged right."""

    correct: int
    guessed: int
    gold: int
    by_type: dict[str, tuple[int, int, int]]  # correct, guessed, gold
    tokens: int
    tokens_correct: int
    mode: str  # "conlleval", "conlleval quirks", "strict iob2", ...

    @property
    def precision(self) -> float:
        return rates(self.correct, self.guessed, self.gold)[0]

    @property
    def recall(self) -> float:
        return rates(self.correct, self.guessed, self.gold)[1]

    @property
    def f1(self) -> float:
        return rates(self.correct, self.guessed, self.gold)[2]

    @property
    def accuracy(self) -> float:
        return 100 * self.tokens_correct / self.tokens if self.tokens else 0.0

    def report(self) -> str:
        """What conlleval prints."""
        lines = [f"processed {self.tokens} tokens with {self.gold} phrases; found: {self.guessed} phrases; correct: {self.correct}.\n"]
        if self.tokens:
            lines.append(f"accuracy: {self.accuracy:6.2f}%; " + _rates_text(self.correct, self.guessed, self.gold) + "\n")
        for kind, counts in sorted(self.by_type.items()):
            lines.append(f"{kind:>17}: {_rates_text(*counts)}  {counts[1]}\n")
        return "".join(lines)

    def as_dict(self) -> dict:
        """Per cents by the keys precision, recall, f1 and accuracy, the mode, and types: the same with counts for each type."""
        types = {}
        for kind, (correct, guessed, gold) in sorted(self.by_type.items()):
            precision, recall, f1 = rates(correct, guessed, gold)
            types[kind] = {"precision": precision, "recall": recall, "f1": f1, "correct": correct, "guessed": guessed, "gold": gold}
        overall = {"precision": self.precision, "recall": self.recall, "f1": self.f1, "accuracy": self.accuracy}
        return {**overall, "mode": self.mode, "types": types}


def _rates_text(correct: int, guessed: int, gold: int) -> str:
    precision, recall, f1 = rates(correct, guessed, gold)
    return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"


def span_scores(
    gold_codes: np.ndarray,
    guess_codes: np.ndarray,
    gold_values: Sequence[str],
    guess_values: Sequence[str],
    row_ptr: np.ndarray,
    *,
    strict: str | None = None,
    quirks: bool = False,
) -> SpanScores:
    """Score guessed tags against gold tags: codes int [N] into their values, sentences bounded by row_ptr [S+1].

    strict: well-formed spans of this scheme alone. quirks: join the spans that conlleval's script of 2004 joins.
    """
    compared = _Compared(gold_codes, guess_codes, gold_values, guess_values, row_ptr, strict, quirks)
    types = len(compared.types)
    correct, guessed, gold = (np.bincount(kinds, minlength=types) for _, kinds in compared.found())
    by_type = {kind: (int(correct[k]), int(guessed[k]), int(gold[k])) for k, kind in enumerate(compared.types) if guessed[k] or gold[k]}
    mode = f"strict {scheme_name(strict)}" if strict else "conlleval quirks" if quirks else "conlleval"
    return SpanScores(int(correct.sum()), int(guessed.sum()), int(gold.sum()), by_type, compared.tokens, compared.tokens_correct, mode)


def span_counts_per_sentence(
    gold_codes: np.ndarray,
    guess_codes: np.ndarray,
    gold_values: Sequence[str],
    guess_values: Sequence[str],
    row_ptr: np.ndarray,
    *,
    strict: str | None = None,
    quirks: bool = False,
) -> np.ndarray:
    """Correct, guessed and gold spans of each sentence, int64 [S, 3]: what the bootstrap resamples."""
    compared = _Compared(gold_codes, guess_codes, gold_values, guess_values, row_ptr, strict, quirks)
    sentences = len(row_ptr) - 1
    of_token = np.repeat(np.arange(sentences), np.diff(row_ptr))
    return np.stack([np.bincount(of_token[starts], minlength=sentences) for starts, _ in compared.found()], axis=1)


def spans(tags: Sequence[str], *, strict: str | None = None, among: Sequence[str] | None = None) -> list[tuple[int, int, str]]:
    """The spans of one sentence as (start, end, type), the end exclusive. among: all labels that tags may be (those that are there).

    >>> spans(["B-NP", "I-NP", "O", "I-VP"])
    [(0, 2, 'NP'), (3, 4, 'VP')]
    """
    values = list(dict.fromkeys(tags if among is None else among))
    codes = np.array([values.index(tag) for tag in tags], np.int64)
    heads, kinds, types = _split([values], strict)
    stop = _find(heads[0][codes], kinds[0][codes], np.array([0, len(tags)]), strict)
    return [(int(t), int(stop[t]), types[kinds[0][codes[t]]]) for t in np.flatnonzero(stop)]


class _Compared:
    """Both sides' spans: for each token the end of the span that starts there, 0 for none, and its type."""

    def __init__(self, gold_codes, guess_codes, gold_values, guess_values, row_ptr, strict, quirks):
        if not len(gold_codes) == len(guess_codes) == row_ptr[-1]:
            sizes = f"{len(gold_codes)} gold tags and {len(guess_codes)} guessed tags for {row_ptr[-1]} tokens"
            raise InputError(f"there are {sizes}; give one of each per token.")
        heads, kinds, self.types = _split([gold_values, guess_values], strict)
        gold_codes, guess_codes = np.asarray(gold_codes, np.intp), np.asarray(guess_codes, np.intp)
        self.kinds = kinds[0][gold_codes], kinds[1][guess_codes]
        self.stops = [
            _find(head[codes], kind, row_ptr, strict, quirks) for head, kind, codes in zip(heads, self.kinds, (gold_codes, guess_codes))
        ]
        names: dict[tuple[str, str], int] = {}  # a tag without a type is the same with and without its dash
        gold_name, guess_name = (
            np.array([names.setdefault((v.partition("-")[0], v.partition("-")[2]), len(names)) for v in values], np.int64)
            for values in (gold_values, guess_values)
        )
        self.tokens = len(gold_codes)
        self.tokens_correct = int(np.count_nonzero(gold_name[gold_codes] == guess_name[guess_codes])) if self.tokens else 0

    def found(self):
        """Start and type of the correct spans, of the guessed and of the gold ones."""
        (gold_kind, guess_kind), (gold_stop, guess_stop) = self.kinds, self.stops
        gold, guessed = np.flatnonzero(gold_stop > 0), np.flatnonzero(guess_stop > 0)
        correct = gold[(gold_stop[gold] == guess_stop[gold]) & (gold_kind[gold] == guess_kind[gold])]
        return [(correct, gold_kind[correct]), (guessed, guess_kind[guessed]), (gold, gold_kind[gold])]


def _split(label_lists, strict: str | None):
    """For each label list its heads int8 [Y] and types int64 [Y]; and the names of the types, shared, the empty one first."""
    index, heads, kinds = {"": 0}, [], []
    for values in label_lists:
        if strict or are_bare(values):
            head, names = split_tags(values, scheme_name(strict) if strict else None)
        else:
            parts = [value.partition("-") for value in values]
            place = {letter: p for p, letter in enumerate(HEADS.replace(PREFIXES, letters_of(values)))}
            head = np.array([place.get(h, OTHER) for h, _, _ in parts], np.int8)
            names = [kind for _, _, kind in parts]
        heads.append(head)
        kinds.append(np.array([index.setdefault(name, len(index)) for name in names], np.int64))
    return heads, kinds, list(index)


def _find(head: np.ndarray, kind: np.ndarray, row_ptr: np.ndarray, strict: str | None, quirks: bool = False) -> np.ndarray:
    """For heads and types [N] of the tokens: where the span that starts at each token ends (exclusive), 0 where none starts."""
    tokens = len(head)
    if not tokens:
        return np.zeros(0, np.int64)
    first = np.zeros(tokens + 1, bool)
    first[row_ptr] = True
    before, same = np.zeros(tokens, np.int8), np.empty(tokens, bool)  # before a sentence is an O, which has no type
    before[1:] = head[:-1]
    same[1:] = kind[1:] == kind[:-1]
    bounds = np.flatnonzero(first[:-1])
    before[bounds], same[bounds] = OUTSIDE, kind[bounds] == 0
    if strict:
        return _find_strict(head, before, same, first, scheme_name(strict))
    pair = before.astype(np.intp) * (OTHER + 1) + head
    start, end = (QUIRKY_STARTS, QUIRKY_ENDS) if quirks else (STARTS, ENDS)
    starts = start.ravel().take(pair) | (WITHIN.take(head) & ~same)
    ends = end.ravel().take(pair) | (WITHIN.take(before) & ~same)
    return _next_edge(starts, starts | ends, first)


def _find_strict(head, before, same, first, scheme: str) -> np.ndarray:
    unfinished = (before == BEGIN) | (before == INSIDE)
    continues = unfinished & same & ((head == INSIDE) | (head == END))
    starts = (head == BEGIN) | (head == SINGLE)
    if scheme in ("iob1", "io"):
        starts = ((head == BEGIN) & unfinished & same) | ((head == INSIDE) & ~continues)
    stop = _next_edge(starts, ~continues, first)
    if scheme in WHOLE:
        last = head[stop - 1]
        stop[(last != END) & (last != SINGLE)] = 0
    return stop


def _next_edge(starts: np.ndarray, edge: np.ndarray, first: np.ndarray) -> np.ndarray:
    """For each start (bool [N], every one an edge) the next edge (bool [N]) or sentence bound (bool [N+1]); 0 elsewhere."""
    bounded = first.copy()
    bounded[:-1] |= edge
    edges = np.flatnonzero(bounded)
    stop = np.zeros(len(starts), np.int64)
    stop[edges[:-1]] = np.where(starts[edges[:-1]], edges[1:], 0)
    return stop
