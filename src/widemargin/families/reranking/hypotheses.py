"""Lists that users give in Python, and what is known of their best hypotheses, as a Pool."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from widemargin.engine.settings import is_sequence, shown
from widemargin.errors import InputError, several
from widemargin.families.reranking.gathering import LARGEST, Gathered
from widemargin.families.reranking.pool import Pool
from widemargin.families.reranking.references import with_references
from widemargin.readers.encodings import check_text


def pool_of(X: Any, y: Any = None) -> Pool:
    """A Pool itself, or lists of hypotheses: each a dict with text, features and perhaps metrics, or a pair (text, features).

    y: for each sentence its reference, a text, or several; None: the lists bring them along, or metric columns.
    """
    pool = X if isinstance(X, Pool) else _gathered(X)
    if y is None:
        return pool
    given = list(y) if is_sequence(y) else None
    if given is None or len(given) != pool.sentences:
        told = "no references" if given is None else several(len(given), "reference")
        raise InputError(f"y has {told} for {several(pool.sentences, 'list')}; give one for each")
    references = []
    for i, one in enumerate(given):
        texts = (one,) if isinstance(one, str) else tuple(one) if is_sequence(one) else ()
        if not texts or not all(isinstance(text, str) for text in texts):
            raise InputError(f"the reference of sentence {i} is {shown(one)}; give a text, or a list of texts")
        check_text(texts, "the reference")
        references.append(texts)
    return with_references(pool, references)


def _gathered(X: Any) -> Pool:
    if not is_sequence(X):
        raise InputError(f"X is {shown(X)}; give lists of hypotheses, or what widemargin.open_pool reads")
    found, number = Gathered("<memory>", "jsonl"), 0
    for i, hypotheses in enumerate(X):
        if not is_sequence(hypotheses):
            raise InputError(f"the list of sentence {i} is {shown(hypotheses)}; give a list of hypotheses")
        count = number
        for hypothesis in hypotheses:
            number += 1
            _add(found, number, str(i), hypothesis)
        if count == number:
            raise InputError(f"the list of sentence {i} is empty; leave such sentences out")
    pool = found.pool() if number else None
    if pool is None:
        raise InputError("there is no list in X; give at least one")
    return dataclasses.replace(pool, ids=tuple(str(i) for i in range(pool.sentences)))


def _add(found: Gathered, number: int, sentence: str, hypothesis: Any) -> None:
    if isinstance(hypothesis, Mapping):
        text, features, metrics = (hypothesis.get(key, usual) for key, usual in (("text", None), ("features", {}), ("metrics", {})))
    elif isinstance(hypothesis, tuple) and len(hypothesis) == 2:
        (text, features), metrics = hypothesis, {}
    else:
        raise InputError(
            f"a hypothesis of sentence {sentence} is {shown(hypothesis)}; give a dict with text and features, or a pair of them"
        )
    if not isinstance(text, str):
        raise InputError(f"the text of a hypothesis of sentence {sentence} is {shown(text)}; give a text")
    check_text([text], "the hypothesis")
    found.add(number, sentence, " ".join(text.split("\n")).strip())
    features = _named(features, sentence)
    for name, value in features.items():
        found.feature.append(found.names[name])
        found.value.append(_number(value, name, sentence))
    found.features.append(len(features))
    if number > 1 and set(found.columns) != set(metrics):
        raise InputError(f"a hypothesis of sentence {sentence} has other metrics than the first; give all of them the same")
    for name, value in metrics.items():
        found.columns.setdefault(name, []).append(_number(value, name, sentence))


def _named(features: Any, sentence: str) -> dict[str, Any]:
    """Features by name; those of a list are called 1, 2, ..."""
    if isinstance(features, Mapping):
        named = {str(name): value for name, value in features.items()}
    elif is_sequence(features) or isinstance(features, np.ndarray):
        named = {str(k): value for k, value in enumerate(features, 1)}
    else:
        raise InputError(f"the features of a hypothesis of sentence {sentence} are {shown(features)}; give a dict, or a list of numbers")
    if bad := [name for name in named if name.split() != [name]]:
        raise InputError(f"{bad[0]!r} cannot be the name of a feature; leave out blanks")
    return named


def _number(value: Any, name: str, sentence: str) -> float:
    try:
        if not isinstance(value, str | bytes) and abs(number := float(value)) <= LARGEST:
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"{name} of a hypothesis of sentence {sentence} is {shown(value)}; give a finite number")


def places_of(pool: Pool, texts: Iterable[str]) -> np.ndarray:
    """The hypotheses with these texts, one for each sentence, int64 [S]."""
    found = []
    for i, text in enumerate(texts):
        low, high = pool.row_ptr[i : i + 2].tolist()
        own = [h for h in range(low, high) if pool.texts[h] == text]
        if not own:
            raise InputError(f"{shown(text)!r} is not a hypothesis of sentence {pool.ids[i]}")
        found.append(own[0])
    if len(found) != pool.sentences:
        raise InputError(f"there are {several(len(found), 'text')} for {several(pool.sentences, 'list')}; give one for each")
    return np.array(found, np.int64)
