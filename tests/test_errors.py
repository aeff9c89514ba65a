"""Messages say what is wrong in a sentence that can be read, whatever they quote."""

import pytest

from widemargin.errors import InputError, clipped


@pytest.mark.parametrize(
    "sentence", ["", "short", "a word's apostrophe and another word's, and so on and so forth, are no quotation; the tools' neither."]
)
def test_ordinary_sentences_stay(sentence):
    assert clipped(sentence) == sentence
    assert str(InputError(sentence, "file:3")) == f"file:3: {sentence}"


@pytest.mark.parametrize("input", ["x" * 5000, "x y " * 1250, "it's " * 1000, 'say "it" ' * 600, "'" * 5000, "\\'" * 2500])
def test_what_is_quoted_is_cut(input):
    message = str(InputError(f"the cell {input!r} is wrong; give another.", "file:3"))
    assert message.startswith("file:3: the cell ")
    assert message.endswith("is wrong; give another.")
    assert len(message) < 150


def test_lists_and_places_are_cut():
    labels = ", ".join(f"label{i}" for i in range(10_000))
    message = str(InputError(f"the labels are {labels}; choose one.", "folder/" * 1000 + "file:3"))
    assert len(message) < 1000
    assert "/file:3: the labels are label0, label1" in message
    assert message.endswith("label9999; choose one.")


@pytest.mark.parametrize("break_", ["\n", "\r", "\x85", "\u2028"])
def test_a_message_is_one_line(break_):
    assert len(str(InputError(f"the name a{break_}b is wrong", f"f{break_}g:1")).splitlines()) == 1


def test_a_path_of_usual_length_is_whole():
    path = "/home/somebody/" + "project/" * 10 + "file.txt"
    assert path in str(InputError(f"there is no folder {path}; make it first.", path))
