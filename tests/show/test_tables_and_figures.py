"""Tables that line up, and figures that are the same bytes every time."""

import math
import sys
import xml.etree.ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widemargin.cli import main
from widemargin.errors import InputError
from widemargin.show.figures import draw_curves, interesting_range, spread
from widemargin.show.tables import Column, markdown_table, text_table

ROWS = [
    {"learner": "ops", "f1": 93.456, "epochs": 10, "seconds": 4.5},
    {"learner": "l-bfgs | lazy", "f1": np.float32(93.5), "epochs": np.int64(120), "seconds": None},
    {"learner": "名前", "f1": -0.001, "epochs": 7},
]
COLUMNS = [Column("learner"), Column("f1", "F1", 2), Column("epochs"), Column("seconds", "time in s", 1)]
CURVES = {f"learner {i}": [(epoch, 93 + 0.5 * i - 5 / epoch**1.2) for epoch in range(1, 11)] for i in range(6)}
TEXTS = {"title": "F1 & <epochs> of $x$", "x_label": "epoch", "y_label": "F1"}


def test_text_table():
    assert text_table(ROWS, COLUMNS).split("\n") == [
        "learner           F1  epochs  time in s",
        "-------------  -----  ------  ---------",
        "ops            93.46      10        4.5",
        "l-bfgs | lazy  93.50     120          -",
        "名前            0.00       7          -",
        "",
    ]


def test_markdown_table():
    assert markdown_table(ROWS, COLUMNS).split("\n") == [
        "| learner        |    F1 | epochs | time in s |",
        "| -------------- | ----: | -----: | --------: |",
        "| ops            | 93.46 |     10 |       4.5 |",
        "| l-bfgs \\| lazy | 93.50 |    120 |         - |",
        "| 名前           |  0.00 |      7 |         - |",
        "",
    ]


def test_values_of_every_kind():
    values = [None, True, False, 3, 0.25, 1e-9, 123456789.0, math.nan, math.inf, "two\nlines", ""]
    cells = [line.strip() for line in text_table([{"v": value} for value in values], [Column("v")]).split("\n")[2:-1]]
    assert cells == ["-", "yes", "no", "3", "0.25", "1e-09", "1.23457e+08", "-", "inf", "two lines", ""]


def test_tables_without_rows_or_columns():
    assert text_table([], [Column("a"), Column("b", "long title")]) == "a  long title\n-  ----------\n"
    assert markdown_table([], [Column("a")]) == "| a   |\n| --- |\n"
    for table in (text_table, markdown_table):
        with pytest.raises(InputError, match="at least one column"):
            table(ROWS, [])


@given(st.lists(st.dictionaries(st.sampled_from("ab"), st.one_of(st.floats(), st.integers(), st.text(), st.none(), st.booleans()))))
def test_any_table_has_a_line_per_row(rows):
    for table in (text_table, markdown_table):
        assert table(rows, [Column("a", precision=2), Column("b")]).count("\n") == len(rows) + 2


# Figures


def test_curves_are_written_the_same_each_time(tmp_path):
    paths = draw_curves(CURVES, tmp_path / "a.b", **TEXTS)
    assert paths == [str(tmp_path / "a.b.png"), str(tmp_path / "a.b.svg")]
    again = draw_curves(CURVES, str(tmp_path / "again"), **TEXTS)
    for one, other in zip(paths, again):
        with open(one, "rb") as a, open(other, "rb") as b:
            assert a.read() == b.read()
    assert (tmp_path / "a.b.png").read_bytes().startswith(b"\x89PNG")
    drawing = (tmp_path / "a.b.svg").read_text()
    assert xml.etree.ElementTree.fromstring(drawing).tag.endswith("svg")
    assert "date" not in drawing.lower()


def test_curves_of_odd_kinds(tmp_path):
    import matplotlib

    before = dict(matplotlib.rcParams)
    odd = {"one": [(3, 5.0)], "gaps": [(1, math.nan), (2, 4.0), (4, math.inf), (5, 4.5)], "empty": [], "_hidden": [(1, 1.0), (2, -3.0)]}
    draw_curves(odd, tmp_path / "odd", **TEXTS)
    draw_curves({"point": [(1, 2.0)]}, tmp_path / "point", **TEXTS)
    draw_curves({"flat": [(1, 0), (2, 0)]}, tmp_path / "flat", **TEXTS)
    draw_curves({f"c{i}": [(1, i), (2.5, 1)] for i in range(40)}, tmp_path / "many", **TEXTS)
    draw_curves(CURVES, tmp_path / "range", **TEXTS, y_range=(94, 95))
    assert len(list(tmp_path.iterdir())) == 10
    assert dict(matplotlib.rcParams) == before


def test_what_cannot_be_drawn(tmp_path, monkeypatch):
    for curves in ({}, {"a": []}, {"a": [(1, math.nan)]}):
        with pytest.raises(InputError, match="nothing to draw"):
            draw_curves(curves, tmp_path / "x", **TEXTS)
    for y_range in ((2, 1), (1, 1), (0, math.inf)):
        with pytest.raises(InputError, match="the y axis cannot go"):
            draw_curves(CURVES, tmp_path / "x", **TEXTS, y_range=y_range)
    with pytest.raises(InputError, match="no folder"):
        draw_curves(CURVES, tmp_path / "none" / "x", **TEXTS)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"pip install 'widemargin\[plot\]'"):
        draw_curves(CURVES, tmp_path / "x", **TEXTS)
    assert not list(tmp_path.iterdir())


def test_matplotlib_is_imported_only_to_draw():
    import subprocess

    code = "import sys, widemargin.show.figures, widemargin.show.tables; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_y_axis_shows_where_curves_end():
    low, high = interesting_range([[(1, 20.0), (10, 95.9)], [(1, 60.0), (10, 93.2)]])
    assert (low, high) == pytest.approx((90.5 - 0.216, 95.9 + 0.216))
    low, high = interesting_range([[(1, 9.0), (10, 1.0)], [(1, 90.0), (10, 2.0)]])
    assert (low, high) == pytest.approx((1 - 0.08, 3 + 0.08))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0.001, 0.3))
def test_labels_are_moved_apart(places, distance):
    moved = spread(places, distance, low=0.0, high=1.0)
    apart = min(distance, 1 / max(1, len(places) - 1))
    order = sorted(range(len(places)), key=lambda i: places[i])
    assert all(moved[b] - moved[a] > apart - 1e-9 for a, b in zip(order, order[1:]))
    assert min(moved) > -1e-9
    assert max(moved) < 1 + 1e-9
    if all(places[b] - places[a] > distance for a, b in zip(order, order[1:])):
        assert moved == pytest.approx(places)


@pytest.mark.parametrize("command", [["compare", "chunk", "--learners", "perceptron"], ["curve", "ner", "--how", "bias", "--points", "2"]])
def test_a_missing_matplotlib_costs_the_figure_alone(tmp_path, monkeypatch, capsys, command):
    monkeypatch.setattr("widemargin.show.figures.can_draw", lambda: False)
    files = ["town:train:30", "town:dev:10"]
    assert main([*command[:2], *files, *command[2:], "--epochs", "1", "-o", str(tmp_path)]) == 0
    assert {path.suffix for path in tmp_path.iterdir() if path.is_file()} - {".csv"} == {".json", ".md"}
    assert "no figure will be drawn" in capsys.readouterr().err
