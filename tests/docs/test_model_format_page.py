"""docs/model-format.md: what it says a tagger's file holds is what files hold, and its Python runs."""

import re
from pathlib import Path

import pytest

import widemargin as wm
from widemargin import models

TEXT = (Path(__file__).parents[2] / "docs" / "model-format.md").read_text(encoding="utf-8")
X = [[("Ella", "NNP"), ("slept", "VBD")], [("It", "PRP"), ("rained", "VBD")]]
Y = [["B-PER", "O"], ["O", "O"]]
ANY_PAIR = [(a, b) for a in ("B-PER", "O") for b in ("B-PER", "O")]
TEMPLATES = 'word[-1..0]\nhad(word,pos,2)\nin(word,"names.txt")\nlabel[-1] pos\n'


def first_cells(heading: str) -> set[str]:
    """Names between backticks in the first cells of the tables below a heading; .bounds after x.pool is x.bounds."""
    below = TEXT.split(heading + "\n")[1].split("\n#")[0]
    names: set[str] = set()
    for line in below.splitlines():
        if line.startswith("| `"):
            cell = re.findall(r"`([^`]+)`", line.split(" | ")[0])
            stem = cell[0].rpartition(".")[0]
            names |= {stem + name if name.startswith(".") else name for name in cell}
    return names


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("names.txt").write_text("Ella\n")
    Path("own.templates").write_text(TEMPLATES)


def saved(X=X, y=Y, **parameters) -> tuple[dict, dict]:
    wm.SequenceTagger(epochs=1, **parameters).fit(X, y).save("chunker.safetensors")
    return models.load("chunker.safetensors")


def test_a_tagger_holds_what_the_page_lists():
    header, arrays = saved(templates="own.templates", constraints=ANY_PAIR)
    own = {name for name in arrays if not name.startswith("features.")}
    assert first_cells("## A tagger") == set(header) - {"format", "kind"} | own | set(header["facts"]) | {"pruned"}


def test_a_kernel_model_holds_what_the_page_lists():
    header, arrays = saved(templates="own.templates", learner="smo", settings={"kernel": "rbf"})
    own = {name for name in arrays if name.startswith("support.")}
    assert first_cells("### Kernel models") == own | {"kernel"}
    assert header["format"] == 2
    assert set(header["kernel"]) == {"kind", "degree", "gamma", "coef"}
    assert len(arrays["weights.node"]) == 0


def test_features_by_templates_are_what_the_page_lists():
    header, arrays = saved(templates="own.templates")
    generic = {re.sub(r"\.\d+\.", ".J.", name) for name in arrays if name.startswith("features.")}
    listed = first_cells("### Features by templates")
    edges = {f"features.edges.{name}" for name in ("table", "template", "atoms")}
    assert generic == (listed - {"features.edges.*"}) | edges
    assert set(header["features"]) == {"templates", "cutoff", "bits", "columns", "lexicons", "learnt"}
    assert arrays["weights.edge"].shape == (2 * (1 + len(arrays["features.edges.template"])), 4)
    assert not any(name.startswith("features.nodes") for name in saved(templates="own.templates", hash_bits=4)[1])


def test_given_features_are_what_the_page_lists():
    given = [[{"word": word} for word, _ in row] for row in X]
    header, arrays = saved(given)
    assert set(header["features"]) == {"kind", "cutoff", "bits", "width"}
    assert {name for name in arrays if name.startswith("features.")} == {"features.pool", "features.bounds", "features.table"}
    assert set(saved(given, hash_bits=4)[1]) == {"weights.node", "weights.edge"}


def test_an_expanded_kernel_is_what_the_page_says():
    header, arrays = saved(templates="own.templates", settings={"kernel": "poly", "expand": True})
    assert set(header["features"]) == {"kind", "kernel", "conjunction_cutoff", "base"}
    assert set(header["features"]["kernel"]) == {"kind", "degree", "gamma", "coef"}
    own = {name for name in arrays if name.startswith("features.") and not name.startswith("features.base.")}
    assert own == {"features.link", "features.slots"}
    assert len(arrays["features.link"]) == len(arrays["weights.node"])


def test_the_python_runs():
    saved()
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    exec(compile(code, "model-format.md", "exec"), {})
