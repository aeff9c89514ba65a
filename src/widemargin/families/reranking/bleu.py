"""BLEU from statistics that add up over sentences: of a corpus, of a sentence with a named smoothing; n-gram precisions; its signature.

    BLEU = 100 min(1, exp(1 - reference length / length)) (p_1 p_2 p_3 p_4)^(1/4),   p_n = matches_n / n-grams_n

Numbers are those of sacrebleu with tokenize none (Post 2018, A call for clarity in reporting BLEU scores).
"""

import numpy as np

ORDER = 4
SMOOTHINGS = {
    "exp": "an order without matches counts as half a match, the next such order as a quarter, and so on (sacrebleu's own)",
    "add-1": "one more match and one more n-gram in the orders 2 to 4 (Lin and Och 2004)",
    "all-1": "one more match and one more n-gram in every order (PRO in Moses)",
    "floor": "an order without matches counts as a tenth of a match",
    "none": "an order without matches makes it 0",
}


def corpus_bleu(counts: np.ndarray) -> np.ndarray:
    """BLEU in per cent of sums of statistics [..., 10]; 0 where an order has no match or no n-gram."""
    return _bleu(np.asarray(counts, float), "none", effective=False)


def sentence_bleu(counts: np.ndarray, smoothing: str = "add-1") -> np.ndarray:
    """BLEU in per cent of single sentences' statistics [..., 10], of the orders that a hypothesis is long enough to have."""
    return _bleu(np.asarray(counts, float), smoothing, effective=True)


def _bleu(counts: np.ndarray, smoothing: str, *, effective: bool) -> np.ndarray:
    matches, totals, used = smoothed(counts, smoothing)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(used, np.log(matches / totals), 0.0)
        penalty = np.where(counts[..., 8] < counts[..., 9], 1.0 - counts[..., 9] / counts[..., 8], 0.0)
        orders = used.sum(axis=-1) if effective else float(ORDER)
        found = 100.0 * np.exp(logs.sum(axis=-1) / orders + penalty)
    short = ~used.all(axis=-1) if not effective else ~used.any(axis=-1)
    matched = (counts[..., 8] if smoothing == "all-1" else counts[..., 0]) > 0
    return np.where(matched & ~short, found, 0.0)


def smoothed(counts: np.ndarray, smoothing: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Matches and n-grams [..., 4] by a smoothing of SMOOTHINGS, and which orders have n-grams at all."""
    matches, totals = counts[..., :ORDER].copy(), counts[..., ORDER : 2 * ORDER].copy()
    used = totals > 0
    if smoothing in ("add-1", "all-1"):
        more = np.arange(ORDER) >= (1 if smoothing == "add-1" else 0)
        matches, totals = matches + more, totals + more
        used = totals > 0
    elif smoothing in ("exp", "floor"):
        none = used & (matches == 0)
        value = 0.5 ** np.cumsum(none, axis=-1) if smoothing == "exp" else 0.1
        matches = np.where(none, value, matches)
    return matches, totals, used


def precisions(counts: np.ndarray) -> np.ndarray:
    """Matches over n-grams of sums of statistics [10], in per cent [4]."""
    counts = np.asarray(counts, float)
    return 100.0 * counts[:ORDER] / np.maximum(counts[ORDER : 2 * ORDER], 1.0)


def brevity_penalty(counts: np.ndarray) -> float:
    """In [0, 1], of sums of statistics [10]."""
    length, reference = float(counts[8]), float(counts[9])
    return 1.0 if length >= reference else float(np.exp(1.0 - reference / length)) if length else 0.0


def signature(references: int) -> str:
    """What sacrebleu would print of these numbers; its version is not said, because it did not compute them."""
    return f"nrefs:{references or 'var'}|case:mixed|eff:no|tok:none|smooth:none"
