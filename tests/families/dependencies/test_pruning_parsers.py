"""Parsers with fewer weights: the same answers where zeros alone are dropped, smaller files, and refusals."""

import dataclasses

import numpy as np
import pytest
from parsing_data import small

from widemargin import InputError, Recipe, models, train
from widemargin.families.dependencies.model import Parser
from widemargin.families.dependencies.problem import TreeWeights

TREEBANK = small()


@pytest.fixture(scope="module")
def parser():
    recipe = Recipe("depparse", structure="heads", settings={"epochs": 2}, hash_bits=12, label_bits=8)
    return train(recipe, TREEBANK)


def test_dropping_zeros_changes_no_answer_and_makes_the_file_smaller(parser, tmp_path):
    plain, small_one = str(tmp_path / "plain"), str(tmp_path / "pruned")
    cut = parser.prune(threshold=0.0)
    for table, other in zip(parser.weights, cut.weights):
        np.testing.assert_array_equal(table, other)
    whole = sum(table.nbytes for table in parser.weights)
    before, after = parser.save(plain), cut.save(small_one)
    assert after < 0.6 * whole
    assert abs(after - before) < 1000
    again = Parser.load(small_one)
    assert models.load(plain)[0]["format"] == 5
    for table, other in zip(parser.weights, again.weights):
        np.testing.assert_array_equal(table, other)
    np.testing.assert_array_equal(again.predict(TREEBANK).heads, parser.predict(TREEBANK).heads)
    assert again.facts["pruned"] == cut.facts["pruned"]
    assert Parser.of_parts(*again.parts()).save(str(tmp_path / "third")) == after


def test_thresholds_and_numbers_keep_the_strongest(parser):
    every = np.abs(np.concatenate([table.reshape(-1) for table in parser.weights]))
    limit = float(np.median(every[every > 0]))
    cut = parser.prune(threshold=limit)
    for table, other in zip(parser.weights, cut.weights):
        np.testing.assert_array_equal(other, np.where(np.abs(table) >= limit, table, 0.0))
    few = parser.prune(keep=100)
    left = np.abs(np.concatenate([table.reshape(-1) for table in few.weights]))
    assert np.count_nonzero(left) == few.facts["pruned"]["features"] == 100
    assert left[left > 0].min() >= np.sort(every)[-100]
    assert few.facts["pruned"]["features_before"] == np.count_nonzero(every)
    assert parser.prune(keep=10**9).facts["pruned"]["features"] == np.count_nonzero(every)


def test_a_damaged_or_contradictory_request_is_refused(parser, tmp_path):
    for more in ({}, {"threshold": 0.1, "keep": 3}, {"threshold": -1.0}, {"threshold": np.nan}, {"keep": -1}):
        with pytest.raises(InputError):
            parser.prune(**more)
    header, arrays = parser.prune(threshold=0.0).parts()
    arrays["weights.arcs.values"] = arrays["weights.arcs.values"][:-1]
    with pytest.raises(InputError, match=r"weights\.arcs\.values is float32"):
        Parser.of_parts(header, arrays)


def test_a_pruned_parser_can_be_trained_on(parser):
    on = train(
        Recipe("depparse", structure="heads", settings={"epochs": 1}, hash_bits=12, label_bits=8),
        TREEBANK,
        start=parser.prune(keep=500),
    )
    assert "pruned" not in on.facts
    assert isinstance(dataclasses.replace(on).weights, TreeWeights)
