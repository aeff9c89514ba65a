"""Lists of best outputs stop at what there is and at what memory holds."""

import numpy as np
import pytest

from widemargin.errors import InputError
from widemargin.structures import Chain, Choice
from widemargin.structures.arcs.trees import TREES
from widemargin.structures.base import Parts
from widemargin.structures.listing import listable, memory_for_lists, outcomes
from widemargin.structures.lists.arrays import Lists

ABSURD = 1_000_000_000


def test_no_more_than_there_are_and_than_memory_holds(monkeypatch):
    assert listable(5, 100, 8) == 5
    assert listable(ABSURD, 100, 8) == 100
    assert outcomes(3, 4) == 81
    assert outcomes(2, 10_000) == 2**64
    assert memory_for_lists() > 2**20
    monkeypatch.setattr("widemargin.structures.listing.memory_for_lists", lambda: 1000)
    with pytest.raises(InputError, match="the 101 best outputs do not fit into memory; ask for at most 100"):
        listable(101, 10**9, 10)


@pytest.mark.parametrize(
    "k", [0, -1, 2**31, 10**30, 10**5000, 2.5, "a", None, True, float("nan"), float("inf"), -(10**5000)], ids=lambda k: type(k).__name__
)
def test_what_is_no_number_of_outputs_is_refused(k):
    with pytest.raises(InputError) as caught:
        listable(k, 10**9, 1)
    assert len(str(caught.value)) < 160


def test_every_structure_has_memory_for_what_exists_alone():
    assert len(Chain(3).kbest_memory(2, ABSURD).value) == 9
    assert len(Choice(3).kbest_memory(1, ABSURD).value) == 3
    assert len(Lists().kbest_memory(7, ABSURD).value) == 7
    for kind in TREES.values():
        assert len(kind(2).kbest_memory(2, ABSURD, np.float64).value) == 16
    with pytest.raises(InputError, match="do not fit into memory; ask for at most"):
        Chain(30).kbest_memory(1000, ABSURD)


@pytest.mark.twice
def test_all_sequences_when_more_are_asked_for():
    scores = Parts(np.arange(6.0).reshape(2, 3), np.zeros((3, 3)))
    assert len(Chain(3).kbest(scores, ABSURD)) == 9
