"""Function tags, null elements and outer brackets: removed where they are, and nothing else with them."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from public_data import public
from random_trees import trees as random_trees

from widemargin.errors import InputError
from widemargin.families.constituency.brackets import brackets_text, read_brackets
from widemargin.families.constituency.building import from_trees
from widemargin.families.constituency.conll2012 import read_conll2012
from widemargin.families.constituency.transforms import ROOTS, bare, remove_functions, remove_nulls, remove_root, transformed


def after(change, text):
    trees = read_brackets(io.StringIO(text))
    found = change(trees)
    assert found.original is trees
    assert brackets_text(trees) == text + "\n"
    return brackets_text(found).removesuffix("\n")


@pytest.mark.parametrize(
    ("label", "expected"),
    [("NP-SBJ-1", "NP"), ("NP=2", "NP"), ("ADVP|PRT", "ADVP"), ("NP-TTL=1-X", "NP"), ("-LRB-", "-LRB-"), ("-NONE-", "-NONE-"),
     ("=", "="), ("|", "|"), ("", ""), ("S", "S"), ("N-", "N"), ("?", "?")],
)  # fmt: skip
def test_bare_labels(label, expected):
    assert bare(label) == expected


def test_functions_are_of_brackets_alone():
    assert after(remove_functions, "(S-1 (NP-SBJ (NN-X a-b)) (-LRB- -LRB-))") == "(S (NP (NN-X a-b)) (-LRB- -LRB-))"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(S (NP (-NONE- *)) (VP (VB go)))", "(S (VP (VB go)))"),
        ("(VP (VBD r) (SBAR (-NONE- 0) (S (-NONE- *T*-1))))", "(VP (VBD r))"),
        ("(S (NP (NN a) (-NONE- *)) (NP (-NONE- *) (NN b)))", "(S (NP (NN a)) (NP (NN b)))"),
        ("(S (NP (-NONE- *)))", "(())"),
        ("(S (NN -NONE-))", "(S (NN -NONE-))"),
    ],
)
def test_nulls(text, expected):
    assert after(remove_nulls, text) == expected
    assert after(remove_nulls, f"(S (NN x))\n{text}\n(S (NN y))") == f"(S (NN x))\n{expected}\n(S (NN y))"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("( (S (NN a) (NN b)))", "(S (NN a) (NN b))"),
        ("(TOP (ROOT (S1 ( (S (NN a) (NN b))))))", "(S (NN a) (NN b))"),
        ("( (S (NN a)) (S (NN b)))", "(TOP (S (NN a)) (S (NN b)))"),
        ("(TOP (TOP (S (NN a)) (S (NN b))))", "(TOP (S (NN a)) (S (NN b)))"),
        ("( (UH yes))", "(UH yes)"),
        ("(S (TOP (NN a)))", "(S (TOP (NN a)))"),
        ("(UH yes)", "(UH yes)"),
        ("( (S (TOP (NN a) (NN b))))", "(S (TOP (NN a) (NN b)))"),
    ],
)
def test_roots(text, expected):
    assert after(remove_root, text) == expected
    assert after(remove_root, f"(S (NN x))\n{text}\n(S (NN y))") == f"(S (NN x))\n{expected}\n(S (NN y))"


def test_the_text_of_a_file_is_left_alone_as_long_as_its_words_are():
    for text, format in (("d 0 0 a NN (NP-X*)\n", "conll2012"), ("d 0 0 a -NONE- (NP*\nd 0 1 b NN *)\n", "brackets")):
        assert transformed(read_conll2012(io.StringIO(text))).format == format


def test_transforms_by_name():
    text = "( (S-X (NP-SBJ (-NONE- *)) (VP (VB go))))"
    assert after(transformed, text) == "(S (VP (VB go)))"
    for names in (["nulls"], "nulls"):
        assert after(lambda trees, names=names: transformed(trees, names), text) == "( (S-X (VP (VB go))))"
    assert after(lambda trees: transformed(trees, "functions,root"), text) == "(S (NP (-NONE- *)) (VP (VB go)))"
    unchanged = read_brackets(io.StringIO(text))
    assert transformed(unchanged, "none") is unchanged
    with pytest.raises(InputError, match="no transform 'function'; they are functions, nulls, root"):
        transformed(read_brackets(io.StringIO(text)), ["function"])


def slow_root(tree):
    """The top bracket goes as long as it is a root with one child."""
    while tree.brackets and tree.label in ROOTS and len(tree.children) == 1:
        tree = tree.children[0]
    return tree


@given(st.lists(random_trees(labels=("", "TOP", "S")), min_size=1, max_size=5))
def test_roots_as_a_slow_twin_has_them(found):
    expected = "".join(f"{slow_root(tree)}\n".replace("( ", "(TOP ") for tree in found)
    assert brackets_text(remove_root(from_trees(found))) == brackets_text(read_brackets(io.StringIO(expected)))


def test_the_penn_sample_has_the_words_of_its_dependencies():
    words = {"train": (81_793, 5_721), "dev": (6_327, 445), "test": (5_964, 426)}  # and null elements, as its README says
    for path in public("ptb_sample/*.mrg.gz"):
        trees = read_brackets(path)
        changed = transformed(trees)
        kept, nulls = words[path.name.split(".")[0]]
        assert (changed.tokens, trees.tokens) == (kept, kept + nulls)
        assert not any(set("-=|") & set(label) or not label for label in changed.labels)
        assert changed.part([0]).original.tree(0) == trees.tree(0)
