"""Documents in all formats: round trips, two readers of one document, and what is refused where."""

import io
import json

import numpy as np
import pytest
from public_data import public

from widemargin.cli import main
from widemargin.corpora.town.chains import chains_text as town_text
from widemargin.errors import InputError
from widemargin.families.coreference.brat import brat_text
from widemargin.families.coreference.conll2012 import chains_text, read_chains
from widemargin.families.coreference.conllu import entities_text, read_entities
from widemargin.families.coreference.detection import mentions_in
from widemargin.families.coreference.documents import Document, documents_of
from widemargin.families.coreference.jsonl import jsonl_text, read_jsonl
from widemargin.families.coreference.sources import open_documents
from widemargin.families.coreference.texts import sentences_of, words_of

pytestmark = pytest.mark.twice

# nested, crossing (of two chains), repeated opening at one word, and one word in two mentions
LINES = """#begin document (d/1); part 001
d\t1\t0\tAnn\tNNP\t(NP*)\t-\t-\t-\tBob Lee\t(PERSON)\t(0)
d\t1\t1\tsaw\tVBD\t*\t-\t-\t-\t-\t*\t-
d\t1\t2\ther\tPRP$\t(NP*\t-\t-\t-\t-\t*\t(1|(0)
d\t1\t3\told\tJJ\t*\t-\t-\t-\t-\t*\t(2
d\t1\t4\tdog\tNN\t*)\t-\t-\t-\t-\t*\t1)

d\t1\t0\tbark\tVB\t*\t-\t-\t-\t-\t*\t2)
d\t1\t1\t.\t.\t*\t-\t-\t-\t-\t*\t-

#end document
"""
CHAINS = [[(0, 1), (2, 3)], [(2, 5)], [(3, 6)]]
CONLLU = """# newdoc id = d/1; part 001
# global.Entity = eid-etype-head
# speaker = Bob
1\tAnn\tAnn\tPROPN\tNNP\t_\t0\troot\t_\tEntity=(e1-person-1)
2\tsaw\tsee\tVERB\tVBD\t_\t1\tdep\t_\t_
3-4\ther old\t_\t_\t_\t_\t_\t_\t_\t_
3\ther\tshe\tPRON\tPRP\t_\t1\tdep\t_\tEntity=(e2-dog-2(e1-person-1)|SpaceAfter=No
4\told\told\tADJ\tJJ\t_\t1\tdep\t_\tEntity=(e3-x-1
5\tdog\tdog\tNOUN\tNN\t_\t1\tdep\t_\tEntity=e2)

1\tbark\tbark\tVERB\tVB\t_\t0\troot\t_\tEntity=e3)
2\t.\t.\tPUNCT\t.\t_\t1\tdep\t_\t_

"""
JSONL = '{"id": "d/1; part 001", "sentences": [["Ann", "saw", "her", "old", "dog"], ["bark", "."]], "clusters": %s}\n'


def of_jsonl(chains, **how):
    return read_jsonl(io.StringIO(JSONL % json.dumps(chains)), **how)


def as_set(documents, d=0):
    return {frozenset(chain) for chain in documents.chains(d)}


def test_readers_of_one_document_agree():
    found = [read_chains(io.StringIO(LINES.replace("Bob Lee", "Bob"))), read_entities(io.StringIO(CONLLU)), of_jsonl(CHAINS)]
    found.append(of_jsonl([[(a, b - 1) for a, b in chain] for chain in CHAINS], inclusive=True))
    for documents in found:
        assert as_set(documents) == {frozenset(chain) for chain in CHAINS}
        assert documents.words == found[0].words
        assert documents.given[0].name == "d/1; part 001"
        np.testing.assert_array_equal(documents.first, found[0].first)
        np.testing.assert_array_equal(documents.sentence_ptr, [0, 5, 7])
    assert found[0].given[0].tags[:2] == ["NNP", "VBD"]
    assert found[0].given[0].names[:2] == ["PERSON", "O"]
    assert found[0].given[0].speakers[0] == found[1].given[0].speakers[0] == "Bob"


def test_what_is_written_is_read_again():
    for read, write, text in ((read_chains, chains_text, LINES.replace("Bob Lee", "Bob")), (read_entities, entities_text, CONLLU)):
        documents = read(io.StringIO(text))
        again = read(io.BytesIO(write(documents)))
        assert as_set(again) == as_set(documents)
        assert again.words == documents.words
        other = documents.with_mentions([[(0, 2), (3, 4)]], [["x", "x"]])
        assert as_set(read(io.BytesIO(write(other)))) == {frozenset([(0, 2), (3, 4)])}
        commented = read(io.BytesIO(write(other, [["link 1-2 new 0.5"]])))
        assert as_set(commented) == as_set(other)
    assert b"SpaceAfter=No" in entities_text(read_entities(io.StringIO(CONLLU)))
    documents = of_jsonl(CHAINS)
    for text, read in ((jsonl_text(documents), read_jsonl), (chains_text(documents), read_chains)):
        assert as_set(read(io.BytesIO(text))) == as_set(documents)


def test_texts_and_brat(tmp_path):
    text = "Dr. Ann Lee's dog barked. “She isn't here,” said Bob.\n\nA. Smith left."
    words = [text[a:b] for a, b in words_of(text)]
    assert words[:6] == ["Dr", ".", "Ann", "Lee", "'s", "dog"]
    assert words[words.index("She") : words.index("She") + 3] == ["She", "is", "n't"]
    assert [len(sentence) for sentence in sentences_of(text, words_of(text))] == [8, 10, 5]
    spans = [[text.index("Ann"), text.index("'s")], [text.index("She"), text.index("She") + 3], [text.index("Bob"), text.index("Bob") + 3]]
    line = json.dumps({"text": text, "clusters": [spans[:2], spans[2:]]})
    documents = read_jsonl(io.StringIO(line))
    assert as_set(documents) == {frozenset([(2, 4), (9, 10)]), frozenset([(16, 17)])}
    assert json.loads(jsonl_text(documents))["clusters"] == [spans[:2], spans[2:]]
    (tmp_path / "a.txt").write_text(text)
    (tmp_path / "a.ann").write_text(
        "".join(f"T{i}\tPER {a} {b}\t{text[a:b]}\n" for i, (a, b) in enumerate(spans, 1)) + "R1\tCoref Arg1:T2 Arg2:T1\nR2\tOther Arg1:T1\n"
    )
    brat = open_documents(str(tmp_path / "a.ann"))
    assert as_set(brat) == as_set(documents)
    (tmp_path / "a.ann").write_bytes(brat_text(brat))
    assert as_set(open_documents(str(tmp_path / "a.ann"))) == as_set(documents)
    plain = open_documents(str(tmp_path / "a.txt"))
    assert (plain.words, plain.mentions, plain.format) == (tuple(words), 0, "jsonl")
    # a mention that ends inside a word cuts it
    assert read_jsonl(io.StringIO('{"text": "Annes dog", "clusters": [[[0, 4], [6, 9]]]}')).words == ("Anne", "s", "dog")


def test_trees_of_a_parser_are_documents(tmp_path):
    (tmp_path / "a.mrg").write_text(
        "( (S (NP (NNP Ann)) (VP (VBD saw) (NP (NP (PRP$ her) (NN dog)) (-NONE- *T*) (-LRB- -LRB-)))))\n(X (UH Oh))\n"
    )
    documents = open_documents(str(tmp_path / "a.mrg"))
    (document,) = documents.given
    assert document.sentences == [["Ann", "saw", "her", "dog", "("], ["Oh"]]
    assert document.tags == ["NNP", "VBD", "PRP$", "NN", "-LRB-", "UH"]
    assert document.parse == ["(S(NP*)", "(VP*", "(NP(NP*", "*)", "*)))", "(X*)"]
    assert [" ".join(documents.words[a:b]) for a, b in mentions_in(document)] == ["Ann", "her dog (", "her dog", "her"]
    for bad, words in (("(S (NN a)", "the file ends with 1 bracket open"), ("a", ":1: 'a' stands outside"), ("(S )\n", "no word")):
        (tmp_path / "b.mrg").write_text(bad)
        with pytest.raises(InputError, match=words):
            open_documents(str(tmp_path / "b.mrg"))


def test_files_open_by_their_names(tmp_path):
    for name, text in (("a.conll", LINES), ("a.jsonl", JSONL % json.dumps(CHAINS)), ("a.conllu", CONLLU), ("other", LINES)):
        (tmp_path / name).write_text(text.replace("Bob Lee", "Bob"))
        assert as_set(open_documents(str(tmp_path / name))) == {frozenset(chain) for chain in CHAINS}
    assert as_set(open_documents(str(tmp_path / "other"), layout="conll2012", singletons=False)) == {frozenset(CHAINS[0])}
    assert len(open_documents("town:dev:20").given) >= 1
    with pytest.raises(InputError, match="inclusive is for mentions in JSONL"):
        open_documents(str(tmp_path / "other"), inclusive=True)


def test_files_of_few_columns():
    documents = read_chains(io.StringIO("Ann (1)\nsaw -\nher (1)\n\nBob (2)\n"))
    assert documents.words == ("Ann", "saw", "her", "Bob")
    assert as_set(documents) == {frozenset([(0, 1), (2, 3)]), frozenset([(3, 4)])}


TWICE = "Ann (1|(2)\nsaw 1)\n\nAnn (3)|(4)\n"
BAD = {
    "unclosed": (read_chains, "Ann (1\nsaw -\n", r":1: a mention of chain 1 is opened here and never closed"),
    "not open": (read_chains, "Ann -\nsaw 1)\n", r":2: '1\)' closes a mention of chain 1 that is not open"),
    "no mark": (read_chains, "Ann x\n", r":1: 'x' is not the mark"),
    "one column": (read_chains, "Ann\n", r":1: this line has one column"),
    "empty": (read_chains, "#begin document (a)\n#end document\n", "no word in this file"),
    "nul": (read_chains, "Ann\0 (1)\n", "NUL"),
    "twice": (
        read_chains,
        TWICE,
        r":4: words 3 to 3 of .* are given as a mention twice, and in two chains; read the file with duplicates=first",
    ),
    "conllu columns": (read_entities, "1\tAnn\n", r":1: this line has 2 columns"),
    "conllu unclosed": (read_entities, "1\tA\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-x\n", r":1: a mention of e1 is opened here"),
    "conllu not open": (read_entities, "1\tA\t_\t_\t_\t_\t_\t_\t_\tEntity=e1)\n", r":1: e1\) closes a mention that is not open"),
    "conllu mark": (read_entities, "1\tA\t_\t_\t_\t_\t_\t_\t_\tEntity=e1\n", r":1: 'e1' in Entity is not the mark"),
    "conllu pieces": (read_entities, "1\tA\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1[1/2]-x)\n", r":1: the mention of e1: it is in several pieces"),
    "json": (read_jsonl, '{"tokens": ["a"]}\n{"tok', r":2: this line is not a JSON object"),
    "json words": (read_jsonl, '{"words": ["a"]}', r":1: this document has neither tokens"),
    "json word": (read_jsonl, '{"tokens": ["a", 3]}', r":1: a word is 3"),
    "json span": (
        read_jsonl,
        '{"tokens": ["a"], "clusters": [[[0, 2]]]}',
        r":1: the mention from word 1 to 2 is not a span of the document's 1",
    ),
    "json pair": (read_jsonl, '{"tokens": ["a"], "clusters": [[0, 1]]}', r":1: a mention is 0; give \[first, end\]"),
    "json chain": (read_jsonl, '{"tokens": ["a"], "clusters": [3]}', r":1: chain 1 is 3"),
    "json clusters": (read_jsonl, '{"tokens": ["a"], "clusters": 3}', r":1: clusters is 3"),
    "json letters": (read_jsonl, '{"text": "a b", "clusters": [[[1, 2]]]}', r":1: the mention 1 to 2 has no word in it"),
    "json speakers": (read_jsonl, '{"tokens": ["a"], "speakers": []}', r":1: there are 1 words and 0 speakers"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_refused_says_where(case):
    read, text, words = BAD[case]
    with pytest.raises(InputError, match=words):
        read(io.StringIO(text))


def test_mentions_given_twice():
    assert as_set(read_chains(io.StringIO(TWICE), duplicates="first")) == {frozenset([(0, 2)]), frozenset([(0, 1)]), frozenset([(2, 3)])}
    text = "Ann (1)\nsaw -\nher (1)|(2)\nand -\nBob (2)\n"
    assert as_set(read_chains(io.StringIO(text), duplicates="merge")) == {frozenset([(0, 1), (2, 3), (4, 5)])}
    assert as_set(read_chains(io.StringIO("Ann (1)|(1)\n"))) == {frozenset([(0, 1)])}  # twice in one chain is once


def test_commands_say_how_files_are_read(tmp_path, capsys):
    (tmp_path / "twice").write_text(TWICE)
    command = ["score", "coref", str(tmp_path / "twice"), str(tmp_path / "twice"), "--layout", "conll2012"]
    assert main(command) == 2
    assert "duplicates=first" in capsys.readouterr().err
    assert main([*command, "--duplicates", "first"]) == 0
    assert "CoNLL average" in capsys.readouterr().out


def test_crossing_mentions_of_one_chain_cannot_be_bracketed():
    documents = documents_of([Document("d", [["a", "b", "c"]], [(0, 2), (1, 3)], [1, 1], ["", ""])])
    for write in (chains_text, entities_text):
        with pytest.raises(InputError, match="cross at word 2"):
            write(documents)
    assert as_set(read_jsonl(io.BytesIO(jsonl_text(documents)))) == as_set(documents)


def test_town_has_chains():
    documents = read_chains(io.StringIO(town_text("dev", sentences=200)))
    sizes = np.bincount(documents.chain)
    assert (sizes > 2).any()
    texts = [" ".join(documents.words[a:b]).lower() for a, b in zip(documents.first, documents.end)]
    assert {"he", "she", "it"} <= set(texts)


def test_litbank_reads_as_its_readme_says():
    for part, sizes in (("train", (80, 169456, 23218, 6344)), ("dev", (10, 20438, 3053, 776)), ("test", (10, 20638, 2832, 807))):
        documents = read_chains(str(public(f"litbank_coref/{part}.conll.gz")[0]))
        assert (len(documents.given), len(documents), documents.mentions, documents.chain.max() + 1) == sizes
    again = read_chains(io.BytesIO(chains_text(documents)))
    np.testing.assert_array_equal(again.chain, documents.chain)


def test_a_folder_is_its_files(tmp_path):
    text, span = "Ann left. She ran.", [[0, 3], [10, 13]]
    (tmp_path / "b").mkdir()
    for name, words in (("a.txt", text), ("b/c.txt", text), ("readme", "no document")):
        (tmp_path / name).write_text(words)
    (tmp_path / "a.ann").write_text("T1\tPER 0 3\tAnn\nT2\tPER 10 13\tShe\n*\tEquiv T1 T2\n")
    found = open_documents(str(tmp_path))  # a.txt is the text of a.ann; c.txt is one of its own
    assert [document.name for document in found.given] == ["a", "c.txt"]
    assert [json.loads(line)["clusters"] for line in jsonl_text(found).splitlines()] == [[span], []]
    assert found.format == "jsonl"
    assert [document.name for document in open_documents(str(tmp_path), layout="brat").given] == ["a"]
    with pytest.raises(InputError, match=r"no file in this folder ends in \.conllu"):
        open_documents(str(tmp_path), layout="conllu")
    for name in ("1.conll", "2.conll"):
        (tmp_path / "b" / name).write_text(LINES.replace("Bob Lee", "Bob"))
    both = open_documents(str(tmp_path / "b"), layout="conll2012")
    assert [as_set(both, d) for d in range(2)] == [{frozenset(chain) for chain in CHAINS}] * 2
    assert chains_text(both) == 2 * chains_text(open_documents(str(tmp_path / "b" / "1.conll")))
    (tmp_path / "b" / "2.conll").write_text("a x (1\n")
    with pytest.raises(InputError, match=r"2\.conll:1: a mention of chain 1 is opened here"):
        open_documents(str(tmp_path / "b"), layout="conll2012")
