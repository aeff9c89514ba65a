"""Metrics of chains: the reference scorer's own cases, examples from the papers, and slow twins."""

import itertools

import numpy as np
import pytest

from widemargin.families.coreference.metric import AT, METRICS, ChainScores, document_counts, rates

KEY = ("a", "bc", "def")
# test cases of the reference scorer (conll/reference-coreference-scorers, test/): response, then recall, precision and F of each metric
CASES = {
    "TC1": (KEY, {"muc": (1, 1, 1), "b3": (1, 1, 1), "ceafm": (1, 1, 1), "ceafe": (1, 1, 1), "blanc": (1, 1, 1)}),
    "TC2": (("a", "de"), {"ceafm": (0.5, 1, 0.66667), "ceafe": (0.6, 0.9, 0.72)}),
    "TC3": (("a", "bcx", "defy", "z"), {"ceafm": (1, 0.66667, 0.8), "ceafe": (0.88571, 0.66429, 0.75918)}),
    "TC4": (("a", "bcx", "dy", "z"), {"ceafm": (0.66667, 0.57143, 0.61538), "ceafe": (0.73333, 0.55, 0.62857)}),
    "TC5": (("a", "bcxB", "dy", "z"), {"ceafm": (0.66667, 0.5, 0.57143), "ceafe": (0.68889, 0.51667, 0.59048)}),
    "TC6": (("a", "bcx", "dy", "Bz"), {"ceafm": (0.66667, 0.5, 0.57143), "ceafe": (0.73333, 0.55, 0.62857)}),
}
# later versions of the scorer add other metrics to TC2 to TC4
MORE = {
    "TC2": {"muc": (1 / 3, 1, 0.5), "b3": (7 / 18, 1, 14 / 25), "blanc": (0.21591, 1, 0.35385), "lea": (1 / 3, 1, 0.5)},
    "TC3": {"muc": (1, 0.6, 0.75), "b3": (1, 0.50926, 0.67485), "blanc": (1, 0.42593, 0.59717), "lea": (1, 4 / 9, 8 / 13)},
    "TC4": {"muc": (1 / 3, 1 / 3, 1 / 3), "b3": (10 / 18, 0.40476, 0.46831), "blanc": (0.35227, 0.27206, 0.30357)},
}
# its other cases, by their names there: key, response, recall and precision of each metric. D and E are the example of Bagga and Baldwin
# (1998), F to L those of Vilain et al. (1995), A10 to A13, B, C, M and N of Luo et al. (2014), who extend BLANC to found mentions
ALONE, ONE, THREE = "a b c d e f".split(), ["abcdef"], ["ab", "cde", "f"]
OTHERS = "a b c x y z".split(), ["abcxyz"], ["ab", "cxy", "z"]  # with mentions missed, and others
FOUND = {
    "A10": (KEY, ALONE, {"muc": (0, 0), "b3": (3 / 6, 1), "blanc": (0.5, 0.36667), "lea": (1 / 6, 1 / 6)}),
    "A11": (KEY, ONE, {"muc": (1, 3 / 5), "b3": (1, (1 / 6 + 4 / 6 + 9 / 6) / 6), "blanc": (0.5, 0.13333), "lea": (5 / 6, 4 / 15)}),
    "A12": (KEY, "a b d e x y z".split(), {"muc": (0, 0), "b3": (13 / 36, 4 / 7), "blanc": (0.22727, 0.11905), "lea": (1 / 6, 1 / 7)}),
    "A13": (KEY, ["abdexyz"], {"muc": (1 / 3, 1 / 6), "b3": (17 / 36, 6 / 49), "blanc": (0.125, 0.02381), "lea": (1 / 6, 1 / 21)}),
    "B1": (["ab", "cde"], ["acx", "de"], {"blanc": (7 / 24, 7 / 24), "lea": (1 / 5, 2 / 5)}),
    "C1": (["ab", "cde", "fg"], ["acx", "de", "fg"], {"blanc": ((2 / 5 + 10 / 16) / 2,) * 2, "lea": (3 / 7, 4 / 7)}),
    "D1": (["12345", "67", "89ABC"], ["12345", "6789ABC"], {"muc": (1, 9 / 10), "b3": (1, 16 / 21), "lea": (1, (5 + 77 / 21) / 12)}),
    "E1": (["12345", "67", "89ABC"], ["1234589ABC", "67"], {"muc": (1, 9 / 10), "b3": (1, 7 / 12), "lea": (1, (200 / 45 + 2) / 12)}),
    "F1": (["abcd"], ["ab", "cd"], {"muc": (2 / 3, 1), "lea": (1 / 3, 1)}),
    "G1": (["ab", "cd"], ["abcd"], {"muc": (1, 2 / 3), "lea": (1, 1 / 3)}),
    "H1": (["abcd"], ["abcd"], {"muc": (1, 1), "lea": (1, 1)}),
    "J1": (["abc"], ["ab"], {"muc": (1 / 2, 1), "lea": (1 / 3, 1)}),
    "K1": (["abcdefg"], ["abx", "cdy", "efz"], {"muc": (3 / 6, 3 / 6), "lea": (3 / 21, 3 / 9)}),
    "L1": (["abc", "defg"], ["ab", "cd", "fgx"], {"muc": (2 / 5, 2 / 4), "lea": ((1 + 4 / 6) / 7, 3 / 7)}),
    "M1": (ONE, ONE, dict.fromkeys(("muc", "b3", "ceafm", "ceafe", "blanc", "lea"), (1, 1))),
    "M2": (ONE, ALONE, {"muc": (0, 0), "blanc": (0, 0), "lea": (0, 0)}),
    "M3": (ONE, THREE, {"blanc": (0.26667, 1), "lea": (4 / 15, 5 / 6)}),
    "M4": (ONE, OTHERS[1], {"blanc": (0.2, 0.2), "lea": (3 / 15, 3 / 15)}),
    "M5": (ONE, OTHERS[0], {"muc": (0, 0), "blanc": (0, 0), "lea": (0, 0)}),
    "M6": (ONE, OTHERS[2], {"blanc": (0.06667, 0.25), "lea": (1 / 15, 2 / 6)}),
    "N1": (ALONE, ALONE, {"muc": (0, 0), "blanc": (1, 1), "lea": (1, 1)}),
    "N2": (ALONE, ONE, {"muc": (0, 0), "blanc": (0, 0), "lea": (0, 0)}),
    "N3": (ALONE, THREE, {"blanc": (0.73333, 1), "lea": (1 / 6, 1 / 6)}),
    "N4": (ALONE, OTHERS[0], {"muc": (0, 0), "blanc": (0.2, 0.2), "lea": (3 / 6, 3 / 6)}),
    "N5": (ALONE, OTHERS[1], {"blanc": (0, 0), "lea": (0, 0)}),
    "N6": (ALONE, OTHERS[2], {"blanc": (0.13333, 0.18182), "lea": (0, 0)}),
}
# F where it is not that of recall and precision: BLANC's is the mean of two
BLANC = {"A10": 0.42308, "A11": 0.21053, "A12": 0.15625, "A13": 0.04, "M3": 0.42105, "M6": 0.10526, "N3": 0.84615, "N6": 0.15385}
# Luo (2005): three chains, and two responses that merge two of them
LUO = ("12345", "67", "89ABC")
LUO_CASES = {
    ("12345", "6789ABC"): {"muc": (1, 0.9, 0.947), "b3": (1, 0.762, 0.865), "ceafm": (0.833, 0.833, 0.833), "ceafe": (None, None, 0.733)},
    ("1234589ABC", "67"): {"muc": (1, 0.9, 0.947), "b3": (1, 0.583, 0.737), "ceafm": (0.583, 0.583, 0.583), "ceafe": (None, None, 0.667)},
}


def found(key, response, name, **how):
    return rates(np.array(document_counts(key, response, **how)))[name]


@pytest.mark.parametrize("case", CASES)
def test_cases_of_the_reference_scorer(case):
    response, expected = CASES[case]
    for name, values in (expected | MORE.get(case, {})).items():
        np.testing.assert_allclose(found(KEY, response, name), values, atol=6e-5, err_msg=name)


@pytest.mark.parametrize("case", FOUND)
def test_other_cases_of_the_reference_scorer(case):
    key, response, expected = FOUND[case]
    for name, (recall, precision) in expected.items():
        both = recall + precision
        f = BLANC.get(case) if name == "blanc" else 2 * recall * precision / both if both else 0
        values = found(key, response, name)
        np.testing.assert_allclose(values[:2], (recall, precision), atol=6e-5, err_msg=name)
        assert f is None or values[2] == pytest.approx(f, abs=6e-5), name


@pytest.mark.parametrize("response", LUO_CASES)
def test_examples_of_luo(response):
    for name, values in LUO_CASES[response].items():
        for value, expected in zip(found(LUO, response, name), values):
            assert expected is None or value == pytest.approx(expected, abs=6e-4)


def test_example_of_vilain():
    """Links A-B, B-C, C-D of the key; the response has A-B and C-D: two of three links, and no wrong one."""
    assert found(("ABCD",), ("AB", "CD"), "muc") == pytest.approx([2 / 3, 1, 0.8])


# ---- twins --------------------------------------------------------------------------------------------------------------------------


def random_chains(random, most=7):
    mentions = random.permutation(most)[: random.integers(1, most + 1)].tolist()
    label = random.integers(0, 4, len(mentions))
    return [[m for m, own in zip(mentions, label) if own == c] for c in range(4) if (label == c).any()]


def links(chains):
    return {pair for chain in chains for pair in itertools.combinations(sorted(chain), 2)}


def all_pairs(chains):
    return set(itertools.combinations(sorted(m for chain in chains for m in chain), 2))


def best_map(key, response, similarity):
    """All injective maps of the smaller side."""
    table = np.array([[similarity(set(k), set(r)) for r in response] for k in key])
    table = table if table.shape[0] <= table.shape[1] else table.T
    return max(sum(table[i, j] for i, j in enumerate(order)) for order in itertools.permutations(range(table.shape[1]), table.shape[0]))


@pytest.mark.parametrize("seed", range(40))
def test_counts_are_those_of_definitions(seed):
    random = np.random.default_rng(seed)
    key, response = random_chains(random), random_chains(random)
    counts = document_counts(key, response)
    at = lambda name, j: counts[AT[name] + j]  # noqa: E731
    assert at("ceafm", 0) == pytest.approx(best_map(key, response, lambda k, r: len(k & r)))
    assert at("ceafe", 0) == pytest.approx(best_map(key, response, lambda k, r: 2 * len(k & r) / (len(k) + len(r))))
    assert (at("ceafe", 1), at("ceafm", 1)) == (len(key), sum(map(len, key)))
    apart = [all_pairs(chains) - links(chains) for chains in (key, response)]
    assert at("blanc", 0) == len(links(key) & links(response))
    assert at("blanc", 3) == len(apart[0] & apart[1])
    assert [at("blanc", j) for j in (1, 2, 4, 5)] == [len(links(key)), len(links(response)), len(apart[0]), len(apart[1])]
    own = {m: set(chain) for chain in response for m in chain}
    assert at("b3", 0) == pytest.approx(sum(len(set(k) & own.get(m, set())) / len(k) for k in key for m in k))
    assert at("lea", 0) == pytest.approx(
        sum(len(k) * len(links([k]) & links(response)) / len(links([k])) if len(k) > 1 else [k[0]] in response for k in key)
    )
    parts = lambda k: len({frozenset(own[m]) if m in own else m for m in k})  # noqa: E731
    assert at("muc", 0) == sum(len(k) - parts(k) for k in key)


@pytest.mark.parametrize("singletons", [True, False])
def test_a_key_against_itself_is_perfect(singletons):
    """But for MUC where there is no link."""
    for seed in range(20):
        key = random_chains(np.random.default_rng(seed))
        scores = ChainScores([key], [key], singletons=singletons).as_dict()
        kept = [chain for chain in key if singletons or len(chain) > 1]
        for name in METRICS:
            assert scores[name] == pytest.approx(100 if kept and (name != "muc" or links(kept)) else 0), name


def test_sums_over_documents_and_reports():
    scores = ChainScores([KEY, LUO], [CASES["TC4"][0], ("12345", "6789ABC")])
    total = scores.counts.sum(axis=0)
    assert scores.score(total) == pytest.approx(scores.as_dict()["conll"])
    assert scores.as_dict()["conll"] == pytest.approx(sum(scores.as_dict()[name] for name in ("muc", "b3", "ceafe")) / 3)
    text = scores.report()
    assert "2 documents, singletons kept" in text
    assert f"{scores.as_dict()['blanc']:.2f}" in text
    assert ChainScores([KEY], [KEY], metric="lea").score(np.array(document_counts(KEY, KEY))) == pytest.approx(100)
