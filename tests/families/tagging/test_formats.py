"""Files that are no plain columns: the same sentences in every format are the same columns, and answers come back in the format."""

import dataclasses
import io
import json

import numpy as np
import pytest

from widemargin.errors import InputError
from widemargin.families.base import Answers
from widemargin.families.recipes import train
from widemargin.families.tagging.answers import as_json, write, write_as
from widemargin.families.tagging.formats import Reading, read_labelled, remembered, separator_of
from widemargin.families.tagging.formats.json_lines import read_texts
from widemargin.families.tagging.formats.recognition import format_of
from widemargin.families.tagging.sources import open_columns, opened_for
from widemargin.readers.tokens import tokenize

pytestmark = pytest.mark.twice
ROWS = [[("Anna", "NNP", "B-PER"), ("sleeps", "VBZ", "O")], [("Rome", "NNP", "B-LOC")]]
TREEBANK = """# sent_id = 1
1\tAnna\tAnna\tPROPN\tNNP\tNumber=Sing\t2\tnsubj\t_\t_
2-3\tsleeps\t_\t_\t_\t_\t_\t_\t_\t_
2\tsleep\tsleep\tVERB\tVBZ\t_\t0\troot\t_\tSpaceAfter=No
2.1\tnone\t_\t_\t_\t_\t_\t_\t_\t_

1\tRome\tRome\tPROPN\tNNP\t_\t0\troot\t_\t_
"""
FILES = {
    "rows.txt": "".join("".join(" ".join(token) + "\n" for token in row) + "\n" for row in ROWS),
    "rows.csv": "Sentence #,Word,POS,Tag\n" + "1,Anna,NNP,B-PER\n,sleeps,VBZ,O\n2,Rome,NNP,B-LOC\n",
    "blank.csv": ",token,pos,label\n0,Anna,NNP,B-PER\n1,sleeps,VBZ,O\n\n2,Rome,NNP,B-LOC\n",
    "rows.jsonl": "".join(
        json.dumps({"tokens": [t[0] for t in row], "pos_tags": [t[1] for t in row], "ner_tags": [t[2] for t in row]}) + "\n" for row in ROWS
    ),
}


def opened(tmp_path, name: str, text: str, **how):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return read_labelled(str(tmp_path / name), Reading(**how))


def written(columns, **answers) -> str:
    out = io.BytesIO()
    columns.origin.write(answers, out)
    return out.getvalue().decode()


@pytest.mark.parametrize("name", FILES)
def test_the_same_sentences_in_every_format(tmp_path, name):
    columns = opened(tmp_path, name, FILES[name])
    assert columns.format == format_of(name, "utf-8")
    assert columns.row_ptr.tolist() == [0, 2, 3]
    assert [columns.cells(c) for c in range(3)] == [list(cells) for cells in zip(*(token for row in ROWS for token in row))]
    if columns.format != "columns":
        assert columns.names == ("word", "pos", "label")


def test_a_treebank_has_words_and_answers_in_their_place(tmp_path):
    columns = opened(tmp_path, "t.conllu", TREEBANK)
    assert columns.names == ("word", "lemma", "upos", "xpos", "feats")
    assert columns.cells("word") == ["Anna", "sleep", "Rome"]
    assert columns.where(2).endswith("t.conllu:7")
    text = written(columns, labels=["X", "Y", "Z"], marginals=["0.5", "0.6", "0.7"])
    assert text.splitlines()[1].split("\t")[3::6] == ["X", "marginals=0.5"]
    assert text.splitlines()[3].split("\t")[3::6] == ["Y", "SpaceAfter=No|marginals=0.6"]
    kept = [line for line in TREEBANK.splitlines() if line[:2] not in ("1\t", "2\t")]
    assert [line for line in text.splitlines() if line[:2] not in ("1\t", "2\t")] == kept


def test_a_table_is_written_with_more_columns(tmp_path):
    columns = opened(tmp_path, "rows.csv", FILES["rows.csv"])
    assert written(columns, labels=["A", "B", "C"]).splitlines()[:3] == [
        "Sentence #,Word,POS,Tag,predicted_labels",
        "1,Anna,NNP,B-PER,A",
        ",sleeps,VBZ,O,B",
    ]


def test_cells_with_blanks_need_a_separator(tmp_path):
    assert opened(tmp_path, "a.txt", "New York\tB-LOC\nnow\tO\n", separator=separator_of("tab")).cells(0) == ["New York", "now"]
    table = opened(tmp_path, "a.csv", "word;label\nNew York;B-LOC\n", separator=separator_of("semicolon"))
    assert table.cells(0) == ["New York"]
    with pytest.raises(InputError, match="there is no separator 'pipe'; give blanks, tab, comma, semicolon, or one character"):
        separator_of("pipe")


def test_spans_of_characters_become_labels_and_come_back(tmp_path):
    spans = [{"start": 4, "end": 13, "label": "PER"}, {"start": 17, "end": 21, "label": "LOC"}]
    text = "Mr. Bo Jensen in Rome."
    columns = opened(tmp_path, "s.jsonl", json.dumps({"text": text, "spans": spans}) + "\n")
    labels = ["O", "B-PER", "I-PER", "O", "B-LOC", "O"]
    assert columns.cells("label") == labels
    out = io.BytesIO()
    write(columns, answered(labels), out)
    back = json.loads(out.getvalue())
    assert back["schema"] == 1
    assert [{name: span[name] for name in ("start", "end", "label")} for span in back["spans"]] == spans
    assert [span["tokens"] for span in back["spans"]] == [[1, 3], [4, 5]]
    assert [text[low:high] for low, high in back["offsets"]] == back["tokens"] == columns.cells("word")


def answered(labels: list[str], **more) -> Answers:
    values = sorted(set(labels))
    return Answers((np.array([values.index(label) for label in labels]), values), spans=True, **more)


def test_answers_in_other_forms(tmp_path):
    columns = opened(tmp_path, "rows.txt", FILES["rows.txt"])
    out = io.BytesIO()
    write_as("conllu", columns, answered(["B-PER", "O", "B-LOC"]), out)
    rows = [line.split("\t") for line in out.getvalue().decode().splitlines()]
    assert [row[9] for row in rows if len(row) == 10] == ["Label=B-PER", "Label=O", "Label=B-LOC"]
    out = io.BytesIO()
    write_as("conllu", columns, dataclasses.replace(answered(["N", "V", "N"]), spans=False), out)
    assert [line.split("\t")[3] for line in out.getvalue().decode().splitlines() if line] == ["N", "V", "N"]
    table = opened(tmp_path, "rows.csv", FILES["rows.csv"])
    out = io.BytesIO()
    write_as("columns", table, answered(["B-PER", "O", "B-LOC"]), out)
    assert out.getvalue().decode().splitlines()[0] == "Anna\tNNP\tB-PER\tB-PER"
    assert as_json(table, answered(["B-PER", "I-PER", "O"]))[0]["spans"] == [{"label": "PER", "tokens": [0, 2]}]
    text = read_texts("Anna sleeps.\n\nRome\n", "<text>")
    out = io.BytesIO()
    write_as("conllu", text, answered(["B-PER", "O", "O", "B-LOC"]), out)
    told = out.getvalue().decode().splitlines()
    assert [line for line in told if line.startswith("#")] == ["# text = Anna sleeps.", "# text = Rome"]
    assert told[2].endswith("Label=O|TokenRange=5:11")
    out = io.BytesIO()
    write(text, answered(["B-PER", "O", "O", "B-LOC"]), out)
    assert [json.loads(line)["labels"] for line in out.getvalue().decode().splitlines()] == [["B-PER", "O", "O"], [], ["B-LOC"]]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Mr. Bo's e-mail: a@b.org, 3.14!!", ["Mr.", "Bo's", "e-mail", ":", "a@b.org", ",", "3.14", "!!"]),
        ("the U.S. and (it)...", ["the", "U.S.", "and", "(", "it", ")", "..."]),
        ("  ", []),
        ("Zürich—naïve", ["Zürich", "—", "naïve"]),
    ],
)
def test_tokens(text, tokens):
    found = tokenize(text)
    assert [text[low:high] for low, high in found] == tokens
    assert "".join(tokens) == "".join(text.split())


def test_plain_text_is_a_sentence_a_line():
    columns = read_texts("One two.\n\nThree\n", "<text>")
    assert columns.row_ptr.tolist() == [0, 3, 4]
    assert columns.line.tolist() == [1, 1, 1, 3]
    assert len(columns.origin.objects) == 3


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.conllu", "1\tAnna\n", r"a.conllu:1: this line is not CoNLL-U"),
        ("a.conllu", "# nothing\n", "there is no word in this treebank"),
        ("a.csv", "word\nx\n", "names two columns or more"),
        ("a.csv", "word,word\nx,y\n", "two columns of this table have the same name"),
        ("a.csv", "word,label\nx\n", r"a.csv:2: this row has 1 cell and the header 2"),
        ("a.csv", "word,label\nx,\n", "the cell of column label is empty"),
        ("a.csv", 'word,label\n"x,y\n', "this is not a CSV table|this row has 1 cell"),
        ("a.jsonl", "{", r"a.jsonl:1: this line is not JSON"),
        ("a.jsonl", "[1]\n", "not an object"),
        ("a.jsonl", "{}\n", "neither tokens nor text"),
        ("a.jsonl", '{"tokens": ["a", "b"], "labels": ["O"]}\n', "2 tokens, and labels has 1"),
        ("a.jsonl", '{"tokens": ["a", ""]}\n', "tokens is not a list of non-empty texts"),
        ("a.jsonl", '{"tokens": ["a"], "labels": ["O"]}\n{"tokens": ["a"]}\n', r"a.jsonl:2: this line has word and those before have"),
        ("a.jsonl", '{"text": "ab", "spans": [[0, 1, "X"]]}\n', "does not begin and end with a token"),
        ("a.jsonl", '{"text": "ab", "spans": [[0, 2, "X"], [0, 2, "Y"]]}\n', "overlaps another"),
        ("a.jsonl", '{"text": "ab", "spans": [[0, "2"]]}\n', "a span is"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, name, text, message):
    with pytest.raises(InputError, match=message):
        opened(tmp_path, name, text)


def test_names_may_be_given_to_any_format(tmp_path):
    (tmp_path / "rows.csv").write_text(FILES["rows.csv"], encoding="utf-8")
    assert open_columns(str(tmp_path / "rows.csv"), "ner", names=("a", "b", "c")).names == ("a", "b", "c")
    assert np.array_equal(open_columns(str(tmp_path / "rows.csv"), "ner").codes[2], [0, 1, 2])


TEXT = "Ada Lee spoke."


@pytest.mark.parametrize(
    "line",
    [
        [TEXT, {"entities": [[0, 7, "PER"]]}],  # spaCy's training data
        {"text": TEXT, "label": [[0, 7, "PER"]]},  # doccano
        {"text": TEXT, "labels": [[0, 7, "PER"]]},
        {"text": TEXT, "spans": [{"start": 0, "end": 7, "label": "PER", "token_start": 0, "token_end": 1}]},  # prodigy
    ],
)
def test_spans_as_other_tools_write_them(tmp_path, line):
    columns = opened(tmp_path, "s.jsonl", json.dumps(line) + "\n")
    assert columns.cells("word") == ["Ada", "Lee", "spoke", "."]
    assert columns.cells("label") == ["B-PER", "I-PER", "O", "O"]


def test_tokens_with_their_places(tmp_path):
    """They are taken as they are, not cut again."""
    tokens = [{"text": "Ada Lee", "start": 0, "end": 7, "id": 0}, {"text": "spoke.", "start": 8, "end": 14, "id": 1}]
    columns = opened(tmp_path, "s.jsonl", json.dumps({"text": TEXT, "tokens": tokens, "spans": [[0, 7, "PER"]]}) + "\n")
    assert (columns.cells("word"), columns.cells("label")) == (["Ada Lee", "spoke."], ["B-PER", "O"])
    assert opened(tmp_path, "t.jsonl", json.dumps({"text": TEXT, "label": "news"}) + "\n").names == ("word",)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.conllu"])
def test_bytes_that_are_no_text_are_named_by_line(tmp_path, name):
    (tmp_path / name).write_bytes(b"a\n\xb6\xff\n")
    with pytest.raises(InputError, match=rf"{name}:2: the byte 0xb6 is not utf-8"):
        read_labelled(str(tmp_path / name), Reading())


def test_a_text_without_a_word_is_refused():
    with pytest.raises(InputError, match="there is no word in this text"):
        read_texts(" \n\n", "<text>")


@pytest.mark.parametrize("how", [Reading("csv"), Reading(None, "\t")])
def test_the_embedded_corpus_is_no_file(how):
    with pytest.raises(InputError, match=r"is a part of the embedded corpus, and --(format|separator) is for files"):
        open_columns("town:train:5", "ner", how=how)


def test_a_model_reads_as_its_training_file_was_where_a_name_tells_nothing():
    facts = {"reading": {"format": "jsonl", "encoding": "latin-1"}}
    how = remembered(facts, None, None)
    assert (how.of("-"), how.of("a.txt"), how.of("a.csv"), how.encoding) == ("jsonl", "jsonl", "csv", "latin-1")
    assert remembered({}, None, None).of("-") == "columns"
    for lie in ({"format": "prose"}, {"encoding": 5}, [1]):
        with pytest.raises(InputError, match="the model is damaged"):
            remembered({"reading": lie}, None, None)


MARKED = {
    "rows.csv": "doc_id,Sentence #,Word,Tag\na,1,Anna,O\n,,sleeps,O\n,2,Rome,O\nb,3,Oslo,O\n",
    "rows.jsonl": "".join(
        json.dumps({"document": d, "tokens": words, "labels": ["O"] * len(words)}) + "\n"
        for d, words in (("a", ["Anna", "sleeps"]), ("a", ["Rome"]), ("b", ["Oslo"]))
    ),
    "rows.conllu": "".join(
        ("# newdoc\n" if new else "") + "".join(f"{i}\t{word}" + "\t_" * 8 + "\n" for i, word in enumerate(words, 1)) + "\n"
        for new, words in ((True, ["Anna", "sleeps"]), (False, ["Rome"]), (True, ["Oslo"]))
    ),
}


@pytest.mark.parametrize("name", MARKED)
def test_documents_are_marked_in_every_format(tmp_path, name):
    columns = opened(tmp_path, name, MARKED[name])
    assert (columns.row_ptr.tolist(), columns.doc_ptr.tolist(), columns.marked) == ([0, 2, 3, 4], [0, 2, 3], True)


def test_a_text_is_a_document():
    assert read_texts("One two.\n\nThree\n", "<text>").doc_ptr.tolist() == [0, 2]
    assert read_texts("One two.\n\nThree\n", "<text>").has_documents


TREE = "1\tAnna\t_\tN\t_\t_\t0\troot\t_\t_\n"


@pytest.mark.parametrize(
    ("text", "format"),
    [
        (FILES["rows.txt"], "columns"),
        (FILES["rows.csv"], "csv"),
        (FILES["rows.csv"].replace(",", "\t"), "tsv"),
        (FILES["rows.jsonl"], "jsonl"),
        ("# text = Anna\n" + TREE, "conllu"),
        (TREE, "conllu"),
        ("B-PER\tw=Anna\tlong\nO\tw=sleeps\n", "columns"),  # an attribute without a value could be a cell
        ("B-PER\tw=Anna\tc=1\nO\tw=sleeps:2.5\n\nO\tw=Rome\n", "crfsuite"),
        ("tag B-PER\nsleeps O\n", "columns"),
        ("{ O\n", "columns"),
        ("", "columns"),
    ],
)
def test_formats_are_told_by_first_lines(tmp_path, text, format):
    (tmp_path / "data").write_text(text, encoding="utf-8")
    assert format_of(str(tmp_path / "data"), "utf-8") == format
    assert format_of(str(tmp_path / "data"), "no such encoding") == "columns"
    assert Reading("csv").of(str(tmp_path / "data")) == "csv"


def test_a_header_with_blanks_between_is_refused(tmp_path):
    (tmp_path / "data").write_text("\nword pos label\nAnna NNP B-PER\n", encoding="utf-8")
    with pytest.raises(InputError, match="data:2: this line is a header, and columns with blanks between them have none"):
        open_columns(str(tmp_path / "data"), "ner")


def test_numbers_of_labels_have_names(tmp_path):
    names = ("O", "B-PER", "B-LOC")
    rows = [{"tokens": ["Anna", "sleeps"], "ner_tags": [1, 0]}, {"tokens": ["Rome"], "ner_tags": [2]}]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    columns = opened(tmp_path, "hf.jsonl", text, label_names=names)
    assert columns.cells("label") == ["B-PER", "O", "B-LOC"]
    assert opened(tmp_path, "named.jsonl", FILES["rows.jsonl"], label_names=names).cells("label") == ["B-PER", "O", "B-LOC"]
    with pytest.raises(InputError, match="the label '2' is neither one of the 2 names nor a number from 0 to 1"):
        opened(tmp_path, "hf.jsonl", text, label_names=names[:2])
    tagger = train("ner", str(tmp_path / "hf.jsonl"), label_names=names, templates="word\n", epochs=1)
    assert set(tagger.labels) == {"O", "S-PER", "S-LOC"}
    again = opened_for(tagger, str(tmp_path / "hf.jsonl"), gold=True)
    assert again.cells("label") == ["B-PER", "O", "B-LOC"]
    with pytest.raises(InputError, match="the labels are numbers, such as 1, and spans need names; --label-names"):
        train("ner", str(tmp_path / "hf.jsonl"), epochs=1)
