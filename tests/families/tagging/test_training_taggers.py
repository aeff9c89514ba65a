"""Training on a slice of the embedded corpus: what a model can do, and that nothing but the recipe decides its bytes."""

import dataclasses
import io

import pytest

from widemargin.corpora import town
from widemargin.errors import InputError
from widemargin.families.recipes import Recipe, train
from widemargin.families.tagging import schemes
from widemargin.families.tagging.model import Tagger
from widemargin.readers.columns import Columns, from_sentences, read_columns


def part(name: str, sentences: int) -> Columns:
    text = town.columns_text(name, sentences=sentences)
    return read_columns(io.BytesIO(text.encode()), names=("word", "pos", "chunk", "entity"))


TRAIN, DEV = part("train", 300), part("dev", 60)
NER = Recipe(task="ner", templates="word[-1..1]\npos[-1..1]\nshape(word)[-1..1]\nsuffix(word,3)\n", settings={"epochs": 4})


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return train(NER, TRAIN, dev=DEV)


def test_a_few_epochs_learn_something(tagger):
    metrics = tagger.evaluate(DEV)
    assert metrics["f1"] > 60
    assert tagger.facts["history"][-1]["loss"] < 0.5 * tagger.facts["history"][0]["loss"]
    best = max(h["dev"]["f1"] for h in tagger.facts["history"])
    assert metrics["f1"] == pytest.approx(best, abs=1e-3)


def test_predictions_come_in_the_scheme_of_the_file_and_are_legal(tagger):
    codes, values = tagger.predict(DEV)
    assert tagger.inside == "bioes"
    assert tagger.scheme == "iob2"
    schemes.check(codes, values, DEV.row_ptr, "iob2")
    own = tagger.predict_codes(DEV)
    start, step, stop = schemes.legal(list(tagger.labels), "bioes")
    for low, high in zip(DEV.row_ptr, DEV.row_ptr[1:]):
        row = own[low:high]
        assert start[row[0]]
        assert stop[row[-1]]
        assert step[row[:-1], row[1:]].all()


def test_more_recall_please():
    counts = []
    for cost in ("miss=0.2", "miss=5"):
        model = train(dataclasses.replace(NER, cost=cost, settings={"epochs": 3, "rate": 0.03}), TRAIN)
        metrics = model.evaluate(DEV)
        counts.append(metrics["recall"] - metrics["precision"])
    assert counts[0] < counts[1]


def test_one_label_is_nothing_to_decide():
    columns = from_sentences([[("a", "X"), ("b", "X")]], names=("word", "label"))
    with pytest.raises(InputError, match="one label only"):
        train(Recipe(task="tag", templates="word[0]\n"), columns)
