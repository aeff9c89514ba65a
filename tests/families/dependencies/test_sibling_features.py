"""Siblings from templates to weights: scores against plain Python, gradients against differences, sweeps against dense steps, refusals."""

import dataclasses

import numpy as np
import pytest
from arc_twin import code, slow_score
from parsing_data import problem, random_weights, small

from widemargin.contents import Contents
from widemargin.engine.gradient import score_row
from widemargin.errors import InputError
from widemargin.families.dependencies.decoding import fixed_rows, reader_of
from widemargin.families.dependencies.explanations import contributions, explain
from widemargin.families.dependencies.features import ArcFeatures
from widemargin.families.dependencies.kernels.codes import BINS, LONGEST_BIN
from widemargin.families.dependencies.model import Parser
from widemargin.families.dependencies.sources import open_treebank
from widemargin.families.dependencies.templates import load_arc_templates, parse_arc_templates
from widemargin.families.dependencies.training import pose_trees
from widemargin.families.recipes import Recipe, train


def slow_part(features, node, atom, h, s, m, n):
    """The score of a part (h, s, m) by the definition in sibling_features.py; NOBODY is the word before a sentence of its own."""
    plan, flat = features.plan(), node.reshape(-1)
    mask, right = (1 << plan.bits) - 1, int(m > h)
    one, two = right, 2 + 7 * right + int(BINS[min(abs(m - s), LONGEST_BIN)])

    def sibling(side, odd):
        if s != h:
            return code(plan, atom, side, odd, s, n, mask)
        nobody = np.full((1, atom.shape[1]), 23, np.uint64)
        blind = plan._replace(atom=plan.atom * np.array([1, 0]))
        return code(blind, nobody, side, odd, 1, 1, mask)

    score = 0.0
    for (b, y), (c, z) in plan.siblings.pair:
        k = sibling(b, y) ^ code(plan, atom, c, z, m, n, mask)
        score += flat[k ^ one] + flat[k ^ two]
    for (a, x), (b, y), (c, z) in plan.siblings.triple:
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
    rows, reader = fixed_rows(parser.structure, weights, posed.corpus), reader_of(weights)
    s = parser.structure.workspace(posed.corpus.longest, dtype=np.float64)

    def sentences():
        for i, (low, high) in enumerate(zip(posed.corpus.token, posed.corpus.token[1:])):
            score_row(rows, s, i, reader)
            yield s, rows.input, int(high - low), posed.corpus.atoms.atom[low:high], posed.corpus.atoms.mark[low:high]

    return parser, sentences


def test_scores_are_sums_over_templates(scored):
    parser, sentences = scored
    for s, _, n, atom, mark in sentences():
        siblings = parser.structure.sibling_scores(s, n)
        for h, k, m in parts_of(n, parser.single_root):
            assert siblings[h, k, m] == pytest.approx(slow_part(parser.features, parser.weights.arcs, atom, h, k, m, n), abs=1e-9)
        assert s.arcs.score[0, 1] == pytest.approx(slow_score(parser.features, parser.weights.arcs, atom, mark, 0, 1, n), abs=1e-9)


def test_an_explanation_adds_up_to_the_score(scored):
    parser, sentences = scored
    for s, rows, n, _, _ in sentences():
        siblings = parser.structure.sibling_scores(s, n)
        for h, k, m in parts_of(n, parser.single_root):
            whole = s.arcs.score[h, m] + siblings[h, k, m] + s.arcs.labels.score[h * (n + 1) + m, 1]
            assert sum(contributions(parser, rows, h, k, m, 1)) == pytest.approx(whole, abs=1e-9)


def test_a_parser_with_siblings_from_training_to_file(tmp_path):
    recipe = Recipe("depparse", structure="siblings", settings={"epochs": 3}, hash_bits=14, label_bits=10)
    parser = train(recipe, open_treebank("town:train:200"))
    dev = open_treebank("town:dev:40")
    assert parser.evaluate(dev)["las"] > 70
    parser.save(str(tmp_path / "p.wm"))
    again = Parser.load(str(tmp_path / "p.wm"))
    guess = again.predict(dev, threads=2)
    np.testing.assert_array_equal(guess.heads, parser.predict(dev).heads)


@pytest.mark.wide
def test_answers_of_a_parser_with_siblings():
    treebank = small(8)
    again = train(Recipe("depparse", structure="siblings", settings={"epochs": 1}, hash_bits=10, label_bits=6), treebank)
    guess = again.predict(treebank)
    for low, chance, trees in zip(treebank.row_ptr, again.marginals(treebank), again.kbest(treebank, 3)):
        np.testing.assert_allclose(chance[:, 1:].sum(axis=0), 1.0, atol=1e-5)
        np.testing.assert_array_equal(trees[0].heads, guess.heads[low : low + len(chance) - 1])
        values = [tree.score for tree in trees]
        assert values == sorted(values, reverse=True)
    for decision in explain(again, treebank, 1).decisions:
        parts = decision.comparison.contributions
        assert sum(part.value for part in parts) == pytest.approx(decision.margin, abs=1e-3)
        assert any("sib." in part.feature and part.value for part in parts)
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
        pose_trees(Recipe("depparse", templates="arcs-siblings"), treebank)
    with pytest.raises(InputError, match="needs templates of siblings"):
        pose_trees(Recipe("depparse", templates="arcs", structure="siblings"), treebank)


def test_the_set_with_siblings_has_the_arcs_and_leaves_their_codes_alone():
    first, second = (ArcFeatures(load_arc_templates(name)) for name in ("arcs", "arcs-siblings"))
    assert second.templates[: len(first.templates)] == first.templates
    again = ArcFeatures.from_contents(Contents(second.header(), {}))
    assert again.templates == second.templates
    mine, theirs = second.plan(), again.plan()
    for one, other in zip((*mine._replace(siblings=0), *mine.siblings), (*theirs._replace(siblings=0), *theirs.siblings)):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(first.plan().bigram[:, :, 1], second.plan().bigram[:, :, 1])
