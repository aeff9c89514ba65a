"""Siblings from templates to weights: scores against plain Python, gradients against differences, sweeps against dense steps, refusals."""

import dataclasses

import numpy as np
import pytest
from parsing_data import problem, random_weights, small
from test_arc_features import code, slow_score
from test_tree_learning import dense

from widemargin.errors import InputError
from widemargin.features.arc_templates import load_arc_templates, parse_arc_templates
from widemargin.features.arcs import ArcFeatures
from widemargin.kernels.arc_batch import score_sentence
from widemargin.kernels.arc_codes import BINS, FAR
from widemargin.learners import learner_named
from widemargin.tasks.explaining_arcs import contributions, explain_tree
from widemargin.tasks.parser import Parser, fixed
from widemargin.tasks.parsing import TreeRecipe, pose_trees, train_parser
from widemargin.tasks.treebanks import open_treebank


def slow_part(features, node, atom, h, s, m, n):
    """The score of a part (h, s, m) by the definition in sibling_features.py; NOBODY is the word before a sentence of its own."""
    plan, flat = features.plan(), node.reshape(-1)
    mask, right = (1 << plan.bits) - 1, int(m > h)
    one, two = right, 2 + 7 * right + int(BINS[min(abs(m - s), FAR)])

    def sibling(side, odd):
        if s != h:
            return code(plan, atom, side, odd, s, n, mask)
        nobody = np.full((1, atom.shape[1]), 23, np.uint64)
        blind = plan._replace(atom=plan.atom * np.array([1, 0]))
        return code(blind, nobody, side, odd, 1, 1, mask)

    score = 0.0
    for (b, y), (c, z) in plan.kin.beside:
        k = sibling(b, y) ^ code(plan, atom, c, z, m, n, mask)
        score += flat[k ^ one] + flat[k ^ two]
    for (a, x), (b, y), (c, z) in plan.kin.triple:
        k = code(plan, atom, a, x, h, n, mask) ^ sibling(b, y) ^ code(plan, atom, c, z, m, n, mask)
        score += flat[k ^ one] + flat[k ^ two]
    return score


def parts_of(n, single):
    """All parts that a tree may have."""
    for h in range(n + 1):
        for m in range(1, n + 1):
            if h != m:
                between = [] if single and h == 0 else range(min(h, m) + 1, max(h, m))
                yield from ((h, s, m) for s in [h, *between])


@pytest.fixture(scope="module", params=[True, False])
def scored(request):
    """A problem, and a function that scores its sentences."""
    posed = problem(structure="siblings", sentences=4, single_root=request.param)
    weights = posed.linear(random_weights(posed))
    parser = Parser(posed.cost.relations, "siblings", request.param, posed.corpus.features, weights)
    w, rows = fixed(parser.structure, weights, posed.corpus)
    s = parser.structure.workspace(posed.corpus.longest, dtype=np.float64)

    def sentences():
        for low, high in zip(posed.corpus.token, posed.corpus.token[1:]):
            score_sentence(s, rows, low, high - low, w)
            yield s, rows, int(high - low), posed.corpus.atoms.atom[low:high], posed.corpus.atoms.mark[low:high]

    return parser, sentences


def test_scores_are_sums_over_templates(scored):
    parser, sentences = scored
    for s, _, n, atom, mark in sentences():
        siblings = parser.structure.sibling_scores(s, n)
        for h, k, m in parts_of(n, parser.single_root):
            assert siblings[h, k, m] == pytest.approx(slow_part(parser.features, parser.weights.node, atom, h, k, m, n), abs=1e-9)
        assert s.arcs.score[0, 1] == pytest.approx(slow_score(parser.features, parser.weights.node, atom, mark, 0, 1, n), abs=1e-9)


def test_an_explanation_adds_up_to_the_score(scored):
    parser, sentences = scored
    for s, rows, n, _, _ in sentences():
        siblings = parser.structure.sibling_scores(s, n)
        for h, k, m in parts_of(n, parser.single_root):
            whole = s.arcs.score[h, m] + siblings[h, k, m] + s.arcs.labels.score[h * (n + 1) + m, 1]
            assert sum(contributions(parser, rows, h, k, m, 1)) == pytest.approx(whole, abs=1e-9)


@pytest.mark.parametrize("objective", ["likelihood", "softmax-margin"])
def test_gradients_are_those_of_differences(objective):
    posed = problem(structure="siblings", objective=objective, labelled=False, sentences=4, l2=0.01)
    w, g = random_weights(posed), posed.zeros()
    assert posed.value_and_gradient(w, g) == pytest.approx(posed.value(w), rel=1e-9)
    random = np.random.default_rng(1)
    for _ in range(4):
        d = random.normal(size=w.shape)
        rise = (posed.value(w + 1e-5 * d) - posed.value(w - 1e-5 * d)) / 2e-5
        assert (g * d).sum() == pytest.approx(rise, rel=2e-5, abs=1e-6)


@pytest.mark.parametrize("single_root", [True, False])
def test_subgradients_of_maxima(single_root):
    posed = problem(structure="siblings", objective="hinge", labelled=False, sentences=6, single_root=single_root)
    w, g = random_weights(posed), posed.zeros()
    value = posed.value_and_gradient(w, g)
    d = np.random.default_rng(2).normal(size=w.shape)
    assert posed.value(w + 1e-7 * d) == pytest.approx(value + 1e-7 * (g * d).sum(), abs=1e-9)


CASES = [
    ("mira", "hinge", {"rate": 0.05}, 0.0, 0.0),
    ("sgd", "hinge", {"rate": 0.1, "schedule": "fixed", "batch": 3}, 0.001, 0.01),  # weights that decay are read in another way
]


@pytest.mark.parametrize(("name", "objective", "settings", "l1", "l2"), CASES)
def test_sweeps_move_as_dense_steps_do(name, objective, settings, l1, l2):
    posed = problem(structure="siblings", objective=objective, labelled=False, sentences=7, l1=l1, l2=l2)
    learner = learner_named(name, {"epochs": 2, "dtype": "float64", **settings})
    np.testing.assert_allclose(learner.fit(posed).w, dense(posed, learner), rtol=1e-7, atol=1e-9)


def test_a_parser_with_siblings_from_training_to_file(tmp_path):
    recipe = TreeRecipe(structure="siblings", settings={"epochs": 3}, bits=14, label_bits=10)
    parser = train_parser(recipe, open_treebank("town:train:200"))
    dev = open_treebank("town:dev:40")
    assert parser.evaluate(dev)["las"] > 70
    parser.save(str(tmp_path / "p.wm"))
    again = Parser.load(str(tmp_path / "p.wm"))
    guess = again.predict(dev, threads=2)
    np.testing.assert_array_equal(guess.heads, parser.predict(dev).heads)
    treebank = small()
    guess = again.predict(treebank)
    for low, chance, trees in zip(treebank.row_ptr, again.marginals(treebank), again.kbest(treebank, 3)):
        np.testing.assert_allclose(chance[:, 1:].sum(axis=0), 1.0, atol=1e-5)
        np.testing.assert_array_equal(trees[0][1], guess.heads[low : low + len(chance) - 1])
        values = [value for value, _, _ in trees]
        assert values == sorted(values, reverse=True)
    for attachment in explain_tree(again, treebank, 1).attachments:
        assert sum(part.difference for part in attachment.parts) == pytest.approx(attachment.margin, abs=1e-3)
        assert any("sib." in part.template and part.chosen for part in attachment.parts)
    warm = dataclasses.replace(again, temperature=3.0)
    assert warm.marginals(treebank)[1].max() < again.marginals(treebank)[1].max()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("head.xpos\nlabel sib.xpos", "sib.X goes neither"),
        ("head.xpos sib.xpos between.upos", "sib.X goes neither"),
        ("include nosuch", "no template set 'nosuch'"),
        ("include arcs\nhead.xpos", "given twice"),
    ],
)
def test_what_is_no_template_is_refused(text, words):
    with pytest.raises(InputError, match=words):
        parse_arc_templates(text + "\n")


def test_orders_and_templates_must_agree():
    treebank = small()
    with pytest.raises(InputError, match="not for eisner"):
        pose_trees(TreeRecipe(templates="arcs-siblings"), treebank)
    with pytest.raises(InputError, match="needs templates of siblings"):
        pose_trees(TreeRecipe(templates="arcs", structure="siblings"), treebank)


def test_the_set_with_siblings_has_the_arcs_and_leaves_their_codes_alone():
    first, second = (ArcFeatures(load_arc_templates(name)) for name in ("arcs", "arcs-siblings"))
    assert second.templates[: len(first.templates)] == first.templates
    again = ArcFeatures.from_header(second.header())
    assert again.templates == second.templates
    mine, theirs = second.plan(), again.plan()
    for one, other in zip((*mine._replace(kin=0), *mine.kin), (*theirs._replace(kin=0), *theirs.kin)):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(first.plan().pair[:, :, 1], second.plan().pair[:, :, 1])
