"""Lists for the embedded corpus: its sentences through a noisy channel, and the k best ways back by our own chain structure.

Every third word or so is garbled to a neighbour of it in the alphabet. What a garbled word may have been, or that it was nothing, has a
probability in the channel; what words follow each other has one in a bigram model of the first sentences of town:train. The k best
sentences under channel + 0.2 bigrams are the hypotheses: too little weight for the bigrams, as a system has that was never tuned. Features:
channel, lm, length and kept, how many words are as they were garbled. The same for the same seed.
"""

import bisect
import functools
import math
from collections import Counter

import numpy as np

from widemargin.corpora import town
from widemargin.corpora.town.stream import Stream
from widemargin.families.reranking.gathering import Gathered
from widemargin.families.reranking.pool import Pool
from widemargin.families.reranking.references import with_references
from widemargin.structures.base import Parts
from widemargin.structures.chain.arrays import Chain

BEST, WAYS, GARBLED, DROPPED, LM, SENTENCES = 20, 5, 0.35, 0.08, 0.2, 2000
LABELS = 8  # of the chain: what a word may have been, WAYS + 1 at most
LONGEST = 24  # words; longer sentences are left out


@functools.lru_cache(maxsize=2)
def _language(seed: int) -> tuple[tuple[str, ...], dict, Counter]:
    """Words in the order of the alphabet, counts of pairs, and of words before another."""
    pairs: Counter[tuple[str, str]] = Counter()
    before: Counter[str] = Counter()
    for document in town.documents("train", sentences=SENTENCES, seed=seed):
        for sentence in document.sentences:
            words = ("", *sentence.words, "")
            pairs.update(zip(words, words[1:]))
            before.update(words[:-1])
    return tuple(sorted(before)), pairs, before


def town_pool(part: str, *, sentences: int | None = None, seed: int = 1) -> Pool:
    """The lists of a part, with references and garbled sentences as sources."""
    words, pairs, before = _language(seed)
    found, chain = Gathered(f"town:{part}", "jsonl"), Chain(LABELS)
    references: list[tuple[str]] = []

    def follows(a: str, b: str) -> float:
        return math.log((pairs[a, b] + 0.1) / (before[a] + 0.1 * len(words)))

    for document in town.documents(part, sentences=sentences, seed=seed):
        stream = Stream(seed, document.name, "channel")
        for sentence in document.sentences:
            if len(sentence.words) > LONGEST:
                continue
            heard = [_garbled(word, words, stream) for word in sentence.words]
            number = str(len(references))
            references.append((" ".join(sentence.words),))
            found.sources[number] = " ".join(heard)
            _add(found, number, heard, _ways(heard, words, stream), (chain, follows))
    return with_references(found.pool(), references)


def _garbled(word: str, words: tuple[str, ...], stream: Stream) -> str:
    """A word as it is heard."""
    return stream.choice(_neighbours(word, words)) if stream.uniform() < GARBLED else word


def _neighbours(word: str, words: tuple[str, ...]) -> list[str]:
    """Other words nearest in the alphabet."""
    at = bisect.bisect_left(words, word)
    low = max(1, min(at - WAYS // 2, len(words) - WAYS))  # the first is no word but the edge of sentences
    return [other for other in words[low : low + WAYS] if other != word]


def _ways(heard: list[str], words: tuple[str, ...], stream: Stream) -> list[dict[str, float]]:
    """For each word what it may have been, with the channel's log-probability; "" for nothing."""
    out = []
    for word in heard:
        near = _neighbours(word, words)
        ways = {word: math.log(1 - GARBLED)} | {other: math.log(GARBLED / len(near)) + stream.uniform() - 0.5 for other in near}
        out.append(ways | ({"": math.log(DROPPED)} if len(word) <= 3 else {}))
    return out


def _add(found: Gathered, number: str, heard: list[str], ways: list[dict[str, float]], model: tuple) -> None:
    """The k best sentences, by a chain whose labels are the ways of each word."""
    chain, follows = model
    words = [list(one) for one in ways]
    allowed = np.arange(LABELS) < np.array([[len(one)] for one in ways])
    node, edge = np.zeros((len(ways), LABELS)), np.zeros((len(ways), LABELS, LABELS))
    for t, one in enumerate(ways):
        node[t, : len(one)] = list(one.values())
        if t:
            edge[t, : len(words[t - 1]), : len(one)] = [[LM * follows(a, b) for b in one] for a in words[t - 1]]
    node[0, : len(words[0])] += [LM * follows("", word) for word in words[0]]
    node[-1, : len(words[-1])] += [LM * follows(word, "") for word in words[-1]]
    seen = set()
    for score, parts in chain.kbest(Parts(node, edge), BEST, allowed):
        chosen = [one[k] for one, k in zip(words, np.argmax(parts.node, axis=1).tolist())]
        text = " ".join(word for word in chosen if word)
        if text in seen:
            continue
        seen.add(text)
        found.add(len(found.ids) + 1, number, text, score=float(score))
        lm = sum(follows(a, b) for a, b in zip(["", *chosen], [*chosen, ""]))
        channel = sum(one[word] for one, word in zip(ways, chosen))
        kept = sum(a == b for a, b in zip(heard, chosen))
        for name, value in (("channel", channel), ("lm", lm), ("length", len(text.split())), ("kept", kept)):
            found.feature.append(found.names[name])
            found.value.append(float(value))
        found.features.append(4)
