"""What is known of a bigram or a sentence of a cluster, as an indicator of one of several values or as a number around 1."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin.families.summaries.text import WORD

COUNTS, PLACES = (2, 3, 4, 6, 10, 20), (1, 2, 3, 6)  # where bins begin, after the first
FIRST_PERSON, SECOND_PERSON = frozenset("i me my mine we us our ours".split()), frozenset(("you", "your", "yours"))
OPENERS = frozenset("but and so it this that they he she also however or which these those because".split())


@dataclass(frozen=True)
class BigramFacts:
    """Counts of the B bigrams of a cluster."""

    documents: int  # of the cluster
    count: np.ndarray  # [B]  documents that have it
    times: np.ndarray  # [B]  how often it occurs
    stop: np.ndarray  # [B]  0, 1 or 2 stop words
    place: np.ndarray  # [B]  the earliest sentence of a document that has it, from 0
    firsts: np.ndarray  # [B]  how often it occurs in a first sentence
    frequency: np.ndarray  # [B, 2]  sentences that have its words, 1 for stop words
    mean_length: np.ndarray  # [B]  of the sentences where it occurs, in words
    least_length: np.ndarray  # [B]

    @property
    def size(self) -> int:
        return len(self.count)


@dataclass(frozen=True)
class SentenceFacts:
    """The S sentences that may be chosen."""

    texts: list[str]
    words: list[list[str]]  # in lower case
    place: np.ndarray  # [S]  in the document, from 0

    @property
    def size(self) -> int:
        return len(self.texts)


@dataclass(frozen=True)
class Attribute:
    """values: what it can be, or one name for a number. of(facts): which value [N], counted from 0, or the number."""

    values: tuple[str, ...]
    of: Callable[[Any], Any]


def _bins(name: str, begin: tuple[int, ...], first: int, of: Callable[[BigramFacts], np.ndarray]) -> Attribute:
    low = (first, *begin)
    names = [f"{a}" if b == a + 1 else f"{a}-{b - 1}" for a, b in zip(low, begin)] + [f"{low[-1]}+"]
    return Attribute(tuple(f"{name}={bin}" for bin in names), lambda facts: np.searchsorted(begin, of(facts), side="right"))


def _number(name: str, of: Callable[[Any], Any]) -> Attribute:
    return Attribute((name,), of)


def _any(name: str, test: Callable[[str, list[str]], bool]) -> Attribute:
    """1 for sentences that pass a test of their text and words."""
    return _number(name, lambda facts: [float(test(text, words)) for text, words in zip(facts.texts, facts.words)])


BIAS = _number("bias", lambda facts: np.ones(facts.size))
ATTRIBUTES = {
    "bias": BIAS,
    "stop": Attribute(("stop=0", "stop=1", "stop=2"), lambda facts: facts.stop),
    "count": _bins("count", COUNTS, 1, lambda facts: facts.count),
    "position": _bins("position", PLACES, 0, lambda facts: facts.place),
    "share": _number("share", lambda facts: facts.count / facts.documents),
    "root-share": _number("root-share", lambda facts: np.sqrt(facts.count / facts.documents)),
    "log-count": _number("log-count", lambda facts: np.log(facts.count)),
    "relative-count": _number("relative-count", lambda facts: facts.count / facts.count.max(initial=1)),
    "log-repeats": _number("log-repeats", lambda facts: np.log(facts.times / facts.count)),
    "first-share": _number("first-share", lambda facts: facts.firsts / facts.times),
    "depth": _number("depth", lambda facts: np.minimum(facts.place, 6) / 6),
    "strongest-word": _number("strongest-word", lambda facts: np.log(facts.frequency.max(axis=1)) / 5),
    "weakest-word": _number("weakest-word", lambda facts: np.log(facts.frequency.min(axis=1)) / 5),
    "words-frequency": _number("words-frequency", lambda facts: np.log(facts.frequency).sum(axis=1) / 10),
    "mean-length": _number("mean-length", lambda facts: facts.mean_length / 30),
    "least-length": _number("least-length", lambda facts: facts.least_length / 30),
}
SENTENCE_ATTRIBUTES = {
    "bias": BIAS,
    "length": _number("length", lambda facts: [len(words) / 10 for words in facts.words]),
    "first": _number("first", lambda facts: facts.place == 0),
    "first-person": _any("first-person", lambda text, words: bool(FIRST_PERSON & set(words))),
    "second-person": _any("second-person", lambda text, words: bool(SECOND_PERSON & set(words))),
    "opener": _any("opener", lambda text, words: words[:1] != [] and words[0] in OPENERS),
    "digit": _any("digit", lambda text, words: any(word.isdigit() for word in words)),
    "question": _any("question", lambda text, words: "?" in text),
    "capital": _any("capital", lambda text, words: (found := WORD.search(text)) is not None and found.group()[0].isupper()),
}
