"""Codes and scores of arcs by the definition in families/dependencies/kernels/codes.py, in plain Python."""

from widemargin.families.dependencies.kernels.codes import BINS, LONGEST_BIN
from widemargin.scoring.hashed import LINE

BITS64 = (1 << 64) - 1


def mix(h):
    h = ((h ^ (h >> 30)) * 0xBF58476D1CE4E5B9) & BITS64
    h = ((h ^ (h >> 27)) * 0x94D049BB133111EB) & BITS64
    return h ^ (h >> 31)


def side(plan, atom, s, i, n):
    """The hash of side s at word i."""
    key = (0x9E3779B97F4A7C15 + int(s)) & BITS64
    for c, offset in plan.atom[s].tolist():
        if c < 0:
            break
        p = i + offset
        value = 13 if p < 0 else 17 if p > n else 11 if p == 0 else int(atom[p - 1, c])
        key = mix((key * 0xBF58476D1CE4E5B9 + value) & BITS64)
    return key


def code(plan, atom, s, odd, i, n, mask):
    return (((side(plan, atom, s, i, n) * int(odd)) & BITS64) >> 32) & mask


def slow_score(features, node, atom, mark, h, m, n):
    """The score of an arc by the definition in arc_codes.py; a table without slots between rows."""
    plan, flat = features.plan(), node.reshape(-1)
    mask, right = (1 << plan.bits) - 1, int(m > h)
    one, two = right, 2 + 7 * right + int(BINS[min(abs(h - m), LONGEST_BIN)])
    between = range(min(h, m) + 1, max(h, m))
    score = 0.0
    for (a, x), (b, y) in plan.bigram:
        k = code(plan, atom, a, x, h, n, mask) ^ code(plan, atom, b, y, m, n, mask)
        score += flat[k ^ one] + flat[k ^ two]
    for s, x, end in plan.unigram:
        row = (1 << plan.bits) // LINE + code(plan, atom, s, x, m if end else h, n, (1 << plan.unigram_bits) - 1)
        score += node[row, one] + node[row, two]
    for (a, x), (b, y), (c, z) in plan.between:
        k = code(plan, atom, a, x, h, n, mask) ^ code(plan, atom, b, y, m, n, mask) ^ one
        score += sum(flat[k ^ found] for found in {code(plan, atom, c, z, i, n, mask) for i in between})
    many = features.codes(plan, n, 4, flat.dtype).count_codes
    for ((a, x), (b, y)), counted in zip(plan.between_count, plan.counted):
        place = 0
        for which in counted[counted >= 0]:
            place = 3 * place + min(2, sum(int(mark[i - 1, which]) for i in between))
        k = code(plan, atom, a, x, h, n, mask) ^ code(plan, atom, b, y, m, n, mask) ^ int(many[place])
        score += flat[k ^ one]
    return score
