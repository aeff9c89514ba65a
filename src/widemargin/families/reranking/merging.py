"""Lists of several iterations as one: hypotheses with the same words and features stand once."""

import dataclasses

import numpy as np

from widemargin.errors import InputError
from widemargin.families.reranking.pool import NO_COUNTS, Pool
from widemargin.scoring.list_corpus import pointer


def merged(first: Pool, second: Pool) -> Pool:
    """Pool.merge: the sentences of the first, then those that only the second has; in each, the hypotheses of the first, then new ones."""
    both = concatenated(first, second)
    ids = list(dict.fromkeys(both.ids))
    place = {name: i for i, name in enumerate(ids)}
    sentence = np.array([place[name] for name in both.ids], np.int64)[both.row]
    order = np.argsort(sentence, kind="stable")
    kept = order[~repeated(both, sentence, order)]
    made = both.hypotheses(kept, pointer(np.bincount(sentence[kept], minlength=len(ids))))

    def of(name: str, given: tuple) -> tuple:
        found: dict = {}
        for sentence_id, value in zip(both.ids, given):
            if found.setdefault(sentence_id, value) != value:
                raise InputError(f"sentence {sentence_id} has different {name} in the two lists; read both with the same", second.source)
        return tuple(found[sentence_id] for sentence_id in ids) if given else ()

    references, sources = of("references", both.references), of("sources", both.sources)
    return dataclasses.replace(made, ids=tuple(ids), references=references, sources=sources)


def without_repetitions(pool: Pool) -> Pool:
    """The same lists, in which what has the same words and features stands once, the first time that it comes."""
    order = np.arange(len(pool))
    kept = order[~repeated(pool, pool.row, order)]
    return pool if len(kept) == len(pool) else pool.hypotheses(kept, pointer(np.bincount(pool.row[kept], minlength=pool.sentences)))


def repeated(pool: Pool, sentence: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Which hypotheses, taken in this order, have the sentence, words and features of an earlier one, bool [H]."""
    seen, out = set(), np.zeros(len(order), bool)
    tokens, entries = pool.token_ptr.tolist(), pool.feature_ptr.tolist()
    for k, (h, i) in enumerate(zip(order.tolist(), sentence[order].tolist())):
        feature, value = pool.feature[entries[h] : entries[h + 1]], pool.value[entries[h] : entries[h + 1]]
        key = i, pool.token[tokens[h] : tokens[h + 1]].tobytes(), feature.tobytes(), value.tobytes()
        out[k] = key in seen
        seen.add(key)
    return out


def concatenated(first: Pool, second: Pool) -> Pool:
    """The sentences of both, one list after the other, with numbers of features and words that mean the same in both."""
    if bool(first.references) != bool(second.references):
        raise InputError("one of the two lists has references and the other has none; read both with the same references", second.source)
    if set(first.columns) != set(second.columns):
        raise InputError(
            f"the two lists have different metric columns ({', '.join(first.columns) or 'none'}; {', '.join(second.columns) or 'none'}); "
            "give both the same",
            second.source,
        )
    names, feature = _numbered(first.names, second.names)
    words, token = _numbered(first.words, second.words)
    entry = feature[second.feature]
    owner = np.repeat(np.arange(len(second)), np.diff(second.feature_ptr))
    ascending = np.lexsort((entry, owner))
    return Pool(
        _joined(first.row_ptr, second.row_ptr),
        _joined(first.feature_ptr, second.feature_ptr),
        np.concatenate([first.feature, entry[ascending]]),
        np.concatenate([first.value, second.value[ascending]]),
        names,
        _joined(first.token_ptr, second.token_ptr),
        np.concatenate([first.token, token[second.token]]),
        np.concatenate([first.counts, second.counts]) if first.references else NO_COUNTS,
        {name: np.concatenate([column, second.columns[name]]) for name, column in first.columns.items()},
        words,
        first.ids + second.ids,
        first.texts + second.texts,
        np.concatenate([first.score, second.score]),
        _padded(first) + _padded(second) if first.alignment or second.alignment else (),
        first.references + second.references,
        first.sources + second.sources if first.sources and second.sources else (),
        np.concatenate([first.line, second.line]),
        first.source if first.source == second.source else f"{first.source}+{second.source}",
        first.form,
    )


def _numbered(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[tuple[str, ...], np.ndarray]:
    """The words of both, and the new numbers of the second's, int32 [len(second)]."""
    place = {name: k for k, name in enumerate(first)}
    number = np.array([place.setdefault(name, len(place)) for name in second], np.int32)
    return tuple(place), number


def _joined(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Bounds of runs, those of the second behind those of the first."""
    return np.concatenate([first, first[-1] + second[1:]])


def _padded(pool: Pool) -> tuple[str, ...]:
    return pool.alignment or ("",) * len(pool)
