"""Memory of charts is estimated before it is taken."""

import numpy as np
import pytest
from span_parsing import recipe, small

from widemargin import InputError
from widemargin.families.constituency import room
from widemargin.families.constituency.building import from_trees
from widemargin.families.constituency.model import Failures
from widemargin.families.recipes import train

pytestmark = pytest.mark.wide


@pytest.fixture(scope="module", params=["bigrams", "rules", "labels", "wcfg"])
def parser(request):
    return train(recipe(request.param, learner="perceptron", settings={"epochs": 1}), small())


@pytest.mark.parametrize("sums", [False, True])
def test_the_estimate_is_what_a_workspace_takes(parser, sums):
    for words in (100, 400):
        found = room._bytes(parser.structure.workspace(words, dtype=np.float32), () if sums else room.SUMS)
        assert room.chart_bytes(parser.structure, words, np.float32, sums=sums) == pytest.approx(found, rel=0.2)


def test_what_does_not_fit_is_refused_with_what_does(parser, monkeypatch):
    long = from_trees([[("a", "D"), ("b", "N")], [("b", "N")] * 300])
    monkeypatch.setattr(room, "machine_bytes", lambda: room.chart_bytes(parser.structure, 250, np.float32))
    with pytest.raises(InputError, match=r"sentence of 300 words need .* --max-words 250") as error:
        parser.predict(long)
    assert error.value.where == "<trees>:2"
    with pytest.warns(RuntimeWarning, match="the grammar has no tree"):
        parser.predict(long, Failures(max_words=250))
