"""Structures over spans at their edges: scores that underflow, and input that is refused."""

import numpy as np
import pytest
import span_enumeration as twin
from modes import cases
from span_cases import KINDS, Case

from widemargin.compiler.jit import kernel
from widemargin.compiler.lanes import width_of
from widemargin.engine.rows import row, size
from widemargin.engine.structure import argmax, augment
from widemargin.errors import InputError
from widemargin.structures.spans.arrays import spans_of
from widemargin.structures.spans.gold import bracketed, known, prices
from widemargin.structures.spans.kernel import Treebank
from widemargin.structures.spans.trees import SPAN_TREES, Bigrams, Factored, Rules

quiet = pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value", "ignore:divide by zero")


@quiet
@pytest.mark.wide
@pytest.mark.parametrize("kind", cases(KINDS, wide=lambda kind: True))
def test_sums_where_some_scores_are_far_below_others(kind):
    """Gaps around those where numbers as they are must give way to logarithms, and ties that hide them."""
    random = np.random.default_rng(77)
    for seed in range(30):
        case = Case(kind, (4, 2), seed, holes=0.1)
        gap = random.choice([100, 300, 700, 1500])

        def apart(x, gap=gap):
            drawn = np.where(random.random(x.shape) < 0.5, -random.random(x.shape) * gap, 0.0)
            return np.where(np.isfinite(x), drawn, -np.inf)

        scores = type(case.scores)(*(apart(x) for x in case.scores[:4]), tuple(apart(x) for x in case.scores.grammar))
        totals = np.array([twin.score(case.structure, scores, nodes.tolist()) for nodes in case.trees])
        value, mu = case.structure.logsum(scores)
        assert value == pytest.approx(np.logaddexp.reduce(totals), rel=1e-12, abs=1e-9)
        np.testing.assert_allclose(twin.flat(mu), np.exp(totals - np.logaddexp.reduce(totals)) @ case.phi, atol=1e-8)


@pytest.mark.wide
@pytest.mark.parametrize("kind", cases(KINDS, wide=lambda kind: True))
def test_a_mask_is_scores_of_minus_infinity(kind):
    case = Case(kind, (4, 2), 1, holes=0.0)
    allowed = case.random.random((5, 5)) < 0.8
    allowed[np.arange(4), np.arange(1, 5)] = allowed[0, 4] = allowed[0, 2] = allowed[2, 4] = True
    if case.structure.only_words:
        with pytest.raises(InputError, match="cannot be masked"):
            case.structure.argmax(case.scores, allowed)
        return
    value, nodes = case.structure.argmax(case.scores, allowed)
    holes = case.scores._replace(span=np.where(allowed[..., None], case.scores.span, -np.inf))
    inside = [twin.score(case.structure, holes, tree) for tree in twin.every(case.structure, holes)]
    assert value == pytest.approx(max(inside))
    assert allowed[nodes[:, 0], nodes[:, 2]].all()
    assert case.structure.logsum(case.scores, allowed)[0] == pytest.approx(np.logaddexp.reduce(inside))


def test_spans_are_numbered_shorter_first():
    first, end = spans_of(4)
    assert first.tolist() == [0, 1, 2, 3, 0, 1, 2, 0, 1, 0]
    assert end.tolist() == [1, 2, 3, 4, 2, 3, 4, 3, 4, 4]


def test_names():
    assert {name: kind.name for name, kind in SPAN_TREES.items()} == {name: name for name in SPAN_TREES}


def with_grammar(scores, *tables):
    return scores._replace(grammar=tables)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: Bigrams(0), "0 symbols"),
        (lambda: Bigrams(2, legal=np.ones((2, 3))), "mask of legal symbols"),
        (lambda: Rules(2, np.zeros((0, 3), int)), "at least one"),
        (lambda: Rules(2, [[0, 1, 2]]), "from 0 to 1"),
        (lambda: Rules(2, [[0, 1, 1], [0, 1, 1]]), "there twice"),
        (lambda: Factored(2).argmax(Factored(2).zeros(3)._replace(span=np.zeros(3))), r"\[n\+1, n\+1, 2\]"),
        (lambda: Factored(2).argmax(Factored(2).zeros(3)._replace(root=np.zeros(3))), "scores of root"),
        (lambda: Factored(2).argmax(Factored(2).zeros(3)._replace(root=np.full(2, np.nan))), "NaN or inf"),
        (lambda: Factored(2).argmax(Factored(2).zeros(3), np.ones((3, 3))), "mask of allowed spans"),
        (lambda: Factored(2).tilt(Factored(2).zeros(3), np.ones(3)), "the direction has shape"),
        (lambda: Factored(2).kbest(Factored(2).zeros(3), 0), "at least 1"),
        (lambda: Bigrams(2).argmax(with_grammar(Bigrams(2).zeros(3), np.zeros((2, 2)))), "1 arrays of scores; 2 were"),
        (lambda: prices(Factored(2), 1.0, 1.0, 1.0), "no productions"),
        (lambda: known(Factored(2), np.zeros((2, 4))), "2n-1 rows"),
        (lambda: known(Factored(2), [[0, -1, 1, 2]]), "node 0 of the tree"),
        (lambda: known(Factored(2), [[0, 1, 2, 0], [0, -1, 1, 0], [0, -1, 1, 0]]), "node 0 of the tree"),
        (lambda: known(Factored(2), [[0, 3, 2, 0], [0, -1, 1, 0], [1, -1, 2, 0]]), "node 0 of the tree"),
        (lambda: known(Factored(2), [[0, 1, 2, 0], [0, 1, 1, 0], [1, -1, 2, 0]]), "node 1 of the tree"),
        (lambda: bracketed(Factored(2), 3, [[0, 4, -1]]), "does not fit 3 words"),
        (lambda: bracketed(Factored(2), 3, [[0, 2, 0]]), "0 sets"),
        (lambda: bracketed(Factored(2), 3, [[0, 2, -1], [0, 2, -1]]), "two brackets"),
    ],
)
def test_refused(ask, words):
    with pytest.raises(InputError, match=words):
        ask()


@kernel
def inside_of_row(target, s, i, out):
    """The best output that agrees with the gold of row i, and how many words it has."""
    n, gold, price = row(target, i)
    augment(s, gold, price, n, 0.0, True)
    return argmax(s, n, out), size(target, i)


def test_a_treebank_has_rows_known_and_known_in_part():
    structure = Factored(2)
    scores = structure.zeros(3)
    scores.span[..., 1] = 1.0
    s, L = structure.workspace(3, dtype=np.float64), width_of(structure.lanes)
    structure.load(s, scores)
    node = np.array([[0, 1, 3, 0], [0, -1, 1, 1], [1, 2, 3, 0], [1, -1, 2, 1], [2, -1, 3, 0]], np.int32)
    sets = np.zeros((1, L), np.bool_)
    sets[0, 0] = True
    target = Treebank(
        word=np.array([0, 3, 6]),
        node_at=np.array([0, 5, 5]),
        node=node,
        bracket_at=np.array([0, 0, 1]),
        bracket=np.array([[1, 3, 0]], np.int32),
        sets=sets,
        price=prices(structure, 1.0, 1.0),
    )
    out = s.spans.output[0]
    assert inside_of_row(target, s, 0, out) == (2.0, 3)
    np.testing.assert_array_equal(out, node)
    assert inside_of_row(target, s, 1, out) == (4.0, 3)
    assert out[2].tolist() == [1, 2, 3, 0]
