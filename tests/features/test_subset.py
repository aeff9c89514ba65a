"""An extractor with fewer features finds what the whole one finds, less what was dropped."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from widemargin.contents import Contents
from widemargin.engine.hash import fill_table
from widemargin.errors import InputError
from widemargin.features import subset as module
from widemargin.features.extractor import Extractor
from widemargin.features.lexicons import Lexicon
from widemargin.features.subset import feature_keys, find_all, subset
from widemargin.features.templates import parse_templates
from widemargin.readers.columns import from_sentences

WORDS = ["the", "The", "Rome", "3rd", "x & y", "", "&", "écoles", "aab", "bias", "\xff+1"]
TEMPLATES = """word[-3..3]
bias
first bias word[0]
last
word[-1] pos[0] lower(word)[1]
match(word,/[A-Z]/)[0] match(word,/o/)[1]
in(word,"gaz")[-1]
had(word,pos,2)[-1..1]
had(word,pos,2) had(lower(word),pos,3)[1]
seen(word,pos) suffix(word,2)
label[-1] word[0]
label[-1] pos[-2] had(word,pos,2)
label[-1] bias
"""
PARSED = parse_templates(TEMPLATES, columns=("word", "pos"), lexicons={"gaz": Lexicon.of("gaz", ["Rome", "the"])})
token = st.tuples(st.sampled_from(WORDS), st.sampled_from(["N", "V", "D"]))
corpus = st.lists(st.lists(token, min_size=1, max_size=6), min_size=1, max_size=8)


def columns(sentences):
    return from_sentences(sentences, names=("word", "pos"))


def rows(ptr, ind):
    return [ind[a:b].tolist() for a, b in zip(ptr[:-1], ptr[1:])]


@settings(max_examples=40)
@given(corpus, corpus, st.floats(0, 1), st.integers(0, 1000), st.sampled_from([1, 2]))
def test_what_is_kept_is_found_and_what_is_dropped_is_not(train, test, share, seed, cutoff):
    whole = Extractor(PARSED, cutoff=cutoff)
    whole.fit(columns(train))
    random = np.random.default_rng(seed)
    kept = {kind: random.random(len(getattr(whole, kind))) < share for kind in ("nodes", "edges")}
    part = subset(whole, kept["nodes"], kept["edges"])
    part = Extractor.from_contents(Contents(part.header(), part.to_arrays()))
    for sentences in (train, test):
        before, after = whole.transform(columns(sentences)), part.transform(columns(sentences))
        for kind, name in (("nodes", "node"), ("edges", "edge")):
            new = np.where(kept[kind], np.cumsum(kept[kind]) - 1, -1)
            expected = [
                [new[f] for f in row if new[f] >= 0] for row in rows(getattr(before, f"{name}_ptr"), getattr(before, f"{name}_ind"))
            ]
            assert rows(getattr(after, f"{name}_ptr"), getattr(after, f"{name}_ind")) == expected
    for kind in kept:
        index = getattr(part, kind)
        assert index.names() == [name for name, keep in zip(getattr(whole, kind).names(), kept[kind]) if keep]
        assert [index.find(name) for name in index.names()] == list(range(len(index)))
        assert all(index.find(name) < 0 for name, keep in zip(getattr(whole, kind).names(), kept[kind]) if not keep)


def fitted() -> Extractor:
    extractor = Extractor(PARSED)
    extractor.fit(columns([[("the", "D"), ("Rome", "N"), ("aab", "V")], [("The", "D"), ("x & y", "N")]]))
    return extractor


def test_strings_that_no_feature_uses_are_dropped():
    whole = fitted()
    kept = np.array(["=Rome" in name for name in whole.nodes.names()])
    part = subset(whole, kept, np.zeros(len(whole.edges), bool))
    assert list(part.nodes.columns["word"]) == ["Rome"]
    assert list(part.nodes.columns["had(word,pos,2)"]) == []
    assert len(part.edges) == 0


def test_keys_are_those_of_the_table():
    extractor = fitted()
    for index in (extractor.nodes, extractor.edges):
        keys = feature_keys(index)
        assert len(set(keys.tolist())) == len(index)
        assert find_all(index.table, keys).tolist() == list(range(len(index)))
        assert (find_all(index.table, keys ^ np.uint64(1 << 40)) == -1).all()


def test_an_index_that_does_not_hold_what_it_names_is_refused():
    extractor = fitted()
    extractor.nodes = dataclasses.replace(extractor.nodes, table=np.roll(extractor.nodes.table, 7))
    with pytest.raises(InputError, match="the feature index is damaged"):
        subset(extractor, np.ones(len(extractor.nodes), bool), np.ones(len(extractor.edges), bool))


def test_a_table_grows_until_it_tells_kept_from_dropped(monkeypatch):
    # Equal in the upper 36 bits and in the lowest 5: only tables of 64 slots and more can tell the two apart.
    keys = np.array([0xABCDEF1230000001, 0xABCDEF1230000021], np.uint64)
    table = np.zeros(64, np.uint64)
    fill_table(keys, table)
    index = dataclasses.replace(fitted().nodes, table=table, template=np.zeros(2, np.int32), atoms=np.zeros((2, 1), np.int32))
    monkeypatch.setattr(module, "feature_keys", lambda index: keys)
    thinned = module._thinned(index, np.array([False, True]))
    assert len(thinned.table) == 64
    assert find_all(thinned.table, keys).tolist() == [-1, 0]
