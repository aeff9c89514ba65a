"""ROUGE is that of the package rouge-score, to the digit."""

import numpy as np
import pytest

from widemargin import InputError
from widemargin.families.summaries.rouge import METRICS, Overlap, Rouge, combine

pytestmark = pytest.mark.twice
WORDS = "the a cat cats sat running ran on mat Mat, quickly. it's 7 café".split()


def text(random, lines):
    return "\n".join(" ".join(random.choice(WORDS, int(random.integers(1, 9)))) for _ in range(lines))


@pytest.mark.parametrize("stemmer", [False, True])
def test_every_metric_is_that_of_rouge_score(stemmer):
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(METRICS, use_stemmer=stemmer)
    random = np.random.default_rng(0)
    for _ in range(60):
        summary, reference = text(random, int(random.integers(1, 4))), text(random, int(random.integers(1, 4)))
        found, expected = Rouge(stemmer=stemmer).score(summary, [reference]), scorer.score(reference, summary)
        for metric in METRICS:
            assert found[metric] == pytest.approx(
                (expected[metric].recall, expected[metric].precision, expected[metric].fmeasure), abs=1e-15
            )
    several = [text(random, 2) for _ in range(3)]
    found, expected = Rouge(stemmer=stemmer, references="max").score(summary, several), scorer.score_multi(several, summary)
    for metric in METRICS:
        assert found[metric].f == pytest.approx(expected[metric].fmeasure, abs=1e-15)


def test_by_hand():
    found = Rouge().score("the cat sat on the mat", ["the cat lay on a mat"])
    assert found["rouge1"] == pytest.approx((4 / 6, 4 / 6, 4 / 6))
    assert found["rouge2"] == pytest.approx((1 / 5, 1 / 5, 1 / 5))
    assert found["rougeL"] == pytest.approx((4 / 6, 4 / 6, 4 / 6))
    assert Rouge().score("", ["the cat"])["rouge1"] == (0.0, 0.0, 0.0)
    with pytest.raises(InputError, match="no reference"):
        Rouge().score("the cat", [])


def test_references_are_combined():
    each = [Overlap(f, f, f) for f in (0.1, 0.5, 0.3)]
    assert combine(each, "mean").f == pytest.approx(0.3)
    assert combine(each, "max").f == 0.5
    assert combine(each, "jackknife").f == pytest.approx((0.5 + 0.3 + 0.5) / 3)


def test_truncation_and_tokens():
    long = Rouge().score("cat sat é mat", ["cat mat"])["rouge1"]
    assert Rouge(truncate_words=2).score("cat sat é mat", ["cat mat"])["rouge1"] == (0.5, 0.5, 0.5)
    assert Rouge(truncate_bytes=9).score("cat sat é mat", ["cat mat"])["rouge1"].recall == 0.5
    assert long.recall == 1.0
    assert Rouge().score("дом стоит", ["дом стоит"])["rouge1"].recall == 0.0
    assert Rouge(tokens="unicode").score("дом стоит", ["дом стоит"])["rouge1"].recall == 1.0


def test_what_is_counted_is_said():
    assert str(Rouge()) == "without stemmer, ascii words, mean over references"
    how = Rouge(tokens="unicode", references="jackknife", truncate_bytes=665)
    assert str(how) == "without stemmer, unicode words, jackknife over references, first 665 bytes"
