"""Relations of a mention and an antecedent as small numbers, and the codes of a link's features (features.py)."""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, tiny
from widemargin.engine.hash import GOLDEN, U32, mix
from widemargin.families.coreference.attributes import FACT

SENTENCE, FIRST, END, GENDER, NUMBER, PERSON, FORM = (FACT[name] for name in "sentence first end gender number person form".split())
HEAD, STRING, WORDS, MODIFIERS, QUOTATION = (FACT[name] for name in "head string content modifiers quotation".split())
NEXT_SAME, SPEAKER = FACT["next_same"], FACT["speaker"]
RELATION_VALUES = 64  # a relation is a number from 0 up and below this
RELATION_COUNT = 16
PRONOUN = 2  # forms from here on are pronouns
MOST_BETWEEN = 3  # words between a mention and its antecedent that are looked at
NOTHING_BETWEEN = np.uint64(0)
BIN = np.array([0, 1, 2, 3, 4, 5, 6, 6, 7, 7, 7, *[8] * 5, *[9] * 5, *[10] * 10, *[11] * 20, *[12] * 30, *[13] * 50, 14], np.int64)
LAST_BIN = len(BIN) - 1


class Plan(NamedTuple):
    """Templates of links as numbers; T of them, in groups."""

    ends: np.ndarray  # int64 [4]  where templates of columns alone end, of one relation, of two, and those with a condition
    relation: np.ndarray  # int64 [T, 2]
    table: np.ndarray  # uint32 [T, 2, RELATION_VALUES]  codes of relations; 0 where there is none
    form: np.ndarray  # uint32 [F]  codes of the mention's forms
    odd: np.ndarray  # uint64 [T]  multiplies the words between
    bits: int


class Facts(NamedTuple):
    """Mentions and words, as attributes.Mentions has them."""

    fact: np.ndarray  # int32 [M, ...]
    content: np.ndarray  # int32 [M, 6]
    word: np.ndarray  # uint64 [N]


@tiny
def agree(a, c):
    """Do two mentions not clash in gender, number and person? 0 is unknown, gender 4 any person."""
    g, k = a[GENDER], c[GENDER]
    fits = g == 0 or k == 0 or g == k or (g == 4 and k != 3) or (k == 4 and g != 3)
    fits = fits and (a[NUMBER] == 0 or c[NUMBER] == 0 or a[NUMBER] == c[NUMBER])
    return fits and (a[PERSON] == 0 or c[PERSON] == 0 or a[PERSON] == c[PERSON])


@inner
def match_of(facts, m, j, exact, head):
    """Six bits: same words, same head, the mention's head among the antecedent's words, and the reverse, all words of each found."""
    a, c = facts.fact[j], facts.fact[m]
    shared, forth, back = 0, 0, 0
    if a[FORM] < PRONOUN and c[FORM] < PRONOUN:
        for p in range(c[WORDS]):
            for q in range(a[WORDS]):
                if facts.content[m, p] == facts.content[j, q]:
                    shared += 1
                    if facts.content[m, p] == c[HEAD]:
                        forth = 1
                    if facts.content[j, q] == a[HEAD]:
                        back = 1
    whole = 1 if 0 < shared and shared >= c[WORDS] else 0
    part = 1 if 0 < shared and shared >= a[WORDS] else 0
    return exact + 2 * head + 4 * forth + 8 * back + 16 * whole + 32 * part


@inner
def quotation_of(a, c):
    """Both quoted, 0 to 5 quotations apart; the mention alone 6; the antecedent alone 7; neither 8."""
    if c[QUOTATION] > 0 and a[QUOTATION] > 0:
        return min(c[QUOTATION] - a[QUOTATION], 5)
    return 6 if c[QUOTATION] > 0 else 7 if a[QUOTATION] > 0 else 8


@inner
def relate(facts, m, j, rank, out):
    """All relations, in the order of templates.RELATIONS. rank: mentions between the two that agree with m."""
    a, c = facts.fact[j], facts.fact[m]
    apart = c[SENTENCE] - a[SENTENCE]
    exact, head = 1 if a[STRING] == c[STRING] else 0, 1 if a[HEAD] == c[HEAD] else 0
    out[0], out[1] = BIN[min(m - j, LAST_BIN)], min(m - j, 10)
    out[2], out[3] = BIN[min(apart, LAST_BIN)], min(apart, 10)
    out[4], out[5], out[6], out[7] = BIN[min(rank, LAST_BIN)], exact, head, exact + 2 * head
    out[8] = match_of(facts, m, j, exact, head)
    both = 4 if a[MODIFIERS] == c[MODIFIERS] else 0
    out[9] = (1 if c[MODIFIERS] != 0 else 0) + (2 if a[MODIFIERS] != 0 else 0) + both
    out[10] = 1 if a[NEXT_SAME] < m else 0
    out[11] = 1 if a[END] > c[FIRST] else 0
    out[12] = (1 if a[FIRST] == c[FIRST] else 0) + (2 if a[END] == c[END] else 0)
    out[13] = quotation_of(a, c)
    out[14] = 1 if a[FORM] == c[FORM] else 0
    known = a[SPEAKER] > 0 and c[SPEAKER] > 0
    out[15] = (2 if a[SPEAKER] == c[SPEAKER] else 1) if known else 0


@inner
def words_between(facts, m, j):
    """A code of the words between the two; NOTHING_BETWEEN where they are too many, overlap, or stand in other sentences."""
    a, c = facts.fact[j], facts.fact[m]
    gap = c[FIRST] - a[END]
    if gap < 0 or gap > MOST_BETWEEN or a[SENTENCE] != c[SENTENCE]:
        return NOTHING_BETWEEN
    code = GOLDEN + np.uint64(gap)
    for t in range(a[END], c[FIRST]):
        code = mix(code + facts.word[t])
    return code


class Codes(NamedTuple):
    """Codes of templates by mention (features.py), and scratch of one thread."""

    antecedent: np.ndarray  # uint32 [M, T]
    mention: np.ndarray  # uint32 [M, T]
    new: np.ndarray  # uint32 [M, U]
    relation: np.ndarray  # int64 [RELATION_COUNT]
    link: np.ndarray  # uint32 [T]  codes of one link
    row: np.ndarray  # [1, 16]


@inner
def code_link(plan, facts, codes, m, j, rank):
    """Codes of all features of the link from m to j that fire, into codes.link; returns how many."""
    antecedent, mention, relation, out = codes.antecedent, codes.mention, codes.relation, codes.link
    relate(facts, m, j, rank, relation)
    ends, use, table = plan.ends, plan.relation, plan.table
    for t in range(ends[0]):
        out[t] = antecedent[j, t] ^ mention[m, t]
    for t in range(ends[0], ends[1]):
        out[t] = antecedent[j, t] ^ mention[m, t] ^ table[t, 0, relation[use[t, 0]]]
    for t in range(ends[1], ends[2]):
        out[t] = antecedent[j, t] ^ mention[m, t] ^ table[t, 0, relation[use[t, 0]]] ^ table[t, 1, relation[use[t, 1]]]
    count = ends[2]
    for t in range(ends[2], ends[3]):
        if relation[use[t, 0]] > 0:
            out[count] = antecedent[j, t] ^ mention[m, t] ^ table[t, 0, relation[use[t, 0]]] ^ table[t, 1, relation[use[t, 1]]]
            count += 1
    if ends[3] < len(use):
        between = words_between(facts, m, j)
        if between != NOTHING_BETWEEN:
            mask = np.uint64((1 << plan.bits) - 1)
            for t in range(ends[3], len(use)):
                out[count] = antecedent[j, t] ^ mention[m, t] ^ np.uint32(((between * plan.odd[t]) >> U32) & mask)
                count += 1
    return count
