"""What a resolver answers: chains, probabilities, alternatives, explanations, drawings, found mentions, texts written out."""

import dataclasses
import itertools
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import widemargin
from widemargin.errors import InputError
from widemargin.families.base import Wanted
from widemargin.families.coreference import FAMILY
from widemargin.families.coreference.alignment import aligned_chains
from widemargin.families.coreference.decoding import chains_of
from widemargin.families.coreference.detection import detected, mentions_in
from widemargin.families.coreference.documents import Document, documents_of
from widemargin.families.coreference.sources import open_documents
from widemargin.families.recipes import Recipe, train
from widemargin.show.chains import draw_chains

pytestmark = pytest.mark.twice
SETTINGS = {"templates": "include surface\n", "hash_bits": 12, "settings": {"epochs": 2}}


@pytest.fixture(scope="module")
def documents():
    return open_documents("town:train:60")


@pytest.fixture(scope="module")
def model(documents):
    return train(Recipe("coref", **SETTINGS), documents)


def test_probabilities_and_alternatives_are_those_of_all_choices(documents, model):
    """Of a document cut to four mentions: 1 * 2 * 3 * 4 choices."""
    few = documents.with_mentions([documents.spans(d)[:4] for d in range(len(documents.given))]).part([0, 1])
    model = dataclasses.replace(model, temperature=1.7)
    scored = model.scored(few)
    scores, at = scored.scores(), scored.corpus.at
    answers = FAMILY.answer(model, few, Wanted(kbest=100, marginals=True, probability=True))
    for d, told in enumerate(FAMILY.as_json(few, answers)):
        own = [scores[at[m] : at[m + 1]] for m in range(4 * d, 4 * d + 4)]
        every = {choice: sum(row[k] for row, k in zip(own, choice)) for choice in itertools.product(*(range(len(row)) for row in own))}
        ranked = answers.kbest[d]
        assert len(ranked) == len(every) == 24
        log_z = np.logaddexp.reduce(np.array(list(every.values())) / 1.7)
        for one in ranked:
            choice = tuple(one.output.tolist())
            assert one.score == pytest.approx(every.pop(choice), abs=1e-9)
            assert one.log_probability == pytest.approx(one.score / 1.7 - log_z, abs=1e-9)
        assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
        assert told["kbest"][0]["antecedents"] == told["antecedents"]
        p = np.exp([one.log_probability for one in ranked])
        for m in range(4):
            same = [other["antecedents"][m] == told["antecedents"][m] for other in told["kbest"]]
            assert told["marginals"][m] == pytest.approx(p[same].sum(), abs=1e-6)
    short = scored.kbest(few.mention_ptr, 3)
    assert [[one.score for one in own] for own in short] == [[one.score for one in own[:3]] for own in answers.kbest]


def test_links_make_chains():
    assert chains_of(np.array([0, 0, 2, 1, 0, 3])).tolist() == [0, 1, 0, 0, 4, 0]


def test_own_mentions_are_all_in_the_answer_once(documents, model):
    spans = [[(0, 1), (1, 2), (0, 2), (3, 4)] for _ in documents.given]
    bare = dataclasses.replace(model, singletons=False)
    found = bare.predict(documents, spans, keep=True)
    for d in range(len(found.given)):
        assert sorted(found.spans(d)) == sorted(spans[d])
    assert bare.predict(documents, spans).mentions <= found.mentions
    with pytest.raises(InputError, match="not a span of the document's"):
        model.predict(documents, [[(0, 10**6)] for _ in documents.given])


def test_documents_without_mentions_or_chains(model):
    empty = documents_of([Document("d", [["rain", "fell"]])])
    assert model.predict(empty).mentions == 0
    assert FAMILY.as_json(empty, FAMILY.answer(model, empty, Wanted(kbest=2, marginals=True, probability=True)))[0]["clusters"] == []
    with pytest.raises(InputError, match="no mention here has a chain"):
        train(Recipe("coref", **SETTINGS), empty)


def test_a_window_loses_links_and_says_how_many(documents):
    from widemargin.families.recipes import pose

    wide, narrow = (pose(Recipe("coref", window=window, **SETTINGS), documents) for window in (300, 2))
    gone = sum(
        1
        for d in range(len(documents.given))
        for m, c in enumerate(documents.chain[slice(*documents.mention_ptr[d : d + 2])].tolist())
        if c in documents.chain[documents.mention_ptr[d] : documents.mention_ptr[d] + m].tolist()
        and c not in documents.chain[documents.mention_ptr[d] : documents.mention_ptr[d] + m].tolist()[-2:]
    )
    assert (wide.lost, narrow.lost) == (0, gone)
    assert f"{gone:,} mentions have their nearest antecedent beyond the window of 2" in narrow.remarks[0]


def test_training_without_singletons_answers_without(documents, tmp_path):
    from widemargin.families.coreference.sources import without_singletons

    dropped = without_singletons(documents)
    assert min(np.bincount(dropped.chain)) > 1
    model = train(Recipe("coref", mentions="found", **SETTINGS), dropped)
    found = model.predict(documents)
    assert not model.singletons
    assert not found.mentions or min(np.bincount(found.chain)) > 1
    model.save(str(tmp_path / "m"))
    assert widemargin.load(str(tmp_path / "m")).mentions == "found"


def test_explanations_add_up(documents, model):
    """Every template's part of a margin, from the kernels."""
    told = model.explain(documents, 1)
    scores, at = model.scored(documents.part([1])).scores(), model.scored(documents.part([1])).corpus.at
    for m, decision in enumerate(told.decisions):
        own = np.sort(scores[at[m] : at[m + 1]])[::-1]
        if len(own) > 1:
            assert decision.margin == pytest.approx(own[0] - own[1], abs=1e-5)
            assert sum(part.value for part in decision.comparison.contributions) == pytest.approx(decision.margin, abs=1e-4)
    text = FAMILY.explain(model, documents, 2, token=3, top=4).text
    assert text.startswith("3  ")
    assert "rather than" in text


def test_words_cut_differently_are_aligned_by_letters():
    gold = documents_of([Document("d", [["Ann", "'s", "dog"]], [(0, 1), (2, 3)], [1, 2], ["", ""])])
    other = documents_of([Document("d", [["Ann's", "d", "og"]], [(1, 3)], [1], [""])])
    sides = aligned_chains(gold, other)
    assert sides == ([[[(0, 3)], [(5, 8)]]], [[[(5, 8)]]])
    with pytest.raises(InputError, match="other words"):
        aligned_chains(gold, documents_of([Document("d", [["Bob"]])]))
    with pytest.raises(InputError, match="2 documents here and 1"):
        aligned_chains(gold, documents_of([Document("d", [["Bob"]]), Document("e", [["Bob"]])]))


# ---- found mentions -----------------------------------------------------------------------------------------------------------------

WORDS = "Mr. Smith saw his old dog in the garden , and she barked at Ann".split()


def texts(document):
    words = [word for sentence in document.sentences for word in sentence]
    return {" ".join(words[a:b]) for a, b in mentions_in(document)}


def test_mentions_by_words_tags_parse_and_names():
    by_words = texts(Document("d", [WORDS]))
    assert {"Mr. Smith", "his old dog", "his", "the garden", "she", "Ann"} <= by_words
    tags = "NNP NNP VBD PRP$ JJ NN IN DT NN , CC PRP VBD IN NNP".split()
    assert texts(Document("d", [WORDS], tags=tags)) == {"Mr. Smith", "his old dog", "his", "the garden", "she", "Ann"}
    bits = ["(S(NP*", "*)", "(VP*", "(NP(NP*", "*", "*)", "(PP*", "(NP*", "*))))", "*", "*", "(S(NP*)", "(VP*", "(PP*", "(NP*)))))"]
    by_parse = texts(Document("d", [WORDS], parse=bits))
    assert {"Mr. Smith", "his old dog in the garden", "his old dog", "the garden", "she", "Ann", "his"} == by_parse
    names = ["PER", "PER", *["O"] * 12, "PER"]
    assert {"mr. smith", "ann"} <= texts(Document("d", [[word.lower() for word in WORDS]], names=names))


def test_found_mentions_keep_their_chains():
    found = detected(documents_of([Document("d", [WORDS], [(0, 2), (3, 4), (4, 6)], ["a", "a", "b"], [""] * 3)]))
    chains = [{" ".join(WORDS[a:b]) for a, b in chain} for chain in found.chains(0)]
    assert {"Mr. Smith", "his"} in chains
    assert {"his old dog"} in chains
    assert (found.chain >= 0).all()
    assert (detected(documents_of([Document("d", [WORDS])])).chain < 0).all()


# ---- texts and drawings -------------------------------------------------------------------------------------------------------------


def spans(text, *words):
    """Runs of letters; a word with a number behind # is its occurrence of that number."""
    out = []
    for word in words:
        word, _, number = word.partition("#")
        out.append([found.span() for found in re.finditer(rf"\b{word}\b", text)][int(number or 0)])
    return out


def test_resolve_writes_mentions_out():
    text = "Ann met Bob. She liked his dog, the old beast. It bit her."
    clusters = [spans(text, "Ann", "She", "her"), spans(text, "Bob", "his"), spans(text, "his dog", "the old beast", "It")]
    found, edits = widemargin.resolve(text, clusters)
    assert found == "Ann met Bob. Ann liked Bob's dog, the old beast. the old beast bit her."
    assert [(edit.old, edit.new) for edit in edits] == [("She", "Ann"), ("his", "Bob's"), ("It", "the old beast")]
    assert widemargin.resolve(text, [spans(text, "She", "her")]) == (text, [])  # never by a pronoun
    with pytest.raises(InputError, match="not a span within the text's"):
        widemargin.resolve(text, [[(0, 99)]])


def test_drawings_are_xml_with_every_mention(documents):
    for d in range(2):
        svg = draw_chains(documents.given[d].sentences, documents.chains(d), gold=documents.chains(d)[1:])
        root = ElementTree.fromstring(svg)
        drawn = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
        assert [word for word in drawn if word in documents.words][:3] == list(documents.words[documents.row_ptr[d] :][:3])
        assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) >= len(documents.spans(d))
    with pytest.raises(InputError, match="no word to draw"):
        draw_chains([], [])
    with pytest.raises(InputError, match="not a span"):
        draw_chains([["a"]], [[(0, 2)]])


def test_the_estimator_takes_lists_dicts_and_documents(documents):
    X = [["Ann", "saw", "Bob"], {"sentences": [["She", "left"]], "tags": ["PRP", "VBD"]}]
    y = [[[(0, 1)], [(2, 3)]], [[(0, 1)]]]
    model = widemargin.CoreferenceResolver(epochs=2, hash_bits=10).fit(X, y)
    assert model.predict(X, mentions=[[(0, 1), (2, 3)], [(0, 1)]]) == y
    assert len(model.predict([["Ann", "Lee", "left", "her", "house"]])[0]) >= 1  # found by rules
    again = widemargin.CoreferenceResolver(epochs=2, hash_bits=10).fit(documents, dev=documents)
    assert 0.0 < again.score(documents) <= 1.0
    for bad, words in (
        (["Ann", 3], "document 1"),
        ([["Ann", 3]], "a word of document 1"),
        ([{"words": []}], "has 'words'"),
        ("Ann", "X is"),
    ):
        with pytest.raises(InputError, match=words):
            model.predict(bad)
    for bad, words in (
        ([[[(0, 9)]], []], "not a span"),
        ([[[0]], []], "a mention is a pair"),
        ([[]], "X has 2 documents and y is for 1"),
        ([3, 4], "chains of"),
    ):
        with pytest.raises(InputError, match=words):
            model.fit(X, bad)
