"""Features of arcs as codes: nothing is stored per arc, everything that depends on one word is hashed once per word.

A side is a conjunction of atoms (hashed values of columns) around one word. Templates (templates.py) come in four forms,
and those of siblings in two more (sibling_features.py):

    bigram         head side and modifier side           the weight at  a[h] ^ b[m] ^ slot
    unigram        one side alone                        rows of 16 slots, summed per word
    between        head, modifier and a word between     the weight at  a[h] ^ b[m] ^ c[x] ^ slot, for each distinct c[x] between h and m
    between_count  head, modifier and how many between   the weight at  a[h] ^ b[m] ^ c[counts] ^ slot

Every arc has two slots: its direction (0, 1), and its direction with its length (2..15). The codes a, b, c of a template are products of a
side's hash by odd numbers of the template's own, cut to the size of the table, so an arc costs one exclusive or per template. 16 weights
are one line of the table; slots stay in the line, so both weights of a template come with one look into memory.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, phase, tiny
from widemargin.engine.hash import U32, mix
from widemargin.scoring.hashed import LINE, code_sides

BINS = np.array([0, 0, 1, 2, 3, 4, 4, 4, 5, 5, 5, 5, 5, 6], np.int64)  # length of an arc -> bin; 13 and more: the last
LONGEST_BIN = len(BINS) - 1
MAX_COUNTED = 2  # words between are counted up to this number


class NoSiblings(NamedTuple):
    """In the place of SiblingPlan and SiblingCodes where no template looks at siblings."""

    templates: int  # 0


class SiblingPlan(NamedTuple):
    """Templates of siblings (sibling_features.py), as in Plan."""

    pair: np.ndarray  # uint64 [V, 2, 2]  sibling and modifier
    triple: np.ndarray  # uint64 [U, 3, 2]  head, sibling and modifier


class SiblingCodes(NamedTuple):
    """Scratch: codes of the templates of siblings; word T + 1 is nobody."""

    pair: np.ndarray  # uint32 [2, T+2, V]
    triple: np.ndarray  # uint32 [3, T+2, U]
    head_codes: np.ndarray  # uint32 [U]  codes of two of the three
    left: np.ndarray  # [T+1, T+1]  scores of sibling and modifier alone, to the left


class Plan(NamedTuple):
    """Templates as numbers. Each place of a template is a side and the odd number that multiplies it."""

    atom: np.ndarray  # int32 [S, W, 2]  of each side: column and offset of its atoms; column -1 behind the last
    bigram: np.ndarray  # uint64 [P, 2, 2]  head and modifier
    between: np.ndarray  # uint64 [B, 3, 2]  head, modifier and word between
    between_count: np.ndarray  # uint64 [Q, 2, 2]  head and modifier
    counted: np.ndarray  # int32 [Q, K]  which marks are counted; -1 behind the last
    unigram: np.ndarray  # uint64 [O, 3]  and whose side: 0 the head's, 1 the modifier's
    label_bigram: np.ndarray  # uint64 [G, 2, 2]
    label_unigram: np.ndarray  # uint64 [H, 3]
    siblings: NoSiblings | SiblingPlan
    bits: int  # 2^bits weights of bigrams (between and between_count too), then
    unigram_bits: int  # 2^unigram_bits rows of 16, of sides alone
    label_bits: int  # 2^label_bits rows of labels


class Codes(NamedTuple):
    """Scratch: codes of the words of one sentence, 0 being the root, and sums of rows."""

    side: np.ndarray  # uint64 [T+2, S]
    bigram: np.ndarray  # uint32 [2, T+1, P]  as head, as modifier
    between: np.ndarray  # uint32 [3, T+1, B]
    seen: np.ndarray  # uint32 [B, T+1]  distinct codes between
    known: np.ndarray  # int64 [B]  how many
    between_count: np.ndarray  # uint32 [2, T+1, Q]
    before: np.ndarray  # int32 [T+2, M]  marks of the words before
    count_codes: np.ndarray  # uint32 [(MAX_COUNTED+1)^K]  codes of counts
    unigram: np.ndarray  # int64 [T+1, O]  rows
    sums: np.ndarray  # [2 (T+1), 16]  one-sided rows summed: of word i as head 2i, as modifier 2i + 1
    label_bigram: np.ndarray  # uint32 [2, T+1, G]
    label_unigram: np.ndarray  # int64 [2 (T+1), H]  rows, of word i for arcs to the left 2i, to the right 2i + 1
    label_sums: np.ndarray  # [4 (T+1), L]  at 2 (2i + direction) + (0 as head, 1 as modifier)
    siblings: NoSiblings | SiblingCodes
    row: np.ndarray  # [1, 16]


@tiny
def slots_of(h, m):
    """Direction, and direction with length, of an arc: two places in a line."""
    right = 1 if m > h else 0
    length = min(m - h if right else h - m, LONGEST_BIN)
    return np.uint64(right), np.uint64(2 + 7 * right + BINS[length])


@inner
def multiplied(side, odd, mask):
    """A side's code in one place of one template."""
    return ((side * odd) >> U32) & mask


@inner
def code_places(template, side, mask, i, out):
    """Codes of word i in all places [t, e] of templates of one form."""
    for t in range(template.shape[0]):
        for e in range(template.shape[1]):
            out[e, i, t] = np.uint32(multiplied(side[i, np.int64(template[t, e, 0])], template[t, e, 1], mask))


@phase
def code_words(plan, atom, mark, at, n, codes):
    """All codes of the sentence whose n words begin at `at`, those of siblings aside."""
    side = codes.side
    code_sides(plan.atom, atom, at, n, 1, side)
    mask = np.uint64((1 << plan.bits) - 1)
    rows, first = np.uint64((1 << plan.unigram_bits) - 1), (1 << plan.bits) // LINE
    label_rows = np.uint64((1 << plan.label_bits) - 1)
    for i in range(n + 1):
        code_places(plan.bigram, side, mask, i, codes.bigram)
        code_places(plan.between, side, mask, i, codes.between)
        code_places(plan.between_count, side, mask, i, codes.between_count)
        code_places(plan.label_bigram, side, label_rows, i, codes.label_bigram)
        for t in range(plan.unigram.shape[0]):
            codes.unigram[i, t] = first + np.int64(multiplied(side[i, np.int64(plan.unigram[t, 0])], plan.unigram[t, 1], rows))
        for k in range(mark.shape[1]):
            codes.before[i + 1, k] = codes.before[i, k] + mark[at + i - 1, k] if i > 0 else 0
        for t in range(plan.label_unigram.shape[0]):
            key = side[i, np.int64(plan.label_unigram[t, 0])]
            for right in range(2):
                code = multiplied(mix(key + np.uint64(right)), plan.label_unigram[t, 1], label_rows)
                codes.label_unigram[2 * i + right, t] = np.int64(code)


@inner
def meet(among, seen, known, x):
    """Word x now lies between: its codes join those seen."""
    for t in range(known.shape[0]):
        c, k = among[2, x, t], known[t]
        new = True
        for j in range(k):
            new = new and seen[t, j] != c
        if new:
            seen[t, k] = c
            known[t] = k + 1


@inner
def count_code(counted, before, many, h, m):
    """The code of how many marked words lie between h and m."""
    low, high = min(h, m), max(h, m)
    code = 0
    for k in counted:
        if k >= 0:
            code = code * (MAX_COUNTED + 1) + min(before[high, k] - before[low + 1, k], MAX_COUNTED)
    return many[code]
