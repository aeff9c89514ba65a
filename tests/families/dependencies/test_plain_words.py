"""Parsers on words that are no treebank: plain text, tokens, tags of taggers, and warnings where tags or trees are missing."""

import io
import json
import pathlib

import pytest

from widemargin import SequenceTagger
from widemargin.cli import main
from widemargin.corpora.town.treebank import treebank_text
from widemargin.errors import InputError
from widemargin.families.base import Wanted
from widemargin.families.dependencies import FAMILY
from widemargin.families.dependencies.sources import open_treebank
from widemargin.families.recipes import load, train
from widemargin.readers.tokens import sentences

TEMPLATES = "head.upos mod.upos\nhead.xpos mod.xpos\nlabel mod.upos\n"
TAGGED = "word[-1..0]\nsuffix(word,2)\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A treebank, a parser of its tags, and taggers."""
    folder = tmp_path_factory.mktemp("plain")
    (folder / "t.conllu").write_text(treebank_text("train", sentences=30), encoding="utf-8")
    train("depparse", str(folder / "t.conllu"), templates=TEMPLATES, epochs=3, hash_bits=12, label_bits=8).save(str(folder / "parser"))
    for label in ("upos", "xpos", "feats"):
        train("tag", str(folder / "t.conllu"), templates=TAGGED, label_column=label, epochs=3).save(str(folder / label))
    return folder


def without(folder, name: str, *cells: int) -> str:
    """The treebank with these columns empty."""
    rows = [line.split("\t") for line in (folder / "t.conllu").read_text(encoding="utf-8").splitlines()]
    text = "".join("\t".join("_" if c in cells and len(row) == 10 else cell for c, cell in enumerate(row)) + "\n" for row in rows)
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def test_tags_of_taggers_are_as_good_as_the_file_s(folder, capsys):
    bare = without(folder, "bare.conllu", 3, 4)
    model = str(folder / "parser")
    assert main(["evaluate", model, bare, "--tagger", f"{folder / 'upos'},{folder / 'xpos'}", "--json"]) == 0
    tagged = json.loads(capsys.readouterr().out)["metrics"]["uas"]
    assert main(["evaluate", model, str(folder / "t.conllu"), "--json"]) == 0
    given = json.loads(capsys.readouterr().out)["metrics"]["uas"]
    with pytest.warns(RuntimeWarning, match=r"trained with upos and xpos of every word, and .*bare.conllu has none"):
        assert main(["evaluate", model, bare, "--json"]) == 0
    assert tagged > given - 3 > json.loads(capsys.readouterr().out)["metrics"]["uas"] + 10


def test_plain_text_becomes_trees_with_offsets(folder, capsys):
    line = 'Mr. Smith met Anna. "They left," she said (so). Did they?'
    (folder / "letter").write_text(line + "\n\nAnna slept.\n", encoding="utf-8")
    taggers = ["--tagger", f"{folder / 'upos'},{folder / 'xpos'}"]
    assert main(["predict", str(folder / "parser"), str(folder / "letter"), "--text", *taggers]) == 0
    text = capsys.readouterr().out
    assert [row.removeprefix("# text =") for row in text.splitlines() if row.startswith("# text")] == [
        " Mr. Smith met Anna.",
        ' "They left," she said (so).',
        " Did they?",
        " Anna slept.",
    ]
    words = [row.split("\t") for row in text.splitlines() if "\t" in row]
    assert all(word[3] != "_" and word[4] != "_" and word[6].isdecimal() and "TokenRange=" in word[9] for word in words)
    assert main(["predict", str(folder / "parser"), str(folder / "letter"), "--text", *taggers, "--output-format", "jsonl"]) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert (first["schema"], first["tokens"][:2], first["offsets"][:2]) == (1, ["Mr.", "Smith"], [[0, 3], [4, 9]])
    (folder / "tokens").write_text("Mr. Smith slept .\n", encoding="utf-8")
    assert main(["predict", str(folder / "parser"), str(folder / "tokens"), "--tokenized", *taggers, "--output-format", "conllu"]) == 0
    assert [row.split("\t")[1] for row in capsys.readouterr().out.splitlines() if row] == ["Mr.", "Smith", "slept", "."]


@pytest.mark.parametrize(
    ("text", "count"),
    [("One. Two! Three?", 3), ("He asked: why? nobody knew.", 1), ("Wait... what. (So.) Yes", 3), ("", 0), ('A "b." "c."', 2)],
)
def test_sentences_end_at_marks(text, count):
    found = sentences(text)
    assert len(found) == count
    assert "".join(text[a:b] for places in found for a, b in places) == "".join(text.split())


def test_what_a_tagger_cannot_do_is_said(folder):
    treebank, model = open_treebank(str(folder / "t.conllu")), load(str(folder / "parser"))
    with pytest.raises(InputError, match="this tagger gives feats, and the parser looks at upos, xpos; leave it out"):
        FAMILY.answer(model, treebank, Wanted(), tagger=str(folder / "feats"))
    SequenceTagger(templates="word\n1\n", columns=("word", "pos"), epochs=1).fit([[("a", "b"), ("c", "d")]], [["X", "Y"]]).save(
        str(folder / "pairs")
    )
    with pytest.raises(InputError, match="this tagger looks at the columns pos, and here are words alone"):
        FAMILY.answer(model, treebank, Wanted(), tagger=str(folder / "pairs"))
    with pytest.raises(InputError, match="this model does not label the words"):
        FAMILY.answer(model, treebank, Wanted(), tagger=str(folder / "parser"))


def test_a_treebank_without_gold_is_named(folder, capsys):
    with pytest.warns(RuntimeWarning, match=r"nogold.conllu has no gold trees: no word has a head"):
        main(["evaluate", str(folder / "parser"), without(folder, "nogold.conllu", 6, 7)])
    other = pathlib.Path(without(folder, "other.conllu"))
    text = other.read_text(encoding="utf-8").replace("\tnsubj\t", "\tsubject\t").replace("\t0\troot\t", "\t_\t_\t")
    other.write_text(text, encoding="utf-8")
    with pytest.warns(RuntimeWarning) as caught:
        main(["evaluate", str(folder / "parser"), str(other)])
    told = " ".join(str(warning.message) for warning in caught)
    assert "33 of " in told
    assert "words have no gold head and are not counted" in told
    assert "with gold relations that the parser does not know: subject" in told


def test_written_treebanks_keep_what_they_had(folder):
    treebank, model = open_treebank(str(folder / "t.conllu")), load(str(folder / "parser"))
    answers = FAMILY.answer(model, treebank, Wanted(), tagger=str(folder / "upos"))
    out = io.BytesIO()
    FAMILY.write(treebank, answers, out)
    before = (folder / "t.conllu").read_text(encoding="utf-8").splitlines()
    for old, new in zip(before, out.getvalue().decode().splitlines(), strict=True):
        kept = [c for c in range(10) if c not in (3, 6, 7)]
        assert [old.split("\t")[c] for c in kept] == [new.split("\t")[c] for c in kept] if "\t" in old else old == new
