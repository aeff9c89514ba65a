"""Tag schemes: what is legal, which scheme it is, and the same spans in another one."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from public_data import public

from widemargin.errors import InputError
from widemargin.families.tagging.schemes import SCHEMES, check, convert, detect, legal, scheme_name
from widemargin.families.tagging.spans import spans
from widemargin.readers.columns import read_columns


def code(sentences):
    """codes, values and row_ptr of lists of tags."""
    flat = [tag for sentence in sentences for tag in sentence]
    values = list(dict.fromkeys(flat))
    return np.array([values.index(tag) for tag in flat], np.int32), values, np.cumsum([0] + [len(sentence) for sentence in sentences])


def write(pieces, scheme):
    """The obvious twin: tags of a sentence made of (type or None for O, length)."""
    tags, before = [], None
    for kind, length in pieces:
        if kind is None:
            tags += ["O"] * length
        else:
            if scheme in ("bioes", "biluo"):
                end, single = "ES" if scheme == "bioes" else "LU"
                heads = single if length == 1 else "B" + "I" * (length - 2) + end
            else:
                heads = ("B" if scheme == "iob2" or before == kind else "I") + "I" * (length - 1)
            tags += [f"{head}-{kind}" if kind else head for head in heads]
        before = kind
    return tags


pieces = st.lists(st.tuples(st.sampled_from([None, "X", "Y", "X-Y", ""]), st.integers(1, 4)), max_size=6)
corpora = st.lists(pieces, min_size=1, max_size=4)


PREFIXED = [scheme for scheme in SCHEMES if scheme != "io"]


@given(corpora, st.sampled_from(PREFIXED), st.sampled_from(PREFIXED))
@settings(max_examples=200)
def test_conversion_writes_the_same_spans(corpus, source, target):
    codes, values, row_ptr = code([write(sentence, source) for sentence in corpus])
    expected = [tag for sentence in corpus for tag in write(sentence, target)]
    for strict in (True, False):
        new, labels = convert(codes, values, row_ptr, source, target, strict=strict)
        assert [labels[k] for k in new] == expected
        assert labels == list(dict.fromkeys(expected))
    back, labels = convert(new, labels, row_ptr, target, source)
    assert [labels[k] for k in back] == [values[k] for k in codes]


@given(corpora, st.sampled_from(PREFIXED))
@settings(max_examples=100)
def test_bare_types_join_neighbours_of_one_type(corpus, source):
    corpus = [[(kind or None, length) for kind, length in sentence] for sentence in corpus]
    bare = [[kind or "O" for kind, length in sentence for _ in range(length)] for sentence in corpus]
    codes, values, row_ptr = code([write(sentence, source) for sentence in corpus])
    new, labels = convert(codes, values, row_ptr, source, "io")
    assert [labels[k] for k in new] == [tag for sentence in bare for tag in sentence]
    back, labels = convert(new, labels, row_ptr, "io", "iob2")
    joined = [[(kind, len(list(run))) for kind, run in itertools.groupby(sentence)] for sentence in bare]
    assert [labels[k] for k in back] == [t for run in joined for t in write([(None if k == "O" else k, n) for k, n in run], "iob2")]


def test_schemes_are_told_by_their_labels():
    assert detect(["O", "PER", "LOC"]) == detect(["work-of-art", "O"]) == "io"
    assert detect(["O", "B-PER", "L-PER"]) == detect(["U-X", "O"]) == "biluo"
    assert detect(["O"]) == "iob2"
    assert detect(["O", "E-X", "B-X"]) == "bioes"
    for labels in (["NN", "VB"], ["O", "."], ["O", "PER", "B-LOC"]):
        with pytest.raises(InputError, match="is not a span tag"):
            detect(labels)


ALL_TAGS = {"iob1": ["O", "B-X", "I-X", "B-Y", "I-Y"], "iob2": ["O", "B-X", "I-X", "B-Y", "I-Y"]}
ALL_TAGS["bioes"] = [*ALL_TAGS["iob2"], "E-X", "S-X", "E-Y", "S-Y"]
ALL_TAGS["biluo"] = [*ALL_TAGS["iob2"], "L-X", "U-X", "L-Y", "U-Y"]


@pytest.mark.parametrize("scheme", PREFIXED)
def test_legal_sequences_are_those_that_spans_can_write(scheme):
    labels = ALL_TAGS[scheme]
    start, step, stop = legal(labels, scheme)
    choices = [(kind, length) for kind in (None, "X", "Y") for length in range(1, 5)]
    writable = {
        tuple(write(sentence, scheme))
        for size in range(1, 5)
        for sentence in itertools.product(choices, repeat=size)
        if sum(length for _, length in sentence) == 4
    }
    for sequence in itertools.product(range(len(labels)), repeat=4):
        allowed = start[sequence[0]] and stop[sequence[-1]] and all(step[a, b] for a, b in itertools.pairwise(sequence))
        assert allowed == (tuple(labels[y] for y in sequence) in writable)


@given(st.lists(st.lists(st.sampled_from(ALL_TAGS["bioes"]), max_size=6), min_size=1, max_size=3), st.sampled_from(PREFIXED))
@settings(max_examples=200)
def test_illegal_tags_are_read_as_conlleval_reads_them(sentences, target):
    codes, values, row_ptr = code(sentences)
    new, labels = convert(codes, values, row_ptr, "bioes", target, strict=False)
    tags = [labels[k] for k in new]
    check(new, labels, row_ptr, target)
    for sentence, a, b in zip(sentences, row_ptr, row_ptr[1:]):
        assert spans(tags[a:b]) == spans(sentence)


@pytest.mark.parametrize(
    ("sentences", "scheme", "message"),
    [
        ([["O"], ["O", "I-X"]], "iob2", r"^sentence 2, token 2: the tag 'I-X' cannot follow 'O' in iob2; the tags are legal iob1: name"),
        ([["I-X"]], "bio", "cannot begin a sentence in iob2"),
        ([["O", "B-X", "I-X"]], "iob1", "'B-X' cannot follow 'O' in iob1; the tags are legal iob2"),
        ([["B-X"], ["O"]], "bioes", "^sentence 1, token 1: the tag 'B-X' cannot end a sentence in bioes"),
        ([["B-X", "I-Y", "E-Y"]], "iobes", "cannot follow 'B-X' in bioes; correct the tag, or convert with strict=False"),
        ([["S-X"]], "iob2", "does not belong to iob2, which has O, B, I; name the scheme bioes"),
        ([["NN"]], "iob2", "'NN' is not a span tag; tags are O, or a prefix and a type such as B-NP"),
        ([["O-X"]], "iob2", "not a span tag"),
        ([["O"]], "bmes", "no tag scheme 'bmes'; there are iob1, iob2"),
    ],
)
def test_what_is_said_about_illegal_tags(sentences, scheme, message):
    with pytest.raises(InputError, match=message):
        check(*code(sentences), scheme)


def test_illegal_tags_are_placed_in_their_file():
    with pytest.raises(InputError, match=r"^f:2: the tag 'I-X'"):
        convert(*code([["O", "I-X"]]), "iob2", "bioes", where=lambda token: f"f:{token + 1}")


def test_detection():
    assert detect(["O", "B-X", "I-X"]) == detect(["O"]) == detect(["B-X"]) == "iob2"
    assert detect(["O", "I-X", "B-Y", "I-Y"]) == detect(["I-X"]) == "iob1"
    assert detect(["O", "S-X"]) == detect(["B-X", "E-X"]) == "bioes"
    # The sequences decide where the labels cannot; where they are illegal in both schemes, the labels do.
    for tags, scheme in [("I-X B-X I-X", "iob1"), ("B-X B-X I-X", "iob2"), ("B-X I-Y I-X", "iob1"), ("O B-X O I-X", "iob2")]:
        codes, values, row_ptr = code([tags.split()])
        assert detect(values, codes, row_ptr) == scheme
    assert scheme_name("BIO") == "iob2"


def test_empty_input():
    codes, labels = convert(np.zeros(0, np.int32), [], np.array([0]), "iob1", "bioes")
    assert (len(codes), labels) == (0, [])
    assert [part.shape for part in legal([], "bioes")] == [(0,), (0, 0), (0,)]


def test_public_corpora():
    columns = read_columns(public("conll2000/train.txt.gz")[0])
    assert detect(columns.values[2], columns.codes[2], columns.row_ptr) == "iob2"
    columns = read_columns(public("conll2003/eng.testa.gz")[0])
    codes, values = columns.codes[3], columns.values[3]
    assert detect(values, codes, columns.row_ptr) == "iob1"
    new, labels = convert(codes, values, columns.row_ptr, "iob1", "bioes", where=columns.where)
    assert sum(labels[k][0] in "BS" for k in new) == 5942
    back, names = convert(new, labels, columns.row_ptr, "bioes", "iob1")
    assert [names[k] for k in back] == columns.cells(3)
    train = read_columns(public("conll2003/eng.train.gz")[0])  # two of its B-MISC follow an O
    with pytest.raises(InputError, match=r"eng\.train\.gz:\d+: the tag 'B-MISC' cannot follow 'O' in iob1"):
        convert(train.codes[3], train.values[3], train.row_ptr, "iob1", "iob2", where=train.where)
    new, labels = convert(train.codes[3], train.values[3], train.row_ptr, "iob1", "iob2", strict=False)
    assert sum(labels[k][0] == "B" for k in new) == 23499
