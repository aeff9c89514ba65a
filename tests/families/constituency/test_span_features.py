"""Features of spans against what templates say they see, in plain Python; scores and gradients as sums over features; refusals."""

import numpy as np
import pytest
import span_enumeration as twin
from modes import wide
from span_parsing import TEMPLATES, posed, random_weights, scores_of, spans_in_order, town

from widemargin.compiler.jit import kernel
from widemargin.contents import Contents
from widemargin.engine.gradient import score_row
from widemargin.engine.rows import GATHER, Step, gather
from widemargin.engine.structure import add_output, clear
from widemargin.engine.tables import GRADIENT, dense_of
from widemargin.errors import InputError
from widemargin.families.constituency.features import SpanFeatures
from widemargin.families.constituency.kernels.codes import BIN, bin_of, code_sentence, find_rows, row_alone, row_with_length
from widemargin.families.constituency.templates import load_span_templates, parse_span_templates
from widemargin.families.constituency.word_classes import WordClasses
from widemargin.features.functions import FUNCTIONS
from widemargin.structures.spans.kernel import row_of

OWN = """bias
length
first.word[1] last.class[-1]
lower(before.word) after.tag length
all.tag
all.word before.tag
runs.tag length
extract(runs.tag,/^./) after.tag[1]
split.tag[-1] split.word
left.length split.tag
right.length split.tag
first.tag split.tag left.length
before.word split.tag[1]
split.class last.tag
split.tag after.word right.length
"""


def value(what, columns, word):
    """An expression at a word; BEFORE and AFTER the sentence."""
    if word < 0:
        return "BEFORE"
    if word >= len(columns["word"]):
        return "AFTER"
    if hasattr(what, "of"):
        return FUNCTIONS[what.function].make(*what.arguments)(value(what.of, columns, word))
    return columns[what.name][word]


def seen(template, columns, p, q):
    """What a template sees at two boundaries; None: it does not fire."""
    found = [
        tuple(value(atom.what, columns, edge + atom.offset) for atom in atoms) for atoms, edge in ((template.begin, p), (template.end, q))
    ]
    if template.length:
        found.append(int(BIN[min(q - p, len(BIN) - 1)]))
    if template.whole:
        how, what = template.whole
        values = [value(what, columns, w) for w in range(p, q)]
        if how == "all" and len(values) > 5:
            return None
        runs = [v for v, last in zip(values, [None, *values]) if how == "all" or v != last]
        found.append(tuple(runs[:12]))
    return tuple(found)


@kernel
def list_rows(plan, form, coded, codes, atoms, n, out):
    """The rows of all features of every span, in the order of row_of; -1: it does not fire."""
    code_sentence(plan, atoms, 0, n, codes)
    for p in range(n):
        for q in range(p + 1, n + 1):
            row, at, b = out[row_of(p, q, n)], 0, bin_of(q - p)
            for t in range(len(form.begin)):
                row[at + t] = row_alone(codes.side[p], form.begin, t, plan.bits)
            at += len(form.begin)
            for t in range(len(form.begin_length)):
                row[at + t] = row_with_length(codes.side[p], form.begin_length, t, b, plan.bits)
            at += len(form.begin_length)
            for t in range(len(form.end)):
                row[at + t] = row_alone(codes.side[q], form.end, t, plan.bits)
            at += len(form.end)
            for t in range(len(form.end_length)):
                row[at + t] = row_with_length(codes.side[q], form.end_length, t, b, plan.bits)
            find_rows(form, coded, codes.whole, p, q, n, plan.bits, row[at + len(form.end_length) :])


def rows_of(features, atoms, n, table):
    """The rows of all features of every span, by the kernels."""
    plan = features.plan()
    codes, count = features.codes(plan, n, 4, np.float64), sum(template.table == table for template in features.templates)
    out = np.zeros((n * (n + 1) // 2, count), np.int64)
    list_rows(plan, getattr(plan, table), getattr(codes, table), codes, atoms, n, out)
    return {span: [row for row in rows if row >= 0] for span, rows in zip(spans_in_order(n), out.tolist())}


@kernel
def gather_tree(input, s, i, n, nodes, into):
    """The features of a tree."""
    clear(s, n)
    add_output(s, n, 1.0, nodes)
    gather(input, s, i, n, Step(GATHER, 1.0, 0.0, 0.0, GRADIENT), into)


@pytest.mark.parametrize("template", [*load_span_templates("spans"), *parse_span_templates(OWN)], ids=lambda template: template.text)
def test_a_row_stands_for_what_its_template_sees(template):
    """Equal rows for equal sights and others for others, in three sentences."""
    trees = town(3)
    classes = WordClasses.of(trees.columns.values[0], trees.columns.codes[0])
    features = SpanFeatures([template], classes, bits=26)
    atoms, sights = features.transform(trees), {}
    for i, (low, high) in enumerate(zip(trees.row_ptr, trees.row_ptr[1:])):
        n = int(high - low)
        columns = {"word": trees.words(i), "tag": trees.tags(i), "class": [classes(word) for word in trees.words(i)]}
        for (p, q), rows in rows_of(features, atoms[low:high], n, template.table).items():
            sight = seen(template, columns, p, q)
            assert len(rows) == (sight is not None)
            if sight is not None:
                assert sights.setdefault(sight, rows[0]) == rows[0]
    assert len(set(sights.values())) == len(sights)


def test_templates_do_not_share_rows():
    trees = town(2)
    features = SpanFeatures.of(load_span_templates("spans"), trees, bits=26)
    n = int(trees.row_ptr[1])
    rows = rows_of(features, features.transform(trees), n, "span")[0, 3]
    assert len(rows) == len(set(rows)) == sum(template.table == "span" for template in features.templates)


def test_a_rare_word_is_its_longest_frequent_suffix():
    words = ["walking", "talking", "balking", "sing", "the", "the"]
    classes = WordClasses.of(words, np.arange(6), words=2, suffixes=3)
    assert classes("the") == "the"
    assert classes("stalking") == "~x~king"  # three rare words end so
    assert classes("Ring") == "~Xx~ing"
    assert classes("x9") == "~xd~"
    again = WordClasses.from_contents(Contents({}, classes.arrays()))
    assert again == classes


@pytest.mark.parametrize("structure", wide(["bigrams"], ["rules"], ["labels"], ["wcfg"]))
def test_gradients_are_sums_over_the_features_that_scores_are_sums_of(structure):
    """<gather(mu of a tree), w> is the tree's score under w."""
    problem = posed(structure).problem
    w = random_weights(problem)
    n = problem.corpus.longest
    s, rows = problem.workspace(np.float64, n), problem.rows(np.float64, n)
    for i in range(problem.corpus.rows):
        m = int(problem.corpus.token[i + 1] - problem.corpus.token[i])
        assert score_row(rows, s, i, problem.reader(w))
        scores = scores_of(problem, s, m)
        for nodes in twin.every(problem.structure, scores)[:40]:
            g = problem.zeros()
            gather_tree(rows.input, s, i, m, nodes, tuple(map(dense_of, problem.specs, problem.split(g))))
            assert (g * w).sum() == pytest.approx(twin.score(problem.structure, scores, nodes), abs=1e-9)


def test_features_come_back_from_a_file():
    features = SpanFeatures.of(parse_span_templates(TEMPLATES), town(3), bits=12)
    again = SpanFeatures.from_contents(Contents(features.header(), features.arrays()))
    assert again.templates == features.templates
    assert again.classes == features.classes
    for mine, theirs in zip(features.plan().span, again.plan().span):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("first.pos", "no column 'first.pos'"),
        ("word", "no column 'word'"),
        ("split.tag", "no template of spans"),
        ("first.tag\nfirst.tag split.tag last.tag", "one end of the constituent at most"),
        ("first.tag\nsplit.tag length", "one end of the constituent at most"),
        ("first.tag left.length", "for templates of splits"),
        ("first.tag\nlast.tag split.tag left.length", "left.length goes with"),
        ("runs.tag all.tag", "at most one runs.X or all.X"),
        ("first.tag\nruns.tag split.tag", "at most one runs.X or all.X"),
        ("runs.tag[1]", "takes no offset"),
        ("first.tag\nfirst.tag", "given twice"),
        ("label[-1] first.tag", "neither label[-1] nor names"),
        ("had(first.word,first.tag,2)", "not for spans"),
        ("first", "not for spans"),
    ],
)
def test_templates_that_are_refused(text, words):
    with pytest.raises(InputError, match=words.replace("[", r"\[").replace(".", r"\.")):
        parse_span_templates(text)


def test_sets_by_name():
    assert {template.table for template in load_span_templates("labels")} == {"span"}
    assert {template.table for template in load_span_templates("spans")} == {"span", "left", "right"}
    assert len(parse_span_templates("include labels\nfirst.word last.word\n")) == len(load_span_templates("labels")) + 1
    with pytest.raises(InputError, match="the sets are labels, labels-words, spans, "):
        load_span_templates("nosuch")
    with pytest.raises(InputError, match="from 10 to 26"):
        SpanFeatures.of(load_span_templates("labels"), town(1), bits=40)
