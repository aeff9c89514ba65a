"""Column files at the level of bytes: cells to integer codes, where to cut a stream, and writing columns back.

Every text ends with a newline, so that no loop here tests for the end of the array: each stops at a newline, and each line is left
behind its own. `separator` is a byte, or BLANKS for runs of blanks.
Cells are hashed by FNV-1a (Fowler, Noll and Vo; offset basis and prime of the 64-bit variant) and finished by MurmurHash3's fmix64
(Appleby). Equal hashes are compared byte by byte, so codes are exact. The table is probed linearly and doubled when half full.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, kernel

TAB, NEWLINE, RETURN, BLANK = 9, 10, 13, 32
BLANKS = -1  # no byte, so that every byte can stand in a cell
DOCUMENT_MARK = np.frombuffer(b"-DOCSTART-", np.uint8)
FNV_OFFSET, FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
MIX_A, MIX_B, SHIFT = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53), np.uint64(33)


class Cells(NamedTuple):
    """The distinct cells that are known: rows of HASH, BEGIN, ... (below), found by an open table."""

    table: np.ndarray  # int32 [2^b]  -1 where free
    distinct: np.ndarray  # int64 [2^b / 2, 5]
    counts: np.ndarray  # int64 [C]  how many there are of each column


class Found(NamedTuple):
    """What a scan finds; room for as many entries as there can be lines of C cells, and two more bounds."""

    codes: np.ndarray  # int32 [C, N]
    line: np.ndarray  # int32 [N]  from 0
    begin: np.ndarray  # int64 [N]
    stop: np.ndarray  # int64 [N]
    row_ptr: np.ndarray  # int64 [S+1]
    doc_ptr: np.ndarray  # int64 [D+1]


class Extra(NamedTuple):
    """Columns to be added: strings codes[e, t] of a pool."""

    codes: np.ndarray  # int64 [E, N]
    pool: np.ndarray  # uint8
    pool_ptr: np.ndarray  # int64 [V+1]


@inner
def skip_blanks(text, i):
    """The first byte from i on that is no blank; a return counts as one only before the newline."""
    while text[i] == BLANK or text[i] == TAB or (text[i] == RETURN and text[i + 1] == NEWLINE):
        i += 1
    return i


@inner
def read_cell(text, i, separator):
    """The end of the cell that begins at i (exclusive), and the hash of its bytes."""
    h = FNV_OFFSET
    b = text[i]
    while True:
        while b > BLANK and b != separator:
            h = (h ^ np.uint64(b)) * FNV_PRIME
            i += 1
            b = text[i]
        if b == NEWLINE or b == separator or (b == RETURN and text[i + 1] == NEWLINE) or (separator < 0 and (b == BLANK or b == TAB)):
            break
        h = (h ^ np.uint64(b)) * FNV_PRIME
        i += 1
        b = text[i]
    h = (h ^ (h >> SHIFT)) * MIX_A
    h = (h ^ (h >> SHIFT)) * MIX_B
    return i, h ^ (h >> SHIFT)


@inner
def next_line(text, i):
    """Where the next line begins."""
    while text[i] != NEWLINE:
        i += 1
    return i + 1


@inner
def marks_document(text, i, separator):
    """Whether the cell at i is -DOCSTART-."""
    for k in range(len(DOCUMENT_MARK)):
        if text[i + k] != DOCUMENT_MARK[k]:
            return False
    after = text[i + len(DOCUMENT_MARK)]
    return after <= BLANK or after == separator


@inner
def same_bytes(text, a, b, length):
    """Whether two stretches of the text are equal."""
    for k in range(length):
        if text[a + k] != text[b + k]:
            return False
    return True


@kernel(allocates=True)
def rehash(distinct, known, table):
    """Fill an empty table (int32, -1 where free, a power of two long) with the first `known` distinct cells."""
    for u in range(known):
        slot = (distinct[u, HASH] + distinct[u, COLUMN]) & (len(table) - 1)
        while table[slot] >= 0:
            slot = (slot + 1) & (len(table) - 1)
        table[slot] = u


# A distinct cell is a row of int64: its hash, where it first occurs, its length in bytes, its column and its code in that column.
HASH, BEGIN, LENGTH, COLUMN, CODE = range(5)
# The state of a scan that stops when its table is half full and goes on with a larger one (arrays that change inside the loop are slow).
AT, LINE, TOKENS, SENTENCES, DOCUMENTS, KNOWN, CELLS = range(7)


@kernel(allocates=True)
def scan(text, separator, state, cells, found):
    """Fill what is found; true when done, false when the table is full.

    state int64 [7] is zero at first; state[CELLS] becomes the number of cells of a line that has not C cells, state[LINE] is that line
    and state[AT] where it begins. With C = 0 the first token's line is such a line.
    """
    table, distinct, counts = cells
    codes, line, begin, stop, row_ptr, doc_ptr = found
    width, mask = len(codes), len(table) - 1
    known, n, sentences, documents, number = state[KNOWN], state[TOKENS], state[SENTENCES], state[DOCUMENTS], state[LINE]
    i = state[AT]
    full = len(distinct) - width
    while i < len(text) and known <= full:
        start = i
        i = skip_blanks(text, i)
        blank = text[i] == NEWLINE
        if blank or marks_document(text, i, separator):
            if n > row_ptr[sentences]:
                sentences += 1
                row_ptr[sentences] = n
            if not blank:
                doc_ptr[documents] = sentences
                documents += 1
            i = next_line(text, i)
            number += 1
            continue
        if documents == 0:
            doc_ptr[0] = 0
            documents = 1
        if separator >= 0:
            i = start
        c = 0
        while True:
            a = i
            i, h = read_cell(text, i, separator)
            if c < width and n < len(line):
                key = np.int64(h)
                slot = (key + c) & mask
                u = table[slot]
                while u >= 0:
                    if distinct[u, HASH] == key and distinct[u, COLUMN] == c and distinct[u, LENGTH] == i - a:
                        if same_bytes(text, distinct[u, BEGIN], a, i - a):
                            break
                    slot = (slot + 1) & mask
                    u = table[slot]
                if u < 0:
                    u = np.int32(known)
                    distinct[u, HASH], distinct[u, BEGIN], distinct[u, LENGTH] = key, a, i - a
                    distinct[u, COLUMN], distinct[u, CODE] = c, counts[c]
                    table[slot] = u
                    counts[c] += 1
                    known += 1
                codes[c, n] = distinct[u, CODE]
            c += 1
            end = i
            if separator < 0:
                i = skip_blanks(text, i)
                if text[i] == NEWLINE:
                    break
            elif text[i] == separator:
                i += 1
            else:
                break
        if c != width:
            state[AT], state[LINE], state[CELLS] = start, number, c
            return True
        line[n], begin[n], stop[n] = number, start, end
        n += 1
        number += 1
        i = next_line(text, i)
    state[AT], state[LINE], state[TOKENS], state[SENTENCES], state[DOCUMENTS], state[KNOWN] = i, number, n, sentences, documents, known
    if i < len(text):
        return False
    if n > row_ptr[sentences]:
        state[SENTENCES] += 1
        row_ptr[sentences + 1] = n
    doc_ptr[documents] = state[SENTENCES]
    return True


@kernel(allocates=True)
def find_cut(text, separator, tokens):
    """Where to cut a text so that the part before holds at most `tokens` tokens: before a document, else before a sentence, if possible.

    The cut is the beginning of a sentence (or of the document marks in front of it), so that both sides hold tokens. A single longer
    sentence is not cut. 0: no cut, more text is needed.
    """
    n, i, mark, sentence_cut, document_cut = 0, 0, -1, 0, 0
    inside = False
    while i < len(text):
        content = skip_blanks(text, i)
        if text[content] == NEWLINE:
            inside = False
        elif marks_document(text, content, separator):
            inside = False
            if mark < 0:
                mark = i
        else:
            if not inside and n > 0:
                sentence_cut = mark if mark >= 0 else i
                if mark >= 0:
                    document_cut = mark
            inside = True
            mark = -1
            n += 1
            if n > tokens and sentence_cut > 0:
                return document_cut if document_cut > 0 else sentence_cut
        i = next_line(text, content)
    return 0


@kernel(allocates=True)
def weave(text, begin, stop, separator, extra, only_extra, out):
    """Copy the text to `out`, with extra columns after each token's line (or instead of it); returns the length.

    begin, stop [N] bound the tokens' lines.
    """
    codes, pool, pool_ptr = extra
    at, copied = 0, 0
    for t in range(len(stop)):
        upto = begin[t] if only_extra else stop[t]
        for k in range(upto - copied):
            out[at + k] = text[copied + k]
        at += upto - copied
        copied = stop[t]
        joint = np.uint8(TAB if separator < 0 else separator)
        if separator < 0:
            k = stop[t] - 1
            while k > begin[t] and text[k] != BLANK and text[k] != TAB:
                k -= 1
            joint = np.uint8(TAB) if text[k] == TAB else np.uint8(BLANK)
        for e in range(len(codes)):
            if e > 0 or not only_extra:
                out[at] = joint
                at += 1
            a = pool_ptr[codes[e, t]]
            length = pool_ptr[codes[e, t] + 1] - a
            for k in range(length):
                out[at + k] = pool[a + k]
            at += length
    for k in range(len(text) - copied):
        out[at + k] = text[copied + k]
    return at + len(text) - copied
