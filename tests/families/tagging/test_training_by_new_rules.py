"""k-best MIRA, SMD and rate=auto from the outside: recipes, the estimator, the command line."""

import json

import pytest

from widemargin import SequenceTagger
from widemargin.cli import main

WORDS = {"the": "D", "a": "D", "dog": "N", "cat": "N", "runs": "V", "sleeps": "V"}
SENTENCES = [["the", "dog", "runs"], ["a", "cat", "sleeps"], ["the", "cat", "runs"], ["a", "dog"], ["cat", "sleeps"]]


@pytest.mark.parametrize("learner", ["smd", "ops"])
def test_the_estimator_chooses_a_rate_once(learner):
    X, y = SENTENCES, [[WORDS[w] for w in words] for words in SENTENCES]
    tagger = SequenceTagger(learner, rate="auto", templates="word[0]\n", random_state=0)
    for _ in range(3):
        tagger.partial_fit(X, y)
    assert [facts["epoch"] for facts in tagger.history_] == [1, 2, 3]
    assert ["trials" in facts for facts in tagger.history_] == [True, False, False]
    assert len({facts["rate"] for facts in tagger.history_}) == 1
    tagger.partial_fit([["a", "horse", "runs"]], [["D", "N", "V"]])
    assert tagger.predict([["the", "horse"]])[0] == ["D", "N"]


def test_train_tells_the_rate(tmp_path, capsys):
    arguments = ["train", "ner", "town:train:40", "-o", str(tmp_path / "m"), "--learner", "sgd", "--epochs", "1", "--set", "rate=auto"]
    assert main([*arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    first = json.loads(out)["history"][0]
    assert f"rate {first['rate']:g} (the best of {len(first['trials'])} on a sample)" in err
