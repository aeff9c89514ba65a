"""Same-document memory against counting with dicts, and through templates, files, pieces and models."""

import dataclasses
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from public_data import public

from widemargin.errors import InputError
from widemargin.families.recipes import Recipe, train
from widemargin.families.tagging.model import Tagger
from widemargin.families.tagging.sources import open_columns
from widemargin.features.extractor import Extractor
from widemargin.features.functions import FUNCTIONS
from widemargin.features.memory import Memory
from widemargin.features.named import load_templates
from widemargin.features.templates import parse_templates
from widemargin.readers.columns import from_sentences, read_columns, stream_columns

WHATS = FUNCTIONS["document"].choices
WORDS = ["bank", "Bank", "BANK", "of", "Of", "England", "ENGLAND", "england", "'s", ".", "7", "iPhone", "Éa", "éa", "ß", ""]


def twin(document):
    """What each token of a document (sentences of strings) remembers, by plain counting; None where it is silent."""
    telling = [sentence for sentence in document if any(word.upper() != word for word in sentence)]
    inner = [(sentence, i) for sentence in telling for i in range(len(sentence)) if i > 0 and sentence[i][:1].isupper()]
    anywhere = [(sentence, i) for sentence in telling for i in range(len(sentence)) if sentence[i][:1].isupper()]
    runs = []
    for sentence in telling:
        marks = "".join("x" if i > 0 and word[:1].isupper() else "-" for i, word in enumerate(sentence))
        runs += [[word.lower() for word in sentence[found.start() : found.end()]] for found in re.finditer("x+", marks)]

    def remembers(word):
        low = word.lower()
        if not word[:1].isupper():
            return dict.fromkeys(WHATS)
        capitals = sum(sentence[i].lower() == low for sentence, i in inner)
        smalls = sum(other.lower() == low and other[:1].islower() for sentence in document for other in sentence)
        after = Counter(sentence[i + 1].lower() for sentence, i in anywhere if sentence[i].lower() == low and i + 1 < len(sentence))
        before = Counter(sentence[i - 1].lower() for sentence, i in inner if sentence[i].lower() == low)
        among = Counter(tuple(run) for run in runs for other in run if other == low)
        run = max(among, key=lambda run: (len(run), among[run])) if among else None
        return {
            "case": f"{min(2, capitals)}/{min(2, smalls)}",
            "next": after.most_common(1)[0][0] if after else None,
            "previous": before.most_common(1)[0][0] if before else None,
            "name": f"{run[0]}|{run[-1]}" if run else None,
            "place": f"{run.index(low) + 1}/{min(4, len(run))}" if run else None,
        }

    return [remembers(word) for sentence in document for word in sentence]


def remembered(columns):
    """The same from the library."""
    memory, out = Memory.of(columns, 0), [{} for _ in range(columns.tokens)]
    for what in WHATS:
        number, texts = memory.recall(what)
        assert len(set(texts)) == len(texts)
        for token, n in zip(out, number[memory.codes].tolist()):
            token[what] = texts[n] if n >= 0 else None
    return out


def columns_of(stories, **options):
    sentences = [[(word,) for word in sentence] for document in stories for sentence in document]
    return from_sentences(sentences, names=("word",), **options)


documents_drawn = st.lists(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=7), min_size=1, max_size=6), min_size=1, max_size=4
)


@settings(max_examples=300)
@given(documents_drawn)
def test_equals_plain_counting(documents):
    columns = columns_of(documents, documents=[len(document) for document in documents])
    assert remembered(columns) == [token for document in documents for token in twin(document)]


@settings(max_examples=50)
@given(documents_drawn)
def test_without_marks_each_sentence_remembers_itself(documents):
    expected = [token for document in documents for sentence in document for token in twin([sentence])]
    assert remembered(columns_of(documents)) == expected


STORY = [
    ["BANK", "OF", "ENGLAND", "CUTS", "RATES"],
    ["The", "Bank", "of", "England", "said", "so", "."],
    ["Analysts", "of", "Barclays", "Bank", "Plc", "met", "Bank", "officials", "."],
    ["Bank", "of", "England", "watchers", "bank", "on", "England", "."],
]


def test_a_story():
    word = dict(zip((word for sentence in STORY for word in sentence), twin(STORY)))
    assert word["Bank"] == {"case": "2/1", "next": "of", "previous": "the", "name": "barclays|plc", "place": "2/3"}
    assert word["ENGLAND"] == {"case": "2/0", "next": "said", "previous": "of", "name": "england|england", "place": "1/1"}
    assert word["RATES"] == {"case": "0/0", "next": None, "previous": None, "name": None, "place": None}
    assert remembered(columns_of([STORY], documents=[4])) == twin(STORY)


FIRST, SECOND = "Bank of X\n\nthe Bank fell\n", "Bank on\n\na Bank rose\n"
MARK = "-DOCSTART-\n\n"


@pytest.mark.parametrize(
    ("text", "tokens", "expected"),
    [
        (MARK + FIRST + "\n" + MARK + SECOND, 6, ["1/0", "1/0", "1/0", "1/0"]),
        (MARK + FIRST + "\n" + SECOND, 11, ["2/0", "2/0", "2/0", "2/0"]),
        (FIRST + "\n" + SECOND, 3, ["0/0", "1/0", "0/0", "1/0"]),
        (FIRST + "\n" + MARK + SECOND, 5, ["0/0", "1/0", "1/0", "1/0"]),
    ],
)
def test_documents_of_files(tmp_path, text, tokens, expected):
    """Before the first mark there is no document; in pieces it is the same, as long as a document fits into one."""
    path = tmp_path / "words"
    path.write_text(re.sub("(?<=[^-]) ", "\n", text))
    for columns in [read_columns(path)], list(stream_columns(path)), list(stream_columns(path, tokens=tokens)):
        found = [
            token["case"] for piece in columns for token, cell in zip(remembered(piece), piece.cells(0), strict=True) if cell == "Bank"
        ]
        assert found == expected


def test_a_document_longer_than_a_piece_stays_a_document(tmp_path):
    path = tmp_path / "words"
    path.write_text(MARK + "the\nBank\n\n" * 6)
    cases = [{token["case"] for token in remembered(piece)} for piece in stream_columns(path, tokens=4)]
    assert cases == 3 * [{None, "2/0"}]


def test_marks_are_written_and_read_again(tmp_path):
    columns = columns_of([STORY[:1], STORY[1:]], documents=[1, 3])
    path = tmp_path / "words"
    path.write_bytes(columns.text.tobytes())
    again = read_columns(path, separator="\t")
    assert again.doc_ptr.tolist() == columns.doc_ptr.tolist() == [0, 1, 4]
    assert again.line.tolist() == columns.line.tolist()
    assert again.begin.tolist() == columns.begin.tolist()
    assert (again.marked, columns.marked, columns_of([STORY]).marked) == (True, True, False)


@pytest.mark.parametrize("documents", [[3], [2, 3], [4, 0], [5, -1], []])
def test_documents_must_add_up(documents):
    with pytest.raises(InputError, match="say how many each one has, from 1 up"):
        columns_of([STORY], documents=documents)


def names_of(text, columns):
    extractor = Extractor(parse_templates(text, columns=columns.names))
    found = extractor.fit(columns)
    assert [extractor.nodes.find(name) for name in extractor.nodes.names()] == list(range(len(extractor.nodes)))
    at = found.node_ptr.tolist()
    return [[extractor.nodes.name(f) for f in found.node_ind[a:b]] for a, b in zip(at, at[1:])]


def test_offsets_conjunctions_and_functions_of_it():
    columns = from_sentences([[("The", "D"), ("Bank", "N"), ("fell", "V")]], names=("word", "pos"))
    assert names_of("document(word,next)[-1..1]", columns) == [
        ["document(word,next)[0]=bank", "document(word,next)[1]=fell"],
        ["document(word,next)[-1]=bank", "document(word,next)[0]=fell"],
        ["document(word,next)[-1]=fell"],
    ]
    assert names_of("document(0,case)[-1] pos", columns)[1:] == [
        ["document(0,case)[-1]=0/0 & pos[0]=N"],
        ["document(0,case)[-1]=1/0 & pos[0]=V"],
    ]
    assert names_of("suffix(document(word,previous),2)", columns) == [[], ["suffix(document(word,previous),2)[0]=he"], []]
    extractor = Extractor(parse_templates("label[-1] document(word,place)"))
    extractor.fit(columns)
    assert extractor.edges.names() == ["label[-1] & document(word,place)[0]=1/1"]


@pytest.mark.parametrize(
    ("text", "where", "sentence"),
    [
        ("document(word)", ":1:14", "a ',' should stand here; document is written document(word,next)."),
        ("document(word,)", ":1:15", "document needs one of case, next, previous, name, place here, e.g. document(word,next)."),
        ("document(word,pos)", ":1:15", "document needs one of case, next, previous, name, place here"),
        ("document(lower(word),next)", ":1:10", "document(...) needs a column as it is written, with its capitals; write"),
        ("document(tag,next)", ":1:10", "there is no column 'tag'"),
        ("document?(word,next)", ":1:1", "only in?(...) can be optional"),
    ],
)
def test_wrong_use(text, where, sentence):
    with pytest.raises(InputError, match=re.escape(f"T{where}: {sentence}")):
        parse_templates(text, source="T", columns=["word", "pos"])


def test_a_model_remembers_after_loading_and_in_pieces(tmp_path):
    """town has documents: whole, in pieces and from a file it is tagged alike; without its marks it is not."""
    recipe = Recipe(task="ner", templates="ner-memory", settings={"epochs": 2, "seed": 1})
    model = train(recipe, open_columns("town:train:300", "ner"))
    model.save(str(tmp_path / "m.safetensors"))
    loaded, columns = Tagger.load(str(tmp_path / "m.safetensors")), open_columns("town:test:300", "ner")
    assert len(columns.doc_ptr) > 10
    whole = loaded.features(columns)
    path = tmp_path / "test.txt"
    path.write_bytes(columns.text.tobytes())
    for tokens in (400, 1000):
        pieces = list(stream_columns(path, names=columns.names, tokens=tokens))
        assert len(pieces) > 3
        found = np.concatenate([loaded.features(piece, threads=2).node_ind for piece in pieces])
        assert found.tolist() == whole.node_ind.tolist()
        assert np.concatenate([loaded.predict_codes(piece) for piece in pieces]).tolist() == model.predict_codes(columns).tolist()
    alone = dataclasses.replace(columns, marked=False, doc_ptr=columns.doc_ptr[[0, -1]])
    assert loaded.features(alone).node_ind.tolist() != whole.node_ind.tolist()


def test_the_set_holds_all_of_ner_rich():
    rich, memory = (set(load_templates(name)) for name in ("ner-rich", "ner-memory"))
    assert rich < memory
    assert all("document(word," in str(template) for template in memory - rich)


def test_real_documents():
    columns = read_columns(public("conll2003/eng.testa.gz")[0])
    words, documents = columns.cells(0), []
    for low, high in zip(columns.doc_ptr[:40], columns.doc_ptr[1:41]):
        bounds = columns.row_ptr[low : high + 1].tolist()
        documents.append([words[a:b] for a, b in zip(bounds, bounds[1:])])
    expected = [token for document in documents for token in twin(document)]
    assert remembered(columns)[: len(expected)] == expected
