"""One tuning procedure: grids chosen on dev, cells kept and not run again, seeds, significance, workers."""

import numpy as np
import pytest

from widemargin.errors import InputError
from widemargin.families.recipes import Recipe
from widemargin.families.tagging.sources import open_columns
from widemargin.metrics.bootstrap import f1_from_counts
from widemargin.study.cells import Fitter, Means
from widemargin.study.tuned_tables import cell_tables, p_table, robustness, score_table
from widemargin.study.tuning import Candidates, Data, fitting, grid, p_values, screen, text_of, tune
from widemargin.workers import Engine


def tuned(rows, data, seeds=(1,), **means):
    with fitting(data, Means(**means)) as fits:
        return tune(rows, fits, seeds=seeds)


@pytest.fixture(scope="module")
def town():
    return Data("town", *(open_columns(f"town:{part}:25", "ner") for part in ("train", "dev", "test")))


def ops(point):
    return Recipe("ner", "ops", objective="hinge", l2=point["l2"], settings={"epochs": 2, "rate": point["rate"]})


ROWS = (
    Candidates("Perceptron", [{}], lambda point: Recipe("ner", "perceptron", settings={"epochs": 2})),
    Candidates("OPS", grid(l2=(1e-2, 1e-6), rate=(0.1, 1e-3)), ops),
    Candidates(
        "Risk",
        grid(rate=(0.1,)),
        lambda point: Recipe("ner", "ops", objective="risk", settings={"epochs": 1} | point),
        ops({"l2": 0.0, "rate": 0.1}),
    ),
)


def test_the_best_cell_is_chosen_and_every_cell_is_kept(town, tmp_path, monkeypatch):
    said = []
    found = tuned(ROWS, town, seeds=(1, 2), folder=str(tmp_path), say=said.append)
    assert [len(row.tried) for row in found] == [1, 4, 1]
    for row in found:
        assert row.best["dev"] == max(cell["dev"] for cell in row.tried)
        assert [final["seed"] for final in row.finals] == [1, 2]
        assert row.finals[0]["dev"] == row.best["dev"] == max(row.finals[0]["curve"]) == row.finals[0]["curve"][row.finals[0]["epoch"] - 1]
        tests = [final["test"] for final in row.finals]
        summary = row.summary()
        assert (summary["test"], summary["test_spread"]) == (pytest.approx(np.mean(tests)), pytest.approx(np.std(tests, ddof=1)))
    assert len(said) == len(list((tmp_path / "cells").iterdir())) == 6 + 6

    monkeypatch.setattr(Fitter, "fit", lambda *_: pytest.fail("a cell was fitted again"))
    again = tuned(ROWS, town, seeds=(1, 2), folder=str(tmp_path))
    assert [row.summary() for row in again] == [row.summary() for row in found]
    for first, second in zip(found, again):
        np.testing.assert_array_equal(first.counts, second.counts)


def test_a_study_that_was_stopped_goes_on(town, tmp_path, monkeypatch):
    fit, done = Fitter.fit, []

    def stopping(self, cell):
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(cell)
        return fit(self, cell)

    monkeypatch.setattr(Fitter, "fit", stopping)
    with pytest.raises(KeyboardInterrupt):
        tuned(ROWS[:2], town, folder=str(tmp_path))
    monkeypatch.setattr(Fitter, "fit", lambda self, cell: done.append(cell) or fit(self, cell))
    tuned(ROWS[:2], town, folder=str(tmp_path))
    assert len(done) == 5 + 2


def test_screening_looks_at_development_data_alone(town, tmp_path):
    with fitting(town, Means(str(tmp_path))) as fits:
        tried = screen(ROWS[:2], fits)
    assert [len(own) for own in tried] == [1, 4]
    assert [cell["dev"] for cell in tried[1]] == sorted((cell["dev"] for cell in tried[1]), reverse=True)
    assert not any("test" in cell for own in tried for cell in own)
    assert not any(path.name.startswith("final") for path in (tmp_path / "cells").iterdir())
    assert text_of({"m": 5, "C": 0.01, "averaged": True, "start": "zeros"}) == "m=5 C=0.01 averaged=yes start=zeros"


def test_workers_change_nothing(town):
    alone, shared = (tuned(ROWS[:2], town, engine=engine) for engine in (None, Engine("threads", 2)))
    for a, b in zip(alone, shared):
        assert [cell["dev"] for cell in a.tried] == [cell["dev"] for cell in b.tried]
        np.testing.assert_array_equal(a.counts, b.counts)


def test_tables(town):
    found = tuned(ROWS[:2], town)
    pairs = p_values(found, f1_from_counts, 50)
    assert sum(map(len, pairs.values())) == 1
    assert list(pairs) == [row["row"] for row in p_table(found, f1_from_counts, 50).rows]
    (matrix,) = cell_tables(found, "F1")
    assert [[column.key for column in matrix.columns], len(matrix.rows)] == [["l2", "rate=0.1", "rate=0.001"], 2]
    assert {value for row in matrix.rows for key, value in row.items() if key != "l2"} == {cell["dev"] for cell in found[1].tried}
    assert robustness(found, "F1").rows[0]["cells"] == 4
    assert "s.d." not in [column.title for column in score_table(found, "t", "F1").columns]


def test_refusals(town, tmp_path):
    with pytest.raises(InputError, match="at least one seed"):
        tuned(ROWS, town, seeds=())
    tuned(ROWS[:1], town, folder=str(tmp_path))
    for path in (tmp_path / "cells").iterdir():
        path.write_text("{}")
    with pytest.raises(InputError, match="not a cell of this study"):
        tuned(ROWS[:1], town, folder=str(tmp_path))
