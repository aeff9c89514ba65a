"""Models on disk: what is saved is loaded, what is damaged is refused in one sentence, and a crash leaves the old file."""

import gzip
import io
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from widemargin import models
from widemargin.errors import InputError

HEADER = {"format": 1, "kind": "model", "labels": ["B-NP", "é", 'a "quoted" \\ name'], "settings": {"l2": 0.1, "seed": 3}}
SMALL = {
    "weights": np.arange(12, dtype=np.float32).reshape(3, 4),
    "keys": np.arange(3, dtype=np.uint64),
    "flags": np.array([True, False, True]),
}
QUICK = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
ARRAYS = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6).filter(lambda name: name != "__metadata__"),
    st.sampled_from(["?", "i1", "u1", "<i2", ">i2", "<u2", "<i4", ">i4", "<u4", "<i8", "<u8", "<f2", "<f4", ">f4", "<f8", ">f8"]).flatmap(
        lambda code: npst.arrays(np.dtype(code), npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=20))
    ),
    max_size=5,
)


@pytest.fixture
def saved(tmp_path):
    """The path and the bytes of a small model."""
    path = tmp_path / "model.safetensors"
    models.save(path, HEADER, SMALL)
    return path, path.read_bytes()


def refused(path, *, verify=False):
    """The sentence with which a file is refused."""
    with pytest.raises(InputError) as caught:
        models.load(path, verify=verify)
    sentence = caught.value.sentence
    assert caught.value.where == str(path)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


def split(data):
    """The table and the data of a file's bytes."""
    length = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def joined(table, data):
    text = table if isinstance(table, bytes) else json.dumps(table).encode()
    return len(text).to_bytes(8, "little") + text + data


def same(a, b):
    return a.shape == b.shape and a.dtype == b.dtype.newbyteorder("=") and a.tobytes() == b.astype(a.dtype).tobytes()


# Round trips


@QUICK
@given(arrays=ARRAYS, odd=st.booleans())
def test_round_trip(tmp_path, arrays, odd):
    path = tmp_path / "m.safetensors"
    if odd:
        arrays = {name: array.T for name, array in arrays.items()}
    size = models.save(path, HEADER, arrays)
    header, loaded = models.load(path, verify=True)
    assert header == HEADER
    assert size == path.stat().st_size
    assert list(loaded) == sorted(arrays)
    for name, array in arrays.items():
        assert same(loaded[name], array)
        assert loaded[name].ctypes.data % (loaded[name].itemsize if loaded[name].nbytes % 64 else 64) == 0 or not loaded[name].size
    official = load_file(path)
    assert set(official) == set(arrays)
    assert all(same(official[name], array) for name, array in arrays.items())


def test_same_content_same_bytes(tmp_path):
    models.save(tmp_path / "a", HEADER, SMALL)
    time.sleep(0.01)
    models.save(tmp_path / "b", dict(reversed(HEADER.items())), dict(reversed(SMALL.items())))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_layout_is_the_public_one(saved):
    path, data = saved
    length = int.from_bytes(data[:8], "little")
    assert (8 + length) % 64 == 0
    with safe_open(path, "np") as opened:
        assert json.loads(opened.metadata()["widemargin"]) == HEADER


def test_a_copy_by_the_official_package_is_still_a_model(saved, tmp_path):
    path, _ = saved
    with safe_open(path, "np") as opened:
        save_file(load_file(path), tmp_path / "copy", metadata=opened.metadata())
    header, arrays = models.load(tmp_path / "copy", verify=True)
    assert header == HEADER
    assert all(same(arrays[name], SMALL[name]) for name in SMALL)


def test_arrays_at_odd_addresses_are_copied(saved, tmp_path):
    _, data = saved
    table, raw = split(data)
    (tmp_path / "odd").write_bytes(joined(json.dumps(table).encode() + b" " * (-len(json.dumps(table)) % 8 + 1), raw))
    _, arrays = models.load(tmp_path / "odd", verify=True)
    assert all(same(arrays[name], SMALL[name]) and arrays[name].flags.aligned for name in SMALL)


def test_loading_copies_nothing_and_is_quick(tmp_path):
    path = tmp_path / "large.safetensors"
    models.save(path, HEADER, {"weights": np.ones((30, 1 << 18), np.float32), "keys": np.arange(999)})
    before = path.read_bytes()
    _, arrays = models.load(path)
    assert not arrays["weights"].flags.owndata
    arrays["weights"][0, 0] = 7
    assert path.read_bytes() == before


def test_saving_over_the_file_that_the_arrays_are_mapped_from(saved):
    path, data = saved
    header, arrays = models.load(path)
    models.save(path, header, arrays)
    assert path.read_bytes() == data
    models.save(path, header, {"other": np.zeros(3)})
    assert same(arrays["weights"], SMALL["weights"])


# Damage


def test_every_truncation_is_refused(saved):
    path, data = saved
    for size in range(len(data)):
        path.write_bytes(data[:size])
        sentence = refused(path)
        assert "empty" in sentence if not size else "cut short" in sentence, (size, sentence)
    path.write_bytes(data + b"\0")
    assert "too long" in refused(path)


def test_flipped_bytes(saved):
    path, data = saved
    begin = 8 + int.from_bytes(data[:8], "little")
    draw = random.Random(0)
    for _ in range(1500):
        broken = bytearray(data)
        broken[draw.randrange(begin)] ^= draw.randrange(1, 256)
        path.write_bytes(broken)
        try:
            header, arrays = models.load(path)
        except InputError:
            continue
        assert header == HEADER
        assert all(same(arrays[name], SMALL[name]) for name in SMALL)
    for place in range(begin, len(data)):
        broken = bytearray(data)
        broken[place] ^= draw.randrange(1, 256)
        path.write_bytes(broken)
        assert "does not match its digest" in refused(path, verify=True)


@QUICK
@given(data=st.binary(max_size=300), table=st.booleans())
def test_noise_is_refused(tmp_path, data, table):
    (tmp_path / "noise").write_bytes(joined(b"{" + data, b"") if table else data)
    refused(tmp_path / "noise")


TABLE_FAULTS = {
    "is not JSON": [b'{"a"', b"{" + b"[" * 100_000, b'{"\xff": 1}', b'{"a": ' + b"9" * 5000 + b"}", b"{NaN}"],
    "gives a key twice": [b'{"__metadata__": {}, "__metadata__": {}}', b'{"a": 1, "a": 1}'],
    "not a widemargin model": [b"{}", b'{"__metadata__": {"format": "pt"}}'],
    "not a table of strings": [
        b'{"__metadata__": 3}',
        b'{"__metadata__": {"widemargin": {}}}',
        b'{"__metadata__": [["widemargin", "{}"]]}',
    ],
    "header is not JSON": [b'{"__metadata__": {"widemargin": ""}}', b'{"__metadata__": {"widemargin": "\\ud800"}}'],
    "header is not a JSON object": [b'{"__metadata__": {"widemargin": "[1]"}}'],
}


@pytest.mark.parametrize(("message", "table"), [(message, table) for message, tables in TABLE_FAULTS.items() for table in tables])
def test_tables_that_make_no_sense(tmp_path, message, table):
    (tmp_path / "m").write_bytes(joined(table, b""))
    assert message in refused(tmp_path / "m")


ENTRY_FAULTS = {
    "unknown type": [{"dtype": "BF16"}, {"dtype": "f4"}, {"dtype": 3}, {"dtype": ["F32"]}],
    "no proper shape or data_offsets": [
        *({"shape": shape} for shape in (3, "12", [3, -4], [3.0, 4], [True, 12], [None], [1] * 33)),
        *({"data_offsets": offsets} for offsets in (None, [], [0], [0, 24, 72], [-24, 24], [0.0, 48.0])),
    ],
    "not the bytes for it": [{"shape": [3, 5]}, {"shape": []}, {"shape": [2**62, 2**62]}, {"dtype": "F64"}, {"data_offsets": [48, 0]}],
    "overlaps another or leaves a hole": [{"data_offsets": [12, 60]}, {"data_offsets": [0, 48]}, {"data_offsets": [28, 76]}],
    "is not described by": [{"extra": 1}],
    "does not match its digest": [{"shape": [4, 3]}, {"dtype": "I32"}],
}


@pytest.mark.parametrize(("message", "change"), [(message, change) for message, changes in ENTRY_FAULTS.items() for change in changes])
def test_entries_that_make_no_sense(saved, message, change):
    path, data = saved
    table, raw = split(data)
    assert table["weights"]["data_offsets"] == [24, 72]
    table["weights"].update(change)
    path.write_bytes(joined(table, raw))
    assert message in refused(path)


@pytest.mark.parametrize("entry", [None, 3, [], {}, {"dtype": "F32", "shape": [0]}])
def test_entries_that_are_no_entries(saved, entry):
    path, data = saved
    table, raw = split(data)
    path.write_bytes(joined({**table, "more": entry}, raw))
    assert "is not described by" in refused(path)


def test_extents_that_overlap_or_leave_the_file(saved):
    path, data = saved
    table, raw = split(data)
    twice = {**table, "twice": table["weights"]}
    path.write_bytes(joined(twice, raw))
    assert "overlaps" in refused(path)
    beyond = {**table, "beyond": {"dtype": "U8", "shape": [9], "data_offsets": [len(raw), len(raw) + 9]}}
    path.write_bytes(joined(beyond, raw))
    assert "cut short" in refused(path)
    path.write_bytes(joined({name: entry for name, entry in table.items() if name != "flags"}, raw))
    assert "too long" in refused(path)


def sealed(tmp_path, entries, *, digests="{}", header=None):
    """A file whose seal is right, whatever else is not."""
    text = json.dumps(header or HEADER)
    metadata = {models.HEADER: text, models.ARRAYS: digests, models.SEAL: models._seal(text, digests, entries)}
    (tmp_path / "sealed").write_bytes(joined({"__metadata__": metadata, **entries}, b""))
    return tmp_path / "sealed"


def test_even_sealed_files_are_not_trusted(tmp_path):
    empty = {"e": {"dtype": "F64", "shape": [0, 2**62, 2**62], "data_offsets": [0, 0]}}
    assert "is too large" in refused(sealed(tmp_path, empty))
    assert "list of digests is not JSON" in refused(sealed(tmp_path, {}, digests=""), verify=True)
    empty["e"]["shape"] = [0, 3]
    assert "'e' does not match its digest" in refused(sealed(tmp_path, empty), verify=True)
    assert models.load(sealed(tmp_path, empty))[1]["e"].shape == (0, 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 6}, "format 6 and this version reads formats up to 5; upgrade widemargin"),
        ({"format": "1"}, "whole number"),
        ({"format": True}, "whole number"),
        ({"format": 0}, "whole number"),
        ({"format": None}, "whole number"),
        ({"kind": "recipe"}, '"model" or "checkpoint"'),
        ({"kind": ["model"]}, '"model" or "checkpoint"'),
    ],
)
def test_formats_and_kinds(tmp_path, change, message):
    header = {**HEADER, **change}
    assert message in refused(sealed(tmp_path, {}, header=header))
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        models.save(tmp_path / "m", header, {})


# Other files


def test_other_files(tmp_path):
    packed, zipped = io.BytesIO(), io.BytesIO()
    np.save(packed, np.zeros(3))
    np.savez(zipped, a=np.zeros(3))
    save_file({"a": np.zeros(3)}, tmp_path / "theirs")
    cases = [(packed.getvalue(), "NumPy .npy"), (zipped.getvalue(), "zip file"), (gzip.compress(b"x" * 99), "gunzip")]
    cases += [((tmp_path / "theirs").read_bytes(), "not a widemargin model"), (b"The cat sat on the mat.\n", "not a widemargin model")]
    things = [{}, [], {"a": 1}, [1], (1, 2), "text", 3, np.zeros(4), {"w": np.zeros(9000)}, InputError("x"), b"x" * 700_000]
    cases += [(pickle.dumps(thing, protocol), "pickle") for thing in things for protocol in range(2, 6)]
    cases += [(pickle.dumps(thing, protocol), "pickle") for thing in ({"a": 1}, [1], (1, 2), np.zeros(4)) for protocol in (0, 1)]
    for data, message in cases:
        (tmp_path / "file").write_bytes(data)
        assert message in refused(tmp_path / "file"), data[:40]


def test_what_is_no_file(tmp_path):
    assert "no such file" in refused(tmp_path / "none")
    assert "folder" in refused(tmp_path)
    (tmp_path / "empty").touch()
    assert "empty" in refused(tmp_path / "empty")
    os.mkfifo(tmp_path / "pipe")
    assert "pipe" in refused(tmp_path / "pipe")
    assert "cannot be read" in refused(tmp_path / "empty" / "x")


# Saving


def test_what_cannot_be_saved(tmp_path):
    cases = [
        ("-", HEADER, {}, "file name"),
        (tmp_path / "m.gz", HEADER, {}, "file name"),
        (tmp_path, HEADER, {}, "folder"),
        (tmp_path / "none" / "m", HEADER, {}, "no folder"),
        (tmp_path / "m", [], {}, "JSON object"),
        (tmp_path / "m", {**HEADER, "x": float("nan")}, {}, "JSON"),
        (tmp_path / "m", {**HEADER, "x": np.int64(3)}, {}, "JSON"),
        (tmp_path / "m", HEADER, {"a": np.zeros(3, complex)}, "complex128"),
        (tmp_path / "m", HEADER, {"a": np.array(["x"])}, "U1"),
        (tmp_path / "m", HEADER, {"a": np.array([None])}, "object"),
        (tmp_path / "m", HEADER, {"__metadata__": np.zeros(3)}, "cannot name"),
        (tmp_path / "m", HEADER, {3: np.zeros(3)}, "cannot name"),
        (tmp_path / "m", HEADER, {"\ud800": np.zeros(3)}, "cannot name"),
    ]
    for path, header, arrays, message in cases:
        with pytest.raises(InputError, match=message):
            models.save(path, header, arrays)
    assert not list(tmp_path.iterdir())


def test_a_header_too_long(tmp_path, monkeypatch):
    monkeypatch.setattr(models, "LONGEST_TABLE", 1000)
    with pytest.raises(InputError, match="move long lists into arrays"):
        models.save(tmp_path / "m", {**HEADER, "words": ["word"] * 1000}, {})


class Exploding:
    def __array__(self, dtype=None, copy=None):
        raise MemoryError("no room")


def test_a_failing_save_leaves_the_old_file(saved, monkeypatch):
    path, data = saved
    with pytest.raises(MemoryError):
        models.save(path, HEADER, {"a": np.zeros(1000), "b": Exploding()})
    calls = iter([memoryview(b"half"), OSError(28, "No space left on device"), KeyboardInterrupt()])

    def half(array):
        step = next(calls)
        if isinstance(step, BaseException):
            raise step
        return step

    monkeypatch.setattr(models, "_digest", lambda array: "")
    monkeypatch.setattr(models, "_bytes", half)
    with pytest.raises(InputError, match="No space left"):
        models.save(path, HEADER, {"a": np.zeros(1000), "b": np.zeros(1000)})
    with pytest.raises(KeyboardInterrupt):
        models.save(path, HEADER, {"a": np.zeros(1000)})
    assert path.read_bytes() == data
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


WRITER = """
import sys
import numpy as np
from widemargin import models
for round in range(1_000_000):
    models.save(sys.argv[1], {"format": 1, "kind": "checkpoint", "round": round}, {"state": np.full(200_000, round)})
    sys.stdout.write(".")
    sys.stdout.flush()
"""


def test_killed_at_any_moment(tmp_path):
    path = tmp_path / "checkpoint.safetensors"
    draw = random.Random(1)
    for _ in range(6):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout.read(1) == b"."
            deadline = time.monotonic() + draw.uniform(0, 0.05)
            while time.monotonic() < deadline:
                header, arrays = models.load(path, verify=True)
                assert (arrays["state"] == header["round"]).all()
            writer.send_signal(signal.SIGKILL)
        header, arrays = models.load(path, verify=True)
        assert header["kind"] == "checkpoint"
        assert (arrays["state"] == header["round"]).all()
