"""Word and character error rates: the fewest insertions, deletions and substitutions that make a reference of a hypothesis (Levenshtein
1966), over the reference's length. They add up over sentences as two counts: edits and length of the reference with the lowest rate."""

import numpy as np

from widemargin.compiler.jit import kernel
from widemargin.families.reranking.pool import Pool


@kernel
def edit_distance(a, b, row):
    """Of two arrays of numbers; row: scratch int32 [len(b) + 1]."""
    for j in range(len(b) + 1):
        row[j] = j
    for i in range(len(a)):
        before, row[0] = row[0], i + 1
        for j in range(len(b)):
            here = min(before + (a[i] != b[j]), row[j] + 1, row[j + 1] + 1)
            before, row[j + 1] = row[j + 1], here
    return row[len(b)]


def error_counts(pool: Pool, *, characters: bool = False) -> np.ndarray:
    """Edits and length of the reference of every hypothesis, float64 [H, 2]; of several references the one with the lowest rate."""
    codes: dict[str, int] = {}

    def numbers(text: str) -> np.ndarray:
        units = text.strip() if characters else text.split()
        return np.array([codes.setdefault(unit, len(codes)) for unit in units], np.int32)

    out = np.zeros((len(pool), 2))
    for i, references in enumerate(pool.references):
        given = [numbers(text) for text in references]
        row = np.zeros(max(map(len, given)) + 1, np.int32)
        for h in range(*pool.row_ptr[i : i + 2]):
            words = numbers(pool.texts[h])
            found = [(int(edit_distance(words, one, row)), len(one)) for one in given]
            out[h] = min(found, key=lambda pair: pair[0] / max(pair[1], 1))
    return out
