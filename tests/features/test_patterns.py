"""Regular expressions of templates: what could take forever is refused by its form, and what is taken ends soon on any text."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from widemargin.errors import InputError
from widemargin.features.foreign import parse_foreign
from widemargin.features.named import named_set, named_sets
from widemargin.features.patterns import SHORTEST, Bounded, bounded
from widemargin.features.templates import parse_templates


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"^(([a-zA-Z])+)+$X", "repeats a repeat"),
        (r"(a*)*b", "repeats a repeat"),
        (r"(a|aa)+$", "repeats a repeat"),
        (r"(x+x+)+y", "repeats a repeat"),
        (r"(\w+\s?)*$", "repeats a repeat"),
        (r"(?:(?:|)a)*X", "repeats a repeat"),
        (r"(?:(?:)+a)*X", "repeats a repeat"),
        (r"(a?){40}X", "repeats a repeat"),
        (r"(?:(?:(?:){60000}){60000}){60000}", "repeats a repeat"),
        (r"(?i)(?:ka|\u212aa)+$", "repeats a repeat"),
        ("a?" * 30 + "a" * 30, "too many ways"),
        ("a*" * 10 + "X", "too many ways"),
        (r"(a+)\1", "refers back"),
        (r"(a)?(?(1)b|c)", "refers back"),
        ("(" * 5000 + ")" * 5000, "nests too deep"),
        ("a{99999999999}", "nests too deep"),
        ("a{" + "9" * 5000 + "}", "nests too deep"),
        ("x" * 5000, "too large"),
        ("(?:" + "|".join(f"{i:04}" for i in range(1000)) + ")+", "too large"),
        ("".join(f"{chr(c)}*" for c in range(0x4E00, 0x4E80)), "too"),
        ("(", "is broken"),
        ("a**", "is broken"),
    ],
)
def test_refused_in_a_short_sentence_and_soon(pattern, reason):
    began = time.perf_counter()
    with pytest.raises(InputError, match=reason) as found:
        Bounded(pattern)
    assert len(str(found.value)) < 300
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"^([A-Z][a-z]*)+$", "McDonald"),
        (r"^([А-Я][а-я]+)+$", "ВасяПупкин"),
        (r"^([a-z]+-)*[a-z]+$", "state-of-the-art"),
        (r"^\d{1,3}(,\d{3})*(\.\d+)?$", "1,234,567.89"),
        (r"^(?=.*\d)(?=.*[a-z])[a-z\d]+$", "b2b"),
        (r"^[\w.+-]+@[\w-]+\.[\w.-]+$", "some.body@example.org"),
        (r"https?://\S+", "see:http://example.org/a?b"),
        (r"\d+.*\d+", "1990-95"),
        (r"^.*-.*-.*$", "a-b-c"),
        (r"(?<=\d)(st|nd|rd|th)$", "22nd"),
        (r"(?i)^(mon|tues|wednes)day$", "Tuesday"),
        (r"(19|20)\d\d-(\d\d){1,2}", "1990-91"),
        (r"a++b", "aab"),
        (r"a{1000}", "a" * 1000),
        ("", ""),
    ],
)
def test_taken_and_found(pattern, text):
    assert bounded(pattern).search(text)
    assert bounded(pattern).most >= SHORTEST


def test_all_sets_are_taken():
    for name in named_sets():
        parse_templates(named_set(name))


atoms = st.sampled_from(["a", "b", "[ab]", ".", "[^b]", r"\w", "", "$", r"\b"])
repeats = st.sampled_from(["*", "+", "?", "{2}", "{0,3}", "*?", "+?", "{12}", "{0,20}", "{3,30}"])
patterns = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("(?:{0[0]}|{0[1]})".format),
        st.tuples(st.sampled_from(["(?=", "(?!", "(?>"]), inner).map(lambda parts: f"{parts[0]}{parts[1]})"),
        st.tuples(inner, repeats).map(lambda parts: f"(?:{parts[0]}){parts[1]}"),
    ),
    max_leaves=8,
)


@given(patterns)
@settings(max_examples=150, deadline=None)
def test_what_is_taken_ends_soon(pattern):
    try:
        found = Bounded(pattern + "X")
    except InputError:
        return
    long = min(found.most, 3000)
    for text in ("a" * long, "ab" * (long // 2), "b" * (long - 1) + "a", "a" * 40):
        began = time.perf_counter()
        assert bool(found.search(text)) == bool(re.search(pattern + "X", text))
        assert time.perf_counter() - began < 10


def test_long_values_are_seen_as_far_as_the_work_allows():
    found = Bounded(r"\d.*[A-Z]")
    assert 1000 < found.most < 10_000
    assert found.search("1" + "." * (found.most - 2) + "Z")
    assert not found.search("1" + "." * (found.most - 1) + "Z")


def test_templates_name_the_place():
    with pytest.raises(InputError, match=r"^<templates>:1:12: the regular expression .* repeats a repeat"):
        parse_templates("match(word,/(a+)+/)")
    with pytest.raises(InputError, match=r"^<templates>:1:3: the regular expression .* too many ways"):
        parse_foreign('U:%t[0,0,"a*a*a*a*a*a*a*X"]', "wapiti")
    with pytest.raises(InputError, match="nested 20 deep at most"):
        parse_templates("lower(" * 5000 + "word" + ")" * 5000)


NINES = "9" * 5000


@pytest.mark.parametrize(
    "text",
    [
        f"word[{NINES}]",
        f"word[-{NINES}..{NINES}]",
        "word[²]",
        "word[٣]",
        f"prefix(word,{NINES})",
        "suffix(word,²)",
        f"had(word,pos,{NINES})",
    ],
)
def test_numbers_that_are_too_long_or_none(text):
    with pytest.raises(InputError) as found:
        parse_templates(text)
    assert len(str(found.value)) < 200


@pytest.mark.parametrize("text", [f"U:%x[{NINES},0]", f"U:%x[0,{NINES}]", "U:%x[²,0]", "U:%x[0,²]"])
def test_numbers_of_other_tools(text):
    for dialect in ("crfpp", "wapiti"):
        with pytest.raises(InputError) as found:
            parse_foreign(text, dialect)
        assert len(str(found.value)) < 200


def test_columns_by_numbers_that_are_none():
    for name in (NINES, "²", "٣", "-" + NINES):
        with pytest.raises(InputError, match="there is no column") as found:
            parse_templates(f"lower({name})" if name[0] != "-" else f"lower(x{NINES})", columns=["word", "pos"])
        assert len(str(found.value)) < 200


def test_a_line_of_blanks_takes_no_square():
    began = time.perf_counter()
    assert len(parse_foreign("U:%x[0,0]" + " " * 200_000 + "x", "wapiti")) == 1
    assert time.perf_counter() - began < 5
