"""The polynomial kernel written out: the conjunctions' products are the kernel, their numbers, names and files are exact."""

import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from widemargin.contents import Contents
from widemargin.errors import InputError
from widemargin.features import expansion as module
from widemargin.features.expansion import Expansion, squared_values
from widemargin.features.explicit import Given
from widemargin.features.extend_index import grown
from widemargin.features.extractor import Extractor
from widemargin.features.search import search
from widemargin.features.sequences import read_sequences
from widemargin.features.subset import subset, with_parents
from widemargin.features.templates import parse_templates
from widemargin.readers.columns import from_sentences
from widemargin.scoring.kernels import Kernel

TEMPLATES = parse_templates(
    'word[-1..1]\npos[0]\nword[0] pos[1]\n"near" word[-1]\n"near" word[1]\nlabel[-1] pos[0]\n', columns=("word", "pos")
)
token = st.tuples(st.sampled_from(["the", "cat", "a & b", "(x)", "("]), st.sampled_from(["N", "V"]))
corpus = st.lists(st.lists(token, min_size=1, max_size=4), min_size=1, max_size=5)
kernels = st.builds(Kernel, st.just("poly"), st.integers(1, 4), st.sampled_from([1.0, 0.3]), st.sampled_from([1.0, 0.0, 2.5]))


def columns(sentences):
    return from_sentences(sentences, names=("word", "pos"))


def rows(features):
    return [features.node_ind[a:b].tolist() for a, b in zip(features.node_ptr[:-1], features.node_ptr[1:])]


def conjunctions(active, degree):
    """All sets of at most `degree` of these features."""
    return {frozenset(some) for k in range(degree + 1) for some in itertools.combinations(sorted(set(active)), k)}


@pytest.mark.parametrize(("degree", "values"), [(2, [1, 3, 2]), (3, [1, 7, 12, 6]), (4, [1, 15, 50, 60, 24])])
def test_the_squared_values_of_the_usual_kernels(degree, values):
    assert squared_values(Kernel("poly", degree)).tolist() == values


@given(st.integers(1, 8), st.floats(1e-3, 1e3), st.floats(0, 1e3), st.integers(0, 40))
def test_common_conjunctions_sum_to_the_kernel(degree, gamma, coef, common):
    values = squared_values(Kernel("poly", degree, gamma, coef))
    assert (values[1:] > 0).all()
    total = math.fsum(value * math.comb(common, k) for k, value in enumerate(values))
    assert total == pytest.approx((gamma * common + coef) ** degree, rel=1e-12)


@settings(max_examples=60)
@given(corpus, kernels)
def test_products_of_expanded_tokens_are_the_kernel(sentences, kernel):
    source = Expansion(Extractor(TEMPLATES), kernel)
    found = rows(source.fit(columns(sentences)))
    active = [set(row) for row in rows(source.base.transform(columns(sentences)))]
    squares = source.copies
    for (a, phi_a), (b, phi_b) in itertools.combinations_with_replacement(list(zip(active, found)), 2):
        assert len(set(phi_a)) == len(phi_a)
        product = math.fsum(squares[f] for f in set(phi_a) & set(phi_b))
        assert product == pytest.approx((kernel.gamma * len(a & b) + kernel.coef) ** kernel.degree, rel=1e-12)


@settings(max_examples=60)
@given(corpus, corpus, kernels, st.integers(1, 3))
def test_every_conjunction_has_one_number_in_training_and_later(train, test, kernel, threads):
    source = Expansion(Extractor(TEMPLATES), kernel)
    found = source.fit(columns(train))
    sets = [frozenset(source.nodes.members(n)) for n in range(len(source.nodes))]
    assert len(set(sets)) == len(sets)
    loaded = Expansion.from_contents(Contents(source.header(), source.to_arrays()))
    for sentences, given_rows in ((train, rows(found)), (test, rows(loaded.transform(columns(test), threads=threads)))):
        for active, row in zip(rows(source.base.transform(columns(sentences))), given_rows):
            wanted = conjunctions(active, kernel.degree) & set(sets)
            assert {sets[n] for n in row} == (wanted if kernel.coef else wanted - {frozenset()})
    assert rows(source.transform(columns(train), threads=threads)) == rows(found)


def test_growing_room_changes_no_number(monkeypatch):
    sentences = [[(f"w{i * j % 17}", f"p{j % 3}") for j in range(6)] for i in range(20)]
    whole, small = (Expansion(Extractor(TEMPLATES), Kernel("poly", 3)) for _ in range(2))
    expected = rows(whole.fit(columns(sentences)))
    monkeypatch.setattr(module, "FIRST_NODES", 1)
    assert rows(small.fit(columns(sentences))) == expected
    assert np.array_equal(small.nodes.link, whole.nodes.link)


@settings(max_examples=40)
@given(corpus)
def test_names_say_what_is_in_a_conjunction_and_are_found_again(sentences):
    source = Expansion(Extractor(TEMPLATES), Kernel("poly", 3))
    source.fit(columns(sentences))
    names = source.nodes.names()
    assert names[0] == "constant"
    assert names == [source.nodes.name(n) for n in range(len(names))]
    assert len(set(names)) == len(names)
    assert [source.nodes.find(name) for name in names] == list(range(len(names)))
    assert source.nodes.find("word[0]=dog") == source.nodes.find("pos[0]=N & word[0]=dog") == -1
    for text in ("cat", "=N", "e & w", "/=N.*cat/", "constant", "(", "a && b"):
        wanted = re.compile(text[1:-1] if text.startswith("/") else re.escape(text))
        assert search(source.nodes, text).tolist() == [n for n, name in enumerate(names) if wanted.search(name)]


def test_a_conjunction_of_atoms_stands_in_brackets():
    source = Expansion(Extractor(parse_templates("word[0]\nword[0] pos[0]\n", columns=("word", "pos"))), Kernel("poly"))
    source.fit(columns([[("a", "N")]]))
    assert source.nodes.names() == ["constant", "word[0]=a", "(word[0]=a & pos[0]=N)", "word[0]=a & (word[0]=a & pos[0]=N)"]


@settings(max_examples=40)
@given(corpus, corpus, st.integers(2, 3))
def test_rare_conjunctions_are_left_out_and_single_features_stay(train, test, cutoff):
    source, whole = (Expansion(Extractor(TEMPLATES), Kernel("poly", 3), cutoff=least) for least in (cutoff, 1))
    found = source.fit(columns(train))
    everything = whole.fit(columns(train))
    counts = np.bincount(everything.node_ind, minlength=len(whole.nodes))
    kept = [name for n, name in enumerate(whole.nodes.names()) if len(whole.nodes.members(n)) < 2 or counts[n] >= cutoff]
    assert source.nodes.names() == kept
    assert rows(found) == rows(source.transform(columns(train)))
    names = whole.nodes.names()
    for mine, theirs in zip(rows(source.transform(columns(test))), rows(whole.transform(columns(test)))):
        assert {kept[n] for n in mine} == {names[n] for n in theirs} & set(kept)


@settings(max_examples=40)
@given(corpus, corpus, st.integers(0, 1000))
def test_a_subset_finds_what_is_kept(train, test, seed):
    source = Expansion(Extractor(TEMPLATES), Kernel("poly", 3))
    source.fit(columns(train))
    random = np.random.default_rng(seed)
    asked = random.random(len(source.nodes)) < 0.2
    kept, edges = with_parents(source, asked), random.random(len(source.edges)) < 0.5
    assert kept[asked].all()
    assert kept[0]
    part = subset(source, kept, edges)
    part = Expansion.from_contents(Contents(part.header(), part.to_arrays()))
    names = np.array(source.nodes.names(), object)
    assert part.nodes.names() == names[kept].tolist()
    new = np.where(kept, np.cumsum(kept) - 1, -1)
    for sentences in (train, test):
        expected = [[int(new[n]) for n in row if kept[n]] for row in rows(source.transform(columns(sentences)))]
        assert list(map(sorted, rows(part.transform(columns(sentences))))) == list(map(sorted, expected))


@settings(max_examples=40)
@given(corpus, corpus)
def test_growth_keeps_the_old_numbers(first, second):
    source = Expansion(Extractor(TEMPLATES), Kernel("poly", 2))
    source.fit(columns(first))
    larger, found = grown(source, columns(second))
    assert larger.nodes.names()[: len(source.nodes)] == source.nodes.names()
    assert rows(found) == rows(larger.transform(columns(second)))
    for active, row in zip(rows(larger.base.transform(columns(second))), rows(found)):
        assert {frozenset(larger.nodes.members(n)) for n in row} == conjunctions(active, 2)


def test_columns_of_numbers_and_hashed_features():
    X = [np.array([[1, 0, 1], [0, 1, 1]]), np.array([[1, 1, 1]])]
    source = Expansion(Given(), Kernel("poly", 2))
    found = source.fit(read_sequences(X, None))
    assert [len(row) for row in rows(found)] == [4, 4, 7]
    assert {source.nodes.name(n) for n in rows(found)[0]} == {"constant", "x0", "x2", "x0 & x2"}
    kept = with_parents(source, np.array([name == "x0 & x2" for name in source.nodes.names()]))
    assert subset(source, kept, np.ones(0, bool)).nodes.names() == ["constant", "x0", "x0 & x2"]
    hashed = Expansion(Extractor(TEMPLATES, bits=6), Kernel("poly", 2))
    hashed.fit(columns([[("a", "N"), ("b", "V")]]))
    assert hashed.nodes.find(hashed.nodes.name(5)) == 5
    assert hashed.nodes.bits == 6


def test_refusals():
    source = Expansion(Given(), Kernel("poly", 2))
    with pytest.raises(InputError, match=r"one has the value 0.5; give each the value 1 or leave it out"):
        source.fit(read_sequences([[{"a": 1.0, "b": 0.5}]], None))
    wide = Expansion(Given(), Kernel("poly", 8))
    with pytest.raises(InputError, match=r"degree 8 makes up to .* conjunctions of a token's 100 features"):
        wide.fit(read_sequences([[[f"f{i}" for i in range(100)]]], None))
    whole = Expansion(Given(), Kernel("poly", 2))
    whole.fit(read_sequences([[["a", "b"]]], None))
    arrays = whole.to_arrays()
    with pytest.raises(InputError, match="slots has 3 slots, not a power of 2"):
        Expansion.from_contents(Contents(whole.header(), arrays | {"slots": arrays["slots"][:3]}))
    with pytest.raises(IndexError, match="there is no feature 4; there are 4"):
        whole.nodes.name(4)
