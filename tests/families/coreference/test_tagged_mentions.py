"""Mentions by a tagger: labels and the way back, by command and beside the file's own."""

import json

import numpy as np
import pytest

from widemargin import CoreferenceResolver, InputError, SequenceTagger, open_documents
from widemargin.cli import main
from widemargin.families.base import Wanted
from widemargin.families.coreference import FAMILY
from widemargin.families.coreference.documents import Document, documents_of
from widemargin.families.coreference.tagged import labelled_spans, layered, mention_labels, tagged

TEMPLATES = "word[-2..2]\nword[-1] word[0]\nword[0] word[1]\nlabel[-1]\n"


def test_a_sentence_by_hand():
    spans = [(0, 6), (3, 6), (4, 5), (7, 8)]
    labels = layered(spans, 9)
    assert labels == ["B", "I", "I", "IB", "IIB", "II", "O", "B", "O"]
    assert labelled_spans(labels) == set(spans)
    assert layered([(0, 3), (1, 4)], 4) == ["B", "IB", "II", "OI"]  # the two cross
    assert layered([], 2) == ["O", "O"]


def test_random_mentions_come_back():
    random = np.random.default_rng(1)
    for _ in range(300):
        n = int(random.integers(1, 9))
        spans = {tuple(sorted(random.choice(n + 1, 2, replace=False).tolist())) for _ in range(random.integers(0, 6))}
        assert labelled_spans(layered(list(spans), n)) == spans


@pytest.mark.parametrize(
    ("labels", "spans"),
    [
        ("B-PER I-PER O B-PER B-PER", {(0, 2), (3, 4), (4, 5)}),
        ("I-PER I-LOC O I-LOC", {(0, 1), (1, 2), (3, 4)}),
        ("S-PER B-PER I-PER E-PER S-PER", {(0, 1), (1, 4), (4, 5)}),
        ("B-PER L-PER U-PER", {(0, 2), (2, 3)}),
        ("I I O BI I", {(0, 2), (3, 5), (3, 4)}),
        ("O", set()),
    ],
)
def test_labels_of_others(labels, spans):
    assert labelled_spans(labels.split()) == spans


def test_mentions_beyond_their_sentence_are_left_out():
    document = Document("d", [["a", "b"], ["c"]], mentions=[(0, 1), (1, 3), (2, 3)], chains=[0, 1, 1], places=["", "", ""])
    assert mention_labels(document) == [["B", "O"], ["B"]]


@pytest.fixture(scope="module")
def model():
    return CoreferenceResolver(epochs=2, hash_bits=12).fit(open_documents("town:train:60")).model_


@pytest.fixture(scope="module")
def tagger(tmp_path_factory):
    """One that has learnt a few documents by heart, from what the command writes."""
    folder = tmp_path_factory.mktemp("tagger")
    assert main(["mentions", "town:train:60", "-o", str(folder / "columns")]) == 0
    sentences = [[line.split() for line in block.splitlines()] for block in (folder / "columns").read_text().split("\n\n") if block.strip()]
    X, y = ([[cells[c] for cells in sentence] for sentence in sentences] for c in (0, 1))
    SequenceTagger("perceptron", epochs=10, templates=TEMPLATES).fit(X, y).save(path := str(folder / "tagger"))
    return path


def test_a_tagger_finds_what_it_has_learnt(model, tagger):
    documents = open_documents("town:train:60")
    found = tagged(documents, tagger)
    gold = [set(document.mentions) for document in documents.given]
    right = sum(len(own & set(spans)) for own, spans in zip(gold, found))
    assert right > 0.95 * sum(map(len, gold))
    assert right > 0.95 * sum(map(len, found))
    answers = FAMILY.answer(model, documents, Wanted(), tagger=tagger)
    ready = answers.best.ready
    assert [ready.spans(d) for d in range(len(found))] == found
    chain = {span: c for c, own in enumerate(documents.chains(0)) for span in own}
    both = [span for span in found[0] if span in chain]  # what is the file's too keeps its chain
    of = {span: c for c, own in enumerate(ready.chains(0)) for span in own}
    assert [[of[a] == of[b] for a in both] for b in both] == [[chain[a] == chain[b] for a in both] for b in both]


def test_documents_without_words_or_mentions(model, tagger):
    documents = documents_of([Document("none", [[]]), Document("some", [["and"], [], ["the", "cat"]])])
    assert tagged(documents, tagger)[0] == []
    assert tagged(documents_of([Document("none", [])]), tagger) == [[]]
    assert len(FAMILY.as_json(documents, FAMILY.answer(model, documents, Wanted(), tagger=tagger))) == 2


def test_by_command(model, tagger, tmp_path, capsys):
    model.save(path := str(tmp_path / "model"))
    for verb in (["predict"], ["evaluate"], ["explain", "--sentence", "1"]):
        assert main([verb[0], path, "town:train:60", *verb[1:], "--tagger", tagger, "--json"]) == 0
        facts = json.loads(capsys.readouterr().out.splitlines()[0] if verb[0] != "explain" else capsys.readouterr().out)
        assert facts
    assert main(["predict", path, "town:dev:2", "--tagger", tagger, "--mentions", "file"]) == 2
    assert "leave one of the two out" in capsys.readouterr().err
    (tmp_path / "empty.jsonl").write_text('{"tokens": ["a"]}\n')
    assert main(["mentions", str(tmp_path / "empty.jsonl")]) == 2
    assert "no mention here" in capsys.readouterr().err
    (tmp_path / "blank.jsonl").write_text('{"tokens": ["a b", "c"], "clusters": [[[0, 1], [1, 2]]]}\n')
    assert main(["mentions", str(tmp_path / "blank.jsonl"), "-o", str(tmp_path / "out")]) == 2
    assert "has blanks in it" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_tagger_of_something_else_is_refused(tmp_path):
    SequenceTagger(epochs=1).fit([["the", "cat"]], [["DT", "NN"]]).save(path := str(tmp_path / "tags"))
    with pytest.raises(InputError, match="is not a label of mentions"):
        tagged(open_documents("town:dev:2"), path)
