"""Files of any number of columns: what a column is taken to be, which templates remain, and what is said about it."""

import pytest

from widemargin.errors import InputError
from widemargin.families.recipes import Recipe
from widemargin.families.tagging.sources import open_columns
from widemargin.families.tagging.training import pose_file

SENTENCE = [
    ("Anna", "NNP", "B-NP", "0:4", "B-PER"),
    ("sees", "VBZ", "B-VP", "5:9", "O"),
    ("Rome", "NNP", "B-NP", "10:14", "B-LOC"),
    (".", ".", "O", "15:16", "O"),
]


def written(tmp_path, *columns: int):
    path = tmp_path / "data.txt"
    lines = [" ".join(row[c] for c in columns) for row in SENTENCE]
    path.write_text("\n".join([*lines, ""]) * 30, encoding="utf-8")
    return str(path)


@pytest.mark.twice
@pytest.mark.parametrize(
    ("task", "columns", "names"),
    [
        ("ner", (0, 4), ("word", "entity")),
        ("ner", (0, 1, 4), ("word", "pos", "entity")),
        ("ner", (0, 2, 4), ("word", "chunk", "entity")),
        ("ner", (0, 1, 2, 4), ("word", "pos", "chunk", "entity")),
        ("ner", (0, 3, 2, 1, 4), ("word", "1", "chunk", "pos", "entity")),
        ("ner", (0, 1, 1, 2, 4), ("word", "pos", "2", "chunk", "entity")),
        ("ner", (0, 0, 4), ("word", "1", "entity")),
        ("chunk", (0, 2), ("word", "chunk")),
        ("span", (0, 1, 4), ("word", "pos", "label")),
        ("tag", (0, 1), ("word", "label")),
    ],
)
def test_columns_between_word_and_label_are_recognised_by_their_cells(tmp_path, task, columns, names):
    assert open_columns(written(tmp_path, *columns), task).names == names


@pytest.mark.twice
def test_one_column_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"data.txt:1: the file has one column, and ner learns from two or more"):
        open_columns(written(tmp_path, 0), "ner")


@pytest.mark.twice
def test_templates_of_missing_columns_are_left_out_and_named(tmp_path):
    posed = pose_file(Recipe(task="ner"), open_columns(written(tmp_path, 0, 3, 4), "ner"))
    assert posed.remarks == (
        "the file has no column chunk or pos and marks no documents: templates of ner-memory that look there are left out",
        "no template looks at column 1; name columns with --columns, or give --templates of your own",
    )
    assert all(template.columns <= {"word"} for template in posed.material.source.templates)


@pytest.mark.twice
def test_a_set_that_looks_at_none_of_the_columns_is_refused(tmp_path):
    columns = open_columns(written(tmp_path, 0, 4), "ner", names=("form", "entity"))
    with pytest.raises(InputError, match="the templates ner-memory look at chunk, pos, word, and the columns are form"):
        pose_file(Recipe(task="ner"), columns)
