"""Codes and scores of arcs against a version in plain Python, template by template; refusals of the template language."""

import numpy as np
import pytest
from parsing_data import TEMPLATES, problem, random_weights, small

from widemargin.errors import InputError
from widemargin.features.arc_templates import load_arc_templates, parse_arc_templates
from widemargin.features.arcs import ArcFeatures
from widemargin.kernels.arc_batch import score_sentence
from widemargin.kernels.arc_codes import BINS, FAR, LINE
from widemargin.tasks.explaining_arcs import contributions
from widemargin.tasks.parser import Parser, fixed

BITS64 = (1 << 64) - 1


def mix(h):
    h = ((h ^ (h >> 30)) * 0xBF58476D1CE4E5B9) & BITS64
    h = ((h ^ (h >> 27)) * 0x94D049BB133111EB) & BITS64
    return h ^ (h >> 31)


def side(plan, atom, s, i, n):
    """The hash of side s at word i."""
    key = (0x9E3779B97F4A7C15 + int(s)) & BITS64
    for c, offset in plan.atom[s].tolist():
        if c < 0:
            break
        p = i + offset
        value = 13 if p < 0 else 17 if p > n else 11 if p == 0 else int(atom[p - 1, c])
        key = mix((key * 0xBF58476D1CE4E5B9 + value) & BITS64)
    return key


def code(plan, atom, s, odd, i, n, mask):
    return (((side(plan, atom, s, i, n) * int(odd)) & BITS64) >> 32) & mask


def slow_score(features, node, atom, mark, h, m, n):
    """The score of an arc by the definition in arc_codes.py; a table without slots between rows."""
    plan, flat = features.plan(), node.reshape(-1)
    mask, right = (1 << plan.bits) - 1, int(m > h)
    one, two = right, 2 + 7 * right + int(BINS[min(abs(h - m), FAR)])
    between = range(min(h, m) + 1, max(h, m))
    score = 0.0
    for (a, x), (b, y) in plan.pair:
        k = code(plan, atom, a, x, h, n, mask) ^ code(plan, atom, b, y, m, n, mask)
        score += flat[k ^ one] + flat[k ^ two]
    for s, x, end in plan.one:
        row = (1 << plan.bits) // LINE + code(plan, atom, s, x, m if end else h, n, (1 << plan.one_bits) - 1)
        score += node[row, one] + node[row, two]
    for (a, x), (b, y), (c, z) in plan.among:
        k = code(plan, atom, a, x, h, n, mask) ^ code(plan, atom, b, y, m, n, mask) ^ one
        score += sum(flat[k ^ found] for found in {code(plan, atom, c, z, i, n, mask) for i in between})
    many = features.codes(plan, n, flat, 4).many
    for ((a, x), (b, y)), counted in zip(plan.number, plan.counted):
        place = 0
        for which in counted[counted >= 0]:
            place = 3 * place + min(2, sum(int(mark[i - 1, which]) for i in between))
        k = code(plan, atom, a, x, h, n, mask) ^ code(plan, atom, b, y, m, n, mask) ^ int(many[place])
        score += flat[k ^ one]
    return score


def test_scores_are_sums_over_templates():
    posed = problem(labelled=False, sentences=3)
    weights = posed.linear(random_weights(posed))
    features, corpus = posed.corpus.features, posed.corpus
    w, rows = fixed(posed.structure, weights, corpus)
    s = posed.structure.workspace(corpus.longest, dtype=np.float64)
    for low, high in zip(corpus.token, corpus.token[1:]):
        n = int(high - low)
        score_sentence(s, rows, low, n, w)
        atom, mark = corpus.atoms.atom[low:high], corpus.atoms.mark[low:high]
        for h in range(n + 1):
            for m in range(1, n + 1):
                if h != m:
                    assert s.arcs.score[h, m] == pytest.approx(slow_score(features, weights.node, atom, mark, h, m, n), abs=1e-9)


def test_an_explanation_adds_up_to_the_score():
    posed = problem(sentences=3)
    weights = posed.linear(random_weights(posed))
    parser = Parser(posed.cost.relations, "eisner", True, posed.corpus.features, weights)
    w, rows = fixed(parser.structure, weights, posed.corpus)
    s, n = parser.structure.workspace(posed.corpus.longest, dtype=np.float64), int(posed.corpus.token[1])
    score_sentence(s, rows, 0, n, w)
    for h in range(n + 1):
        for m in range(1, n + 1):
            if h != m:
                for label in range(len(parser.relations)):
                    whole = s.arcs.score[h, m] + s.arcs.labels.score[h * (n + 1) + m, label]
                    assert sum(contributions(parser, rows, h, h, m, label)) == pytest.approx(whole, abs=1e-9)


def test_features_come_back_from_a_header():
    features = ArcFeatures(load_arc_templates("arcs")).fit(small().columns)
    again = ArcFeatures.from_header(features.header())
    assert again.templates == features.templates
    for mine, theirs in zip(features.plan(), again.plan()):
        np.testing.assert_array_equal(mine, theirs)


def test_an_empty_column_has_a_stand_in():
    import dataclasses

    treebank = small()
    codes, values = treebank.columns.codes.copy(), list(treebank.columns.values)
    codes[4], values[4] = 0, ["_"]
    blank = dataclasses.replace(treebank.columns, codes=codes, values=tuple(values))
    features = ArcFeatures(parse_arc_templates("head.xpos mod.upos\n")).fit(blank)
    assert features.empty == ("xpos",)
    atoms = features.transform(blank).atom
    np.testing.assert_array_equal(atoms[:, 0], atoms[:, 1])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("head.xpos mod.tag", "no column 'mod.tag'"),
        ("xpos", "no column 'xpos'"),
        ("label head.xpos", "no template of arcs"),
        ("head.xpos\nlabel head.xpos between.upos", "between.X is for arcs"),
        ("head.xpos between.upos between.xpos", "one between.X"),
        ("head.xpos had(mod.form,mod.xpos,2)", "not for arcs"),
        ("label[-1] head.xpos", "neither label[-1] nor names"),
        ("head.xpos\nhead.xpos", "given twice"),
        ("first head.xpos", "not for arcs"),
    ],
)
def test_what_is_no_template_is_refused(text, words):
    with pytest.raises(InputError, match=words.replace("[", r"\[").replace("(", r"\(")):
        parse_arc_templates(text + "\n")


def test_all_templates_of_the_test_are_different_kinds():
    plan = ArcFeatures(parse_arc_templates(TEMPLATES)).plan()
    assert [len(group) for group in (plan.pair, plan.one, plan.among, plan.number, plan.label_pair, plan.label_one)] == [3, 2, 1, 1, 1, 2]
