"""The template language, its errors, and the sets that come with the package."""

import gzip
import pathlib
import re

import pytest

from widemargin.contents import Contents
from widemargin.errors import InputError
from widemargin.features.atoms import Atom, Column, Template
from widemargin.features.extractor import Extractor
from widemargin.features.functions import brief, digits, shape, traits
from widemargin.features.lexicons import Lexicon
from widemargin.features.named import load_templates, named_set, named_sets
from widemargin.features.templates import parse_templates, read_templates
from widemargin.readers.columns import from_sentences

COLUMNS = {"ner-memory": ("word", "pos", "chunk"), "ner-rich": ("word", "pos", "chunk")}
SENTENCE = [("Mr.", "NNP", "B-NP"), ("O'Neil-3", "NNP", "I-NP"), ("sat", "VBD", "O")]


def texts(text, **options):
    return [str(template) for template in parse_templates(text, **options)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("word", ["word[0]"]),
        ("0[-2]", ["0[-2]"]),
        ("word[+1]", ["word[1]"]),
        ("# a comment\n\n  word  # another\r\n", ["word[0]"]),
        ("word[-1..1]", ["word[-1]", "word[0]", "word[1]"]),
        ("pos[-2..-1] pos[-1..0]", ["pos[-2] pos[-1]", "pos[-1] pos[0]"]),
        ("word pos[0..1]", ["word[0] pos[0]", "word[0] pos[1]"]),
        ("prefix( lower(word) , 3 )[1]", ["prefix(lower(word),3)[1]"]),
        (r"match(word,/[#)] \/,/)", [r"match(word,/[#)] \/,/)[0]"]),
        ("had(word,pos,3)\nseen(word,pos)", ["had(word,pos,3)[0]", "seen(word,pos)[0]"]),
        ("first\nlast word\nbias", ["first", "last word[0]", "bias"]),
        ("label[-1] word", ["label[-1] word[0]"]),
        ("word label[-1]", ["label[-1] word[0]"]),
        ("label[-1]", ["label[-1]"]),
        ("*word[0..1]", ["word[0]", "word[1]", "label[-1] word[0]", "label[-1] word[1]"]),
        ("* word pos", ["word[0] pos[0]", "label[-1] word[0] pos[0]"]),
        ('in?(word,"nowhere")\nbias', ["bias"]),
        ('"near" word[0..1]', ['"near" word[0]', '"near" word[1]']),
        ('"a \\" # \\\\" *test(word,/x/)', [r'"a \" # \\" test(word,/x/)[0]', r'"a \" # \\" label[-1] test(word,/x/)[0]']),
        ("extract(lower(word),/[a-z]+/)[1]", ["extract(lower(word),/[a-z]+/)[1]"]),
    ],
)
def test_texts(text, expected):
    assert texts(text) == expected
    assert texts("\n".join(expected)) == expected


@pytest.mark.parametrize(
    ("text", "where", "sentence"),
    [
        ("", "", "there is no template here; write one per line, e.g. word[-1..1]."),
        ("bias\n wrd[0]", ":2:2", "there is no column 'wrd'; the columns are 0 (word), 1 (pos)."),
        ("7", ":1:1", "there is no column '7'; the columns are"),
        ("had(word,tag,2)", ":1:1", "there is no column 'tag'"),
        ("bias upper(word)", ":1:6", "there is no function 'upper'; the functions are lower(word), shape(word)"),
        ("match(word,/(/)", ":1:12", "the regular expression /(/ is broken"),
        ("match(word,[0-9])", ":1:12", "match needs a regular expression between slashes here, e.g. match(word,/[0-9]/)."),
        ("prefix(word)", ":1:12", "a ',' should stand here; prefix is written prefix(word,3)."),
        ("prefix(word,0)", ":1:13", "prefix needs a number from 1 to 99 here"),
        ("had(word,pos,9)", ":1:14", "had needs a number from 1 to 8 here"),
        ("had(word,,9)", ":1:10", "had needs a column here, e.g. had(word,pos,3)."),
        ("lower(word", ":1:11", "a ')' should stand here"),
        ("lower?(word)", ":1:1", "only in?(...) can be optional"),
        ("lower(match(word,/a/))", ":1:7", "match(...) gives no text for lower(...)"),
        ("lower(first)", ":1:7", "lower(...) needs a column and first is not one"),
        ("word[]", ":1:6", "an offset or a range should stand in the brackets"),
        ("word[1..]", ":1:6", "a range needs two ends"),
        ("word[2..-2]", ":1:6", "the range 2..-2 runs backwards; write -2..2."),
        ("word[100]", ":1:6", "an offset can be 99 tokens away at most"),
        ("word[-1..1] pos[0..1]", ":1:13", "word[-1..1] and pos[0..1] are ranges of different lengths"),
        ("word[0]pos[0]", ":1:8", "'p' does not belong here; separate atoms by blanks"),
        ("word &", ":1:6", "a column or function should stand here"),
        ("first[0]", ":1:6", "first takes no offset"),
        ("label[0]", ":1:1", "the only label a template can see is the previous one; write label[-1]."),
        ("*label[-1] word", ":1:2", "label[-1] is there already"),
        ("label[-1] label[-1]", ":1:11", "label[-1] is there already"),
        ("*", ":1:2", "there is nothing after the *"),
        ('"near"', ":1:7", 'a name alone is not a template; write atoms after it, e.g. "near" word[-2..2].'),
        ('"near word', ":1:1", 'a name has two quotes and something between them, e.g. "near" word[-2..2];'),
        ('"" word', ":1:1", "a name has two quotes"),
        ('"a" word\n"b" word\n"a" word', ":3:1", 'this repeats "a" word[0], which stands at T:1'),
        ('in(word,"nowhere")', ":1:9", 'there is no lexicon ./nowhere; make it, or write in?(...,"nowhere") to do without.'),
        ("word\nword[-1..1]", ":2:1", "this repeats word[0], which stands at T:1; remove one of the two."),
    ],
)
def test_errors_say_where_and_what_would_work(text, where, sentence):
    with pytest.raises(InputError, match=re.escape(f"T{where}: {sentence}")):
        parse_templates(text, source="T", columns=["word", "pos"])


def test_templates_are_values():
    assert parse_templates("word[-1]") == (Template((Atom(Column("word"), -1),)),)


def test_functions():
    assert shape("Mc3-é") == "Xxd-x"
    assert brief("MMcc33--") == "Xxd-"
    assert digits("a19-٣") == "a00-0"
    assert (traits("McDonald"), traits("U.S."), traits("1990s"), traits("it"), traits("7")) == ("AC", "AU.*C", "Ln", "L", "Nn1")


def features(text, **options):
    extractor = Extractor(parse_templates(text, **options))
    columns = from_sentences([SENTENCE], names=("word", "pos", "chunk"))
    fitted = extractor.fit(columns)
    at = fitted.node_ptr.tolist()
    return [[extractor.nodes.name(f) for f in fitted.node_ind[a:b]] for a, b in zip(at, at[1:])]


def test_what_fires():
    assert features("first\nlast") == [["first"], [], ["last"]]
    assert features("suffix(word,4)") == [[], ["suffix(word,4)[0]=il-3"], []]
    assert features("match(word,/[0-9]/)[1]") == [["match(word,/[0-9]/)[1]"], [], []]
    assert features("test(word,/[0-9]/)[1]") == [
        ["test(word,/[0-9]/)[1]=true"], ["test(word,/[0-9]/)[1]=false"], ["test(word,/[0-9]/)[1] after 1"],
    ]  # fmt: skip
    assert features("extract(word,/[A-Z]/)") == [
        ["extract(word,/[A-Z]/)[0]=M"],
        ["extract(word,/[A-Z]/)[0]=O"],
        ["extract(word,/[A-Z]/)[0]="],
    ]
    assert features('"tag" pos[-1..1]')[0] == ['"tag" before 1', '"tag"=NNP', '"tag"=NNP']
    assert features('"pair" pos word[1]')[1:] == [['"pair"=NNP & =sat'], ['"pair"=VBD &  after 1']]
    assert features("brief(word)[-2]") == [["brief(word)[-2] before 2"], ["brief(word)[-2] before 1"], ["brief(word)[-2]=Xx."]]
    assert features("had(pos,word,2)")[0] == ["had(pos,word,2)[0]=Mr.", "had(pos,word,2)[0]=O'Neil-3"]
    assert features("seen(pos,word)")[1:] == [["seen(pos,word)[0]=Mr./O'Neil-3"], ["seen(pos,word)[0]=sat"]]


def test_lexicons_lie_beside_the_templates(tmp_path):
    (tmp_path / "titles.txt").write_text("\ufeffMr.\n\n Dr. \n", encoding="utf-8")
    with gzip.open(tmp_path / "verbs.gz", "wt") as handle:
        handle.write("sat\n")
    path = tmp_path / "mine.txt"
    path.write_text('in(word,"titles.txt")\nin?(word,verbs.gz)\nin?(word,"none")\n')
    extractor = Extractor(read_templates(path))
    columns = from_sentences([SENTENCE], names=("word", "pos", "chunk"))
    assert extractor.fit(columns).node_ptr.tolist() == [0, 1, 1, 2]
    path.unlink()
    (tmp_path / "titles.txt").unlink()
    loaded = Extractor.from_contents(Contents(extractor.header(), extractor.to_arrays()))
    assert loaded.transform(columns).node_ptr.tolist() == [0, 1, 1, 2]


def test_lexicons_can_be_given():
    assert texts("in(word,names)", lexicons={"names": Lexicon.of("names", ["Rome"])}) == ['in(word,"names")[0]']


@pytest.mark.parametrize(("data", "sentence"), [(b"\xff", "not UTF-8"), (b"\n \n", "is empty")])
def test_bad_lexicons(tmp_path, data, sentence):
    (tmp_path / "list").write_bytes(data)
    with pytest.raises(InputError, match=sentence):
        parse_templates("in(word,list)", folder=tmp_path)


def test_template_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_templates(tmp_path / "none")
    with pytest.raises(InputError, match="nor a template set of this name; the sets are chunk-rich"):
        load_templates("nothing")


NAMED = "chunk-rich crfsuite-chunking ner ner-memory ner-rich np-chunking np-quadratic np-rich tagging".split()


def test_named_sets():
    assert named_sets() == [
        "chunk-rich",
        "crfsuite-chunking",
        "ner",
        "ner-memory",
        "ner-rich",
        "np-chunking",
        "np-quadratic",
        "np-rich",
        "tagging",
    ]
    with pytest.raises(InputError, match=r"no template set 'nre'; the sets are .*; did you mean ner\?"):
        named_set("nre")


@pytest.mark.parametrize("name", NAMED)
def test_every_named_set_extracts(name):
    names = COLUMNS.get(name, ("word", "pos"))
    extractor = Extractor(load_templates(name, columns=names))
    found = extractor.fit(from_sentences([[token[: len(names)] for token in SENTENCE]], names=names))
    assert len(extractor.nodes) > 0
    assert (len(extractor.edges) > 0) == (name == "ner")
    assert found.node_ptr[-1] == len(found.node_ind)


def test_sizes_of_named_sets():
    assert len(load_templates("crfsuite-chunking")) == 20
    assert len(load_templates("np-chunking")) == 7 * 14 + 1


def test_the_examples_of_the_manual_are_templates():
    manual = (pathlib.Path(__file__).parents[2] / "docs" / "templates.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```templates\n(.*?)```", manual, re.DOTALL)
    assert len(blocks) > 5
    for block in blocks:
        parse_templates(block, columns=["word", "pos", "chunk"], lexicons={"cities.txt": Lexicon.of("cities.txt", ["Rome"])})
