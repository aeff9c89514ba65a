"""A cluster as sets of sentences see it: which sentences may be chosen, which bigrams they cover, and what is known of both."""

from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.families.summaries.attributes import BigramFacts, SentenceFacts
from widemargin.families.summaries.clusters import Cluster
from widemargin.families.summaries.text import STOP_WORDS, UNITS, bigrams, room, stem, words
from widemargin.structures.subset.arrays import Coverage

Bigram = tuple[str, str]


@dataclass(frozen=True)
class Extraction:
    """What may be extracted, and how much of it."""

    budget: int
    unit: str = "words"
    least_words: int = 3  # shorter sentences are not chosen
    least_count: int = 1  # bigrams of fewer documents count for nothing
    near: float = 1.0  # of two sentences whose bigrams overlap (Jaccard) at least so much, the later is not chosen; 1: only the same words


@dataclass(frozen=True)
class Candidates:
    """The sentences of a cluster that may be chosen, S of them, and B bigrams."""

    cluster: Cluster
    sentences: np.ndarray  # int64 [S]  their numbers in the cluster
    bigrams: list[Bigram]  # [B], in alphabetical order
    coverage: Coverage
    facts: BigramFacts
    sentence_facts: SentenceFacts

    def reference_weights(self) -> tuple[np.ndarray, float]:
        """The share of references that have each bigram [B], and the sum of that over all bigrams of references, here or not."""
        held: dict[Bigram, int] = {}
        for reference in self.cluster.references:
            for bigram in set(bigrams(reference)):
                held[bigram] = held.get(bigram, 0) + 1
        many = max(1, len(self.cluster.references))
        return np.array([held.get(bigram, 0) / many for bigram in self.bigrams]), sum(held.values()) / many


def candidates_of(cluster: Cluster, how: Extraction) -> Candidates:
    """The candidates of a cluster. Sentences that must be chosen are candidates whatever they are like."""
    tokens = [words(sentence.text) for sentence in cluster.sentences]
    pairs = [bigrams(sentence.text) for sentence in cluster.sentences]
    counts = _counts(cluster, tokens, pairs)
    known = {bigram for bigram, count in counts.documents.items() if count >= how.least_count}
    chosen = _different(cluster, tokens, [set(found) & known for found in pairs], how)
    used = sorted({bigram for j in chosen for bigram in pairs[j]} & known)
    number = {bigram: b for b, bigram in enumerate(used)}
    place = {j: k for k, j in enumerate(chosen)}
    length = np.array([max(1, UNITS[how.unit](cluster.sentences[j].text)) for j in chosen], np.int64)
    must, never = sorted({place[j] for j in cluster.must}), sorted({place[j] for j in cluster.never if j in place})
    if both := sorted(set(cluster.must) & set(cluster.never)):
        raise InputError(f"sentence {both[0]} must and may not be chosen; leave it out of one of the two", cluster.where or None)
    total = room(how.budget, how.unit)
    if (needed := int(length[must].sum())) > total:
        text = f"the sentences that must be chosen take {needed} {how.unit}, and the budget is {how.budget}"
        raise InputError(f"{text}; raise it, or require fewer sentences", cluster.where or None)
    entries = [sorted({number[bigram] for bigram in pairs[j] if bigram in number}) for j in chosen]
    return Candidates(
        cluster=cluster,
        sentences=np.array(chosen, np.int64),
        bigrams=used,
        coverage=Coverage(len(used), entries, length, total, must, never),
        facts=counts.facts(used, len(cluster.documents)),
        sentence_facts=SentenceFacts(
            [cluster.sentences[j].text for j in chosen],
            [tokens[j] for j in chosen],
            np.array([cluster.sentences[j].place for j in chosen], np.int64),
        ),
    )


def _different(cluster: Cluster, tokens: list[list[str]], found: list[set[Bigram]], how: Extraction) -> list[int]:
    """Sentences that are long enough and not said before."""
    kept: list[int] = []
    seen = {tuple(tokens[j]) for j in cluster.must}
    for j, own in enumerate(found):
        if j not in cluster.must:
            if len(tokens[j]) < how.least_words or tuple(tokens[j]) in seen:
                continue
            if how.near < 1.0 and any(_overlap(own, found[k]) >= how.near for k in (*kept, *cluster.must)):
                continue
        kept.append(j)
        seen.add(tuple(tokens[j]))
    return kept


def _overlap(one: set, other: set) -> float:
    return len(one & other) / max(1, len(one | other))


@dataclass(frozen=True)
class _Counts:
    """Of every bigram of a cluster."""

    documents: dict[Bigram, int]
    times: dict[Bigram, int]
    stop: dict[Bigram, int]
    place: dict[Bigram, int]
    firsts: dict[Bigram, int]
    lengths: dict[Bigram, list[int]]
    sentences: dict[str, int]  # that have a stem which is no stop word

    def facts(self, used: list[Bigram], documents: int) -> BigramFacts:
        def column(table: dict) -> np.ndarray:
            return np.array([table[bigram] for bigram in used], np.int64)

        frequency = np.array([[self.sentences.get(word, 1) for word in bigram] for bigram in used]).reshape(-1, 2)
        mean, least = (np.array([how(self.lengths[bigram]) for bigram in used]) for how in (np.mean, min))
        counted = column(self.documents), column(self.times), column(self.stop)
        return BigramFacts(documents, *counted, column(self.place), column(self.firsts), frequency, mean, least)


def _counts(cluster: Cluster, tokens: list[list[str]], pairs: list[list[Bigram]]) -> _Counts:
    counts, last = _Counts({}, {}, {}, {}, {}, {}, {}), dict[Bigram, int]()
    for sentence, own, found in zip(cluster.sentences, tokens, pairs):
        for (a, b), bigram in zip(zip(own, own[1:]), found):
            counts.times[bigram] = counts.times.get(bigram, 0) + 1
            counts.stop.setdefault(bigram, (a in STOP_WORDS) + (b in STOP_WORDS))
            counts.place[bigram] = min(counts.place.get(bigram, sentence.place), sentence.place)
            counts.firsts[bigram] = counts.firsts.get(bigram, 0) + (sentence.place == 0)
            counts.lengths.setdefault(bigram, []).append(len(own))
            if last.get(bigram) != sentence.document:
                counts.documents[bigram], last[bigram] = counts.documents.get(bigram, 0) + 1, sentence.document
        for word in {stem(word) for word in own if word not in STOP_WORDS}:
            counts.sentences[word] = counts.sentences.get(word, 0) + 1
    return counts
