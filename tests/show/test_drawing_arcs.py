"""Drawings of trees: well-formed SVG, every word and relation on it, levels that keep arcs apart, and mistakes in colour."""

import xml.etree.ElementTree as ElementTree

import pytest

from widemargin.errors import InputError
from widemargin.show.arcs import GOLD, WRONG, _arcs, _stack, crossed, draw

WORDS, HEADS = ["A", "<hearing>", "is", "scheduled", "on", "it", "today"], [2, 4, 4, 0, 6, 2, 4]
RELATIONS = ["det", "nsubj:pass", "aux:pass", "root", "case", "nmod", "obl"]
SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str | None]:
    return [element.text for element in ElementTree.fromstring(svg).iter(SVG + "text")]


def test_every_word_and_relation_is_drawn():
    svg = draw(WORDS, HEADS, RELATIONS, tags=["X"] * 7)
    assert sorted(map(str, texts(svg))) == sorted(WORDS + RELATIONS + ["X"] * 7)
    assert svg == draw(WORDS, HEADS, RELATIONS, tags=["X"] * 7)


def test_arcs_that_are_not_projective_are_dashed():
    assert crossed(HEADS) == [False, False, False, False, False, True, False]
    assert draw(WORDS, HEADS, RELATIONS).count("stroke-dasharray") == 1


def test_overlapping_arcs_have_levels_of_their_own():
    arcs = _arcs(HEADS, RELATIONS, ["#000"] * 7)
    _stack(arcs)
    inner = [arc for arc in arcs if arc.head >= 0]
    for a in inner:
        for b in inner:
            if a is not b and a.span[0] < b.span[1] and b.span[0] < a.span[1]:
                assert a.level != b.level


def test_everything_lies_in_the_picture():
    root = ElementTree.fromstring(draw(WORDS, HEADS, RELATIONS, gold=([2, 4, 4, 0, 6, 4, 4], RELATIONS)))
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    for element in root.iter(SVG + "text"):
        assert 0 < float(element.get("x", -1)) < width
        assert 0 < float(element.get("y", -1)) < height


def test_mistakes_are_coloured_and_the_gold_arc_hangs_below():
    gold = ([2, 4, 4, 0, 6, 4, 4], RELATIONS)
    assert WRONG not in draw(WORDS, gold[0], RELATIONS, gold=gold)
    svg = draw(WORDS, HEADS, RELATIONS, gold=gold)
    assert svg.count(f'stroke="{WRONG}"') == svg.count(f'stroke="{GOLD}"') == 1


def test_unknown_heads_are_left_out_and_wrong_sizes_refused():
    assert texts(draw(["a", "b"], [-1, 0], ["x", "root"])) == ["root", "a", "b"]
    with pytest.raises(InputError, match="one of each per word"):
        draw(["a"], [0, 1], ["root"])
