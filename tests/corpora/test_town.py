"""The town corpus: the same bytes for the same seed, legal tags, trees behind the words, ambiguity and noise as promised."""

import hashlib
from collections import Counter, defaultdict

import pytest

from widemargin.corpora import town
from widemargin.corpora.town.annotate import chunk_tags
from widemargin.corpora.town.lexicon import MODIFIERS, NOUNS, VERBS
from widemargin.corpora.town.morphology import ing_form, past, s_form, superlative
from widemargin.corpora.town.noise import legal
from widemargin.corpora.town.reports import library
from widemargin.corpora.town.stream import Stream
from widemargin.errors import InputError

LAYERS = ("pos", "chunks", "entities")


def sentences(part: str, **options) -> list[town.Sentence]:
    return [sentence for document in town.documents(part, **options) for sentence in document.sentences]


@pytest.fixture(scope="module")
def train() -> list[town.Sentence]:
    return sentences("train")


@pytest.fixture(scope="module")
def clean() -> list[town.Sentence]:
    return sentences("train", noise=False)


@pytest.fixture(scope="module")
def dev() -> list[town.Sentence]:
    return sentences("dev")


def test_the_same_seed_gives_the_same_bytes_everywhere():
    text = town.columns_text("train", sentences=100)
    assert text == town.columns_text("train", sentences=100)
    # A change here changes everybody's numbers: make it on purpose, and say so in the changelog.
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "448f39ef07bb5a7a"


def test_seeds_and_parts_differ():
    texts = {town.columns_text(part, sentences=30, seed=seed) for part in town.SIZES for seed in (1, 2)}
    assert len(texts) == 6


def test_a_longer_part_begins_with_the_shorter():
    assert town.columns_text("train", sentences=300).startswith(town.columns_text("train", sentences=120))


def test_sizes_are_reached_with_whole_documents(train, dev):
    for found, wanted in ((len(train), 2000), (len(dev), 400), (len(sentences("test")), 400), (len(sentences("dev", sentences=7)), 7)):
        assert wanted <= found < wanted + 15


def test_an_unknown_part_is_refused_at_once():
    with pytest.raises(InputError, match="train, dev and test"):
        town.documents("validation")


def test_columns_are_conll_2003():
    lines = town.columns_text("dev", sentences=40).split("\n")
    assert lines[:2] == ["-DOCSTART- -X- O O", ""]
    assert lines[-2:] == ["", ""]
    assert all(len(line.split(" ")) == 4 for line in lines if line)
    blocks = [block for block in "\n".join(lines).strip().split("\n\n") if not block.startswith("-DOCSTART-")]
    assert [block.count("\n") + 1 for block in blocks] == [len(sentence.words) for sentence in sentences("dev", sentences=40)]


def test_layers_are_as_long_as_the_words_and_legal(train, clean):
    for sentence in train + clean:
        assert len({len(sentence.words), *(len(getattr(sentence, layer)) for layer in LAYERS)}) == 1
        for tags in (sentence.chunks, sentence.entities):
            assert list(tags) == legal(list(tags))
            assert all(tag == "O" or tag[:2] in ("B-", "I-") for tag in tags)


def test_words_and_clean_layers_are_those_of_the_tree(train, clean):
    for noisy, sentence in zip(train, clean, strict=True):
        leaves = list(sentence.tree.leaves())
        assert sentence.words == noisy.words == tuple(leaf.word for leaf in leaves)
        assert sentence.pos == tuple(leaf.pos for leaf in leaves)
        assert sentence.entities == tuple(leaf.entity for leaf in leaves)
        assert sentence.tree.bracketed() == noisy.tree.bracketed()
        assert all(leaf.word and " " not in leaf.word for leaf in leaves)


def test_every_phrase_has_words_and_a_head(clean):
    def check(node: town.Node) -> None:
        assert 0 <= node.head < len(node.children)
        for child in node.children:
            if isinstance(child, town.Node):
                check(child)

    for sentence in clean:
        check(sentence.tree)


def test_all_types_occur(train):
    assert {tag[2:] for s in train for tag in s.chunks if tag != "O"} == {"NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT"}
    assert {tag[2:] for s in train for tag in s.entities if tag != "O"} == {"PER", "LOC", "ORG", "MISC"}
    common = "NN NNS NNP NNPS JJ JJR JJS VB VBD VBG VBN VBP VBZ MD RB RP IN TO DT CC CD PRP PRP$ POS WP WDT WRB EX , . `` ''"
    assert set(common.split()) <= {tag for s in train for tag in s.pos}


def test_homographs_have_several_tags(clean):
    pos, entities = defaultdict(set), defaultdict(set)
    for sentence in clean:
        for word, tag, entity in zip(sentence.words, sentence.pos, sentence.entities, strict=True):
            pos[word.lower()].add(tag)
            entities[word].add(entity[2:])
    for word in ("may", "will", "rose", "plans", "reports", "that", "her", "as", "shares", "march", "works", "opened"):
        assert len(pos[word]) >= 2, word
    for word in ("May", "Will", "Hope", "Stone", "Dunmere", "Marsh"):
        assert len(entities[word]) >= 2, word


def test_some_names_in_dev_are_new(train, dev):
    known = {word for s in train for word, tag in zip(s.words, s.entities, strict=True) if tag != "O"}
    names = [word for s in dev for word, tag in zip(s.words, s.entities, strict=True) if tag != "O"]
    assert 0.05 < sum(word not in known for word in names) / len(names) < 0.4


def test_noise_is_a_little(train, clean):
    words = sum(len(sentence.words) for sentence in clean)
    rates = {
        layer: sum(a != b for s, t in zip(train, clean, strict=True) for a, b in zip(getattr(s, layer), getattr(t, layer), strict=True))
        / words
        for layer in LAYERS
    }
    assert 0.02 < rates["pos"] < 0.04
    assert 0.003 < rates["chunks"] < 0.007
    assert 0.002 < rates["entities"] < 0.007


def test_the_corpus_is_rich(train):
    words = Counter(word for sentence in train for word in sentence.words)
    assert 16 < sum(words.values()) / len(train) < 21
    assert len(words) > 4800
    patterns = sum(len(kind.lead) + len(kind.detail) + len(kind.headline) for kind in library().kinds.values())
    assert patterns + len(library().general) > 200
    entries = {entry for table in (NOUNS, VERBS, MODIFIERS) for row in table.values() for entry in row}
    assert len(entries) > 1500


def test_documents_report_events_and_some_events_are_reported_twice():
    reports = Counter(document.event.id for document in town.documents("train", sentences=600))
    assert max(reports.values()) >= 2
    for document in town.documents("dev", sentences=60):
        assert {"who", "org", "place", "witness"} <= document.event.roles.keys()
        assert document.name.startswith(document.event.id)


def test_entities_are_mentioned_again_under_shorter_names():
    forms = Counter()
    for document in town.documents("dev", sentences=200):
        for sentence in document.sentences:
            stack = [sentence.tree]
            while stack:
                node = stack.pop()
                if node.mention:
                    forms[node.mention.form] += 1
                stack.extend(child for child in node.children if isinstance(child, town.Node))
    assert all(forms[form] > 5 for form in ("name", "introduced", "short", "described", "pronoun"))


def test_chunks_follow_conll_2000():
    leaf, node = (lambda word, pos: town.Leaf(word, pos, word)), town.Node
    possessor = node("NP", [leaf("Anna", "NNP"), leaf("Will", "NNP"), leaf("'s", "POS")])
    infinitive = node("S", [node("VP", [leaf("to", "TO"), node("VP", [leaf("sell", "VB"), node("NP", [leaf("it", "PRP")])])])])
    verb = node("VP", [node("ADVP", [leaf("also", "RB")]), leaf("wants", "VBZ"), infinitive])
    tree = node("S", [node("NP", [possessor, leaf("old", "JJ"), leaf("firm", "NN")]), verb, leaf(".", ".")])
    assert chunk_tags(tree) == "B-NP I-NP B-NP I-NP I-NP B-VP I-VP I-VP I-VP B-NP O".split()


def test_neighbouring_clauses_do_not_share_a_verb_chunk():
    leaf, node = (lambda word, pos: town.Leaf(word, pos, word)), town.Node
    relative = node("SBAR", [node("WHNP", [leaf("who", "WP")]), node("S", [node("VP", [leaf("left", "VBD")])])])
    subject = node("NP", [node("NP", [leaf("those", "DT")]), relative])
    assert chunk_tags(node("S", [subject, node("VP", [leaf("sang", "VBD")])])) == "B-NP B-NP B-VP B-VP".split()


@pytest.mark.parametrize(
    ("function", "word", "form"),
    [
        (s_form, "party", "parties"),
        (s_form, "crash", "crashes"),
        (past, "plan", "planned"),
        (past, "carry", "carried"),
        (past, "open", "opened"),
        (ing_form, "begin", "beginning"),
        (ing_form, "take", "taking"),
        (ing_form, "travel", "travelling"),
        (superlative, "big", "biggest"),
        (superlative, "busy", "busiest"),
    ],
)
def test_inflection(function, word, form):
    assert function(word) == form


def test_streams_are_named_and_stable():
    assert [Stream(1, "a").below(1000) for _ in range(2)] == [Stream(1, "a").below(1000)] * 2
    assert Stream(1, "a").shuffled(range(9)) != Stream(1, "b").shuffled(range(9))
    assert sorted(Stream(3).shuffled(range(9))) == list(range(9))
