"""Pages of results are what their JSON says."""

import json
import pathlib
import re

import pytest

from widemargin.errors import InputError
from widemargin.study.pages import BLOCK, fill_in, filled, take_over

RESULTS = pathlib.Path(__file__).parents[2] / "docs" / "results"
PAGES = sorted(RESULTS.glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_page_differs_from_its_json(page):
    text = page.read_text()
    assert filled(text, str(RESULTS)) == text, "run `make results`"
    assert len(re.findall(r"<!-- (?:table|made) ", text)) == text.count("<!-- end -->") == len(BLOCK.findall(text))


def test_every_json_is_on_a_page():
    named = {name for page in PAGES for name in re.findall(r"<!-- (?:table|made) (\S+)", page.read_text())}
    assert {path.stem for path in RESULTS.glob("*.json")} == named


def test_a_report_becomes_a_page(tmp_path):
    report = {"made": {"command": "widemargin reproduce x", "date": "2026-01-02", "machine": "m"}, "more": 1}
    report["tables"] = [{"title": "T", "columns": [["a", "A", 2], ["b", None, None]], "rows": [{"a": 1.234, "b": "x"}]}]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "x.json").write_text(json.dumps(report))
    folder = tmp_path / "out"
    take_over(str(tmp_path / "in" / "x.json"), str(folder))
    page = folder / "page.md"
    page.write_text("# P\n<!-- made x -->\n<!-- end -->\n<!-- table x 1 -->\nold\n<!-- end -->\nrest\n")
    assert fill_in(str(folder)) == [str(page)]
    text = page.read_text()
    assert "    widemargin reproduce x\n" in text
    assert "| 1.23 | x   |" in text
    assert "old" not in text
    assert text.endswith("<!-- end -->\nrest\n")
    assert fill_in(str(folder)) == []
    page.write_text("<!-- table x 2 -->\n<!-- end -->\n")
    with pytest.raises(InputError, match="no table 2"):
        fill_in(str(folder))
    page.write_text("<!-- table y 1 -->\n<!-- end -->\n")
    with pytest.raises(InputError, match="not a report"):
        fill_in(str(folder))
