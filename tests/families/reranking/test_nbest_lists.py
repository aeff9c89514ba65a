"""Readers and writers of lists: every system's form, accumulated lists, duplicates, references, and errors with their places."""

import gzip
import io
import sys

import numpy as np
import pytest

from widemargin.errors import InputError
from widemargin.families.reranking.hypotheses import pool_of
from widemargin.families.reranking.jsonl import format_jsonl, parse_jsonl
from widemargin.families.reranking.nbest import format_nbest, parse_nbest
from widemargin.families.reranking.pool import Pool
from widemargin.families.reranking.references import with_references
from widemargin.families.reranking.sources import open_pool

pytestmark = pytest.mark.twice


def by_name(pool: Pool, h: int) -> dict[str, float]:
    low, high = pool.feature_ptr[h : h + 2]
    return {pool.names[f]: v for f, v in zip(pool.feature[low:high], pool.value[low:high])}


def read(text: str) -> Pool:
    return parse_nbest(text.split("\n"), "lists")


@pytest.mark.parametrize(
    ("features", "found"),
    [
        ("lm= -12.5 tm= -3 -4.5 0 -2", {"lm": -12.5, "tm": -3, "tm#2": -4.5, "tm#4": -2}),  # Moses, several values, one of them 0
        ("lm= -1 pp_a~b=1 pp_a~b=2 x=y=0.5", {"lm": -1, "pp_a~b": 3, "x=y": 0.5}),  # Moses' sparse features
        ("Glue=2 LanguageModel=-12.5", {"Glue": 2, "LanguageModel": -12.5}),  # cdec
        ("-12.5 -3 0 1e-3", {"1": -12.5, "2": -3, "4": 1e-3}),  # Z-MERT, Joshua
        ("d= 1 d= 2 w= 3", {"d": 1, "d#2": 2, "w": 3}),  # a name that comes twice
        ("", {}),
    ],
)
def test_features_of_every_system(features, found):
    for bars in (" ||| ", "||| ", "|||"):
        pool = read(f"0{bars}a b{bars}{features}{bars}-3.5{bars}0-0 1-1\n0{bars}b{bars}{features}{bars}-4\n")
        assert by_name(pool, 0) == by_name(pool, 1) == found
        assert pool.texts == ("a b", "b")
        assert pool.score.tolist() == [-3.5, -4.0]
        assert pool.alignment == ("0-0 1-1", "")


def test_lists_accumulate_and_sentences_are_told_by_their_ids():
    pool = read("1 ||| b ||| f= 1 ||| 0\n0 ||| a ||| f= 1 ||| 0\n10 ||| c ||| f= 2\n0 ||| a ||| f= 1\n0 ||| a ||| f= 2\n1 ||| ||| f= 0\n")
    assert pool.ids == ("0", "1", "10")  # by number
    assert pool.texts == ("a", "a", "b", "", "c")  # an empty hypothesis is one; the second "a" has other features
    assert pool.row_ptr.tolist() == [0, 2, 4, 5]
    assert np.isnan(pool.score[-1])
    assert pool.line.tolist() == [2, 5, 1, 6, 3]
    assert read("b ||| x ||| f= 1\na ||| y ||| f= 1\n").ids == ("b", "a")  # as they come


def test_merging_is_reading_both_as_one():
    first, second = (
        "0 ||| a b ||| f= 1 g= 2 ||| 0\n1 ||| c ||| f= 3 ||| 0\n",
        "1 ||| d ||| h= 1 f= 2 ||| 0\n0 ||| a b ||| g= 2 f= 1 ||| 0\n2 ||| e ||| h= 5 ||| 0\n",
    )
    both, merged = read(first + second), read(first).merge(read(second))
    for name in ("row_ptr", "feature_ptr", "feature", "value", "token_ptr", "token", "score"):
        np.testing.assert_array_equal(getattr(merged, name), getattr(both, name))
    assert (merged.names, merged.words, merged.texts, merged.ids) == (both.names, both.words, both.texts, both.ids)
    assert merged.merge(merged).texts == merged.texts
    one, two = (with_references(read(text), [["a"]] * n) for text, n in ((first, 2), (second, 3)))
    np.testing.assert_array_equal(one.merge(two).counts, with_references(both, [["a"]] * 3).counts)
    with pytest.raises(InputError, match="different references"):
        one.merge(with_references(read(second), [["b"]] * 3))
    with pytest.raises(InputError, match="one of the two lists has references"):
        one.merge(read(second))


def test_dense_scores_and_parts():
    pool = pool_of([[("a", {"f": 1.0, "g": 2.0}), ("b", {"g": -1.0})], [("c", {"f": 3.0}), ("d", {})], [("e", {"h": 1.0})]])
    x, w = pool.dense(), np.array([2.0, 0.5, -1.0])
    np.testing.assert_array_equal(x, [[1, 2, 0], [0, -1, 0], [3, 0, 0], [0, 0, 0], [0, 0, 1]])
    np.testing.assert_array_equal(pool.scores(w), x @ w)
    part = pool.part(np.array([2, 0]))
    assert (part.ids, part.texts) == (("2", "0"), ("e", "a", "b"))
    np.testing.assert_array_equal(part.dense(), x[[4, 0, 1]])


def test_written_lists_are_read_again():
    pool = pool_of(
        [[{"text": "a b", "features": {"f": 0.1, "g": -1e-17}, "metrics": {"m": 0.5}}, {"text": "", "features": {}, "metrics": {"m": 1}}]],
        [["r", "s"]],
    )
    again = parse_jsonl(format_jsonl(pool).split("\n"), "again")
    assert (again.references, again.texts, again.names, again.ids) == (pool.references, pool.texts, pool.names, pool.ids)
    np.testing.assert_array_equal(again.dense(), pool.dense())
    np.testing.assert_array_equal(again.columns["m"], pool.columns["m"])
    lists = read("0 ||| a b ||| f= 0.1 g= -1e-17 ||| -3.25 ||| 0-0\n")
    assert format_nbest(lists) == "0 ||| a b ||| f= 0.1 g= -1e-17 ||| -3.25 ||| 0-0\n"


def test_json_lines_and_tables(tmp_path):
    (tmp_path / "a.jsonl").write_text(
        '{"id": 3, "text": "x y", "features": [1, 2], "comet": 0.5}\n\n{"id": 3, "text": "z", "features": [0, 1], "comet": 1}\n'
    )
    pool = open_pool(str(tmp_path / "a.jsonl"))
    assert by_name(pool, 0) == {"1": 1, "2": 2}
    assert pool.columns["comet"].tolist() == [0.5, 1.0]
    (tmp_path / "a.tsv").write_text("utt-n\ttext\tac\tmetric:wer\tscore\nu-1-1\tx y\t-2.5\t50\t-3\nu-1-2\tz\t-3\t0\t-4\n")
    pool = open_pool(str(tmp_path / "a.tsv"))
    assert (pool.ids, pool.names, pool.columns["wer"].tolist(), pool.score.tolist()) == (("u-1",), ("ac",), [50.0, 0.0], [-3.0, -4.0])


def test_references_stand_beside_the_lists_or_are_named(tmp_path, monkeypatch):
    text = "0 ||| a b ||| f= 1\n1 ||| c ||| f= 2\n"
    (tmp_path / "x.nbest.gz").write_bytes(gzip.compress(text.encode()))
    for name, lines in (("x.ref0", "a b\nc d\n"), ("x.ref1", "b\nc\n"), ("other.en", "a\nb\n")):
        (tmp_path / name).write_text(lines)
    path = str(tmp_path / "x.nbest.gz")
    assert open_pool(path).references == (("a b", "b"), ("c d", "c"))
    assert open_pool(path, refs="{stem}.ref1").references == (("b",), ("c",))
    assert open_pool(path, refs=f"{tmp_path}/other.en,{{stem}}.ref1", sources=f"{tmp_path}/other.en").sources == ("a", "b")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(text.encode()))))
    assert open_pool("-").references == ()


BAD = {
    "0 ||| a": "x:1: this line has 2 fields",
    "0 ||| a ||| f= 1\n ||| a ||| f= 1": "x:2: the id of the sentence is missing",
    "0 ||| a ||| f= 1\n0 ||| b ||| f= one": "x:2: the feature f is 'one', which is not a finite number",
    "0 ||| a ||| f= 1 nan": "x:1: the feature f#2 is 'nan'",
    "0 ||| a ||| f= 1e400": "x:1: the feature f is",
    "0 ||| a ||| f=": "",
    "0 ||| a ||| = 1": "x:1: a feature has no name",
    "0 ||| a ||| f= 1 ||| high": "x:1: the score of this hypothesis is 'high'",
    "0 ||| a ||| f= 1\0": "x:1: this line holds a NUL byte",
    "\n": "x: there is no hypothesis",
    "0 ||| a ||| f= 1\n2 ||| a ||| f= 1": "refs:2: this line has no hypotheses in x: sentence 1 is missing there",
    "0 ||| a ||| f= 1\n1 ||| a ||| f= 1\n2 ||| a ||| f= 1\n3 ||| a ||| f= 1": "x:4: there are hypotheses of sentence 3, and refs ends",
    "0 ||| a ||| f= 1\n1 ||| a ||| f= 1": "refs:3: this line has no hypotheses in x: sentence 2 is missing there",
    '{"id": 0, "text": "a"': "x:1: this line is not JSON",
    '{"id": 0}': 'x:1: the key "text" is None',
    '{"id": 0.5, "text": "a"}': 'x:1: the key "id" is 0.5',
    '{"id": 0, "text": "a", "features": 3}': 'x:1: the key "features" is neither',
    '{"id": 0, "text": "a", "features": {"f": NaN}}': "x:1: f is nan, which is not a finite number",
    '{"id": 0, "text": "a", "features": {"f": "1"}}': "x:1: f is 1, which is not a finite number",
    '{"id": 0, "text": "a", "m": 1}\n{"id": 0, "text": "b"}': "x:2: the metric m is missing here",
    '{"id": 0, "text": "a"}\n{"id": 0, "text": "b", "m": 1}': "x:2: the metric m is given here but not in every line before",
    '{"id": 0, "text": "a", "references": ["r"]}\n{"id": 1, "text": "b"}': "x:2: some lines have references",
    "id\ttext\tf\n0\ta": "x:2: this line has 2 cells and the first 3",
    "id\tf\ttext\n": "x:1: the first line must be `id`, `text`",
}


@pytest.mark.parametrize("text", BAD)
def test_bad_lists_are_refused_with_their_place(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").write_text(text + "\n")
    (tmp_path / "refs").write_text("a\nb\nc\n")
    refs = None if text.startswith("{") else "refs"
    if not BAD[text]:
        assert by_name(open_pool("x", refs=None), 0) == {}
        return
    with pytest.raises(InputError) as caught:
        open_pool("x", refs=refs)
    assert str(caught.value).startswith(BAD[text])


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (3, None, "X is 3"),
        ([3], None, "the list of sentence 0 is 3"),
        ([[]], None, "the list of sentence 0 is empty"),
        ([], None, "no list"),
        ([["a"]], None, "a hypothesis of sentence 0 is a"),
        ([[("a", 3)]], None, "the features of a hypothesis"),
        ([[("a", {"f": None})]], None, "f of a hypothesis of sentence 0 is None"),
        ([[("a", {"f g": 1})]], None, "cannot be the name of a feature"),
        ([[(1, {})]], None, "the text of a hypothesis"),
        ([[("a", {})]], ["a", "b"], "y has 2 references for 1 list"),
        ([[("a", {})]], [[]], "the reference of sentence 0"),
    ],
)
def test_bad_lists_in_python(X, y, words):
    with pytest.raises(InputError, match=words):
        pool_of(X, y)
