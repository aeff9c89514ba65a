"""BLEU statistics of hypotheses on words as numbers (Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation).

matches_n = sum over distinct n-grams g of min(count of g in the hypothesis, most of g in any one reference)

No n-gram is built or hashed. Each n-gram of the hypothesis takes the first equal n-gram of a reference that is not taken yet; so its k-th
occurrence is matched in a reference that has it k times, and matched in some reference exactly if k <= the most of any reference. `head`
and `next` chain the places of a word in a reference, so most words of a hypothesis cost one look.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, kernel

ORDER = 4
ALL = (1 << ORDER) - 1


class Words(NamedTuple):
    """Hypotheses of S sentences, H in all."""

    row_ptr: np.ndarray  # int64 [S+1]
    ptr: np.ndarray  # int64 [H+1]
    token: np.ndarray  # int32 [T]


class ReferenceWords(NamedTuple):
    """References of S sentences, R in all, with words of the same numbering of V words."""

    row_ptr: np.ndarray  # int64 [S+1]
    ptr: np.ndarray  # int64 [R+1]
    token: np.ndarray  # int32 [U]


class Chains(NamedTuple):
    """Scratch. Between two references all of `head` is -1."""

    head: np.ndarray  # int32 [V]   first place of a word in the reference at hand, -1: none
    next: np.ndarray  # int32 [longest reference]   the next place of the same word, -1: none
    used: np.ndarray  # int8 [longest reference]   bit n-1: the n-gram that begins here is taken
    found: np.ndarray  # int8 [most words of a list]   bit n-1: the n-gram that begins here is matched


@inner
def match(token, low, high, reference, start, stop, chains, first):
    """Marks in found[low-first:high-first] which n-grams of a hypothesis match in one reference, whose words are chained."""
    for j in range(stop - start):
        chains.used[j] = 0
    for i in range(low, high):
        got = 0
        j = chains.head[token[i]]
        while j >= 0 and got != ALL:
            m = 1
            while m < ORDER and i + m < high and start + j + m < stop and token[i + m] == reference[start + j + m]:
                m += 1
            free = ((1 << m) - 1) & ~got & ~chains.used[j]
            chains.used[j] |= free
            got |= free
            j = chains.next[j]
        chains.found[i - first] |= got


@kernel
def bleu_statistics(words, references, chains, out):
    """out int32 [H, 10]: matches of 1..4-grams, n-grams, its length, length of the closest reference, of equals the shorter."""
    for s in range(len(words.row_ptr) - 1):
        begin, end = words.row_ptr[s], words.row_ptr[s + 1]
        first = words.ptr[begin]
        for t in range(words.ptr[end] - first):
            chains.found[t] = 0
        for h in range(begin, end):
            out[h, 9] = -1
        for r in range(references.row_ptr[s], references.row_ptr[s + 1]):
            start, stop = references.ptr[r], references.ptr[r + 1]
            for j in range(stop - start - 1, -1, -1):
                word = references.token[start + j]
                chains.next[j] = chains.head[word]
                chains.head[word] = j
            for h in range(begin, end):
                low, high = words.ptr[h], words.ptr[h + 1]
                match(words.token, low, high, references.token, start, stop, chains, first)
                here, best = abs(stop - start - (high - low)), abs(out[h, 9] - (high - low))
                if out[h, 9] < 0 or here < best or (here == best and stop - start < out[h, 9]):
                    out[h, 9] = stop - start
            for j in range(start, stop):
                chains.head[references.token[j]] = -1
        for h in range(begin, end):
            low, high = words.ptr[h], words.ptr[h + 1]
            for n in range(ORDER):
                out[h, n] = 0
                out[h, ORDER + n] = max(0, high - low - n)
            out[h, 2 * ORDER] = high - low
            for t in range(low - first, high - first):
                for n in range(ORDER):
                    out[h, n] += (chains.found[t] >> n) & 1


@inner
def bleu_with(counts, h, background):
    """BLEU in [0, 1] of the statistics counts[h] + background [10]; 0 where an order has no match."""
    matched, grams = 1.0, 1.0
    for n in range(ORDER):
        matched *= max(counts[h, n] + background[n], 0.0)
        grams *= counts[h, ORDER + n] + background[ORDER + n]
    if not matched > 0.0:
        return 0.0
    value = np.sqrt(np.sqrt(matched / grams))  # ORDER is 4, and no logarithm is needed
    length, reference = counts[h, 8] + background[8], counts[h, 9] + background[9]
    return value * np.exp(1.0 - reference / length) if length < reference else value
