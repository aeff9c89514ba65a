"""BLEU is sacrebleu's to the digit, on random texts, several references and public lists; costs, error rates and risks by slow twins."""

import math

import numpy as np
import pytest
from public_data import public

from widemargin.compiler.jit import kernel
from widemargin.errors import InputError
from widemargin.families.reranking.bleu import brevity_penalty, corpus_bleu, precisions, sentence_bleu
from widemargin.families.reranking.costs import parse_cost
from widemargin.families.reranking.edits import error_counts
from widemargin.families.reranking.features import within_lists
from widemargin.families.reranking.hypotheses import pool_of
from widemargin.families.reranking.kernels.bleu import bleu_with
from widemargin.families.reranking.mbr import least_risk
from widemargin.families.reranking.metrics import metric_named
from widemargin.families.reranking.references import with_references
from widemargin.families.reranking.scores import choice_scores, system_scores
from widemargin.families.reranking.sources import open_pool

sacrebleu = pytest.importorskip("sacrebleu")
SACRE = [8, 9, 0, 1, 2, 3, 4, 5, 6, 7]  # lengths first
NAMES = {"exp": ("exp", None), "add-1": ("add-k", 1), "floor": ("floor", 0.1), "none": ("none", None)}


def random_lists(seed, *, sentences=12, references=2, words=4):
    """Short texts of few words, some of them empty, so that n-grams repeat."""
    random = np.random.default_rng(seed)

    def text():
        return " ".join(random.choice(list("abcdefgh")[:words], int(random.integers(0, 9))))

    X = [[(text(), {"f": float(random.normal())}) for _ in range(int(random.integers(1, 6)))] for _ in range(sentences)]
    return pool_of(X, [[text() for _ in range(int(random.integers(1, references + 1)))] for _ in range(sentences)])


def statistics_of(metric, text, references):
    return metric._compute_segment_statistics(metric._preprocess_segment(text), metric._cache_references([[one] for one in references])[0])


@pytest.mark.twice
@pytest.mark.parametrize("seed", range(20))
def test_statistics_are_those_of_sacrebleu(seed):
    pool, metric = random_lists(seed, words=2 + seed % 4), sacrebleu.BLEU(tokenize="none", smooth_method="none")
    for h, (text, row) in enumerate(zip(pool.texts, pool.row)):
        assert pool.counts[h][SACRE].tolist() == statistics_of(metric, text, pool.references[row])
    chosen = pool.row_ptr[:-1]
    ours, theirs = (
        corpus_bleu(pool.counts[chosen].sum(axis=0)),
        metric._aggregate_and_compute([pool.counts[h][SACRE].tolist() for h in chosen]),
    )
    assert ours == pytest.approx(theirs.score, rel=1e-12)
    assert precisions(pool.counts[chosen].sum(axis=0)) == pytest.approx(theirs.precisions)
    assert brevity_penalty(pool.counts[chosen].sum(axis=0)) == pytest.approx(theirs.bp)
    for smoothing, (method, value) in NAMES.items():
        one = sacrebleu.BLEU(tokenize="none", smooth_method=method, smooth_value=value, effective_order=True)
        expected = [one.sentence_score(text, list(pool.references[row])).score for text, row in zip(pool.texts, pool.row)]
        np.testing.assert_allclose(sentence_bleu(pool.counts, smoothing), expected, rtol=1e-12, atol=1e-12)


def test_statistics_of_all_public_lists_are_those_of_sacrebleu():
    """Every tenth sentence here; `python benchmarks/reranking.py` does all."""
    metric = sacrebleu.BLEU(tokenize="none")
    for path in public("nbest_multi30k_de_en/*.nbest.gz"):
        pool = open_pool(str(path))
        for i in range(0, pool.sentences, 10):
            cached = metric._cache_references([[one] for one in pool.references[i]])[0]
            for h in range(*pool.row_ptr[i : i + 2]):
                assert pool.counts[h][SACRE].tolist() == metric._compute_segment_statistics(pool.texts[h], cached)


@pytest.mark.twice
def test_all_1_smoothing_adds_to_every_order():
    counts = np.array([0, 0, 0, 0, 3, 2, 1, 0, 3, 3])
    assert sentence_bleu(counts, "all-1") == pytest.approx(100 * (1 / 4 * 1 / 3 * 1 / 2 * 1 / 1) ** 0.25)


@kernel
def beside(counts, h, background):
    """What only kernels may call."""
    return bleu_with(counts, h, background)


@pytest.mark.twice
def test_bleu_beside_a_background():
    pool, background = random_lists(3), np.arange(1.0, 11.0)
    for h in range(len(pool)):
        assert 100 * beside(pool.counts, h, background) == pytest.approx(float(corpus_bleu(pool.counts[h] + background)))


def levenshtein(a, b):
    if not a or not b:
        return len(a) + len(b)
    return min(levenshtein(a[1:], b[1:]) + (a[0] != b[0]), levenshtein(a[1:], b) + 1, levenshtein(a, b[1:]) + 1)


@pytest.mark.twice
@pytest.mark.parametrize("characters", [False, True])
def test_error_rates_are_edits_over_length(characters):
    pool = random_lists(1, sentences=4) if not characters else pool_of([[("ab c", {}), ("", {}), ("ba", {})]], [["a b", "bc"]])
    for (edits, length), text, row in zip(error_counts(pool, characters=characters), pool.texts, pool.row):
        cut = (lambda t: list(t)) if characters else str.split
        pairs = [(levenshtein(cut(text), cut(one)), len(cut(one))) for one in pool.references[row]]
        assert (edits, length) in pairs
        assert edits / max(length, 1) == min(e / max(n, 1) for e, n in pairs)
    assert metric_named(pool, "wer").lower_is_better


@pytest.mark.parametrize("name", ["ter", "chrf"])
def test_ter_and_chrf_are_those_of_sacrebleu(name):
    pool = random_lists(2)
    metric, theirs = metric_named(pool, name), sacrebleu.TER() if name == "ter" else sacrebleu.CHRF()
    for h, (text, row) in enumerate(zip(pool.texts, pool.row)):
        if all(one.split() for one in pool.references[row]):  # of an empty reference sacrebleu says 100 or 0 by a rule of its own
            assert metric.single[h] == pytest.approx(theirs.sentence_score(text, list(pool.references[row])).score)
    chosen = pool.row_ptr[:-1]
    texts = [pool.texts[h] for h in chosen]
    most = max(map(len, pool.references))
    references = [[one[k] if k < len(one) else None for one in pool.references] for k in range(most)]
    assert metric.total(metric.counts[chosen].sum(axis=0)) == pytest.approx(theirs.corpus_score(texts, references).score)


@pytest.mark.twice
def test_costs_are_what_is_lost_and_the_best_is_free():
    pool = random_lists(4, references=1)
    metric = metric_named(pool, "bleu")
    correct = np.zeros(len(pool), bool)
    correct[metric.best(pool)] = True
    for text, factor in (("sentence", 1.0), ("sentence*10", 10.0)):
        price = parse_cost(text).prices(pool, metric, correct)
        for i in range(pool.sentences):
            own = slice(*pool.row_ptr[i : i + 2])
            np.testing.assert_allclose(price[own], factor * (metric.single[own].max() - metric.single[own]) / 100)
    price, first = parse_cost("corpus").prices(pool, metric, correct), pool.row_ptr[:-1]
    for i in range(pool.sentences):
        own = range(*pool.row_ptr[i : i + 2])
        found = []
        for h in own:
            choice = first.copy()
            choice[i] = h
            found.append(pool.sentences * float(corpus_bleu(pool.counts[choice].sum(axis=0))) / 100)
        np.testing.assert_allclose(price[own.start : own.stop], max(found) - np.array(found), atol=1e-12)
    assert parse_cost("hamming*2").prices(pool, metric, correct).tolist() == (2.0 * ~correct).tolist()
    for bad in ("bleu", "sentence*", "sentence*x", ""):
        with pytest.raises(InputError):
            parse_cost(bad)
    for moving in ("background", "pseudo-document*2"):
        with pytest.raises(InputError, match=f"rerank tune --set gain={moving.partition('*')[0]}"):
            parse_cost(moving)


@pytest.mark.twice
def test_least_risk_is_the_most_bleu_in_expectation():
    pool = random_lists(5)
    random = np.random.default_rng(0)
    p = random.random(len(pool))
    p /= np.add.reduceat(p, pool.row_ptr[:-1])[pool.row]
    found = least_risk(pool, np.log(p))
    for i, chosen in enumerate(found):
        own = range(*pool.row_ptr[i : i + 2])
        alone = pool.part(np.array([i]))
        gain = sum(p[h] * sentence_bleu(with_references(alone, [[pool.texts[h]]]).counts) for h in own)
        assert gain[chosen - own.start] == pytest.approx(gain.max(), abs=1e-9)


@pytest.mark.twice
def test_spread_within_lists():
    pool = pool_of(
        [
            [("a", {"f": 1, "g": 5, "h": 0.1}), ("b", {"f": 3, "g": 5, "h": 0.1})],
            [("c", {"g": 2, "h": 0.1}), ("d", {"f": -4, "g": 2, "h": 0.1})],
        ]
    )
    x = pool.dense().reshape(2, 2, 3)
    expected = np.sqrt(((x - x.mean(axis=1, keepdims=True)) ** 2).sum(axis=(0, 1)) / 4)
    np.testing.assert_allclose(within_lists(pool), expected, atol=1e-15)
    assert within_lists(pool)[1:].tolist() == [0.0, 0.0]


def test_scores_of_choices_and_of_files():
    pool = random_lists(6, sentences=30)
    metric = metric_named(pool, "bleu")
    best = choice_scores(pool, metric, metric.best(pool), ter=True).as_dict()
    assert best["bleu"] == best["oracle"] >= best["baseline"]
    assert best["low"] <= best["bleu"] <= best["high"]
    assert best["half_ter_less_bleu"] == pytest.approx((best["ter"] - best["bleu"]) / 2)
    own = system_scores(pool, pool, "bleu")
    assert own.as_dict()["bleu"] == own.as_dict()["baseline"]
    assert own.as_dict()["gain"] == 0.0
    assert "sacrebleu" not in own.report()
    assert math.isclose(float(own.score(own.counts.sum(axis=0))), own.as_dict()["bleu"])
    with pytest.raises(InputError, match="has no hypothesis here"):
        system_scores(pool, pool.part(np.arange(3)), "bleu")
