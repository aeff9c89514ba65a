"""Features of spans as codes: a span is a pair of boundaries, and everything that depends on one boundary is hashed once.

Boundary b of a sentence of n words stands before word b, 0 <= b <= n. A side is a conjunction of atoms (hashed values of columns) around
one boundary. A table of spans (those of constituents, or of the left or right parts of splits) has templates of five forms:

    begin, end                  one boundary alone               rows are summed per boundary
    begin_length, end_length    with the bin of the length       rows are summed per boundary and bin
    both                        both boundaries                  the row at  a[p] ^ b[q] ^ length ^ whole

The codes a and b are products of a side's hash by odd numbers of the template's own; `whole` is a hash of all words of the span, where the
template looks at them. A row has a weight for each symbol.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, kernel, phase, tiny
from widemargin.engine.hash import GOLDEN, STAFFORD1, U32, mix
from widemargin.scoring.hashed import code_sides
from widemargin.structures.spans.kernel import row_of

BIN = np.array([0, 0, 1, 2, 3, 4, 5, 5, 6, 6, 6, 7, 7, 7, 7, 7, *[8] * 10, 9], np.int64)  # length -> bin; 26 and more: the last
LONGEST_BIN, BINS = len(BIN) - 1, 10
RUNS, ALL = 0, 1  # how all words of a span are looked at
MOST_RUNS, MOST_WORDS = 12, 5  # runs beyond these are not looked at; longer spans have no feature of all words
SILENT = np.uint32(0)


class Form(NamedTuple):
    """Templates of one table of spans, by form. A side comes with the odd number that multiplies it."""

    begin: np.ndarray  # uint64 [A, 2]
    begin_length: np.ndarray  # uint64 [B, 2]
    end: np.ndarray  # uint64 [C, 2]
    end_length: np.ndarray  # uint64 [D, 2]
    both: np.ndarray  # uint64 [P, 2, 2]  begin and end
    length: np.ndarray  # uint32 [BINS, P]  what a bin gives to a code, 0 where the template does not look at the length
    whole: np.ndarray  # int32 [W]  which whole the last W of `both` look at


class Plan(NamedTuple):
    """Templates as numbers."""

    atom: np.ndarray  # int32 [S, W, 2]  of each side: column and offset of its atoms; column -1 behind the last
    whole: np.ndarray  # int32 [V, 2]  RUNS or ALL, and of which column
    span: Form
    left: Form
    right: Form
    bits: int  # 2^bits rows


class FormCodes(NamedTuple):
    """Scratch: codes of boundaries in the templates `both` of a form."""

    begin: np.ndarray  # uint32 [T+1, P]
    end: np.ndarray  # uint32 [T+1, P]


class Codes(NamedTuple):
    """Scratch for sentences of up to T words."""

    side: np.ndarray  # uint64 [T+1, S]
    span: FormCodes
    left: FormCodes
    right: FormCodes
    whole: np.ndarray  # uint32 [T(T+1)/2, V]  SILENT where there is none
    ends: np.ndarray  # [(T+1) BINS, L]  rows of end and end_length summed
    row: np.ndarray  # int64 [2, P]  rows of a span and of the next one; -1 behind


@tiny
def bin_of(length):
    """The bin of a length."""
    return BIN[min(length, LONGEST_BIN)]


@tiny
def multiplied(side, odd):
    """The code of a side in one place of one template: 32 bits."""
    return np.uint32((side * odd) >> U32)


@tiny
def row_alone(side, template, t, bits):
    """The row of a template of one boundary."""
    return np.int64(multiplied(side[np.int64(template[t, 0])], template[t, 1])) & ((1 << bits) - 1)


@tiny
def row_with_length(side, template, t, b, bits):
    """The row of a template of one boundary and the bin of the length."""
    code = multiplied(mix(side[np.int64(template[t, 0])] + GOLDEN * np.uint64(b + 1)), template[t, 1])
    return np.int64(code) & ((1 << bits) - 1)


@inner
def find_rows(form, coded, whole, p, q, n, bits, out):
    """Rows of the templates `both` for the span p..q of a sentence of n words into out; -1: it does not fire."""
    mask, plain, b = (1 << bits) - 1, len(out) - len(form.whole), bin_of(q - p)
    for t in range(plain):
        out[t] = np.int64(coded.begin[p, t] ^ coded.end[q, t] ^ form.length[b, t]) & mask
    for t in range(plain, len(out)):
        code = whole[row_of(p, q, n), form.whole[t - plain]]
        out[t] = np.int64(coded.begin[p, t] ^ coded.end[q, t] ^ form.length[b, t] ^ code) & mask if code != SILENT else -1


@kernel
def rows_of_span(form, coded, codes, p, q, n, bits, out):
    """Rows of all templates of a table for the span p..q of a sentence that is coded, in the order of the fields of Form; -1: it does not
    fire."""
    at, b = 0, bin_of(q - p)
    for t in range(len(form.begin)):
        out[at + t] = row_alone(codes.side[p], form.begin, t, bits)
    at += len(form.begin)
    for t in range(len(form.begin_length)):
        out[at + t] = row_with_length(codes.side[p], form.begin_length, t, b, bits)
    at += len(form.begin_length)
    for t in range(len(form.end)):
        out[at + t] = row_alone(codes.side[q], form.end, t, bits)
    at += len(form.end)
    for t in range(len(form.end_length)):
        out[at + t] = row_with_length(codes.side[q], form.end_length, t, b, bits)
    at += len(form.end_length)
    find_rows(form, coded, codes.whole, p, q, n, bits, out[at : at + len(form.both)])


@inner
def code_both(form, side, n, coded):
    """Codes of all boundaries in templates of both."""
    for b in range(n + 1):
        for t in range(len(form.both)):
            coded.begin[b, t] = multiplied(side[b, np.int64(form.both[t, 0, 0])], form.both[t, 0, 1])
            coded.end[b, t] = multiplied(side[b, np.int64(form.both[t, 1, 0])], form.both[t, 1, 1])


@inner
def code_whole(plan, atom, first, n, v, whole):
    """Hashes of all words of every span, by their runs or by all of them."""
    how, c = plan.whole[v, 0], plan.whole[v, 1]
    for p in range(n):
        key, last, runs = GOLDEN + np.uint64(v), np.uint64(0), 0
        for q in range(p + 1, n + 1):
            value = atom[first + q - 1, c]
            if how == ALL or value != last:
                runs += 1
                if runs <= (MOST_WORDS if how == ALL else MOST_RUNS):
                    key = mix(key * STAFFORD1 + value)
            last = value
            code = np.uint32(key >> U32)
            whole[row_of(p, q, n), v] = SILENT if how == ALL and runs > MOST_WORDS else max(code, np.uint32(1))


@phase
def code_sentence(plan, atom, first, n, codes):
    """All codes of the sentence whose n words begin at `first`."""
    code_sides(plan.atom, atom, first, n, 0, codes.side)
    code_both(plan.span, codes.side, n, codes.span)
    code_both(plan.left, codes.side, n, codes.left)
    code_both(plan.right, codes.side, n, codes.right)
    for v in range(len(plan.whole)):
        code_whole(plan, atom, first, n, v, codes.whole)
