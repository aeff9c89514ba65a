"""CoNLL-U at the level of bytes: lines that are no words set aside, broken trees found, heads and relations written anew."""

import numpy as np

from widemargin.compiler.jit import inner, kernel
from widemargin.readers.scan import NEWLINE, TAB, marks_document, next_line, skip_blanks

HASH_MARK, HYPHEN, DOT, ZERO, NINE = 35, 45, 46, 48, 57
# Columns of an aside line: its number from 0, where it begins and ends (without the line end), and how many words stand before it.
LINE, BEGIN, STOP, BEFORE = range(4)
WELL, RANGE, CYCLE, ROOTS = range(4)  # what find_fault finds


@inner
def is_aside(text, i):
    """Whether the line at i is a comment, a multi-word token (1-2) or an empty node (1.1)."""
    if text[i] == HASH_MARK:
        return True
    start = i
    while ZERO <= text[i] <= NINE:
        i += 1
    return i > start and (text[i] == HYPHEN or text[i] == DOT)


@kernel(allocates=True)
def set_aside(text, width, kept, kept_line, kept_begin, aside, block):
    """Copy every line but comments, multi-word tokens and empty nodes to `kept`; returns how many bytes and lines, and how many are aside.

    Of blank lines in a row, one is copied. kept_line, kept_begin [K] are the number (from 0) and the place of each copied line in `text`;
    aside int64 [A, 4] describes the others, and block int64 [A, 2] bounds the words between the blank lines around them.
    The fourth result is the first line that is no comment and has not `width` cells, or begins with -DOCSTART- (-1 for none), the fifth
    how many cells it has.
    """
    i, number, size, lines, asides, words = np.int64(0), 0, 0, 0, 0, 0
    first, owned, was_blank = 0, 0, False  # words, and lines aside, before this block
    while i < len(text):
        after = next_line(text, i)
        blank = text[skip_blanks(text, i)] == NEWLINE
        if not blank and text[i] != HASH_MARK:
            cells = 1
            for k in range(i, after):
                cells += text[k] == TAB
            if cells != width or marks_document(text, i, TAB):
                return size, lines, asides, number, cells
        if is_aside(text, i):
            aside[asides, LINE], aside[asides, BEGIN], aside[asides, STOP], aside[asides, BEFORE] = number, i, after - 1, words
            asides += 1
        elif not (blank and was_blank):
            kept_line[lines], kept_begin[lines] = number, i
            lines += 1
            words += not blank
            for k in range(after - i):
                kept[size + k] = text[i + k]
            size += after - i
        if blank or after == len(text):
            for a in range(owned, asides):
                block[a, 0], block[a, 1] = first, words
            first, owned = words, asides
        was_blank = blank
        number += 1
        i = after
    return size, lines, asides, -1, 0


@kernel(allocates=True)
def find_fault(heads, row_ptr, single_root):
    """The first word at which a tree is broken, and how: (WELL, -1) when none is.

    heads int32 [N] count from 1 inside the sentence, 0 is the root, -1 unknown. A word of a cycle, or the second root, is returned.
    """
    seen = np.full(len(heads), -1, np.int64)  # the word from which the walk to the root came by
    for s in range(len(row_ptr) - 1):
        low, high = row_ptr[s], row_ptr[s + 1]
        roots = 0
        for t in range(low, high):
            if heads[t] > high - low or heads[t] < -1:
                return RANGE, t
            if heads[t] == 0:
                roots += 1
                if single_root and roots > 1:
                    return ROOTS, t
        for t in range(low, high):
            at = t
            while seen[at] < 0:
                seen[at] = t
                if heads[at] <= 0:
                    break
                at = low + heads[at] - 1
                if seen[at] == t:
                    return CYCLE, at
    return WELL, -1


@inner
def is_crossed(heads, low, t):
    """Is the arc to word t not projective: does a word stand between it and its head that is not below the head?"""
    if heads[t] <= 0:
        return False
    head = low + heads[t] - 1
    for between in range(min(t, head) + 1, max(t, head)):
        at = between
        while at != head and heads[at] > 0:
            at = low + heads[at] - 1
        if at != head and heads[at] == 0:
            return True
    return False


@kernel(allocates=True)
def count_crossed(heads, row_ptr, arcs):
    """Per sentence into arcs int64 [S] the number of non-projective arcs. Arcs of unknown heads (-1) count as projective.

    O(arc length x depth), which is little in treebanks.
    """
    for s in range(len(row_ptr) - 1):
        arcs[s] = 0
        for t in range(row_ptr[s], row_ptr[s + 1]):
            arcs[s] += is_crossed(heads, row_ptr[s], t)


@kernel(allocates=True)
def lift_crossed(heads, row_ptr):
    """Make trees projective, in place: while an arc is not, the shortest such takes the head of its head (Nivre and Nilsson 2005)."""
    for s in range(len(row_ptr) - 1):
        low = row_ptr[s]
        while True:
            shortest, length = -1, 0
            for t in range(low, row_ptr[s + 1]):
                far = abs(low + heads[t] - 1 - t)
                if (shortest < 0 or far < length) and is_crossed(heads, low, t):
                    shortest, length = t, far
            if shortest < 0:
                break
            heads[shortest] = heads[low + heads[shortest] - 1]


@inner
def write_number(value, out, at):
    """The decimal digits of a number that is not negative; returns the place behind them."""
    power = 1
    while value // power >= 10:
        power *= 10
    while power > 0:
        out[at] = ZERO + (value // power) % 10
        at += 1
        power //= 10
    return at


@kernel(allocates=True)
def weave_arcs(text, begin, heads, relation, pool, pool_ptr, column, out):
    """Copy the text to `out` with new heads in the given column of each word and relations in the next; returns the length.

    begin int64 [N] is where the words' lines begin; a head of -1 is written `_`; relation int64 [N] indexes pool_ptr, the bounds of the
    strings in `pool`.
    """
    at, copied = 0, 0
    for t in range(len(begin)):
        upto = begin[t]
        for _ in range(column):
            while text[upto] != TAB:
                upto += 1
            upto += 1
        for k in range(upto - copied):
            out[at + k] = text[copied + k]
        at += upto - copied
        if heads[t] < 0:
            out[at] = 95  # _
            at += 1
        else:
            at = write_number(heads[t], out, at)
        out[at] = TAB
        at += 1
        a = pool_ptr[relation[t]]
        length = pool_ptr[relation[t] + 1] - a
        for k in range(length):
            out[at + k] = pool[a + k]
        at += length
        copied = upto
        for tab in range(2):
            while text[copied] != TAB:
                copied += 1
            if tab == 0:
                copied += 1
    for k in range(len(text) - copied):
        out[at + k] = text[copied + k]
    return at + len(text) - copied
