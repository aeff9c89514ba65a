"""Marginals are of the labels that predictions have, whatever scheme is inside: held against sums over all sequences."""

import itertools

import numpy as np
import pytest

from widemargin import SequenceTagger
from widemargin.families.tagging import confidence, schemes
from widemargin.families.tagging.estimator_io import encode

X = [["ella", "may", "slept"], ["in", "ella", "bo"], ["bo", "ella", "may", "in"], ["in", "bo", "in", "may"]]
SPANS = {
    "iob2": [["B-P", "I-P", "O"], ["O", "B-L", "B-L"], ["B-L", "B-P", "I-P", "O"], ["O", "B-L", "O", "B-P"]],
    "iob1": [["I-P", "I-P", "O"], ["O", "I-L", "B-L"], ["I-L", "I-P", "I-P", "O"], ["O", "I-L", "O", "I-P"]],
    "biluo": [["B-P", "L-P", "O"], ["O", "U-L", "U-L"], ["U-L", "B-P", "L-P", "O"], ["O", "U-L", "O", "U-P"]],
    "io": [["PER", "PER", "O"], ["O", "LOC", "LOC"], ["LOC", "PER", "PER", "O"], ["O", "LOC", "O", "PER"]],
    "bioes": [["B-P", "E-P", "O"], ["O", "S-L", "S-L"], ["S-L", "B-P", "E-P", "O"], ["O", "S-L", "O", "S-P"]],
}


LOOKING = "word[0]\nlabel[-1] word[0]\n"  # transitions that look at the input


SCHEMES = [("iob2", "bioes"), ("iob1", "bioes"), ("bioes", "iob2"), ("iob1", "iob2"), ("biluo", "bioes"), ("io", "bioes")]


@pytest.mark.parametrize(("structure", "templates"), [("chain", "word[-1..1]\n"), ("choice", "word[-1..1]\n"), ("chain", LOOKING)])
@pytest.mark.parametrize(("scheme", "inside"), SCHEMES)
def test_marginals_are_of_the_labels_of_predictions(scheme, inside, structure, templates):
    settings = {"labels": inside, "structure": structure, "metric": "f1", "templates": templates, "epochs": 2}
    model = SequenceTagger(objective="likelihood", **settings).fit(X, SPANS[scheme])
    assert model.model_.scheme == scheme
    found = model.predict_marginals(X, as_dicts=True)
    for i, x in enumerate(X):
        for t, expected in enumerate(summed(model, x)):
            for label, chance in found[i][t].items():
                assert chance == pytest.approx(expected.get(label, 0.0), abs=1e-5)
            assert sum(found[i][t].values()) == pytest.approx(1, abs=1e-5)
        assert all(label in row for label, row in zip(model.predict([x])[0], found[i]))


def summed(model, x):
    """P(written label at token) by enumeration of the model's own sequences."""
    tagger, encoded = model.model_, encode(model.model_, [x], None, threads=1)
    out = [dict() for _ in x]
    for path in itertools.product(range(len(tagger.labels)), repeat=len(x)):
        chance = float(np.exp(confidence.log_probability(tagger, encoded.features, np.array(path))[0]))
        codes, names = schemes.convert(np.array(path), tagger.labels, np.array([0, len(x)]), tagger.inside, tagger.scheme, strict=False)
        for row, code in zip(out, codes):
            row[names[code]] = row.get(names[code], 0.0) + chance
    return out


def test_nothing_in_nothing_out():
    model = SequenceTagger(epochs=1).fit(X, SPANS["iob2"])
    for ask in (model.predict, model.predict_marginals, model.predict_kbest):
        assert ask([]) == []
    assert len(model.entropy([])) == 0
