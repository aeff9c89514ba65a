"""EVALB's numbers: its own sample files, the cases of its README, a slow twin, and the settings that it reads."""

import dataclasses
import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_trees import trees as random_trees

from widemargin.cli import main
from widemargin.errors import InputError
from widemargin.families.base import Scores
from widemargin.families.constituency.brackets import read_brackets
from widemargin.families.constituency.building import from_trees
from widemargin.families.constituency.evalb import BracketScores
from widemargin.families.constituency.evalb_sentence import ERROR, SKIPPED, VALID, compare
from widemargin.families.constituency.evalb_settings import COLLINS, EvalbSettings, read_settings

# EVALB's sample.gld, .tst, .prm and .rsl (Sekine and Collins; in the public domain), with their two lines of trees without words as (())
THIS = "(S (A (P this)) (B (Q is) (A (R a) (T test))))"
LONG = "(S " + " ".join(["(A (P this)) (B (Q is) (A (R a) (T test)))"] * 11) + ")"
SAMPLE = [  # gold, system, and of EVALB's line: status, matched, gold, system's, crossing, words, right tags
    (THIS, THIS, (0, 4, 4, 4, 0, 4, 4)),
    (THIS, "(S (A (P this)) (B (Q is) (C (R a) (T test))))", (0, 3, 4, 4, 0, 4, 4)),
    (THIS, "(S (A (P this)) (B (Q is) (A (R a) (U test))))", (0, 4, 4, 4, 0, 4, 3)),
    (THIS, "(S (C (P this)) (B (Q is) (A (R a) (U test))))", (0, 3, 4, 4, 0, 4, 3)),
    (THIS, "(S (A (P this)) (B (Q is) (R a) (A (T test))))", (0, 3, 4, 4, 0, 4, 4)),
    (THIS, "(S (A (P this) (Q is)) (A (R a) (T test)))", (0, 2, 4, 3, 1, 4, 4)),
    (THIS, "(S (P this) (Q is) (R a) (T test))", (0, 1, 4, 1, 0, 4, 4)),
    (THIS, "(TOP (P this) (Q is) (R a) (T test))", (0, 0, 4, 0, 0, 4, 4)),
    (THIS, "(S (A (P this)) (B (Q is) (A (A (R a) (T test)))))", (0, 4, 4, 5, 0, 4, 4)),
    (THIS, "(S (A (P this)) (B (Q is) (A (A (A (A (A (R a) (T test))))))))", (0, 4, 4, 8, 0, 4, 4)),
    (THIS, "(())", (2, 0, 0, 0, 0, 0, 0)),
    (THIS, "(S (A (P this)) (B (Q was) (A (A (R a) (T test)))))", (1, 0, 0, 0, 0, 0, 0)),
    (THIS, "(S (A (P this)) (B (Q is) (U not) (A (A (R a) (T test)))))", (1, 0, 0, 0, 0, 0, 0)),
    (THIS, "()", (2, 0, 0, 0, 0, 0, 0)),
    (THIS, f"(TOP {THIS})", (0, 4, 4, 4, 0, 4, 4)),
    (THIS, "(S (A (P this)) (NONE *) (B (Q is) (A (R a) (T test))))", (1, 0, 0, 0, 0, 0, 0)),
    (THIS, "(S (A (P this)) (S (NONE abc) (A (NONE *))) (B (Q is) (A (R a) (T test))))", (1, 0, 0, 0, 0, 0, 0)),
    (THIS, "(S (A (P this)) (B (Q is) (A (R a) (TT test))))", (0, 4, 4, 4, 0, 4, 4)),
    (THIS, "(S (A (P This)) (B (Q is) (A (R a) (T test))))", (0, 4, 4, 4, 0, 4, 4)),
    (THIS, "(S (A (P That)) (B (Q is) (A (R a) (T test))))", (1, 0, 0, 0, 0, 0, 0)),
    ("(S (A-SBJ-1 (P this)) (B-WHATEVER (Q is) (A (R a) (T test))))", THIS, (0, 4, 4, 4, 0, 4, 4)),
    (LONG, LONG, (0, 34, 34, 34, 0, 44, 44)),
    (THIS[:-1] + " (-NONE- *))", THIS[:-1] + " (-NONE- *))", (0, 4, 4, 4, 0, 4, 4)),
    (THIS[:-1] + " (: *))", THIS[:-1] + " (: *))", (0, 4, 4, 4, 0, 4, 4)),
]
SAMPLE_PRM = """## a comment
DEBUG 0
MAX_ERROR 10
CUTOFF_LEN 40
LABELED 1\x20\x20
DELETE_LABEL TOP
DELETE_LABEL -NONE-
DELETE_LABEL ,
DELETE_LABEL :
DELETE_LABEL ``
DELETE_LABEL ''

DELETE_LABEL_FOR_LENGTH -NONE-
EQ_LABEL T TT
EQ_WORD  This this
"""


def read(*lines):
    return read_brackets(io.StringIO("\n".join(lines)), empty=True)


def sample_scores(**options):
    gold, system, _ = zip(*SAMPLE)
    return BracketScores(read(*gold), read(*system), settings=read_settings(io.StringIO(SAMPLE_PRM)), **options)


def test_the_lines_of_evalbs_sample():
    found = sample_scores(strict=False).compared
    lines = [(c.status, c.matched, c.gold, c.guessed, c.crossing, c.words, c.right_tags) for c in found]
    assert lines == [line for _, _, line in SAMPLE]
    assert [c.length for c in found] == [4] * 21 + [44, 4, 5]


def test_the_summary_of_evalbs_sample():
    scores = sample_scores(strict=False)
    everything, short = scores.summary(), scores.summary(40)
    rounded = [
        [part.sentences, part.errors, part.skipped, part.valid]
        + [round(x, 2) for x in (part.recall, part.precision, part.exact, part.crossing, part.no_crossing, part.two_or_fewer, part.tagging)]
        for part in (everything, short)
    ]
    assert rounded[0] == [24, 5, 2, 17, 87.76, 90.53, 52.94, 0.06, 94.12, 100.00, 98.15]
    assert rounded[1] == [23, 5, 2, 16, 81.25, 85.25, 50.00, 0.06, 93.75, 100.00, 96.88]
    assert everything.f1 == pytest.approx(2 * everything.precision * everything.recall / (everything.precision + everything.recall))


def test_what_cannot_be_scored_is_refused_by_its_place_or_listed():
    with pytest.raises(InputError, match=r"<file>:11: .* <file>:11: the system has no words"):
        sample_scores()
    scores = sample_scores(strict=False)
    assert [i + 1 for i, _ in scores.failures] == [11, 12, 13, 14, 16, 17, 20]
    assert scores.failures[1][1] == "the word is 'is' in the gold tree and 'was' in the system's"
    assert scores.failures[2][1] == "the gold tree has 4 words that count, the system's 5"
    assert "left out: sentence 11: " in scores.report()
    assert scores.signature.endswith("left out:7")
    assert not scores.counts[[10, 11, 12]].any()
    assert np.isnan(scores.per_sentence[10])


def test_sentences_without_words_that_count_are_left_out_and_no_mistake():
    gold, system = read("(())", "(S (. .))", "(S (NN a))"), read("(())", "(X (: ...))", "(S (NN a))")
    scores = BracketScores(gold, system)
    assert [i for i, _ in scores.failures] == [0, 1]
    assert scores.summary().f1 == 100
    assert "left out: sentence 1: no word of it counts" in scores.report()
    with pytest.raises(InputError, match="the system has no words that count"):
        BracketScores(read("(S (NN a))"), read("(())"))


def test_too_many_errors_end_it_where_evalb_would():
    gold, system = read(*[THIS] * 5), read(*[SAMPLE[11][1]] * 5)
    with pytest.raises(InputError, match=r"and so are 4 sentences before it; MAX_ERROR is 3"):
        BracketScores(gold, system, settings=EvalbSettings(max_error=3), strict=False)
    assert len(BracketScores(gold, system, settings=EvalbSettings(max_error=4), strict=False).failures) == 5


# EVALB's README, sections 6 and 7
@pytest.mark.parametrize(
    ("gold", "system", "expected"),  # matched, gold, system's
    [
        pytest.param("(S (VP (VBD r) (SBAR (-NONE- 0) (S (-NONE- *T*-1)))) (. .))", "(S (VP (VBD r)) (. .))", (2, 2, 2), id="traces"),
        pytest.param("(S (NP-SBJ (NN a)) (VP=2 (VB b)))", "(S (NP (NN a)) (VP (VB b)))", (3, 3, 3), id="function tags"),
        pytest.param("(NP (DT the) (NN man))", "(NP (NP (DT the) (NN man)))", (1, 1, 2), id="m > n"),
        pytest.param("(NP (NP (NP (DT the) (NN man))))", "(NP (DT the) (NN man))", (1, 3, 1), id="n > m"),
        pytest.param("(NP (NP (DT the) (NN man)))", "(NP (NP (DT the) (NN man)))", (2, 2, 2), id="n = m"),
        pytest.param("(VP (VB a) (PRT (RP b)))", "(VP (VB a) (ADVP (RP b)))", (2, 2, 2), id="ADVP is PRT"),
        pytest.param("(TOP (S (NP (NN a)) (, ,) (NP (NN b))))", "(TOP (S (NP (NN a) (, ,)) (NP (NN b))))", (3, 3, 3), id="punctuation"),
        pytest.param("( (S (NP (NN a)) (VP (VB b))))", "(S (NP (NN a)) (VP (VB b)))", (3, 3, 3), id="outer bracket without label"),
    ],
)
def test_the_cases_of_evalbs_documentation(gold, system, expected):
    (found,) = BracketScores(read(gold), read(system)).compared
    assert (found.matched, found.gold, found.guessed) == expected


def test_equal_pairs_are_not_chained_and_unlabelled_brackets_need_no_label():
    settings = EvalbSettings(same_labels=(("A", "B"), ("B", "C")))
    assert compare(read("(A (X x))").tree(0), read("(B (X x))").tree(0), settings).matched == 1
    assert compare(read("(A (X x))").tree(0), read("(C (X x))").tree(0), settings).matched == 0
    assert compare(read("(A (X x))").tree(0), read("(D (X x))").tree(0), EvalbSettings(labelled=False)).matched == 1


def test_quotation_marks_that_one_side_deletes():
    gold, system = read("(S (NP (NNS boys) (POS ')) (NN a))"), read("(S (NP (NNS boys) ('' ')) (NN a))")
    with pytest.raises(InputError, match="3 words that count, the system's 2"):
        BracketScores(gold, system)
    (found,) = BracketScores(gold, system, settings=EvalbSettings(quotes=("POS", "''"))).compared
    assert (found.matched, found.gold, found.guessed, found.words, found.right_tags) == (2, 2, 2, 3, 2)


def test_lengths_labels_and_means():
    scores = BracketScores(read(LONG, THIS), read(LONG, "(S (P this) (Q is) (R a) (T test))"))
    told = scores.as_dict()
    assert told["f1"] == pytest.approx(100 * 2 * 35 / (38 + 35))
    assert told["lengths"]["20"]["f1"] == told["lengths"]["40"]["f1"] == pytest.approx(40)
    assert told["mean_f1"] == pytest.approx(70)
    assert told["labels"]["A"] == {"precision": 100, "recall": pytest.approx(100 * 22 / 24), "f1": pytest.approx(4400 / 46), "correct": 22,
                                   "guessed": 22, "gold": 24}  # fmt: skip
    assert scores.score(scores.counts.sum(axis=0)) == pytest.approx(told["f1"])
    assert scores.metric == "f1"
    checked: Scores = scores
    assert checked.report().splitlines()[0].startswith("   all: precision 100.00  recall  92.11")


def test_a_sentence_without_brackets_on_both_sides_is_right():
    scores = BracketScores(read("(TOP (UH yes))"), read("(UH yes)"))
    assert scores.summary().mean_f1 == scores.summary().exact == 100


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("LABELED yes\n", r":1: LABELED has the value 'yes'"),
        ("DEBUG 0\nDELETE_LABEL\n", r":2: DELETE_LABEL has 0 values; give one label"),
        ("EQ_LABEL A\n", "EQ_LABEL has 1 values; give two"),
        ("DELETE_LABELS A\n", "'DELETE_LABELS' is not a setting of EVALB"),
        ("CUTOFF_LEN -4\n", "whole number from 0 up"),
    ],
)
def test_settings_that_are_none(text, words):
    with pytest.raises(InputError, match=words):
        read_settings(io.StringIO(text))


def test_settings_of_a_file(tmp_path):
    (tmp_path / "mine.prm").write_text("LABELED 0\nCUTOFF_LEN 15\nDELETE_LABEL X\nQUOTE_LABEL ''\nMAX_ERROR 3\n")
    assert read_settings(tmp_path / "mine.prm") == EvalbSettings("mine", ("X",), (), (), (), ("''",), False, 15, 3)
    assert COLLINS.signature == "evalb|COLLINS|labelled|del:TOP -NONE- , : `` '' .|len:-NONE-|eq:ADVP=PRT|cut:40"


def test_files_that_do_not_belong_together():
    with pytest.raises(InputError, match="has 2 sentences and <file> has 1"):
        BracketScores(read(THIS, THIS), read(THIS))
    with pytest.raises(InputError, match="not wholly known"):
        BracketScores(read("(? (P this))"), read("(P this)"))
    with pytest.raises(InputError, match="no gold tree"):
        BracketScores(from_trees([[("this", "P")]]), read("(P this)"))


def slow_crossings(gold, system):
    """Brackets of the system that share words with a gold one, where each has words that the other lacks."""
    count = 0
    for low, high, _ in system:
        mine = set(range(low, high))
        others = [set(range(first, end)) for first, end, _ in gold]
        count += any(mine & other and mine - other and other - mine for other in others)
    return count


def pruned(tree, settings):
    """A tree as (label, children) without the words whose tags are deleted and what they leave empty; a leaf as (tag, word)."""
    if not tree.brackets:
        return None if tree.tags[0] in settings.deleted else (tree.tags[0], tree.words[0])
    children = [child for child in (pruned(child, settings) for child in tree.children) if child]
    return (tree.label.split("-")[0].split("=")[0], children) if children else None


def listed(tree, settings, first=0):
    """Brackets that count (first, end, label) of such a tree, its words and tags."""
    if isinstance(tree[1], str):
        return [], [tree[1]], [tree[0]]
    brackets, words, tags = [], [], []
    for child in tree[1]:
        below, more, others = listed(child, settings, first + len(words))
        brackets, words, tags = brackets + below, words + more, tags + others
    own = [(first, first + len(words), tree[0])] if tree[0] not in settings.deleted else []
    return own + brackets, words, tags


LABELS = ("S", "NP-SBJ", "NP", "VP=1", "VP", "TOP", "ADVP", "PRT")
MARKS = st.sampled_from(["NN", ",", "-NONE-", "ADVP", "VB"])


@given(st.data())
def test_deleted_words_and_labels_as_a_slow_twin_has_them(data):
    gold = data.draw(random_trees(labels=LABELS))
    n = len(gold.words)
    gold = dataclasses.replace(gold, tags=tuple(data.draw(st.lists(MARKS, min_size=n, max_size=n))))
    system = data.draw(random_trees(words=gold.words, tags=gold.tags, labels=LABELS))
    if data.draw(st.booleans()):
        system = dataclasses.replace(system, tags=tuple(data.draw(st.lists(MARKS, min_size=n, max_size=n))))
    found = compare(gold, system, COLLINS)
    one, other = (pruned(tree, COLLINS) for tree in (gold, system))
    if other is None:
        assert found.status == SKIPPED
        return
    (wanted, words, tags), (guessed, others, more) = (listed(tree, COLLINS) if tree else ([], [], []) for tree in (one, other))
    if words != others:
        assert found.status == ERROR
        return

    def same(a, b):
        return a == b or {a, b} == {"ADVP", "PRT"}

    left, matched = list(guessed), 0
    for bracket in wanted:
        match = next((k for k, other in enumerate(left) if other[:2] == bracket[:2] and same(other[2], bracket[2])), None)
        if match is not None:
            del left[match]
            matched += 1
    right = sum(same(a, b) for a, b in zip(tags, more))
    assert found[:8] == (
        VALID,
        sum(tag != "-NONE-" for tag in gold.tags),
        matched,
        len(wanted),
        len(guessed),
        slow_crossings(wanted, guessed),
        len(words),
        right,
    )


@given(st.data())
def test_numbers_are_those_of_a_slow_twin(data):
    gold = data.draw(random_trees())
    system = data.draw(random_trees(words=gold.words, tags=gold.tags))
    found = compare(gold, system, EvalbSettings(deleted=(), same_labels=()))
    left, matched = list(system.brackets), 0
    for bracket in gold.brackets:
        if bracket in left:
            left.remove(bracket)
            matched += 1
    assert (found.matched, found.gold, found.guessed) == (matched, len(gold.brackets), len(system.brackets))
    assert found.crossing == slow_crossings(gold.brackets, system.brackets)
    assert sum(numbers[1] for numbers in found.by_label) == matched


def test_two_systems_are_compared_sentence_by_sentence(tmp_path, capsys):
    right, wrong = "(S (NP (D a) (N b)) (VP (V c)))\n", "(S (D a) (N b) (VP (V c)))\n"
    for name, lines in (("gold", [right] * 4), ("one", [right] * 4), ("other", [wrong, right, wrong, wrong])):
        (tmp_path / f"{name}.mrg").write_text("".join(lines))
    told = ["score", "constparse", *(str(tmp_path / f"{name}.mrg") for name in ("gold", "one")), "--samples", "50"]
    assert main([*told, "--against", str(tmp_path / "other.mrg")]) == 0
    assert "sentence by sentence: 3 differ, W = 0.0, p = 0." in capsys.readouterr().out
    assert main([*told, "--against", str(tmp_path / "one.mrg"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["signed_rank"] == {"n": 0, "w": 0.0, "p_value": 1.0}
