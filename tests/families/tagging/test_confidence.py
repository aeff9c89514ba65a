"""Probabilities, entropies and span events of small random taggers against all label sequences in a list."""

import dataclasses
import itertools

import numpy as np
import pytest

from widemargin import models
from widemargin.compiler.lanes import WIDTH, lanes_for
from widemargin.errors import InputError
from widemargin.families.tagging import schemes
from widemargin.families.tagging.confidence import entropy, log_probability, marginals, span_probability
from widemargin.families.tagging.model import Tagger
from widemargin.families.tagging.spans import spans
from widemargin.families.tagging.tasks import task_named
from widemargin.features.extractor import Extractor
from widemargin.features.templates import parse_templates
from widemargin.readers.columns import from_sentences
from widemargin.scoring.score import Linear

SENTENCES = [[(w, "O") for w in words.split()] for words in ("a b c a", "b", "c c a", "d a")]
COLUMNS = from_sentences(SENTENCES, names=("word", "label"))
IOB = ("O", "B-A", "I-A", "B-C", "I-C")
BIOES = ("I-A", "O", "E-A", "B-A", "S-C", "S-A")
PLAIN, POSITIONS = "word[0]\nword[-1]\n", "word[0]\nlabel[-1] word[0]\n"

# labels, scheme of the labels, constraints, structure, templates
KINDS = {
    "plain": (("V", "W", "X", "Y", "Z"), "", "", "chain", PLAIN),
    "edges by position": (IOB, "iob2", "", "chain", POSITIONS),
    "iob2, constrained": (IOB, "iob2", "iob2", "chain", PLAIN),
    "iob2, constrained, edges by position": (IOB, "iob2", "iob2", "chain", POSITIONS),
    "iob1": (IOB, "iob1", "", "chain", PLAIN),
    "iob1, constrained": (IOB, "iob1", "iob1", "chain", PLAIN),
    "bioes": (BIOES, "bioes", "", "chain", PLAIN),
    "bioes, constrained": (BIOES, "bioes", "bioes", "chain", PLAIN),
    "choice": (IOB, "iob2", "", "choice", PLAIN),
    "choice of bioes": (BIOES, "bioes", "", "choice", PLAIN),
}
SPANNED = [name for name in KINDS if name != "plain"]


def tagger_of(kind: str, *, scale: float = 1.0, seed: int = 0) -> Tagger:
    """Random weights for every feature of the sentences."""
    labels, scheme, constraints, structure, templates = KINDS[kind]
    random = np.random.default_rng([seed, *kind.encode()])
    extractor = Extractor(parse_templates(templates, columns=("word",)))
    extractor.fit(COLUMNS)
    Y, L = len(labels), WIDTH * len(lanes_for(len(labels)))
    node, edge = np.zeros((len(extractor.nodes), L), np.float32), np.zeros(((1 + len(extractor.edges)) * Y, L), np.float32)
    for table in (node, edge):
        table[:, :Y] = scale * random.normal(size=(len(table), Y))
    edge = edge if structure == "chain" else edge[:0]
    task = task_named("chunk")
    return Tagger(
        task, labels, scheme, scheme, "label", constraints, structure, extractor, Linear(node, edge), {"columns": ["word", "label"]}
    )


def enumerated(tagger: Tagger, temperature: float = 1.0) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each sentence its legal label sequences [outputs, n] and their probabilities: the slow twin of everything here."""
    f, node, edge, Y = (
        tagger.features(COLUMNS),
        tagger.weights.labels.astype(float),
        tagger.weights.transitions.astype(float),
        len(tagger.labels),
    )
    start, step, stop = np.ones(Y, bool), np.ones((Y, Y), bool), np.ones(Y, bool)
    if tagger.constraints:
        start, step, stop = schemes.legal(tagger.labels, tagger.constraints)
    found = []
    for low, high in itertools.pairwise(f.row_ptr):
        paths = np.array(list(itertools.product(range(Y), repeat=int(high - low))))
        keep = start[paths[:, 0]] & stop[paths[:, -1]] & step[paths[:, :-1], paths[:, 1:]].all(axis=1)
        paths = paths[keep]
        score = np.zeros(len(paths))
        for t in range(low, high):
            y = paths[:, t - low]
            for feature in f.node_ind[f.node_ptr[t] : f.node_ptr[t + 1]]:
                score += node[feature, y]
            if t > low and tagger.structure_name == "chain":
                before = paths[:, t - low - 1]
                score += edge[before, y]
                if len(f.edge_ptr) > 1:
                    for feature in f.edge_ind[f.edge_ptr[t] : f.edge_ptr[t + 1]]:
                        score += edge[(1 + feature) * Y + before, y]
        p = np.exp((score - score.max()) / temperature)
        found.append((paths, p / p.sum()))
    return found


@pytest.mark.twice
@pytest.mark.parametrize("temperature", [1.0, 0.3, 2.5])
@pytest.mark.parametrize("kind", KINDS)
def test_enumeration_marginals(kind, temperature):
    tagger = tagger_of(kind)
    Y = len(tagger.labels)
    expected = np.concatenate(
        [np.einsum("o,onk->nk", p, paths[:, :, None] == np.arange(Y)) for paths, p in enumerated(tagger, temperature)]
    )
    found = marginals(tagger, tagger.features(COLUMNS), temperature)
    assert found.dtype == np.float32
    assert found == pytest.approx(expected, abs=1e-6)
    assert np.array_equal(found, marginals(tagger, tagger.features(COLUMNS), temperature, threads=3))


@pytest.mark.twice
@pytest.mark.parametrize("kind", KINDS)
def test_enumeration_log_probability(kind):
    tagger, T = tagger_of(kind), 0.7
    features, every = tagger.features(COLUMNS), enumerated(tagger, T)
    random = np.random.default_rng(5)
    for _ in range(10):
        rows = [random.integers(0, len(tagger.labels), size=paths.shape[1]) for paths, _ in every]
        if tagger.constraints and random.random() < 0.6:  # else most would be illegal
            rows = [paths[random.integers(len(paths))] for paths, _ in every]
        expected = np.array([p[(paths == row).all(axis=1)].sum() for row, (paths, p) in zip(rows, every)])
        found = log_probability(tagger, features, np.concatenate(rows), T)
        assert np.exp(found) == pytest.approx(expected, rel=1e-5)
        assert np.array_equal(found == -np.inf, expected == 0)
        # a label that is not known stands for all
        rows = [np.where(random.random(len(row)) < 0.5, -1, row) for row in rows]
        expected = np.array([p[((paths == row) | (row < 0)).all(axis=1)].sum() for row, (paths, p) in zip(rows, every)])
        assert np.exp(log_probability(tagger, features, np.concatenate(rows), T)) == pytest.approx(expected, rel=1e-5, abs=1e-12)


@pytest.mark.twice
@pytest.mark.parametrize("kind", KINDS)
def test_enumeration_entropy(kind):
    tagger, T = tagger_of(kind), 1.4
    of_sentence, of_token = entropy(tagger, tagger.features(COLUMNS), T)
    every = enumerated(tagger, T)
    assert of_sentence == pytest.approx([-(p * np.log(p)).sum() for _, p in every], abs=1e-5)
    tokens = []
    for paths, p in every:
        for t in range(paths.shape[1]):
            q = np.bincount(paths[:, t], p, minlength=len(tagger.labels))
            tokens.append(-(q[q > 0] * np.log(q[q > 0])).sum())
    assert of_token == pytest.approx(tokens, abs=1e-5)


@pytest.mark.twice
@pytest.mark.parametrize("kind", SPANNED)
def test_enumeration_span_probability(kind):
    """Every span of every type against the sequences in which a strict reading finds it."""
    tagger, T = tagger_of(kind), 1.2
    scheme, asked, expected = tagger.inside, [], []
    for i, (paths, p) in enumerate(enumerated(tagger, T)):
        chance: dict[tuple, float] = {}
        for path, q in zip(paths, p):
            for span in spans([tagger.labels[y] for y in path], strict=scheme):
                chance[span] = chance.get(span, 0.0) + q
        n = paths.shape[1]
        for first, end in itertools.combinations(range(n + 1), 2):
            for name in ("A", "C", "never seen"):
                asked.append((i, first, end, name))
                expected.append(chance.get((first, end, name), 0.0))
    order = np.random.default_rng(1).permutation(len(asked))
    found = span_probability(tagger, tagger.features(COLUMNS), [asked[i] for i in order], T, threads=2)
    assert found == pytest.approx(np.array(expected)[order], abs=1e-6)
    assert max(expected) > 0.1
    assert span_probability(tagger, tagger.features(COLUMNS), []).shape == (0,)


@pytest.mark.twice
@pytest.mark.parametrize("kind", KINDS)
def test_enumeration_limits_of_the_temperature(kind):
    tagger = tagger_of(kind)
    features, best = tagger.features(COLUMNS), tagger.predict_codes(COLUMNS)
    cold = marginals(tagger, features, 1e-4)
    assert np.array_equal(cold.argmax(axis=1), best)
    assert cold.max(axis=1) == pytest.approx(1.0)
    assert log_probability(tagger, features, best, 1e-4) == pytest.approx(0.0, abs=1e-6)
    assert entropy(tagger, features, 1e-4)[0] == pytest.approx(0.0, abs=1e-6)
    outputs = np.log([len(paths) for paths, _ in enumerated(tagger)])
    assert entropy(tagger, features, 1e7)[0] == pytest.approx(outputs, abs=1e-5)
    assert log_probability(tagger, features, best, 1e7) == pytest.approx(-outputs, abs=1e-5)


def test_the_temperature_is_saved_and_older_files_have_none(tmp_path):
    tagger = dataclasses.replace(tagger_of("iob2, constrained"), temperature=1.7)
    new, old = str(tmp_path / "new.safetensors"), str(tmp_path / "old.safetensors")
    tagger.save(new)
    assert Tagger.load(new).temperature == 1.7
    header, arrays = models.load(new)
    assert header.pop("temperature") == 1.7
    models.save(old, header, arrays)
    assert Tagger.load(old).temperature == 1.0


def test_what_cannot_be_asked():
    tagger = tagger_of("iob2, constrained")
    features = tagger.features(COLUMNS)
    for temperature in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(InputError, match="must be a number above 0"):
            marginals(tagger, features, temperature)
    with pytest.raises(InputError, match="give one per token"):
        log_probability(tagger, features, np.zeros(3, int))
    for code in (-2, 5):
        with pytest.raises(InputError, match="from 0 to 4"):
            log_probability(tagger, features, np.full(COLUMNS.tokens, code))
    for span in ((4, 0, 1, "A"), (0, 2, 2, "A"), (1, 0, 2, "A"), (-1, 0, 1, "A")):
        with pytest.raises(InputError, match="does not lie in a sentence"):
            span_probability(tagger, features, [span])
    plain = tagger_of("plain")
    with pytest.raises(InputError, match="labels=iob2"):
        span_probability(plain, plain.features(COLUMNS), [(0, 0, 1, "A")])
