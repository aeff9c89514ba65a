"""Span scores against a plain twin of conlleval, against cases worked out by hand, and against seqeval."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from widemargin.errors import InputError
from widemargin.families.tagging.schemes import legal
from widemargin.families.tagging.spans import span_counts_per_sentence, span_scores, spans


def code(sentences, labels):
    return np.array([labels.index(tag) for sentence in sentences for tag in sentence], np.int32)


def score(gold, guess, **settings):
    """span_scores of lists of tags, with label lists in different orders."""
    labels = sorted({tag for sentence in gold + guess for tag in sentence})
    row_ptr = np.cumsum([0] + [len(sentence) for sentence in gold])
    return span_scores(code(gold, labels), code(guess, labels[::-1]), labels, labels[::-1], row_ptr, **settings)


def ends(p, t, p_type, t_type):
    return p in ("E", "S") or (p in ("B", "I") and t in ("B", "S", "O")) or (p not in ("O", ".") and p_type != t_type)


def starts(p, t, p_type, t_type):
    return t in ("B", "S") or (p in ("O", "E", "S") and t in ("I", "E")) or (t not in ("O", ".") and p_type != t_type)


def conlleval(gold, guess, ends=ends, starts=starts):
    """The twin: conlleval's loop, one state from line to line; correct, guessed and gold per type, and tokens right."""
    counts, right, inside, last = {}, 0, False, [("O", ""), ("O", "")]
    for gold_tags, guess_tags in zip(gold, guess):
        for tags in [*zip(gold_tags, guess_tags), ("O", "O")]:
            now = [(tag.partition("-")[0], tag.partition("-")[2]) for tag in tags]
            ended, started = ([rule(a[0], b[0], a[1], b[1]) for a, b in zip(last, now)] for rule in (ends, starts))
            if inside and all(ended) and last[0][1] == last[1][1]:
                counts[last[0][1]][0] += 1
                inside = False
            elif inside and (ended[0] != ended[1] or now[0][1] != now[1][1]):
                inside = False
            inside = inside or (all(started) and now[0][1] == now[1][1])
            for side in (0, 1):
                if started[side]:
                    counts.setdefault(now[side][1], [0, 0, 0])[2 - side] += 1
            last = now
        right += sum(a == b for a, b in zip(gold_tags, guess_tags))
    return {kind: tuple(count) for kind, count in counts.items()}, right


def corpora(tags):
    """Pairs of tag sequences, any tags in any order, the guess equal to the gold here and there."""
    pair = st.one_of(tags.map(lambda tag: (tag, tag)), st.tuples(tags, tags))
    return st.lists(st.lists(pair, max_size=8), min_size=1, max_size=4).map(
        lambda corpus: tuple([[token[side] for token in sentence] for sentence in corpus] for side in (0, 1))
    )


ANY_TAG = st.sampled_from(["O", ".", *(f"{head}-{kind}" for head in "BIES" for kind in ("X", "Y", "X-Y"))])


@given(st.one_of(corpora(ANY_TAG), corpora(st.sampled_from(["O", "B", "I", "I-X"]))))
@settings(max_examples=400)
def test_counts_as_conlleval_does_on_any_tags(corpus):
    gold, guess = corpus
    by_type, right = conlleval(gold, guess)
    result = score(gold, guess)
    assert result.by_type == by_type
    assert (result.correct, result.guessed, result.gold) == tuple(sum(c[k] for c in by_type.values()) for k in range(3))
    assert (result.tokens, result.tokens_correct) == (sum(map(len, gold)), right)
    labels = sorted({tag for sentence in gold + guess for tag in sentence})
    rows = np.cumsum([0] + [len(sentence) for sentence in gold])
    counts = span_counts_per_sentence(code(gold, labels), code(guess, labels), labels, labels, rows)
    for a, b, row in zip(gold, guess, counts):
        there, found = set(spans(a)), set(spans(b))
        assert row.tolist() == [len(there & found), len(found), len(there)]


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("O I-X I-X O", [(1, 3, "X")]),  # I after O starts a span
        ("B-X I-X B-X", [(0, 2, "X"), (2, 3, "X")]),
        ("I-X I-Y I-Y", [(0, 1, "X"), (1, 3, "Y")]),  # another type ends one and starts one
        ("B-X I-Y", [(0, 1, "X"), (1, 2, "Y")]),
        ("B-X B-X", [(0, 1, "X"), (1, 2, "X")]),
        ("I-X E-X I-X E-X", [(0, 2, "X"), (2, 4, "X")]),  # after E a span starts
        ("E-X E-X O E-Y", [(0, 1, "X"), (1, 2, "X"), (3, 4, "Y")]),
        ("B-X I-X E-X B-X E-X", [(0, 3, "X"), (3, 5, "X")]),
        ("S-X S-X I-X", [(0, 1, "X"), (1, 2, "X"), (2, 3, "X")]),
        ("B-X S-X", [(0, 1, "X"), (1, 2, "X")]),
        ("B-X-Y I-X-Y I-X-Z", [(0, 2, "X-Y"), (2, 3, "X-Z")]),  # a type may hold dashes
        ("B I O I", [(0, 2, ""), (3, 4, "")]),
        ("[-X I-X ]-X", [(0, 1, "X"), (2, 3, "X")]),  # spans of one token
        (". B-X .", [(1, 2, "X")]),
        ("", []),
    ],
)
def test_cases_by_hand(tags, expected):
    assert spans(tags.split()) == expected


@pytest.mark.parametrize(
    ("scheme", "tags", "expected"),
    [
        ("iob2", "I-X B-X I-X I-Y B-Y", [(1, 3, "X"), (4, 5, "Y")]),
        ("iob1", "I-X B-X I-X O B-X I-X", [(0, 1, "X"), (1, 3, "X")]),
        ("bioes", "S-X B-X I-X E-X B-X I-X O E-X B-Y E-X S-Y", [(0, 1, "X"), (1, 4, "X"), (10, 11, "Y")]),
    ],
)
def test_strict_counts_well_formed_spans_only(scheme, tags, expected):
    assert spans(tags.split(), strict=scheme) == expected


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("B-X L-X U-X B-X I-X L-X", [(0, 2, "X"), (2, 3, "X"), (3, 6, "X")]),
        ("X X O Y X X", [(0, 2, "X"), (3, 4, "Y"), (4, 6, "X")]),
        ("work-of-art work-of-art O", [(0, 2, "work-of-art")]),
    ],
)
def test_biluo_and_bare_types(tags, expected):
    assert spans(tags.split()) == expected
    scheme = "biluo" if "L-X" in tags else "io"
    assert spans(tags.split(), strict=scheme) == expected


def quirky_ends(p, t, p_type, t_type):
    return p + t in ("BB", "BO", "IB", "IO", "EE", "EI", "EO") or p in "[]" or (p not in ("O", ".") and p_type != t_type)


def quirky_starts(p, t, p_type, t_type):
    return p + t in ("BB", "IB", "OB", "OI", "EE", "EI", "OE") or t in "[]" or (t not in ("O", ".") and p_type != t_type)


@given(corpora(ANY_TAG))
@settings(max_examples=200)
def test_quirks_are_those_of_the_script_of_2004(corpus):
    gold, guess = corpus
    by_type, _ = conlleval(gold, guess, quirky_ends, quirky_starts)
    assert score(gold, guess, quirks=True).by_type == by_type
    joined = ["B-X", "E-X", "B-X", "E-X"]
    assert (score([joined], [joined]).gold, score([joined], [joined], quirks=True).gold) == (2, 1)
    assert score([joined], [joined], quirks=True).mode == "conlleval quirks"


def test_report_by_hand():
    result = score([["B-NP", "I-NP", "O"], ["B-VP"]], [["B-NP", "O", "O"], ["B-VP"]])
    assert result.report() == (
        "processed 4 tokens with 2 phrases; found: 2 phrases; correct: 1.\n"
        "accuracy:  75.00%; precision:  50.00%; recall:  50.00%; FB1:  50.00\n"
        "               NP: precision:   0.00%; recall:   0.00%; FB1:   0.00  1\n"
        "               VP: precision: 100.00%; recall: 100.00%; FB1: 100.00  1\n"
    )
    assert result.mode == "conlleval"
    assert result.as_dict()["types"]["VP"] == {"precision": 100, "recall": 100, "f1": 100, "correct": 1, "guessed": 1, "gold": 1}
    assert {key: result.as_dict()[key] for key in ("precision", "recall", "f1", "accuracy")} == {
        "precision": 50,
        "recall": 50,
        "f1": 50,
        "accuracy": 75,
    }
    assert score([["B-NP", "I-NP"]], [["I-NP", "I-NP"]], strict="bio").mode == "strict iob2"


def test_sentences_bound_spans_and_nothing_is_nothing():
    split, joined = score([["I-X"], ["I-X"]], [["I-X"], ["I-X"]]), score([["I-X", "I-X"]], [["I-X", "I-X"]])
    assert (split.correct, joined.correct) == (2, 1)
    empty = score([[]], [[]])
    assert (empty.f1, empty.accuracy, empty.report()) == (0, 0, "processed 0 tokens with 0 phrases; found: 0 phrases; correct: 0.\n")
    assert score([["O"]], [["O"]]).f1 == 0


def test_what_is_said_about_wrong_input():
    with pytest.raises(InputError, match="2 gold tags and 1 guessed tags for 2 tokens"):
        span_scores(np.zeros(2, int), np.zeros(1, int), ["O"], ["O"], np.array([0, 2]))
    with pytest.raises(InputError, match="does not belong to iob2"):
        score([["S-X"]], [["O"]], strict="iob2")


LABELS = {"iob1": ["O", "B-X", "I-X", "B-Y", "I-Y"], "iob2": ["O", "B-X", "I-X", "B-Y", "I-Y"]}
LABELS["bioes"] = [*LABELS["iob2"], "E-X", "S-X", "E-Y", "S-Y"]


@st.composite
def legal_tags(draw, scheme):
    """A random walk through the legal transitions, cut where it may stop."""
    start, step, stop = legal(LABELS[scheme], scheme)
    sequence, allowed = [], start
    for _ in range(draw(st.integers(0, 8))):
        sequence.append(draw(st.sampled_from(np.flatnonzero(allowed).tolist())))
        allowed = step[sequence[-1]]
    while sequence and not stop[sequence[-1]]:
        sequence.pop()
    return [LABELS[scheme][y] for y in sequence]


@given(st.data(), st.sampled_from(list(LABELS)))
@settings(max_examples=200)
def test_agrees_with_seqeval(data, scheme):
    pytest.importorskip("seqeval")
    from seqeval.metrics.sequence_labeling import get_entities
    from seqeval.scheme import IOB1, IOB2, IOBES, Entities

    classes = {"iob1": IOB1, "iob2": IOB2, "bioes": IOBES}
    tags = data.draw(legal_tags(scheme))
    any_tags = data.draw(st.lists(st.sampled_from(LABELS[scheme]), max_size=8))
    for sequence in (tags, any_tags):
        assert spans(sequence) == [(start, end + 1, kind) for kind, start, end in get_entities(sequence)]
        if sequence is tags or scheme != "iob1":  # on illegal IOB1, seqeval keeps the rest of a span whose B is illegal
            strict = [(e.start, e.end, e.tag) for e in Entities([sequence], classes[scheme]).entities[0]]
            assert spans(sequence, strict=scheme) == strict
    assert spans(tags, strict=scheme) == spans(tags)
