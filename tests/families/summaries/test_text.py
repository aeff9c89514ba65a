"""Words, sentences, lengths."""

import pytest

from widemargin.families.summaries.text import UNITS, bigrams, room, split_sentences, stem, words

pytestmark = pytest.mark.twice

SPLIT = {
    "It rained. We left!": ["It rained.", "We left!"],
    "Dr. Smith met Mr. Jones. They spoke.": ["Dr. Smith met Mr. Jones.", "They spoke."],
    "J. R. Hall won. He smiled.": ["J. R. Hall won.", "He smiled."],
    "It cost 3.50 dollars. not more": ["It cost 3.50 dollars. not more"],
    'He said "No!" Then he left...  Gone.': ['He said "No!"', "Then he left...", "Gone."],
    "One\n\nTwo": ["One", "Two"],
    "雨が降った。彼は帰った！": ["雨が降った。", "彼は帰った！"],
    "Émile came. Élise left.": ["Émile came.", "Élise left."],
    "... --- !!!": [],
    "": [],
    "  no end  ": ["no end"],
}


@pytest.mark.parametrize("text", SPLIT)
def test_sentences_of_texts(text):
    assert [text[low:high] for low, high in split_sentences(text)] == SPLIT[text]


def test_words_are_runs_of_letters_and_digits_of_any_script():
    assert words("Don't STOP_it, Füße 7x 雨") == ["don", "t", "stop", "it", "füße", "7x", "雨"]
    assert bigrams("Cats chasing dogs") == [("cat", "chas"), ("chas", "dog")]
    assert [stem(word) for word in ("classes", "cities", "class", "bus", "really", "cats")] == [
        "class",
        "citi",
        "class",
        "bus",
        "real",
        "cat",
    ]


def test_a_budget_of_characters_counts_what_stands_between_sentences():
    texts = ["abc", "é"]
    assert sum(UNITS["characters"](text) for text in texts) == room(len("abc\né"), "characters")
    assert sum(UNITS["bytes"](text) for text in texts) == room(len("abc\né".encode()), "bytes")
    assert [UNITS[unit]("two words") for unit in ("words", "sentences")] == [2, 1]
    assert room(7, "words") == 7
