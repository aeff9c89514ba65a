"""Features of links against a twin that spells every template out; relations and attributes; what is refused."""

import numpy as np
import pytest

from widemargin.engine.gradient import score_row
from widemargin.errors import InputError
from widemargin.families.coreference.attributes import COLUMNS, FACT, attributes, binned, quotations
from widemargin.families.coreference.decoding import Scored
from widemargin.families.coreference.documents import Document, documents_of
from widemargin.families.coreference.features import LinkFeatures
from widemargin.families.coreference.kernels.pairs import BIN
from widemargin.families.coreference.problem import link_corpus, reader_of, rows_of
from widemargin.families.coreference.templates import RELATIONS, load_link_templates, parse_link_templates
from widemargin.families.coreference.word_lists import FORMS
from widemargin.structures.lists.arrays import Lists

pytestmark = pytest.mark.twice

WORDS = "Mr. Smith saw the old dog of his sister Ann . “ It is my dog , ” she said to him . Smith 's old dog barked at her".split()
SPANS = [(0, 2), (3, 10), (7, 10), (7, 8), (9, 10), (12, 13), (14, 16), (14, 15), (18, 19), (21, 22), (23, 27), (23, 24), (29, 30)]
SENTENCES = [WORDS[:11], WORDS[11:23], WORDS[23:]]
SPEAKERS = ["Bob" if 11 <= t < 18 else "Ann" if t < 3 else "" for t in range(len(WORDS))]


def documents():
    chains = [0, 1, 2, 0, 2, 1, 1, 2, 2, 0, 1, 0, 2]
    return documents_of([Document("d", SENTENCES, SPANS, chains, ["here"] * len(SPANS), speakers=SPEAKERS)])


def made(text, window=300, bits=16):
    found = documents()
    features = LinkFeatures(parse_link_templates(text), bits)
    return link_corpus(found.mention_ptr, found.chain, attributes(found), features, window)


def weights(corpus, seed=0):
    return np.random.default_rng(seed).normal(size=(corpus.features.rows, 16))


# ---- the twin: relations in words ---------------------------------------------------------------------------------------------------


def relations(m, j):
    """As templates.RELATIONS says, from the words themselves."""
    found = attributes(documents())
    low = [word.lower() for word in WORDS]
    text = [low[slice(*span)] for span in SPANS]
    form = [FORMS[found.fact[i, FACT["form"]]] for i in range(len(SPANS))]
    head = [found.column[i, COLUMNS.index("head")] for i in range(len(SPANS))]
    sentence = [sum(first >= edge for edge in (11, 23)) for first, _ in SPANS]
    bare = [[w for k, w in enumerate(words) if not (k == 0 and w in ("the", "a")) and not (w == "'s" and k)] for words in text]
    exact, same = bare[m] == bare[j], head[m] == head[j]
    agree = lambda i: all(  # noqa: E731
        _agree(name, int(found.fact[i, FACT[name]]), int(found.fact[m, FACT[name]])) for name in ("gender", "number", "person")
    )
    rank = sum(agree(i) for i in range(j + 1, m))
    quote = [1 if 11 <= first < 18 else 0 for first, _ in SPANS]
    return {
        "distance": binned(m - j),
        "distance10": min(m - j, 10),
        "sentences": binned(sentence[m] - sentence[j]),
        "sentences10": min(sentence[m] - sentence[j], 10),
        "rank": binned(rank),
        "exact": int(exact),
        "same_head": int(same),
        "string": exact + 2 * same,
        "recurs": int(any(bare[i] == bare[j] for i in range(j + 1, m))),
        "nesting": int(SPANS[j][1] > SPANS[m][0]),
        "edges": (SPANS[j][0] == SPANS[m][0]) + 2 * (SPANS[j][1] == SPANS[m][1]),
        "quotation": 0 if quote[m] and quote[j] else 6 if quote[m] else 7 if quote[j] else 8,
        "same_form": int(form[m] == form[j]),
        "speaker": 0 if not (SPEAKERS[SPANS[m][0]] and SPEAKERS[SPANS[j][0]]) else 1 + (SPEAKERS[SPANS[m][0]] == SPEAKERS[SPANS[j][0]]),
    }


def _agree(name, a, b):
    if 0 in (a, b) or a == b:
        return True
    return name == "gender" and 4 in (a, b) and 3 not in (a, b)


@pytest.mark.parametrize("name", [name for name in RELATIONS if name not in ("match", "modifiers")])
def test_relations_are_what_they_say(name):
    """Two links have the same score under a relation alone just when they have the same value and forms."""
    corpus = made(f"new\n{name}\n")
    scored = Scored(corpus, weights(corpus), 1.0).scores()
    form = attributes(documents()).fact[:, FACT["form"]]
    seen = {}
    for m in range(len(SPANS)):
        for j in range(m):
            key = relations(m, j)[name], form[m], form[j]
            assert seen.setdefault(key, scored[corpus.at[m] + m - j]) == scored[corpus.at[m] + m - j], (m, j)
    assert len(set(seen.values())) == len(seen)


def test_scores_are_sums_over_templates_at_three_places():
    """Each template by its code, with the mention's form, and with both."""
    text = "new\nnew mention.head\nbias\nmention.head antecedent.head\nrank distance\nexact\n?nesting edges\nbetween mention.after\n"
    corpus = made(text)
    w = weights(corpus).reshape(-1)
    antecedent, mention, new = (codes.astype(int) for codes in corpus.codes)
    plan, form = corpus.features.plan, corpus.mentions.fact[:, FACT["form"]]
    names, scores = list(RELATIONS), Scored(corpus, w.reshape(-1, 16), 1.0).scores()
    between = [t for t, template in enumerate(corpus.features.links) if template.between]
    for m in range(len(SPANS)):
        own = int(plan.form[form[m]])
        assert scores[corpus.at[m]] == pytest.approx(sum(w[k] + w[k ^ own] for k in new[m]))
        for j in range(m):
            found, total = relations(m, j), 0.0
            if 0 <= SPANS[m][0] - SPANS[j][1] <= 3 and not any(SPANS[j][1] <= edge <= SPANS[m][0] for edge in (11, 23)):
                continue  # words between: hashed in the kernel, see the next test
            for t, template in enumerate(corpus.features.links):
                if t in between or (template.conditional and not found[template.relations[0]]):
                    continue
                k = antecedent[j, t] ^ mention[m, t]
                for r, name in enumerate(template.relations):
                    assert plan.relation[t, r] == names.index(name)
                    k ^= int(plan.table[t, r, found[name]])
                total += w[k] + w[k ^ own] + w[k ^ own ^ (int(form[j]) + 1)]
            assert scores[corpus.at[m] + m - j] == pytest.approx(total), (m, j)


def test_words_between_tell_links_apart():
    corpus = made("new\nbetween\n")
    scores = Scored(corpus, weights(corpus), 1.0).scores()
    fires = {(m, j) for m in range(len(SPANS)) for j in range(m) if scores[corpus.at[m] + m - j] != 0.0}
    assert fires == {
        (m, j)
        for m in range(len(SPANS))
        for j in range(m)
        if 0 <= SPANS[m][0] - SPANS[j][1] <= 3 and not any(SPANS[j][1] <= edge <= SPANS[m][0] for edge in (11, 23))
    }


def test_a_window_cuts_candidates_and_nothing_else():
    wide, narrow = made("new\nbias\ndistance rank\n"), made("new\nbias\ndistance rank\n", window=3)
    w = weights(wide)
    a, b = Scored(wide, w, 1.0).scores(), Scored(narrow, w, 1.0).scores()
    for m in range(len(SPANS)):
        assert narrow.sizes[m] == min(m, 3) + 1
        np.testing.assert_array_equal(b[narrow.at[m] : narrow.at[m + 1]], a[wide.at[m] : wide.at[m] + narrow.sizes[m]])


def test_mentions_as_numbers():
    found = attributes(documents())
    fact = lambda name: found.fact[:, FACT[name]].tolist()  # noqa: E731
    forms = [FORMS[f] for f in fact("form")]
    assert forms == "proper common proper he proper it common i she he common proper she".split()
    assert [fact("gender")[m] for m in (0, 2, 5)] == [1, 2, 3]
    heads = found.column[:, COLUMNS.index("head")]
    assert heads[1] == heads[6] == heads[10]  # dog
    assert heads[0] == heads[11]  # Smith
    assert [binned(d) for d in range(200)] == [int(BIN[min(d, len(BIN) - 1)]) for d in range(200)]
    assert quotations('" a " b " c "'.split()) == [1, 1, 0, 0, 2, 2, 0]
    assert quotations("‘ a “ b ” ’ c ‘ d ’ e ‘ f ’".split()) == [1, 1, 1, 1, 1, 0, 0, 2, 2, 0, 0, 3, 3, 0]


def test_a_row_is_scored_as_all_are():
    corpus = made("include links\n")
    w = weights(corpus)
    every, s = Scored(corpus, w, 1.0).scores(), Lists().workspace(corpus.longest, dtype=np.float64)
    rows = rows_of(corpus, (1.0, 1.0, 1.0), np.float64, corpus.longest)
    for m in (0, 3, 12):
        score_row(rows, s, m, reader_of(w))
        np.testing.assert_allclose(s.score[: corpus.sizes[m]], every[corpus.at[m] : corpus.at[m + 1]])


BAD = {
    "word": ("new\nbiased\n", "'biased' is not a part of a template of links"),
    "column": ("new\nmention.nose\n", "a mention has no column 'nose'"),
    "new": ("new antecedent.head\nbias\n", "looks at the mention alone"),
    "relations": ("new\nmatch exact rank\n", "at most two relations"),
    "between": ("new\nbetween exact\n", "none together with between"),
    "no new": ("bias\n", "there is no template of new mentions"),
    "no link": ("new\n\n", "there is no template of links"),
    "twice": ("new\nbias\nexact\nexact\n", "'exact' is given twice"),
    "include": ("include nosuch\n", "include takes the name of a set"),
}


@pytest.mark.parametrize("case", BAD)
def test_templates_that_cannot_be(case):
    text, words = BAD[case]
    with pytest.raises(InputError, match=words):
        parse_link_templates(text)


def test_named_sets():
    assert len(load_link_templates("surface")) < len(load_link_templates("links"))
    with pytest.raises(InputError, match="the sets are links, surface"):
        load_link_templates("nosuch")
    with pytest.raises(InputError, match="at least 10 and at most 28"):
        LinkFeatures(load_link_templates("surface"), 9)
