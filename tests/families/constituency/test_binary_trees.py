"""Binarisation: every tree comes back, symbols name what they should, and the grammar is that of a slow count."""

import io
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from public_data import public
from random_trees import trees as random_trees

from widemargin.errors import InputError
from widemargin.families.constituency.binary import NO_SPLIT, UNSEEN, Binariser, restore
from widemargin.families.constituency.brackets import read_brackets
from widemargin.families.constituency.building import from_trees
from widemargin.families.constituency.grammar import read_grammar
from widemargin.families.constituency.symbols import Symbols
from widemargin.families.constituency.transforms import transformed
from widemargin.families.constituency.tree import Tree

SETTINGS = [(d, h, v) for d in ("right", "left") for h in (0, 1, 2, None) for v in (1, 2, 3)]


def read(text):
    return read_brackets(io.StringIO(text))


def named(trees, sentence=0):
    """Nodes with the names of their symbols."""
    return [(first, split, end, trees.symbols.names[symbol]) for first, split, end, symbol in trees.nodes(sentence).tolist()]


def came_back(trees, binary):
    """The same brackets with the same labels, in the same order."""
    node_ptr, node = restore(binary.node_ptr, binary.node, binary.symbols)
    names, others = np.array(binary.symbols.labels, object)[node[:, 2]], np.array(trees.labels, object)[trees.node[:, 2]]
    same = np.array_equal(node_ptr, trees.node_ptr) and np.array_equal(node[:, :2], trees.node[:, :2])
    return same and np.array_equal(names, others)


FOUR = "(S (NP (DT a) (NN b)) (ADVP (RB c)) (VP (VB d)) (. .))"


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        (("right", 0, 1), [(0, 2, 5, "S"), (0, 1, 2, "NP"), (2, 3, 5, "S|"), (3, 4, 5, "S|")]),
        (("right", 1, 1), [(0, 2, 5, "S"), (0, 1, 2, "NP"), (2, 3, 5, "S|ADVP"), (3, 4, 5, "S|VP")]),
        (("right", 2, 2), [(0, 2, 5, "S"), (0, 1, 2, "NP^S"), (2, 3, 5, "S|ADVP-VP"), (3, 4, 5, "S|VP-.")]),
        (("left", 1, 1), [(0, 4, 5, "S"), (0, 3, 4, "S|VP"), (0, 2, 3, "S|ADVP"), (0, 1, 2, "NP")]),
        (("left", None, 1), [(0, 4, 5, "S"), (0, 3, 4, "S|NP-ADVP-VP"), (0, 2, 3, "S|NP-ADVP"), (0, 1, 2, "NP")]),
    ],
)
def test_symbols_by_hand(setting, expected):
    binary = Binariser(*setting)(read(FOUR))
    assert [node for node in named(binary) if node[1] != NO_SPLIT] == expected
    above = "^S" if setting[2] > 1 else ""
    assert [node[3] for node in named(binary) if node[1] == NO_SPLIT] == ["DT", "NN", f"ADVP{above}", f"VP{above}", "."]


def test_chains_and_ancestors():
    binary = Binariser(vertical=3)(read("(S (VP (VP (VB go) (S (VP (VB see) (NP (NN it)))))))"))
    assert named(binary) == [
        (0, 1, 3, "S+VP+VP"), (0, NO_SPLIT, 1, "VB"), (1, 2, 3, "S+VP^VP"), (1, NO_SPLIT, 2, "VB"), (2, NO_SPLIT, 3, "NP^VP^VP")
    ]  # fmt: skip
    symbols = binary.symbols
    assert symbols.stands_for(symbols.find("S+VP+VP")) == ("S", "VP", "VP")
    assert symbols.find("VB", tag=True) >= 0
    assert symbols.find("VB") == -1
    assert symbols.labels == ("NP", "S", "VP")
    assert not symbols.artificial.any()


def test_symbols_stand_in_a_fixed_order_and_come_back_from_json():
    texts = [FOUR, "(S (VP (VB a)))", "(X (NN a) (NN b) (NN c))"]
    one, other = (Binariser()(read("\n".join(order))).symbols for order in (texts, texts[::-1]))
    assert one == other
    kinds = one.is_tag * 0 + one.artificial * 2 + ~(one.is_tag | one.artificial) * 1
    assert (np.diff(kinds) >= 0).all()
    assert Symbols.from_json(one.as_json()) == one


def test_symbols_of_other_trees():
    known = Binariser()(read(FOUR)).symbols
    binary = Binariser()(read("(S (NP (DT a) (CD b)) (VP (VB d)))"), known)
    assert binary.nodes(0)[:, 3].tolist() == [known.find("S"), known.find("NP"), known.find("DT", tag=True), UNSEEN, known.find("VP")]
    assert binary.tag.tolist() == [known.find("DT", tag=True), UNSEEN, known.find("VB", tag=True)]
    for use in (lambda: read_grammar(binary), lambda: restore(binary.node_ptr, binary.node, known)):
        with pytest.raises(InputError, match="not among the"):
            use()


@given(st.lists(random_trees(), min_size=1, max_size=4), st.sampled_from(SETTINGS))
def test_every_tree_comes_back(found, setting):
    trees = from_trees(found)
    binary = Binariser(*setting)(trees)
    assert came_back(trees, binary)
    assert len(binary.node) == 2 * trees.tokens - trees.sentences
    for i in range(trees.sentences):
        check_binary(binary.nodes(i).tolist(), len(trees.words(i)))
    assert len(set(zip(binary.symbols.names, binary.symbols.is_tag.tolist()))) == len(binary.symbols)


def check_binary(nodes, n):
    """The nodes are a binary tree in pre-order: by recursion."""

    def walk(at, first, end):
        low, split, high, _ = nodes[at]
        assert (low, high) == (first, end)
        if end - first == 1:
            assert split == NO_SPLIT
            return at + 1
        assert first < split < end
        return walk(walk(at + 1, first, split), split, end)

    assert walk(0, 0, n) == len(nodes)


def test_words_without_a_common_bracket_come_back_too():
    trees = from_trees([Tree(("a", "b", "c"), ("X", "Y", "Z"), ((1, 3, "NP"),)), Tree(("a",), ("X",)), Tree(("a", "b"), ("X", "Y"))])
    for setting in SETTINGS:
        binary = Binariser(*setting)(trees)
        assert came_back(trees, binary)
        assert binary.symbols.artificial[binary.node[0, 3]]


def test_wide_and_deep_trees():
    wide = read("(S " + "(NN a) " * 20_000 + ")")
    assert came_back(wide, Binariser("left", 2)(wide))
    deep = read("(S (NN a) " * 20_000 + "(NN b)" + ")" * 20_000)
    assert came_back(deep, Binariser("right", 1, 3)(deep))
    chain = read("(S " * 20_000 + "(NN b)" + ")" * 20_000)
    assert came_back(chain, Binariser()(chain))


def slow_grammar(trees, setting):
    """Productions by name, counted by walking down."""
    binary, counts = Binariser(*setting)(trees), Counter()
    for i in range(trees.sentences):
        nodes, names, tags = binary.nodes(i).tolist(), binary.symbols.names, trees.tags(i)
        counts["top", names[nodes[0][3]]] += 1
        for first, split, end, symbol in nodes:
            if split == NO_SPLIT:
                counts["word", names[symbol], tags[first]] += 1
            else:
                spans = {(low, high): names[other] for low, _, high, other in nodes}
                counts["binary", names[symbol], spans[first, split], spans[split, end]] += 1
    return counts


@given(st.lists(random_trees(labels=("S", "NP", "VP")), min_size=1, max_size=4), st.sampled_from(SETTINGS))
def test_the_grammar_is_that_of_a_slow_count(found, setting):
    trees = from_trees(found)
    grammar = read_grammar(Binariser(*setting)(trees))
    names, fast = grammar.symbols.names, Counter()
    for kind, rows, count in (
        ("binary", grammar.binary, grammar.binary_count),
        ("word", grammar.lexical, grammar.lexical_count),
        ("top", grammar.top[:, None], grammar.top_count),
    ):
        for row, times in zip(rows.tolist(), count.tolist()):
            fast[(kind, *(names[symbol] for symbol in row))] += times
    assert fast == slow_grammar(trees, setting)
    assert len(np.unique(grammar.binary, axis=0)) == len(grammar.binary)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"direction": "up"}, "'up' is unknown"),
        ({"horizontal": -1}, "horizontal is -1"),
        ({"vertical": 0}, "vertical is 0"),
        ({"vertical": "two"}, "not a whole number"),
    ],
)
def test_settings_that_are_none(change, words):
    with pytest.raises(InputError, match=words):
        Binariser(**change)


def test_sentences_without_a_whole_tree_are_named():
    for text, words in (("(())", "has no words"), ("(? (NN a))", "not wholly known")):
        trees = read_brackets(io.StringIO(f"{FOUR}\n{text}"), empty=True)
        with pytest.raises(InputError, match=f"<file>:2: this sentence {'has .*' * (words[0] == 'n')}{words}"):
            Binariser()(trees)
    with pytest.raises(InputError, match="has no tree"):
        Binariser()(from_trees([[("a", "NN")]]))


def test_every_tree_of_the_penn_sample_comes_back():
    sizes = {}
    for path in public("ptb_sample/*.mrg.gz"):
        for trees in (transformed(read_brackets(path)), read_brackets(path)):
            raw = trees.original is None
            for setting in SETTINGS:
                if setting[2] < 3 and setting[1] is not None and not (raw and setting != ("left", 2, 2)):
                    binary = Binariser(*setting)(trees)
                    assert came_back(trees, binary)
                    grammar = read_grammar(binary)
                    sizes[path.name, raw, setting] = (int((~binary.symbols.is_tag).sum()), len(grammar.binary))
    train = {setting: size for (name, raw, setting), size in sizes.items() if name.startswith("train") and not raw}
    # an independent prototype counted the same
    assert [train["right", h, v] for v in (1, 2) for h in (0, 1, 2)] == [
        (79, 1922), (346, 3034), (1174, 4706), (351, 3868), (1020, 5635), (2446, 7777)
    ]  # fmt: skip
