"""Fast extraction against strings and dicts."""

import time

import numpy as np
import pytest
from feature_twin import Twin, number
from hypothesis import given, settings
from hypothesis import strategies as st
from public_data import public

from widemargin.contents import Contents
from widemargin.errors import InputError
from widemargin.features.extractor import Extractor
from widemargin.features.lexicons import Lexicon
from widemargin.features.named import load_templates
from widemargin.features.templates import parse_templates
from widemargin.readers.columns import from_sentences, read_columns

NAMES = ("word", "pos")
LEXICONS = {"gaz": {"Rome", "the", "a-b", "the Rome", "x x"}, "low": {"rome", "the"}}
WORDS = ["the", "The", "Rome", "a-b", "3rd", "1990", "x", "", "&", "x & y", "x && y", "a & pos[0]=N", "écoles", "Éa", "aab", "AAb"]
ATOMS = [
    "word", "pos", "0", "1", "lower(word)", "shape(word)", "brief(word)", "digits(word)", "prefix(word,2)", "suffix(word,3)",
    "prefix(lower(word),1)", "match(word,/[A-Z]/)", "match(lower(word),/o|&/)", 'in(word,"gaz")', 'in(lower(word),"low")',
    "test(word,/[a-c]/)", "extract(word,/[a-z]+/)", "extract(lower(pos),/n/)",
    "had(word,pos,2)", "had(lower(word),pos,3)", "had(prefix(word,2),pos,1)", "seen(word,pos)", "lower(suffix(word,2))",
    "pair(word)", "lower(pair(word))", 'in(pair(word),"gaz")', "had(pair(pos),pos,2)",
]  # fmt: skip


def parse(text):
    return parse_templates(text, columns=NAMES, lexicons={name: Lexicon.of(name, words) for name, words in LEXICONS.items()})


def rows(ptr, ind):
    return [ind[a:b].tolist() for a, b in zip(ptr[:-1], ptr[1:])]


def check(text, train, test, cutoff, threads=1):
    templates = parse(text)
    twin = Twin(templates, NAMES, LEXICONS)
    twin.learn(train)
    extractor = Extractor(templates, cutoff=cutoff)
    fitted = extractor.fit(from_sentences(train, names=NAMES))
    found = extractor.transform(from_sentences(test, names=NAMES), threads=threads)
    loaded = Extractor.from_contents(Contents(extractor.header(), frozen(extractor.to_arrays())))
    again = loaded.transform(from_sentences(test, names=NAMES))
    for kind, part in (("nodes", "node"), ("edges", "edge")):
        index, expected = number(twin(train, edges=kind == "edges"), cutoff)
        ours = getattr(extractor, kind)
        assert ours.names() == list(index) == getattr(loaded, kind).names()
        assert [ours.find(name) for name in index] == list(range(len(index)))
        if not ours.templates:
            assert getattr(fitted, f"{part}_ptr").tolist() == [0]
            continue
        assert rows(getattr(fitted, f"{part}_ptr"), getattr(fitted, f"{part}_ind")) == expected
        known = [[index[name] for name in row if name in index] for row in twin(test, edges=kind == "edges")]
        assert rows(getattr(found, f"{part}_ptr"), getattr(found, f"{part}_ind")) == known
        assert rows(getattr(again, f"{part}_ptr"), getattr(again, f"{part}_ind")) == known


def frozen(arrays):
    """As if mapped from a file."""
    arrays = {name: array.copy() for name, array in arrays.items()}
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


@st.composite
def template_texts(draw):
    lines = set()
    for _ in range(draw(st.integers(1, 5))):
        marks = st.sampled_from(["first", "last", "bias"])
        cells = st.builds("{}[{}]".format, st.sampled_from(ATOMS), st.integers(-3, 3))
        atoms = draw(st.lists(st.one_of(cells, cells, cells, marks), min_size=1, max_size=3))
        lines.add((draw(st.sampled_from(["", "", '"near" ', '"&=" '])), draw(st.sampled_from(["", "label[-1] "])), " ".join(atoms)))
    return "\n".join("".join(line) for line in sorted(lines))


sentences = st.lists(
    st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(["N", "V", "D & D"])), min_size=1, max_size=5), min_size=1, max_size=5
)


@settings(max_examples=150)
@given(template_texts(), sentences, sentences, st.integers(1, 3), st.integers(1, 3))
def test_equals_strings_and_dicts(text, train, test, cutoff, threads):
    check(text, train, test, cutoff, threads)


TINY = [[("The", "D"), ("3rd", "N"), ("x & y", "N")], [("Rome", "N")], [("the", "D"), ("Rome", "V")]]


@pytest.mark.twice
def test_tiny():
    text = "\n".join(f"{atom}[-1..1]" for atom in ATOMS) + "\n*pos[-2..1] pos[-1..2]\nlabel[-1] had(word,pos,2) first\nbias\nfirst\nlast"
    check(text.replace("label[-1] had(word,pos,2) first", "label[-1] had(word,pos,2)[-1] last"), TINY, TINY[::-1], 1)
    check(text, TINY, [[("unseen", "X"), ("The", "N")]], 2)


def test_long_sentences_and_growing_tables():
    random = np.random.default_rng(0)
    words = [[(f"w{w}", f"t{w % 7}") for w in random.zipf(1.3, n) % 5000] for n in (1, 3000, 33, 32, 64, 65, 1000)]
    check(
        "word[-1..1]\nword[-1] word[0]\n*word[0] word[1] word[2]\npos[-1..0] pos[0..1]\nhad(word,pos,2)[-2..2]",
        words,
        words[::-1],
        1,
        threads=4,
    )
    check("*word[-1] word[0]", words, words, 2)


def test_unseen_words_have_no_features_but_the_others_stay():
    extractor = Extractor(parse("word\npos\nword pos"))
    extractor.fit(from_sentences(TINY, names=NAMES))
    features = extractor.transform(from_sentences([[("new", "N")]], names=NAMES))
    assert [extractor.nodes.name(f) for f in features.node_ind] == ["pos[0]=N"]


def test_plain_transitions_need_no_feature():
    extractor = Extractor(parse("label[-1]\nbias"))
    features = extractor.fit(from_sentences(TINY, names=NAMES))
    assert len(extractor.edges) == 0
    assert features.edge_ptr.tolist() == [0]
    assert len(extractor.nodes) == 1
    assert len(features) == 6


def test_a_column_that_is_not_there_names_the_columns():
    extractor = Extractor(parse_templates("word[0] \n shape(tag)", source="my.txt"))
    with pytest.raises(InputError, match=r"my.txt:2:8: there is no column 'tag'; the columns are 0 \(word\), 1 \(pos\)\."):
        extractor.fit(from_sentences(TINY, names=NAMES))


def test_the_learnt_column_is_not_needed_to_predict():
    extractor = Extractor(parse("had(word,pos,1)"))
    extractor.fit(from_sentences(TINY, names=NAMES))
    features = extractor.transform(from_sentences([[("Rome",)], [("new",)]], names=["word"]))
    assert rows(features.node_ptr, features.node_ind) == [[extractor.nodes.find("had(word,pos,1)[0]=N")], []]


def test_learning_from_nothing():
    extractor = Extractor(parse("had(prefix(word,9),pos,2)\nseen(prefix(word,9),pos)\nbias"))
    extractor.fit(from_sentences(TINY, names=NAMES))
    assert extractor.nodes.names() == ["bias"]
    assert extractor.transform(from_sentences([[("abcdefghij", "N")]], names=NAMES)).node_ind.tolist() == [0]


def test_fit_comes_first():
    with pytest.raises(InputError, match=r"had\(word,pos,2\) has not been learnt yet; call fit"):
        Extractor(parse("had(word,pos,2)")).transform(from_sentences(TINY, names=NAMES))


def test_fitting_again_starts_again():
    extractor = Extractor(parse("word\nhad(word,pos,1)"))
    extractor.fit(from_sentences(TINY, names=NAMES))
    extractor.fit(from_sentences([[("new", "X")]], names=NAMES))
    assert extractor.nodes.names() == ["word[0]=new", "had(word,pos,1)[0]=X"]


def test_names_that_are_none():
    extractor = Extractor(parse("word pos\n*bias"))
    extractor.fit(from_sentences(TINY, names=NAMES))
    for name in ("", "word[0]=The", "word[0]=The & ", "word[0]=The & pos[0]=X", "pos[0]=D", "bias & bias", "word[0] before x & pos[0]=D"):
        assert extractor.nodes.find(name) == -1
    assert extractor.edges.find("label[-1] & bias") == 0
    with pytest.raises(IndexError, match="there are"):
        extractor.nodes.name(len(extractor.nodes))


def test_a_template_twice_is_refused():
    with pytest.raises(InputError, match=r"word\[0\] is given twice"):
        Extractor(parse("word") * 2)


def test_counts_by_template():
    extractor = Extractor(parse("word\npos"))
    extractor.fit(from_sentences(TINY, names=NAMES))


def test_a_large_model_loads_at_once(tmp_path):
    random = np.random.default_rng(0)
    sentence = [[(f"w{a}", f"v{b}") for a, b in random.integers(0, 5000, (20000, 2))]]
    extractor = Extractor(parse("word[-1..1]\nword pos\nword[-1] pos\nword pos[-1]\nlower(word)[-2]\nhad(word,pos,2)"))
    columns = from_sentences(sentence, names=NAMES)
    features = extractor.fit(columns)
    for name, array in extractor.to_arrays().items():
        np.save(tmp_path / f"{name}.npy", array)
    arrays = {path.stem: np.load(path, mmap_mode="r") for path in tmp_path.glob("*.npy")}
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        loaded = Extractor.from_contents(Contents(extractor.header(), arrays))
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.01
    assert np.array_equal(loaded.transform(columns).node_ind, features.node_ind)


def test_a_damaged_index_is_refused():
    extractor = Extractor(parse("word"))
    extractor.fit(from_sentences(TINY, names=NAMES))
    with pytest.raises(InputError, match="damaged"):
        Extractor.from_contents(Contents(extractor.header(), extractor.to_arrays() | {"nodes.table": np.zeros(5, np.uint64)}))


def test_chunking_has_as_many_features_as_crfsuite_finds():
    extractor = Extractor(load_templates("crfsuite-chunking"))
    features = extractor.fit(read_columns(public("conll2000/train.txt.gz")[0], names=["word", "pos", "chunk"]))
    assert len(extractor.nodes) == 338_552
    assert len(features.node_ind) == 20 * 211_727
