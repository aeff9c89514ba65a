"""Constituency trees as SVG: well formed, nothing lost, nothing on top of anything else, and what is wrong is marked."""

import io
import itertools
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_trees import trees as random_trees

from widemargin.errors import InputError
from widemargin.families.constituency import drawing
from widemargin.families.constituency.brackets import read_brackets
from widemargin.show.constituents import GOLD, INK, TAG, WORD, WRONG, draw

SVG = "{http://www.w3.org/2000/svg}"


def read(text):
    return read_brackets(io.StringIO(text))


def texts(svg, *colours):
    """(text, x, y) of the texts in these colours."""
    found = ET.fromstring(svg).iter(f"{SVG}text")
    return [(item.text, float(item.get("x")), float(item.get("y"))) for item in found if item.get("fill") in colours]


@given(random_trees())
def test_all_is_there_once_and_apart(tree):
    svg = draw(tree.words, tree.tags, tree.brackets)
    assert [text for text, *_ in texts(svg, WORD)] == list(tree.words)
    assert sorted(text for text, *_ in texts(svg, TAG)) == sorted(tree.tags)
    assert [text for text, *_ in texts(svg, INK)] == [label for _, _, label in tree.brackets]
    placed = texts(svg, WORD, TAG, INK)
    assert len({(x, y) for _, x, y in placed}) == len(placed)
    for (_, x, y), (_, other_x, other_y) in itertools.pairwise(sorted(texts(svg, INK, TAG), key=lambda item: item[:0:-1])):
        assert y != other_y or abs(x - other_x) > 5
    width, height = (float(ET.fromstring(svg).get(side)) for side in ("width", "height"))
    assert all(0 < x < width and 0 < y < height for _, x, y in placed)
    assert svg == draw(tree.words, tree.tags, tree.brackets)


@given(random_trees())
def test_parents_stand_above_and_in_the_middle_of_their_children(tree):
    places = [(x, y) for _, x, y in texts(draw(tree.words, tree.tags, tree.brackets), INK)]
    for (first, end, _), (x, y) in zip(tree.brackets, places):
        for (low, high, _), (other_x, other_y) in zip(tree.brackets, places):
            if first <= low and high <= end and (low, high) != (first, end):
                assert other_y > y
            if high <= first:
                assert other_x < x


def test_what_is_wrong_is_red_and_what_is_missing_blue():
    gold = read("(S (NP (NN a)) (VP (VB b) (NP (NN c) (NN d))))")
    system = read("(S (NP (NP (NN a))) (VP (VB b) (X (NN c)) (NN d)))")
    svg = drawing.draw(gold, 1, system)
    assert [text for text, *_ in texts(svg, WRONG)] == ["NP", "X"]
    assert [text for text, *_ in texts(svg, GOLD)] == ["NP"]
    assert [text for text, *_ in texts(svg, INK)] == ["S", "NP", "VP"]
    assert not texts(drawing.draw(gold, 1), WRONG, GOLD)
    assert not texts(drawing.draw(gold, 1, gold), WRONG, GOLD)


@given(st.data())
def test_missing_brackets_do_not_lie_on_each_other(data):
    gold = data.draw(random_trees())
    system = data.draw(random_trees(words=gold.words, tags=gold.tags))
    svg = draw(gold.words, gold.tags, system.brackets, gold=gold.brackets)
    bars = [
        tuple(map(float, found)) for found in re.findall(rf'd="M([\d.]+) [\d.]+V([\d.]+)H([\d.]+)V[\d.]+" fill="none" stroke="{GOLD}"', svg)
    ]
    assert len(bars) == len(texts(svg, GOLD))
    for (low, y, high), (other, other_y, last) in itertools.combinations(bars, 2):
        assert y != other_y or high <= other or last <= low


def test_texts_are_escaped_and_outer_brackets_shown():
    svg = draw(["<&"], ['"'], [(0, 1, "")])
    assert [text for text, *_ in texts(svg, WORD, TAG, INK)] == ["( )", '"', "<&"]


def test_what_cannot_be_drawn():
    for words, tags, brackets in (([], [], []), (["a"], [], []), (["a"], ["X"], [(0, 2, "S")]), (["a"], ["X"], [(0, 0, "S")])):
        with pytest.raises(InputError, match="one tag per word"):
            draw(words, tags, brackets)
    trees = read("(S (NN a))\n(S (NN b))")
    with pytest.raises(InputError, match="no sentence 3; there are 2"):
        drawing.draw(trees, 3)
    with pytest.raises(InputError, match="<file>:2: the words differ from those in <file>:1"):
        drawing.draw(trees, 1, trees.part([1, 1]).part([0]))
