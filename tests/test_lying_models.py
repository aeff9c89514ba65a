"""Files whose seal is right and whose contents are not: refused in a sentence that names the file, or harmless; nothing reaches a kernel.

The wide tests tell every lie that a table can list of every array and field of every kind of model. In plain Python an index out of bounds
is an IndexError, so nothing passes by luck.
"""

import contextlib
import copy

import model_kinds
import numpy as np
import pytest
from lies import lies_of

from widemargin import models
from widemargin.errors import InputError
from widemargin.families.registry import family_of_model

FAULTS = {  # of today and of yesterday: kind of model, what is changed, words of the refusal
    "bits beyond the rows": ("hashed", lambda h, a: h["features"].update(bits=28), "weights.node is float32"),
    "bits of names beyond the rows": ("hashed-names", lambda h, a: h["features"].update(bits=28), "weights.node is float32"),
    "a width beyond the rows": ("columns", lambda h, a: h["features"].update(width=9), "weights.node is float32"),
    "entries beyond the rows": (
        "chunk",
        lambda h, a: spoil(a, "features.nodes.table", lambda t: np.where(t, t + 5000, t)),
        "names numbers beyond",
    ),
    "an entry beyond the rows": ("names", lambda h, a: put(a, "features.table", 3, 4000), "names numbers beyond"),
    "no free slot": ("chunk", lambda h, a: a["features.nodes.table"].__setitem__(slice(None), 1), "no free slot"),
    "no free slot for edges": ("chunk", lambda h, a: a["features.edges.table"].__setitem__(slice(None), 1), "no free slot"),
    "no free slot for names": ("names", lambda h, a: a["features.table"].__setitem__(slice(None), 1), "no free slot"),
    "no free slot for conjunctions": ("expansion", lambda h, a: a["features.slots"].__setitem__(slice(None), 1), "no free slot"),
    "slots that are no power of 2": ("chunk", lambda h, a: cut(a, "features.nodes.table", 300), "not a power of 2"),
    "conjunctions beyond the rows": ("expansion", lambda h, a: put(a, "features.slots", 0, 10**6), "names numbers beyond"),
    "a link to itself": ("expansion", lambda h, a: put(a, "features.link", 1, 1 << 32), "joins what is not there"),
    "a link to no feature": ("expansion", lambda h, a: put(a, "features.link", 1, 10**6), "joins what is not there"),
    "a chain of links": (
        "expansion",
        lambda h, a: spoil(a, "features.link", lambda k: np.maximum(np.arange(len(k)) - 1, 0).astype("u8") << np.uint64(32)),
        "more than 2",
    ),
    "bounds beyond the pool": (
        "chunk",
        lambda h, a: spoil(a, "features.strings.0.bounds", lambda b: b + (1 << 44)),
        "bounds that decrease",
    ),
    "bounds that decrease": ("names", lambda h, a: put(a, "features.bounds", 1, 500), "bounds that decrease"),
    "negative bounds": ("names", lambda h, a: put(a, "features.bounds", 1, -5), "bounds that decrease"),
    "half a letter": ("names", lambda h, a: put(a, "features.pool", 0, 0x80), "not UTF-8"),
    "ranks beyond the strings": ("templates", lambda h, a: spoil(a, "features.learnt.0.ranks", lambda r: r + 10**6), "goes beyond"),
    "ranks of too many": (
        "templates",
        lambda h, a: spoil(a, "features.learnt.0.ranks", lambda r: np.repeat(r, 9, axis=1)),
        "ranks is int32",
    ),
    "keys out of order": ("templates", lambda h, a: spoil(a, "features.learnt.0.keys", lambda k: k[::-1]), "not in order"),
    "nothing learnt": ("templates", lambda h, a: h["features"].update(learnt=[]), "learnt"),
    "templates beyond the templates": ("chunk", lambda h, a: put(a, "features.nodes.template", 0, 77), "goes beyond"),
    "atoms beyond the strings": ("chunk", lambda h, a: put(a, "features.nodes.atoms", (0, 0), 10**6), "strings that do not exist"),
    "atoms far away": ("chunk", lambda h, a: put(a, "features.nodes.atoms", (0, 0), -(1 << 31)), "too far outside"),
    "cut weights": ("chunk", lambda h, a: cut(a, "weights.node", 10), "weights.node is float32"),
    "cut transitions": ("chunk", lambda h, a: cut(a, "weights.edge", 10), "weights.edge is float32"),
    "fewer lanes": ("chunk", lambda h, a: spoil(a, "weights.node", lambda w: w[:, :8]), "weights.node is float32"),
    "cut weights of a parser": ("eisner-labelled", lambda h, a: cut(a, "weights.arcs", 3), "weights.arcs is float32"),
    "cut weights of relations": ("eisner-labelled", lambda h, a: cut(a, "weights.labels", 3), "weights.labels is float32"),
    "bits of a parser": ("eisner", lambda h, a: h["features"].update(bits=20), "weights.arcs is float32"),
    "bits of a packed parser": ("packed", lambda h, a: h["features"].update(bits=28), "shapes"),
    "shapes of a packed parser": ("packed", lambda h, a: h["shapes"].update({"weights.arcs": [10**9, 10**9]}), "shapes"),
    "too few packed weights": ("packed", lambda h, a: cut(a, "weights.arcs.values", 3), "weights.arcs.values is float32"),
    "pointers of support": ("kernel", lambda h, a: spoil(a, "support.ptr", lambda p: p + (1 << 40)), "bounds that decrease"),
    "pointers that end early": ("kernel", lambda h, a: put(a, "support.ptr", slice(1, None), 0), "bounds that decrease"),
    "one alpha": ("kernel", lambda h, a: cut(a, "support.alpha", 1), "support.ptr is int64"),
    "features of support": ("kernel", lambda h, a: put(a, "support.ind", 0, 1 << 30), "goes beyond"),
    "other types": ("chunk", lambda h, a: spoil(a, "weights.node", lambda w: w.astype("f8")), "is float64"),
    "narrower tables": ("chunk", lambda h, a: spoil(a, "features.nodes.table", lambda t: t.astype("u4")), "is uint32"),
    "not a number": ("chunk", lambda h, a: put(a, "weights.node", (0, 0), np.nan), "NaN or infinity"),
    "an infinite alpha": ("kernel", lambda h, a: put(a, "support.alpha", (0, 0), np.inf), "NaN or infinity"),
    "no labels": ("chunk", lambda h, a: h.update(labels=[]), "labels in its header"),
    "a label twice": ("chunk", lambda h, a: h["labels"].__setitem__(0, h["labels"][1]), "labels in its header"),
    "more labels": ("chunk", lambda h, a: h["labels"].extend(f"B-{i}" for i in range(9)), "weights"),
    "features in a list": ("chunk", lambda h, a: h.update(features=[]), "features in its header is not an object"),
    "facts in a list": ("chunk", lambda h, a: h.update(facts=[]), "facts in its header is not an object"),
    "another structure": ("chunk", lambda h, a: h.update(structure="choice"), "has no transitions"),
    "a chain without transitions": ("choice", lambda h, a: h.update(structure="chain"), "weights.edge is float32"),
    "siblings without templates": ("eisner", lambda h, a: h.update(structure="siblings"), "siblings"),
    "templates without siblings": ("siblings", lambda h, a: h.update(structure="eisner"), "sib"),
    "temperature 0": ("chunk", lambda h, a: h.update(temperature=0), "temperature in its header"),
    "a negative temperature": ("eisner", lambda h, a: h.update(temperature=-2.0), "temperature in its header"),
    "a temperature in words": ("eisner", lambda h, a: h.update(temperature="hot"), "temperature in its header"),
    "masks that leave nothing": ("pairs", lambda h, a: a["legal.step"].__setitem__(slice(None), 0), "leave no sequence"),
    "constraints from a file": ("chunk", lambda h, a: h.update(constraints="pairs:/dev/zero"), "constraints in its header"),
    "a lexicon from a file": ("chunk", lambda h, a: h["features"]["templates"].append('in(word,"/dev/zero")'), "no file is read"),
    "a lexicon of arcs": ("eisner", lambda h, a: h["features"]["templates"].append('in(head.form,"/dev/zero")'), "no file is read"),
    "a kernel without a degree": ("kernel", lambda h, a: h["kernel"].update(degree=10**9), "degree in its header"),
    "a kernel that cannot be written out": ("expansion", lambda h, a: h["features"]["kernel"].update(kind="rbf"), "only poly"),
    "a label column in words": ("chunk", lambda h, a: h.update(label_column="²"), "label_column"),
    "an unknown task": ("eisner", lambda h, a: h.update(task="x" * 5000), "task"),
}


def put(arrays, name, place, value):
    arrays[name][place] = value


def cut(arrays, name, rows):
    arrays[name] = arrays[name][:rows]


def spoil(arrays, name, change):
    arrays[name] = np.ascontiguousarray(change(arrays[name]))


def refusal(path, header, arrays):
    """The sentence with which a file of these contents is refused."""
    models.save(path, header, arrays)
    with pytest.raises(InputError) as caught:
        model_kinds.load(str(path))
    assert caught.value.where == str(path)
    assert len(caught.value.sentence) < 300
    assert "\n" not in caught.value.sentence
    return caught.value.sentence


@pytest.mark.twice
@pytest.mark.parametrize("case", FAULTS)
def test_a_lie_is_refused(case, tmp_path):
    kind, change, words = FAULTS[case]
    header, arrays = model_kinds.parts(kind)
    change(header, arrays)
    assert words in refusal(tmp_path / "lie.safetensors", header, arrays)


@pytest.mark.wide
@pytest.mark.parametrize("kind", model_kinds.NAMES)
def test_the_truth_is_accepted(kind, tmp_path):
    header, arrays = model_kinds.parts(kind)
    models.save(tmp_path / "true", header, arrays)
    model = model_kinds.load(str(tmp_path / "true"))
    assert model_kinds.ask(model) == model_kinds.ask(type(model).of_parts(header, arrays))


# Lies by the dozen: refused, or what is asked then is answered


SIZED = ("weights", "support", "legal", "features.nodes.template")  # nothing else fits; tables may be larger


JUNK = (None, True, -1, 3, 10**30, 0.5, "x", "", [], ["x", "x"], [1], {}, {"a": {}})


def fields_of(header, path=()):
    """The places of all fields, objects inside too."""
    for key, value in header.items():
        yield (*path, key)
        if isinstance(value, dict):
            yield from fields_of(value, (*path, key))


def survives(header, arrays):
    """What happens to these contents of a file: they are refused in a sentence, or answer."""
    try:
        model = family_of_model(header, "FILE").load(header, arrays, "FILE")
    except InputError as error:
        assert error.where == "FILE"  # noqa: PT017
        assert len(error.sentence) < 300  # noqa: PT017
        return False
    with np.errstate(all="ignore"), contextlib.suppress(InputError):  # "this model was trained on top of base scores"
        model_kinds.ask(model)
    return True


@pytest.mark.wide
@pytest.mark.filterwarnings("ignore:.*(words? with tags|the grammar has no tree):RuntimeWarning")  # of parsers that know others
@pytest.mark.parametrize("kind", model_kinds.NAMES)
def test_no_array_is_believed(kind):
    header, arrays = model_kinds.parts(kind)
    for name in arrays:
        for how, lie in lies_of(arrays[name]):
            told = {key: array for key, array in arrays.items() if key != name} | ({} if lie is None else {name: np.asarray(lie)})
            same = lie is not None and lie.dtype == arrays[name].dtype and (lie.shape == arrays[name].shape or not name.startswith(SIZED))
            assert not survives(header, told) or same, (name, how)


@pytest.mark.wide
@pytest.mark.filterwarnings("ignore:.*(words? with tags|the grammar has no tree):RuntimeWarning")  # of parsers that know others
@pytest.mark.parametrize("kind", model_kinds.NAMES)
def test_no_field_is_believed(kind):
    header, arrays = model_kinds.parts(kind)
    for *path, key in fields_of(header):
        if path[:2] == ["facts", "learner"] or (not path and key in ("format", "kind")):
            continue
        for junk in (*JUNK, KeyError):
            lie = copy.deepcopy(header)
            at = lie
            for step in path:
                at = at[step]
            if junk is KeyError:
                del at[key]
            else:
                at[key] = junk
            survives(lie, arrays)
