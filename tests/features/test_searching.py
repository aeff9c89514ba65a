"""Search among names against looking at every name."""

import re

import numpy as np
import pytest

from widemargin.errors import InputError
from widemargin.features.extractor import Extractor
from widemargin.features.search import search
from widemargin.features.templates import parse_templates
from widemargin.readers.columns import from_sentences

WORDS = ["the", "The", "Rome", "a & b", "x && y", "a & pos[0]=N", "&", "=", "before", "/the/", "über"]
TEMPLATES = """word[-2..2]
word[0] pos[1]
bias
pos[0] bias
bias match(word,/[A-Z]/) lower(word)[-1]
had(word,pos,2)
first
label[-1] word[0]
label[-1] pos[-1] word[0]
"""


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    random = np.random.default_rng(0)
    sentences = [[(str(random.choice(WORDS)), str(random.choice(["N", "V", "D"]))) for _ in range(4)] for _ in range(40)]
    found = Extractor(parse_templates(TEMPLATES, columns=("word", "pos")))
    found.fit(from_sentences(sentences, names=("word", "pos")))
    return found


@pytest.mark.parametrize("kind", ["nodes", "edges"])
@pytest.mark.parametrize(
    "text",
    ["the", "word[0]=", "=the & pos", " & ", "&&", "", "before 1", "label[-1] & w", "=N & ", "no such thing", "/", "bias", "ü"]
    + ["/^word.0.=the$/", "/N$/", "/(?i)THE/", "/ & .* & /", "//", "/after [12]/", "//the//", "/^label/"],
)
def test_search_is_looking_at_every_name(extractor, kind, text):
    index = getattr(extractor, kind)
    if len(text) > 1 and text[0] == text[-1] == "/":
        expected = [f for f, name in enumerate(index.names()) if re.search(text[1:-1], name)]
    else:
        expected = [f for f, name in enumerate(index.names()) if text in name]
    assert search(index, text).tolist() == expected


def test_a_pattern_that_is_none(extractor):
    with pytest.raises(InputError, match="is not a regular expression"):
        search(extractor.nodes, "/(/")
