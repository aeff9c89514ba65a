"""Clusters from JSON lines, folders and Python; candidates among their sentences."""

import gzip
import json

import pytest

from widemargin import InputError, open_clusters
from widemargin.corpora.town.clusters import clusters_text
from widemargin.families.summaries.candidates import Extraction, candidates_of
from widemargin.families.summaries.clusters import clusters_of

pytestmark = pytest.mark.twice
RECORD = {"id": "x", "documents": ["One cat sat. Two cats ran!", "Three dogs."], "references": ["A cat."], "more": 1}


def test_a_file_a_packed_file_a_folder_and_python_are_the_same(tmp_path):
    (tmp_path / "a.jsonl").write_text("\n" + json.dumps(RECORD) + "\n\n")
    with gzip.open(tmp_path / "a.jsonl.gz", "wt") as file:
        file.write(json.dumps(RECORD))
    folder = tmp_path / "all" / "x"
    (folder / "references").mkdir(parents=True)
    for name, text in (("1.txt", RECORD["documents"][0]), ("2.txt", RECORD["documents"][1]), ("references/a.txt", "A cat.")):
        (folder / name).write_text(text)
    found = [open_clusters(str(tmp_path / name)) for name in ("a.jsonl", "a.jsonl.gz", "all", "all/x")]
    found.append(clusters_of([RECORD]))
    assert len({clusters.text for clusters in found}) == 1
    (cluster,) = found[0].clusters
    assert [sentence.text for sentence in cluster.sentences] == ["One cat sat.", "Two cats ran!", "Three dogs."]
    for sentence in cluster.sentences:
        assert cluster.documents[sentence.document][sentence.begin : sentence.end] == sentence.text
    assert cluster.where.endswith("a.jsonl:2")
    assert found[0].row_ptr.tolist() == [0, 3]


BAD = {
    "{": "this is not JSON",
    "[1]": "not an object",
    "{}": "needs documents",
    '{"documents": ["a"], "sentences": ["b"]}': "one of the two",
    '{"documents": "a"}': "give a list of texts",
    '{"documents": []}': "at least one",
    '{"documents": [3]}': "give text, or a list of sentences",
    '{"documents": ["a"], "references": "b"}': "references is b; give a list of texts",
    '{"documents": ["a b."], "must": [1]}': "must has sentence 1",
    '{"documents": ["a b."], "never": [true]}': "never is",
    '{"documents": ["\\ud800"]}': "half of a surrogate pair",
    '{"documents": ["a"], "summary": 3}': "summary is 3",
    "[" * 100_000: "nested too deeply|not JSON",
}


@pytest.mark.parametrize("line", BAD, ids=lambda line: line[:40])
def test_bad_lines_are_refused_with_their_place(line, tmp_path):
    path = tmp_path / "bad"
    path.write_text(json.dumps(RECORD) + "\n" + line + "\n")
    with pytest.raises(InputError, match=BAD[line]) as error:
        open_clusters(str(path))
    assert f"{path}:2" in str(error.value)


def test_bytes_and_folders_that_hold_nothing(tmp_path):
    (tmp_path / "latin").write_bytes(b'{"documents": ["caf\xe9"]}')
    with pytest.raises(InputError, match="UTF-8"):
        open_clusters(str(tmp_path / "latin"))
    assert open_clusters(str(tmp_path / "latin"), encoding="latin-1").clusters[0].documents == ("café",)
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="neither text"):
        open_clusters(str(tmp_path / "none"))
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(InputError, match="no cluster"):
        open_clusters(str(tmp_path / "empty"))


def test_the_town_has_clusters_and_a_longer_part_begins_with_the_shorter():
    assert clusters_text("dev", clusters=5).startswith(clusters_text("dev", clusters=3))
    assert clusters_text("dev", clusters=2) != clusters_text("dev", clusters=2, seed=2)
    town = open_clusters("town:dev:4")
    assert len(town.clusters) == 4
    assert all(len(cluster.references) == 3 and len(cluster.documents) == 6 for cluster in town.clusters)
    with pytest.raises(InputError, match="no part"):
        clusters_text("autumn")


def cluster(*sentences, **more):
    return clusters_of([{"sentences": list(sentences), **more}]).clusters[0]


def test_duplicates_and_near_duplicates_are_no_candidates():
    texts = ("The red cat sat down.", "the RED cat, sat down", "The red cat sat down again", "No.", "Dogs bark at night")
    found = candidates_of(cluster(*texts), Extraction(50))
    assert found.sentences.tolist() == [0, 2, 4]
    assert candidates_of(cluster(*texts), Extraction(50, near=0.7)).sentences.tolist() == [0, 4]
    assert candidates_of(cluster(*texts), Extraction(50, least_words=1)).sentences.tolist() == [0, 2, 3, 4]
    assert candidates_of(cluster(*texts, must=[1, 3]), Extraction(50)).sentences.tolist() == [1, 2, 3, 4]
    often = candidates_of(cluster(*texts), Extraction(50, least_count=2)).bigrams
    assert often == [("cat", "sat"), ("red", "cat"), ("sat", "down"), ("the", "red")]


def test_what_must_be_there_must_fit():
    with pytest.raises(InputError, match="take 5 words, and the budget is 4"):
        candidates_of(cluster("The red cat sat down.", must=[0]), Extraction(4))


def test_facts_of_bigrams_are_counted():
    given = clusters_of([{"documents": [["the cat sat", "the cat ran fast"], ["a dog and the cat"]]}]).clusters[0]
    found = candidates_of(given, Extraction(50))
    b, facts = found.bigrams.index(("the", "cat")), found.facts
    assert (facts.documents, facts.count[b], facts.times[b], facts.stop[b], facts.place[b], facts.firsts[b]) == (2, 2, 3, 1, 0, 2)
    assert facts.frequency[b].tolist() == [1, 3]
    assert (facts.mean_length[b], facts.least_length[b]) == (4.0, 3)


def test_weights_of_reference_bigrams_are_shares_of_references():
    given = cluster("the cat sat here", references=["the cat sat. the cat", "the dog sat here"])
    found = candidates_of(given, Extraction(50))
    weight, total = found.reference_weights()
    shares = dict(zip(found.bigrams, weight.tolist()))
    assert shares == {("the", "cat"): 0.5, ("cat", "sat"): 0.5, ("sat", "here"): 0.5}
    assert total == 0.5 * (3 + 3)  # the cat, cat sat, sat the; the dog, dog sat, sat here
