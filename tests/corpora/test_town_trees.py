"""The dependency layer of the town corpus: trees over the same sentences, decided by meaning, some of them not projective."""

import hashlib
import io
from collections import Counter

import numpy as np
import pytest

from widemargin.corpora import town
from widemargin.corpora.town.dependencies import dependencies
from widemargin.corpora.town.lemmas import lemma
from widemargin.corpora.town.moving import Move
from widemargin.corpora.town.tree import Leaf, Node
from widemargin.corpora.town.treebank import parsed, treebank_text
from widemargin.families.dependencies.conllu import read_treebank
from widemargin.families.dependencies.metric import CONTENT


@pytest.fixture(scope="module")
def train():
    return read_treebank(io.StringIO(treebank_text("train")), single_root=True)


def test_the_same_seed_gives_the_same_bytes_everywhere():
    text = treebank_text("train", sentences=100)
    # A change here changes everybody's numbers: make it on purpose, and say so in the changelog.
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "86d244737eb3b568"
    assert treebank_text("train", sentences=200).startswith(text)


def test_every_sentence_is_a_tree_over_the_words_of_the_other_layers(train):
    others = [sentence for document in town.documents("train") for sentence in document.sentences]
    assert len(train.row_ptr) - 1 == len(others)
    assert len(train.columns.doc_ptr) - 1 == sum(1 for _ in town.documents("train"))
    moved = 0
    for s, sentence in enumerate(others):
        words = train.words(s)
        assert sorted(word.lower() for word in words) == sorted(word.lower() for word in sentence.words)
        moved += tuple(words) != sentence.words
    assert 0.03 < moved / len(others) < 0.12


def test_a_share_of_sentences_is_not_projective(train):
    for treebank in (train, read_treebank(io.StringIO(treebank_text("dev")))):
        assert 0.05 < np.mean(treebank.crossed() > 0) < 0.10


def test_relations_are_universal_and_tags_sensible(train):
    functional = {"aux", "cop", "mark", "det", "case", "cc", "punct"}
    assert {name.partition(":")[0] for name in train.relations} <= CONTENT | functional - {"dep"}
    rare = Counter(train.relations[r] for r in train.relation)
    assert all(rare[name] >= 10 for name in rare)
    upos, names = train.columns.cells("upos"), [train.relations[r] for r in train.relation]
    assert "X" not in upos
    assert {"AUX", "SCONJ", "PART", "PRON", "PROPN", "NUM"} <= set(upos)
    clean = read_treebank(io.StringIO(treebank_text("dev", noise=False)))
    pairs = Counter(zip(clean.columns.cells("upos"), (clean.relations[r] for r in clean.relation)))
    assert not pairs["VERB", "aux"]
    assert not pairs["NOUN", "punct"]
    assert all(u == "PUNCT" for u, r in pairs if r == "punct")
    assert names.count("root") == len(train.row_ptr) - 1


def heads_of(text: str) -> list[str]:
    """The arcs of a bracketed tree, as modifier<relation<head."""

    def read(tokens) -> Node | Leaf:
        label, children = next(tokens), []
        for token in tokens:
            if token == "(":
                children.append(read(tokens))
            elif token == ")":
                break
            else:
                next(tokens)
                return Leaf(token, label, token)
        return Node(label, children)

    tokens = iter(text.replace("(", " ( ").replace(")", " ) ").split())
    next(tokens)
    tree = read(tokens)
    assert isinstance(tree, Node)
    arcs = dependencies(tree)
    words = [leaf.word for leaf in arcs.leaves]
    return [f"{word}<{r}<{words[h] if h >= 0 else '*'}" for word, h, r in zip(words, arcs.heads, arcs.relations)]


def test_meaning_decides_attachment():
    of_the_noun = "(S (NP (PRP he)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) (NP (DT a) (NN coat))))) (. .))"
    of_the_verb = "(S (NP (PRP he)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN with) (NP (DT a) (NN lens)))) (. .))"
    assert "coat<nmod<man" in heads_of(of_the_noun)
    assert "lens<obl<saw" in heads_of(of_the_verb)


@pytest.mark.parametrize(
    ("tree", "arcs"),
    [
        (
            "(S (NP (DT the) (NN mill)) (VP (MD will) (VP (VB be) (VP (VBN sold) (PP (IN by) (NP (NNS men)))))) (. .))",
            "the<det<mill mill<nsubj:pass<sold will<aux<sold be<aux:pass<sold sold<root<* by<case<men men<obl:agent<sold .<punct<sold",
        ),
        (
            "(S (NP (NNS men)) (VP (VBP are) (ADJP (RB very) (JJ glad))) (, ,) (CC but) (NP (NNS cows)) (VP (VBP eat)) (. .))",
            "men<nsubj<glad are<cop<glad very<advmod<glad glad<root<* ,<punct<eat but<cc<eat cows<nsubj<eat eat<conj<glad .<punct<glad",
        ),
        (
            "(S (NP (EX there)) (VP (VBD was) (NP (NN rain)) (PP (IN in) (NP (NNP May)))) (. .))",
            "there<expl<was was<root<* rain<nsubj<was in<case<May May<obl<was .<punct<was",
        ),
        (
            "(S (NP (PRP she)) (VP (VBD gave) (NP (PRP him)) (NP (NNS eggs) (CC and) (NN milk))) (. .))",
            "she<nsubj<gave gave<root<* him<iobj<gave eggs<obj<gave and<cc<milk milk<conj<eggs .<punct<gave",
        ),
        (
            "(S (NP (NP (NNS men)) (SBAR (WHNP (WP who)) (S (VP (VBP work)))))"
            " (VP (VBP think) (SBAR (IN that) (S (NP (PRP it)) (VP (VBZ rains))))))",
            "men<nsubj<think who<nsubj<work work<acl:relcl<men think<root<* that<mark<rains it<nsubj<rains rains<ccomp<think",
        ),
    ],
)
def test_constructions(tree, arcs):
    assert heads_of(tree) == arcs.split()


def test_moves_keep_every_word():
    assert Move(2, 4, 6).order(7) == [0, 1, 4, 5, 2, 3, 6]
    assert Move(3, 5, 0).order(6) == [3, 4, 0, 1, 2, 5]


def test_moved_phrases_stand_apart_from_their_heads():
    plain = {(name, s): tree for name, trees in parsed("train", sentences=300) for s, tree in enumerate(trees)}
    layers = {(d.name, s): sentence for d in town.documents("train", sentences=300) for s, sentence in enumerate(d.sentences)}
    for key, tree in plain.items():
        if tree.words != layers[key].words:
            arcs = dependencies(layers[key].tree)
            old = sorted((leaf.word.lower(), r) for leaf, r in zip(arcs.leaves, arcs.relations))
            assert sorted((word.lower(), r) for word, r in zip(tree.words, tree.relations)) == old
            assert tree.words[0][0].isupper() or not tree.words[0][0].isalpha()


@pytest.mark.parametrize(
    ("word", "pos", "base"),
    [("voted", "VBD", "vote"), ("shares", "NNS", "share"), ("were", "VBD", "be"), ("called", "VBN", "call"), ("copies", "NNS", "copy")],
)
def test_forms_that_rules_spell_out_have_their_lemma(word, pos, base):
    assert lemma(Leaf(word, pos, word)) == base
