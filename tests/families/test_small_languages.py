"""Costs, names of parts and settings: numbers of any form, and paths that can be none, get a short sentence."""

import pytest

from widemargin.engine.settings import as_number, whole_number
from widemargin.errors import InputError
from widemargin.families.dependencies.costs import parse_arc_cost
from widemargin.families.sources import town_part
from widemargin.families.tagging.costs import parse_cost
from widemargin.features.templates import read_templates

NINES = "9" * 5000


@pytest.mark.parametrize("text", ["0", "+3", "-12", "9" * 18, "007"])
def test_whole_numbers(text):
    assert whole_number(text) == int(text)


@pytest.mark.parametrize("text", ["", "+", "²", "٣", "1_0", " 1", "1\n", "1.0", NINES])
def test_no_whole_numbers(text):
    assert whole_number(text) is None


@pytest.mark.parametrize(
    "refused",
    [
        lambda: parse_cost(f"hamming*²{NINES}", ("A", "O")),
        lambda: parse_cost(f"weights:A={NINES}", ("A", "O")),
        lambda: parse_cost("weights:A=²", ("A", "O")),
        lambda: parse_cost("miss=" + "x " * 5000, ("A", "O")),
        lambda: parse_cost("y" * 5000, ("A", "O")),
        lambda: parse_cost("matrix:a\0b", ("A", "O")),
        lambda: parse_cost("matrix:\ud800", ("A", "O")),
        lambda: parse_arc_cost("head=²", ("nsubj",)),
        lambda: parse_arc_cost(f"{NINES}=1", ("nsubj",)),
        lambda: town_part("town:train:²"),
        lambda: town_part(f"town:train:{NINES}"),
        lambda: town_part("town:train:-5"),
        lambda: as_number("epochs", "²", int),
        lambda: as_number("epochs", NINES, int),
        lambda: as_number("epochs", float("inf"), int),
        lambda: read_templates("a\0b"),
        lambda: read_templates("\ud800"),
    ],
)
def test_refused_in_a_short_sentence(refused):
    with pytest.raises(InputError) as found:
        refused()
    assert len(str(found.value)) < 400
