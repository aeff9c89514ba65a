"""Codes and scores of arcs against a version in plain Python, template by template; refusals of the template language."""

import numpy as np
import pytest
from arc_twin import slow_score
from parsing_data import TEMPLATES, problem, random_weights, small

from widemargin.contents import Contents
from widemargin.engine.gradient import score_row
from widemargin.errors import InputError
from widemargin.families.dependencies.decoding import fixed_rows, reader_of
from widemargin.families.dependencies.explanations import contributions
from widemargin.families.dependencies.features import ArcFeatures
from widemargin.families.dependencies.model import Parser
from widemargin.families.dependencies.templates import load_arc_templates, parse_arc_templates


def test_scores_are_sums_over_templates():
    posed = problem(labelled=False, sentences=3)
    weights = posed.linear(random_weights(posed))
    features, corpus = posed.corpus.features, posed.corpus
    rows, reader = fixed_rows(posed.structure, weights, corpus), reader_of(weights)
    s = posed.structure.workspace(corpus.longest, dtype=np.float64)
    for i, (low, high) in enumerate(zip(corpus.token, corpus.token[1:])):
        n = int(high - low)
        score_row(rows, s, i, reader)
        atom, mark = corpus.atoms.atom[low:high], corpus.atoms.mark[low:high]
        for h in range(n + 1):
            for m in range(1, n + 1):
                if h != m:
                    assert s.arcs.score[h, m] == pytest.approx(slow_score(features, weights.arcs, atom, mark, h, m, n), abs=1e-9)


def test_an_explanation_adds_up_to_the_score():
    posed = problem(sentences=3)
    weights = posed.linear(random_weights(posed))
    parser = Parser(posed.cost.relations, "eisner", True, posed.corpus.features, weights)
    rows = fixed_rows(parser.structure, weights, posed.corpus)
    s, n = parser.structure.workspace(posed.corpus.longest, dtype=np.float64), int(posed.corpus.token[1])
    score_row(rows, s, 0, reader_of(weights))
    for h in range(n + 1):
        for m in range(1, n + 1):
            if h != m:
                for label in range(len(parser.relations)):
                    whole = s.arcs.score[h, m] + s.arcs.labels.score[h * (n + 1) + m, label]
                    assert sum(contributions(parser, rows.input, h, h, m, label)) == pytest.approx(whole, abs=1e-9)


def test_features_come_back_from_a_header():
    features = ArcFeatures(load_arc_templates("arcs")).fit(small().columns)
    again = ArcFeatures.from_contents(Contents(features.header(), {}))
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
    assert [
        len(group) for group in (plan.bigram, plan.unigram, plan.between, plan.between_count, plan.label_bigram, plan.label_unigram)
    ] == [3, 2, 1, 1, 1, 2]
