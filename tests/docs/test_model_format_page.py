"""docs/model-format.md: what it says a tagger's file holds is what files hold, and its Python runs."""

import re
from pathlib import Path

import numpy as np
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


def named(arrays) -> set[str]:
    """Arrays by name; a packed table is one."""
    return {name.removesuffix(".kept").removesuffix(".values") for name in arrays}


def shape(header, arrays, name: str) -> tuple[int, ...]:
    """Of a table, packed or not."""
    return tuple(header["shapes"][name]) if name in header.get("shapes", {}) else arrays[name].shape


def test_a_tagger_holds_what_the_page_lists():
    header, arrays = saved(templates="own.templates", constraints=ANY_PAIR)
    own = {name for name in named(arrays) if not name.startswith("features.")}
    sometimes = {"pruned", "left_out", "small"}
    assert first_cells("## A tagger") == set(header) - {"format", "kind", "shapes"} | own | set(header["facts"]) | sometimes


def test_packed_tables_are_what_the_page_says():
    header, arrays = saved(templates="own.templates")
    (name, *_), loaded = header["shapes"], wm.load("chunker.safetensors").weights
    rows, columns = header["shapes"][name]
    table = np.zeros(rows * columns, np.float32)
    table[np.unpackbits(arrays[f"{name}.kept"], count=rows * columns).astype(bool)] = arrays[f"{name}.values"]
    whole = {"weights.node": loaded.labels, "weights.edge": loaded.transitions}[name]
    np.testing.assert_array_equal(table.reshape(rows, columns), whole[:, :columns])


def test_a_kernel_model_holds_what_the_page_lists():
    header, arrays = saved(templates="own.templates", learner="smo", settings={"kernel": "rbf"})
    own = {name for name in arrays if name.startswith("support.")}
    assert first_cells("### Kernel models") == own | {"kernel"}
    assert header["format"] == (5 if "shapes" in header else 2)
    assert set(header["kernel"]) == {"kind", "degree", "gamma", "coef"}
    assert shape(header, arrays, "weights.node")[0] == 0


def test_features_by_templates_are_what_the_page_lists():
    header, arrays = saved(templates="own.templates")
    generic = {re.sub(r"\.\d+\.", ".J.", name) for name in arrays if name.startswith("features.")}
    listed = first_cells("### Features by templates")
    edges = {f"features.edges.{name}" for name in ("table", "template", "atoms")}
    assert generic == (listed - {"features.edges.*"}) | edges
    assert set(header["features"]) == {"templates", "cutoff", "bits", "columns", "lexicons", "learnt"}
    assert shape(header, arrays, "weights.edge") == (2 * (1 + len(arrays["features.edges.template"])), 4)
    assert not any(name.startswith("features.nodes") for name in saved(templates="own.templates", hash_bits=4)[1])


def test_given_features_are_what_the_page_lists():
    given = [[{"word": word} for word, _ in row] for row in X]
    header, arrays = saved(given)
    assert set(header["features"]) == {"kind", "cutoff", "bits", "width"}
    assert {name for name in arrays if name.startswith("features.")} == {"features.pool", "features.bounds", "features.table"}
    assert named(saved(given, hash_bits=4)[1]) == {"weights.node", "weights.edge"}


def test_an_expanded_kernel_is_what_the_page_says():
    header, arrays = saved(templates="own.templates", settings={"kernel": "poly", "expand": True})
    assert set(header["features"]) == {"kind", "kernel", "conjunction_cutoff", "base"}
    assert set(header["features"]["kernel"]) == {"kind", "degree", "gamma", "coef"}
    own = {name for name in arrays if name.startswith("features.") and not name.startswith("features.base.")}
    assert own == {"features.link", "features.slots"}
    assert len(arrays["features.link"]) == shape(header, arrays, "weights.node")[0]


def test_the_python_runs():
    saved()
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    exec(compile(code, "model-format.md", "exec"), {})
