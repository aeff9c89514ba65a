"""widemargin reproduce eidelman-lists: the tables of a quick run, how lists are cut, and what is refused."""

import json

import numpy as np
import pytest

from widemargin.cli import main
from widemargin.errors import InputError
from widemargin.study.papers.eidelman.data import open_lists, places
from widemargin.study.papers.eidelman.methods import BOUNDS, METHODS, PRICES
from widemargin.study.papers.eidelman.runs import mean_and_sd, pooled


def test_a_quick_run_has_every_tuner_and_the_table_of_bounds(tmp_path, capsys):
    assert (
        main(["reproduce", "eidelman-lists", "--quick", "--sentences", "30", "--epochs", "2", "--json", "-o", str(tmp_path / "out")]) == 0
    )
    facts = json.loads(capsys.readouterr().out)
    dense, sparse = facts["dense"], facts["dense and sparse"]
    assert [row["tuner"] for row in dense["rows"]] == ["start", *(method.name for method in METHODS)]
    assert len(dense["tried"]["RM"]) == len(BOUNDS) * len(PRICES)
    assert len(sparse["rows"][-1]["active"]) > len(dense["rows"][-1]["active"])
    text = (tmp_path / "out" / "eidelman-lists.md").read_text()
    assert "development BLEU of RM by bound B and its price D" in text
    assert "| oracle" in text
    assert (tmp_path / "out" / "eidelman-lists-spread.svg").stat().st_size


def test_lists_are_cut_once_and_for_all():
    dense, sparse = open_lists(None, 31, quick=True)
    assert (dense.tune.pool.sentences, dense.dev.pool.sentences) == (21, 10)
    assert not set(dense.tune.pool.ids) & set(dense.dev.pool.ids)
    assert dense.tune.pool.ids == sparse.tune.pool.ids
    assert dense.start.tolist() == [1.0] * len(dense.tune.pool.names)
    assert sparse.start.sum() == dense.start.sum() < len(sparse.start)
    assert sparse.dev.pool.names == sparse.tune.pool.names


def test_lists_that_are_not_there_are_refused(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="the lists of the study are not there"):
        places(str(tmp_path), quick=False)
    monkeypatch.setenv("WIDEMARGIN_DATA", str(tmp_path))
    assert places(None, quick=False)[1] == "town:dev"
    with pytest.raises(InputError, match="2 sentences cannot be cut"):
        open_lists(None, 2, quick=True)


def test_groups_together_have_the_mean_and_deviation_of_all_numbers():
    numbers = np.random.default_rng(0).normal(size=(3, 50))
    together = pooled([row.mean() for row in numbers], [row.std() for row in numbers])
    assert together == f"{numbers.mean():.2f} ± {numbers.std():.2f}"
    assert mean_and_sd([1.0, 3.0]) == "2.00 ± 1.00"
