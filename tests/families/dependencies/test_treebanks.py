"""CoNLL-U and CoNLL-X: the same bytes out as in, new heads and relations in their places, and faults named by line."""

import gzip
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from public_data import public

from widemargin.errors import InputError
from widemargin.families.dependencies.conllu import read_treebank, stream_treebank, write_treebank
from widemargin.families.recipes import Recipe

SMALL = """# newdoc id = one
# sent_id = 1
# text = We did n't go
1\tWe\twe\tPRON\tPRP\tCase=Nom|Number=Plur\t4\tnsubj\t4:nsubj\t_
2-3\tdidn't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tdid\tdo\tAUX\tVBD\t_\t4\taux\t4:aux\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tgo\tgo\tVERB\tVB\t_\t0\troot\t0:root\t_
4.1\tthere\tthere\tADV\tRB\t_\t_\t_\t4:advmod\t_

# newdoc id = two
# sent_id = 2
1\tNew York\tNew York\tPROPN\tNNP\t_\t2\tnsubj:pass\t_\t_
2\tcalled\tcall\tVERB\tVBN\t_\t0\troot\t_\t_

"""


def reading(text: str | bytes, **options):
    return read_treebank(io.BytesIO(text if isinstance(text, bytes) else text.encode()), **options)


def written(treebank, **changes) -> bytes:
    out = io.BytesIO()
    write_treebank(treebank, out, **changes)
    return out.getvalue()


def rows(*heads, relations=None) -> str:
    """A sentence of words a, b, c, ... with these heads."""
    relations = relations or ["dep"] * len(heads)
    return "".join(f"{i}\t{chr(96 + i)}\t_\tX\t_\t_\t{head}\t{relations[i - 1]}\t_\t_\n" for i, head in enumerate(heads, 1)) + "\n"


def test_columns_trees_and_lines_aside():
    treebank = reading(SMALL)
    assert treebank.heads.tolist() == [4, 4, 4, 0, 2, 0]
    assert treebank.row_ptr.tolist() == [0, 4, 6]
    assert treebank.names(1) == ["nsubj:pass", "root"]
    assert treebank.words(1) == ["New York", "called"]
    assert treebank.columns.doc_ptr.tolist() == [0, 1, 2]
    assert treebank.columns.where(4).endswith(":13")
    assert [place for place, _ in treebank.lines_aside(0)] == [0, 0, 0, 1, 4]
    assert treebank.lines_aside(0)[-1][1].startswith("4.1\tthere")
    assert treebank.lines_aside(1) == [
        (0, "# newdoc id = two"),
        (0, "# sent_id = 2"),
    ]
    assert treebank.columns.cells("upos")[:2] == ["PRON", "AUX"]
    assert treebank.columns.cells("misc") == ["_"] * 6


@pytest.mark.parametrize(
    "text",
    [
        SMALL,
        SMALL.replace("\n", "\r\n"),
        SMALL.rstrip("\n"),
        "\n\n" + SMALL + "\n\n# the end\n",
        SMALL.replace("\n\n", "\n  \n\n\n"),
        rows(2, 0) + rows(0),
        rows("_", "_", 0),
    ],
)
def test_the_same_bytes_come_back(text):
    treebank = reading(text)
    assert written(treebank) == text.encode()
    assert written(treebank, heads=treebank.heads) == text.encode()
    assert written(treebank, relations=(treebank.relation, treebank.relations)) == text.encode()


def test_new_trees_are_written_in_their_columns_only():
    treebank = reading(SMALL)
    heads, relation = np.array([2, 0, 2, 2, -1, 1]), np.array([0, 1, 0, 0, -1, 1])
    got = written(treebank, heads=heads, relations=(relation, ["dépend", "root"])).decode()
    want = [line.split("\t") for line in SMALL.splitlines()]
    new = iter(zip(heads, relation))
    for cells in want:
        if cells[0].isdecimal():
            head, r = next(new)
            cells[6:8] = ["_" if head < 0 else str(head), "_" if r < 0 else ["dépend", "root"][r]]
    assert got == "\n".join("\t".join(cells) for cells in want) + "\n"
    with pytest.raises(InputError, match="one of each per word"):
        written(treebank, heads=heads[:2])


def test_relations_that_are_not_known_stay_so():
    """`_` beside a known head is a relation where the file has others, so that what is unknown there is written `?`."""
    text = rows(0, 1, 1, relations=["root", "_", "?"])
    treebank = reading(text)
    assert treebank.relation.tolist() == [0, 1, -1]
    assert written(treebank, relations=(treebank.relation, treebank.relations)) == text.encode()
    hidden = reading(written(treebank, relations=(np.array([0, -1, 1]), treebank.relations)))
    assert hidden.relation.tolist() == [0, -1, 1]
    unlabelled = rows(0, 1, 1, relations=["_", "_", "?"])
    assert written(reading(unlabelled), relations=(np.full(3, -1), ())) == unlabelled.encode()


heads_of = st.integers(1, 9).flatmap(lambda n: st.permutations(range(1, n + 1)))


@st.composite
def sentences(draw):
    """A sentence whose tree grows by hanging each word, in a random order, on an earlier one or the root."""
    order = draw(heads_of)
    heads = [0] * len(order)
    for at, word in enumerate(order):
        heads[word - 1] = draw(st.sampled_from(["_", 0, *order[:at]]))
    cell = st.text(st.characters(blacklist_characters="\t\n\r", blacklist_categories=("Cs",)), min_size=1, max_size=4)
    lines = [f"# {draw(cell)}" for _ in range(draw(st.integers(0, 2)))]
    for i, head in enumerate(heads, 1):
        if i < len(heads) and draw(st.booleans()):
            lines.append(f"{i}-{i + 1}" + "\t_" * 9)
        lines.append(f"{i}\t{draw(cell)}\t_\tX\t_\t{draw(cell)}\t{head}\t{draw(cell)}\t_\t{draw(cell)}")
        if draw(st.booleans()):
            lines.append(f"{i}.1" + "\t_" * 9)
    return heads, lines


@settings(max_examples=60)
@given(st.lists(sentences(), min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_any_treebank_comes_back(parts, end, ended):
    text = "".join(end.join([*lines, "", ""]) for _, lines in parts)
    data = (text if ended else text.rstrip("\r\n")).encode()
    treebank = reading(data)
    assert treebank.heads.tolist() == [-1 if head == "_" else head for heads, _ in parts for head in heads]
    assert written(treebank) == data
    assert written(treebank, heads=treebank.heads, relations=(treebank.relation, treebank.relations)) == data


def test_subtypes_can_be_cut_without_touching_the_text():
    treebank = reading(SMALL, subtypes=False)
    assert treebank.names(1) == ["nsubj", "root"]
    assert written(treebank) == SMALL.encode()


def test_conll_x_is_guessed_by_its_heads_or_named():
    text = "1\ta\t_\tN\tN\t_\t2\tSBJ\t2\tSBJ\n2\tb\t_\tV\tV\t_\t0\tROOT\t0\tROOT\n\n"
    treebank = reading(text)
    assert treebank.format == "conllx"
    assert treebank.columns.names[3:] == (
        "cpostag",
        "postag",
        "feats",
        "head",
        "deprel",
        "phead",
        "pdeprel",
    )
    assert written(treebank) == text.encode()
    assert reading(text, format="conllu").format == "conllu"
    assert reading(rows(0)).format == "conllu"
    with pytest.raises(InputError, match=":1: CoNLL-X has neither comments"):
        reading("# no\n" + text, format="conllx")
    with pytest.raises(InputError, match="conllu, conllx"):
        reading(text, format="conll09")


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (rows(0) + "1\ta\tb\n\n", 3, "3 columns"),
        ("# c\n1-2\tx\n" + rows(0, 1), 2, "2 columns"),
        (rows(0, "x"), 2, "head 'x' is not a whole number"),
        (rows(0, "01"), 2, "head '01'"),
        (rows(0) + rows(0, 3), 4, "head 3 of 'b' (2) is not in its sentence, which has 2 words"),
        (rows(0, 3, 2), 2, "circle: 'b' (2) -> 'c' (3) -> 'b' (2)"),
        (rows(0, 2), 2, "circle: 'b' (2) -> 'b' (2)"),
        (rows(0, 1).replace("2\tb", "3\tb"), 2, "id '3' should be 2"),
        (rows(0, 1).replace("2\tb", "x\tb"), 2, "id 'x' is not a whole number"),
        (rows(0) + "-DOCSTART-" + "\t_" * 9 + "\n\n" + rows(0), 3, "# newdoc"),
        ("1-3" + "\t_" * 9 + "\n" + rows(0, 1), 1, "multi-word token 1-3"),
        (rows(0, 1) + "\n5.1" + "\t_" * 9 + "\n", 5, "empty node 5.1"),
        ("1-" + "\t_" * 9 + "\n" + rows(0, 1), 1, "id '1-' is neither"),
        ("\n# nothing\n", None, "no word"),
    ],
)
def test_faults_are_named_by_line(text, line, says):
    with pytest.raises(InputError) as found:
        reading(text)
    assert says in str(found.value)
    assert line is None or f"<file>:{line}: " in str(found.value)


def test_a_second_root_is_a_fault_only_when_one_is_asked_for():
    text = rows(0, 1) + rows(0, 1, 0)
    assert reading(text).tokens == 5
    with pytest.raises(InputError, match=r":6: 'c' \(3\) is a second root besides 'a' \(1\)"):
        reading(text, single_root=True)


def test_bytes_that_are_no_utf_8_are_named_even_in_comments():
    data = b"# caf\xe9\n" + rows(0).encode()
    with pytest.raises(InputError, match=":1: the byte 0xe9"):
        reading(data)
    assert written(reading(data, encoding="latin-1")) == data.decode("latin-1").encode()


def test_streams_are_the_file_in_pieces(tmp_path):
    text = "".join(f"# sent {i}\n" + rows(*([0] + [1] * (i % 4))) for i in range(50)) + "# end\n"
    path = tmp_path / "a.conllu.gz"
    path.write_bytes(gzip.compress(text.encode()))
    whole, pieces = read_treebank(path), list(stream_treebank(path, words=20))
    assert len(pieces) > 5
    assert b"".join(map(written, pieces)) == text.encode()
    for name in ("heads", "relation"):
        assert np.array_equal(np.concatenate([getattr(piece, name) for piece in pieces]), getattr(whole, name))
    assert np.array_equal(np.concatenate([piece.columns.line for piece in pieces]), whole.columns.line)
    write_treebank(whole, tmp_path / "b.conllu.gz")
    assert gzip.decompress((tmp_path / "b.conllu.gz").read_bytes()) == text.encode()
    path.write_bytes(gzip.compress((text + rows(2, 1)).encode()))
    with pytest.raises(InputError, match=f":{text.count(chr(10)) + 1}: .* circle"):
        list(stream_treebank(path, words=20))


def slow_crossed(heads: list[int]) -> int:
    """Arcs that some other arc (the root's from far left among them) crosses at a point that its head does not dominate."""

    def above(word: int) -> list[int]:
        return [word] if word == 0 else [word, *above(heads[word - 1])]

    return sum(any(h not in above(k) for k in range(min(h, m) + 1, max(h, m))) for m, h in enumerate(heads, 1) if h)


@settings(max_examples=60)
@given(sentences())
def test_crossed_arcs_are_counted(sentence):
    heads = [0 if head == "_" else head for head in sentence[0]]
    assert reading(rows(*heads)).crossed().tolist() == [slow_crossed(heads)]


def test_real_treebanks_come_back_byte_for_byte():
    for path in public("*/*.conllu.gz"):
        data, treebank = gzip.decompress(path.read_bytes()), read_treebank(path, single_root=True)
        assert written(treebank) == data
        assert written(treebank, heads=treebank.heads, relations=(treebank.relation, treebank.relations)) == data


def words(*arcs: tuple[str, str]) -> bytes:
    return b"".join(f"{i}\tw{i}\t_\tX\t_\t_\t{head}\t{relation}\t_\t_\n".encode() for i, (head, relation) in enumerate(arcs, 1)) + b"\n"


@pytest.mark.twice
@pytest.mark.parametrize(
    ("arcs", "relations", "heads"),
    [
        ((("0", "root"), ("1", "_"), ("_", "_")), ["root", "_", None], [0, 1, -1]),  # a bare arc beside others has a relation of its own
        ((("0", "_"), ("1", "_")), [None, None], [0, 1]),  # a treebank without relations
        ((("0", "root"), ("1", "?"), ("?", "?")), ["root", None, None], [0, 1, -1]),
        ((("0", "_"), ("_", "obj")), [None, "obj"], [0, -1]),  # the relations there are stand beside no head
    ],
)
def test_relations_without_a_name(tmp_path, arcs, relations, heads):
    path = tmp_path / "t.conllu"
    path.write_bytes(words(*arcs))
    treebank = read_treebank(str(path))
    assert [treebank.relations[r] if r >= 0 else None for r in treebank.relation] == relations
    assert treebank.heads.tolist() == heads


@pytest.mark.twice
def test_what_is_not_known_is_said(tmp_path):
    path = tmp_path / "t.conllu"
    path.write_bytes(words(("0", "root"), ("1", "?"), ("?", "?")) * 3)
    assert unknown_arcs_of(str(path)) == (
        "the heads of 3 words and the relations of 3 words with a head are not known: they are learnt as hidden ones",
    )


def unknown_arcs_of(path: str) -> tuple[str, ...]:
    recipe = Recipe("depparse", structure="arborescence", settings={"epochs": 1})
    return recipe.family.pose(recipe, read_treebank(path)).remarks
