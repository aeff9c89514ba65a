"""Template files of CRF++ and Wapiti: which firings share a feature, against strings made the way those tools make them."""

import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from widemargin.cli import main
from widemargin.contents import Contents
from widemargin.corpora import town
from widemargin.engine.objectives import objective_named
from widemargin.engine.penalty import Penalty
from widemargin.errors import InputError
from widemargin.families.tagging.costs import parse_cost
from widemargin.features.extractor import Extractor
from widemargin.features.foreign import is_foreign, parse_foreign
from widemargin.features.named import load_templates, named_set, named_sets
from widemargin.features.templates import parse_templates
from widemargin.features.wapiti_regex import to_python
from widemargin.readers.columns import from_sentences
from widemargin.scoring.corpus import build_corpus
from widemargin.scoring.token_problem import TokenProblem
from widemargin.structures import STRUCTURES

CHUNKING = """# Unigram
U00:%x[-2,0]
U01:%x[-1,0]
U02:%x[0,0]
U03:%x[1,0]
U04:%x[2,0]
U05:%x[-1,0]/%x[0,0]
U06:%x[0,0]/%x[1,0]

U10:%x[-2,1]
U11:%x[-1,1]
U12:%x[0,1]
U13:%x[1,1]
U14:%x[2,1]
U15:%x[-2,1]/%x[-1,1]
U16:%x[-1,1]/%x[0,1]
U17:%x[0,1]/%x[1,1]
U18:%x[1,1]/%x[2,1]
U20:%x[-2,1]/%x[-1,1]/%x[0,1]
U21:%x[-1,1]/%x[0,1]/%x[1,1]
U22:%x[0,1]/%x[1,1]/%x[2,1]

# Bigram
B
"""
BAG = """U:%x[-1,0]
U:%x[0,0]
U:%x[1,0]
U:%x[0,1]
U:%x[0,0]
V:%x[0,0]
U1:%x[-1,0]/%x[0,0]
U1:%x[0,0]/%x[1,1]
U2:%x[0,0]/%x[1,1]
U"quoted\\" %x[0,0]
Uconstant
Uanother
B
B9
B1:%x[0,0]
B1:%x[-1,0]
""".replace("V:", "U9:")
WAPITI = r"""*                      # transitions, and a feature of every token
U:Wrd X=%x[ 0,0]
u:wrd L=%X[-1,0]
u:wrd L=%X[ 1,0]
U:Two L=%X[-1,0]/%x[+0,1]
*:Pos R=%x[ 1,1]
*:Pre X=%m[ 0,0,"^.?.?"]
*:Suf X=%M[ 0,0,".?.?$"]
u:Any?=%t[-1,0,"\u"]
U:Any?=%T[ 0,0,"\d\u*$"]
b:Punc?=%t[ 1,0,".\p."]
b:Word=%m[ 0,0,"\w*\W"]

"""
WORDS = ["a", "b", "B", "Ba", "bA", "A1", "1", "a.b", "-", "é", "ab-12", "C1BB"]
SENTENCES = [[("a", "b"), ("b", "a"), ("a", "a")], [("b", "b")], [("A", "b"), ("a", "A"), ("Ba", "a"), ("a", "b")]]


def cell(sentence, u, column):
    return f"_B{u}" if u < 0 else f"_B+{u - len(sentence) + 1}" if u >= len(sentence) else sentence[u][column]


def crfpp_string(line, sentence, t):
    """A line of CRF++ at a token."""
    return re.sub(r"%x\[(-?\d+),(\d+)\]", lambda found: cell(sentence, t + int(found[1]), int(found[2])), line)


def match_length(pattern, value):
    """The length of the match of Wapiti's pattern at the beginning of the value, or None: the shortest repetition that will do."""
    if pattern == "":
        return 0
    if pattern == "$":
        return 0 if value == "" else None
    size = 2 if pattern[0] == "\\" else 1
    item, rest = pattern[:size], pattern[size:]
    if rest[:1] == "*":
        for n in range(len(value) + 1):
            if n and not matches_one(item, value[n - 1]):
                return None
            if (length := match_length(rest[1:], value[n:])) is not None:
                return n + length
        return None
    if value and matches_one(item, value[0]) and (length := match_length(rest[rest[:1] == "?" :], value[1:])) is not None:
        return 1 + length
    return match_length(rest[1:], value) if rest[:1] == "?" else None


def matches_one(item, character):
    """Whether ., a class or a literal is this character."""
    tests = {
        "a": str.isalpha, "d": str.isdigit, "l": str.islower, "u": str.isupper, "w": str.isalnum, "s": str.isspace,
        "p": lambda c: c.isprintable() and not c.isalnum() and c != " ",
    }  # fmt: skip
    if item == ".":
        return True
    if len(item) == 2 and item[1].lower() in tests:
        return (character.isascii() and tests[item[1].lower()](character)) != item[1].isupper()
    return character == item[-1]


def find_match(pattern, value):
    """The first match of Wapiti's pattern, or None."""
    for start in range(1 if pattern.startswith("^") else len(value) + 1):
        if (length := match_length(pattern.removeprefix("^"), value[start:])) is not None:
            return value[start : start + length]
    return None


def wapiti_string(line, sentence, t):
    """A line of Wapiti at a token; regular expressions see no boundary marks, which is the one liberty taken."""

    def value(found):
        text = cell(sentence, t + int(found[2]), int(found[3]))
        if found[4] is not None and not text.startswith("_B"):
            match = find_match(found[4], text)
            text = str(match is not None).lower() if found[1] in "tT" else match or ""
        return text.lower() if found[1].isupper() and not text.startswith("_B") else text

    line = line.partition("#")[0].rstrip()
    return re.sub(r'%(\w)\[ *([+-]?\d+),(\d+)(?:,"(.*?)")?\]', value, line[:1].lower() + line[1:])


def strings_of(text, dialect, sentences, *, edges):
    """For each token, the strings of all lines that fire, identical lines once."""
    lines, kinds = [], "bB*" if edges else "uU*"
    make = crfpp_string if dialect == "crfpp" else wapiti_string
    for line in text.split("\n"):
        if line and not line.startswith("#") and line[0] in kinds and line not in lines and not (edges and "%" not in line):
            lines.append(line)
    if not lines:
        return []
    return [[make(line, s, t) for line in lines if not (edges and t == 0)] for s in sentences for t in range(len(s))]


def check(text, dialect, sentences=SENTENCES):
    """Firings share a feature exactly when their strings are equal; and so after saving and loading."""
    templates = parse_foreign(text, dialect)
    assert parse_templates("\n".join(map(str, templates))) == templates
    extractor, columns = Extractor(templates), from_sentences(sentences)
    fitted = extractor.fit(columns)
    found = Extractor.from_contents(Contents(extractor.header(), extractor.to_arrays())).transform(columns)
    for kind in ("node", "edge"):
        ptr, ind = getattr(fitted, f"{kind}_ptr"), getattr(fitted, f"{kind}_ind")
        assert np.array_equal(getattr(found, f"{kind}_ind"), ind)
        expected = strings_of(text, dialect, sentences, edges=kind == "edge")
        assert np.diff(ptr).tolist() == [len(row) for row in expected]
        firings = list(zip((string for row in expected for string in row), ind.tolist()))
        distinct = set(firings)
        assert len(distinct) == len({string for string, _ in distinct}) == len({feature for _, feature in distinct})
        index = getattr(extractor, f"{kind}s")
        assert len(index) == len(distinct)
        assert [index.find(name) for name in index.names()] == list(range(len(index)))


@pytest.mark.parametrize("text", [CHUNKING, BAG, "B\n", "U\n", "U%x[0,0]"])
def test_crfpp(text):
    check(text, "crfpp")


def test_wapiti():
    check(WAPITI, "wapiti")
    check(WAPITI, "wapiti", [[(word, word[:1]) for word in WORDS], [(word, "x") for word in reversed(WORDS)]])


@st.composite
def pattern_files(draw, dialect):
    commands = ["%x[{0},{1}]"]
    kinds = ["U", "U0:", "U1:", "B:"]
    if dialect == "wapiti":
        commands += ["%X[{0},{1}]", '%t[{0},{1},"{2}"]', '%m[{0},{1},"{2}"]', '%M[{0},{1},"{2}"]']
        kinds += ["u", "*:", "b:"]
    regexes = st.sampled_from([r"^\u", r"\l*\d", r".?.?$", r"^..?\p", r"\W", r"b*\A?-", r"^\w*$", "a.b"])
    one = st.builds(str.format, st.sampled_from(commands), st.integers(-2, 2), st.integers(0, 1), regexes)
    lines = st.builds(lambda kind, cells: kind + "/".join(cells), st.sampled_from(kinds), st.lists(one, min_size=1, max_size=2))
    found = draw(st.lists(lines, min_size=1, max_size=6))
    # the twin knows a line by its text: no two lines that differ in writing alone
    return "\n".join({line[0].upper() + line[1:].replace("%T", "%t"): line for line in found}.values()) + "\n"


@settings(max_examples=60)
@given(
    st.sampled_from(["crfpp", "wapiti"]).flatmap(lambda dialect: st.tuples(pattern_files(dialect), st.just(dialect))),
    st.lists(
        st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(["a", "B", "A1"])), min_size=1, max_size=4), min_size=1, max_size=3
    ),
)
def test_any_file(file, sentences):
    check(*file, sentences)


@settings(max_examples=300)
@given(
    st.lists(st.sampled_from([*"aB1-. ^$+[(|/", *(rf"\{c}" for c in r"adlpsuwADLPSUW.*?\^$/")]).flatmap(
        lambda item: st.sampled_from([item, item, item + "*", item + "?"])), max_size=5).map("".join),
    st.booleans(), st.booleans(), st.text("aB1-.+[ /$^\\é", max_size=6),
)  # fmt: skip
def test_regular_expressions(body, begin, end, value):
    pattern = "^" * begin + body + "$" * end
    assume(not pattern.startswith(("^*", "^?")))  # an anchor repeated is refused
    found = re.search(to_python(pattern), value)
    assert (found[0] if found else None) == find_match(pattern, value)


def test_shared_features_have_names_and_others_are_written_as_in_our_language():
    assert [str(template) for template in parse_foreign(CHUNKING)][:7] == [
        "0[-2]", "0[-1]", "0[0]", "0[1]", "0[2]", "0[-1] 0[0]", "0[0] 0[1]",
    ]  # fmt: skip
    templates = parse_foreign("U:%x[-1,0]\nU:%x[1,0]\nU2:%x[0,0]\nB\n")
    assert [str(template) for template in templates] == ['"U:%" 0[-1]', '"U:%" 0[1]', "0[0]", "label[-1]"]
    extractor = Extractor(templates)
    extractor.fit(from_sentences([[("x", "A"), ("y", "B")]]))
    assert extractor.nodes.names() == ['"U:%" before 1', '"U:%"=y', "0[0]=x", '"U:%"=x', '"U:%" after 1', "0[0]=y"]


def test_one_feature_twice_at_a_token_counts_twice():
    """F's gradient is its slope when a feature fires twice on the same token."""
    random = np.random.default_rng(0)
    sentences = [[(str(w),) for w in random.integers(0, 2, n)] for n in (4, 5, 3)]
    extractor, columns = Extractor(parse_templates('"near" *0[-1..1]')), from_sentences(sentences)
    features = extractor.fit(columns)
    assert (len(extractor.nodes), len(extractor.edges)) == (4, 3)  # 0, 1, after 1, and before 1, where there is no label before
    gold = random.integers(0, 3, columns.tokens).astype(np.int32)
    corpus = build_corpus(features, gold, nodes=4, edges=3, merged=False)
    structure, labels = STRUCTURES["chain"](3, None), ("a", "b", "c")
    problem = TokenProblem(corpus, structure, parse_cost("hamming", labels), objective_named("likelihood", structure), Penalty(0.0, 0.1))
    w = problem.zeros()
    w[:, :3] = random.normal(size=(len(w), 3))
    g = np.zeros_like(w)
    problem.value_and_gradient(w, g)
    for row, label in np.ndindex(len(w), 3):
        step = problem.zeros()
        step[row, label] = 1e-5
        assert g[row, label] == pytest.approx((problem.value(w + step) - problem.value(w - step)) / 2e-5, abs=1e-7)


@pytest.mark.parametrize(
    ("text", "dialect", "sentence"),
    [
        ("U00:%x[0,0]\nX:%x[0,0]", "crfpp", "T:2:1: a line of CRF++ begins with one of U, B, or with # for a comment; 'X' is neither."),
        ("U00:%t[0,0,\"a\"]", "crfpp", "T:1:5: this % does not begin a command of CRF++, which has %x[-1,0]."),
        ("U00:%x[0]", "crfpp", "T:1:5: this % does not begin a command"),
        ("U00:%x[0,0]/%x[0,2]", "crfpp", "T:1:13: there is no column '2'; the columns are 0, 1."),
        ("U00:%x[-100,0]", "crfpp", "T:1:5: an offset can be 99 tokens away at most"),
        ("# nothing\n\n", "crfpp", "T: there is no template here; write one per line, e.g. U00:%x[-1,0]."),
        ("w:%x[0,0]", "wapiti", "T:1:1: a line of Wapiti begins with one of U, u, B, b, *, or"),
        ("u:%t[0,0]", "wapiti", "T:1:3: %t takes a regular expression, e.g. %t[0,0,\"^\\u\"]."),
        ("u:%x[0,0,\"a\"]", "wapiti", "T:1:3: %x takes no regular expression."),
        ("u:%m[0,0,\"a**\"]", "wapiti", "T:1:3: the regular expression \"a**\" is broken: nothing stands before the *; write \\* for"),
        ("u:%x[@1,0]", "wapiti", "T:1:3: %x[@1,0] counts from the sentence's ends or by a cell, not from this token; put that cell in"),
        ("u:%q[1,0]", "wapiti", "T:1:3: this % does not begin a command of Wapiti, which has %x[-1,0], %t["),
    ],
)  # fmt: skip
def test_errors(text, dialect, sentence):
    with pytest.raises(InputError, match=re.escape(sentence)):
        parse_foreign(text, dialect, source="T", columns=["0", "1"])


def test_recognised_only_when_it_cannot_be_ours(tmp_path):
    for name in named_sets():
        assert not is_foreign(named_set(name))
    for ours in ("*match(word,/%x[0,0]/)", 'in(word,"U%x[0")', "word # %x[0,0]", "U00:", "B", "*U", '"U:%x[0,0]" word'):
        assert not is_foreign(ours)
    path = tmp_path / "template"
    for text, dialect in ((CHUNKING, "crfpp"), (BAG, "crfpp"), (WAPITI, "wapiti")):
        path.write_text(text)
        assert load_templates(path) == load_templates(f"{dialect}:{path}") == parse_foreign(text, dialect)
    path.write_text("B\n")
    assert [str(template) for template in load_templates(path)] == ["B[0]"]
    assert [str(template) for template in load_templates(f"crfpp:{path}")] == ["label[-1]"]
    path.write_text("U:%x[-1,0] # before\nU:%x[1,0] # after\n")
    with pytest.raises(InputError, match=re.escape(f"differently; write crfpp:{path} or wapiti:{path}.")):
        load_templates(path)
    assert load_templates(f"crfpp:{path}") == parse_templates("0[-1]\n0[1]")
    assert load_templates(f"wapiti:{path}") == parse_templates('"U:%" 0[-1]\n"U:%" 0[1]')
    with pytest.raises(InputError, match="cannot be read"):
        load_templates("crfpp:" + str(tmp_path / "none"))


def test_train_and_predict(tmp_path, capsys):
    data, template, model = tmp_path / "train.txt", tmp_path / "template", str(tmp_path / "model")
    lines = [" ".join(line.split()[:3]) for line in town.columns_text("train", sentences=150).splitlines()]
    data.write_text("\n".join(line for line in lines if not line.startswith("-DOCSTART-")) + "\n")
    template.write_text("U:%x[-1,0]\nU:%x[1,0]\nU2:%x[0,0]\nU3:%x[0,1]\nB\nB1:%x[0,1]\n")
    assert main(["train", "tag", str(data), "--templates", f"crfpp:{template}", "-o", model, "--epochs", "5"]) == 0
    template.unlink()
    capsys.readouterr()
    assert main(["evaluate", model, str(data)]) == 0
    assert float(re.search(r"accuracy: +([\d.]+)%", capsys.readouterr().out)[1]) > 95
    assert main(["inspect", model]) == 0
    assert '"U:%"=' in capsys.readouterr().out
