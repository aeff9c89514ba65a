"""Attachment scores: by hand, against a slow twin that follows the CoNLL 2018 definitions word by word, and their options."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from widemargin.errors import InputError
from widemargin.families.dependencies.conllu import read_treebank
from widemargin.families.dependencies.metric import CONTENT, TreeScores, TreeSide, compare_treebanks, dependency_scores, punctuation_of


def treebank(*sentences, form=None):
    """Sentences of (head, relation) pairs."""
    lines = []
    for sentence in sentences:
        for i, (head, relation) in enumerate(sentence, 1):
            upos = "PUNCT" if relation == "punct" else "X"
            lines.append(f"{i}\t{form or 'w' + str(i)}\t_\t{upos}\t_\t_\t{head}\t{relation}\t_\t_")
        lines.append("")
    return read_treebank(io.StringIO("\n".join(lines) + "\n"))


GOLD = [(2, "det"), (3, "nsubj:pass"), (0, "root"), (3, "obl"), (3, "punct")], [(0, "root"), (1, "punct")]
GUESS = [(2, "det"), (3, "nsubj"), (0, "root"), (2, "nmod"), (4, "punct")], [(0, "root"), (1, "case")]


def test_scores_by_hand():
    scores = compare_treebanks(treebank(*GOLD), treebank(*GUESS))
    assert (scores.words, scores.heads, scores.both) == (7, 5, 4)
    assert scores.content == (3, 4, 4)  # nsubj, root, root right; nsubj, root, nmod, root guessed; nsubj, root, obl, root gold
    assert scores.uas == pytest.approx(500 / 7)
    assert scores.las == pytest.approx(400 / 7)
    assert scores.clas == pytest.approx(75)
    assert (scores.heads_exact, scores.both_exact, scores.sentences) == (1, 0, 2)
    assert scores.uem == 50
    assert scores.lem == 0
    assert scores.by_relation["punct"] == (0, 1, 2)
    assert scores.by_relation["nsubj"] == (1, 1, 1)
    assert scores.by_relation["nmod"] == (0, 1, 0)
    assert "nsubj:pass" not in scores.by_relation
    facts = scores.as_dict()
    assert facts["relations"]["root"]["f1"] == 100
    assert facts["las"] == scores.las
    assert "LAS  57.14" in scores.report()


def test_without_punctuation_and_with_subtypes():
    gold, guess = treebank(*GOLD), treebank(*GUESS)
    scores = compare_treebanks(gold, guess, punctuation=False)
    assert (scores.words, scores.heads, scores.both, scores.heads_exact, scores.both_exact) == (5, 4, 4, 1, 1)
    assert compare_treebanks(gold, guess, subtypes=True).both == 3
    assert TreeScores(gold, guess.heads, guess.relation, guess.relations).counts.tolist() == [[3, 5], [1, 2]]
    assert TreeScores(gold, guess.heads, guess.relation, guess.relations, no_punctuation=True).counts.tolist() == [[3, 4], [1, 1]]


def test_punctuation_of_conll_x_goes_by_the_characters():
    text = "1\tx.\t_\t_\t_\t_\t0\ta\t0\ta\n2\t»,\t_\t_\t_\t_\t1\ta\t1\ta\n\n"
    assert punctuation_of(read_treebank(io.StringIO(text))).tolist() == [False, True]


def test_unknown_gold_heads_do_not_count():
    gold = treebank([(2, "det"), ("_", "_"), (2, "obj")])
    scores = compare_treebanks(gold, treebank([(2, "det"), (0, "root"), (1, "obj")]))
    assert (scores.words, scores.heads, scores.both, scores.content) == (2, 1, 1, (0, 1, 1))


def test_other_words_are_refused():
    with pytest.raises(InputError, match="the same sentences"):
        compare_treebanks(treebank(*GOLD), treebank(GOLD[0]))
    with pytest.raises(InputError, match=":1: the word is 'x' here and 'w1'"):
        compare_treebanks(treebank(*GOLD), treebank(*GOLD, form="x"))


def slow(gold, guess, punctuation: bool) -> dict:
    """Word by word: right (head, relation) keys over the words that count on each side."""

    def keys(sentences):
        return [(s, m, head, relation.split(":")[0]) for s, words in enumerate(sentences) for m, (head, relation) in enumerate(words)]

    pairs = [(a, b) for a, b in zip(keys(gold), keys(guess)) if punctuation or a[3] != "punct"]
    content = [
        sum(a == b and a[3] in CONTENT for a, b in pairs),
        sum(b[3] in CONTENT for _, b in pairs),
        sum(a[3] in CONTENT for a, _ in pairs),
    ]
    sentences = range(len(gold))
    relations = {key[3] for pair in pairs for key in pair}
    return {
        "words": len(pairs),
        "heads": sum(a[2] == b[2] for a, b in pairs),
        "both": sum(a == b for a, b in pairs),
        "content": tuple(content),
        "heads_exact": sum(all(a[2] == b[2] for a, b in pairs if a[0] == s) for s in sentences),
        "both_exact": sum(all(a == b for a, b in pairs if a[0] == s) for s in sentences),
        "by_relation": {
            r: (
                sum(a == b and a[3] == r for a, b in pairs),
                sum(b[3] == r for _, b in pairs),
                sum(a[3] == r for a, _ in pairs),
            )
            for r in relations
        },
    }


WORDS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from("nsubj nsubj:pass det case punct root dobj conj".split())), min_size=1, max_size=5
)


@settings(max_examples=80)
@given(st.lists(WORDS, min_size=1, max_size=4), st.randoms(use_true_random=False), st.booleans())
def test_the_slow_twin_counts_the_same(gold, random, punctuation):
    guess = [
        [word if random.random() < 0.6 else (random.randrange(4), random.choice(["det", "nsubj", "obj:x", "punct"])) for word in s]
        for s in gold
    ]
    names = [sorted({relation for s in side for _, relation in s}) for side in (gold, guess)]
    heads = [np.array([head for s in side for head, _ in s]) for side in (gold, guess)]
    codes = [np.array([known.index(relation) for s in side for _, relation in s]) for side, known in zip((gold, guess), names)]
    row_ptr = np.cumsum([0, *map(len, gold)])
    counted = None if punctuation else np.array([relation != "punct" for s in gold for _, relation in s])
    scores = dependency_scores(*map(TreeSide, heads, codes, names), row_ptr, counted=counted)
    for name, value in slow(gold, guess, punctuation).items():
        assert getattr(scores, name) == value, name
