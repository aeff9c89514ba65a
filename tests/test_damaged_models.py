"""Files with flipped bits: none crashes, and none gives other answers without a word.

Commands verify everything, Python what other arrays are found by.
"""

import random

import model_kinds
import numpy as np
import pytest

from widemargin import models
from widemargin.cli import main
from widemargin.errors import InputError

COPIES, BITS = 60, 200


def damaged(data, draw, bits):
    """The bytes of a file with so many bits of its arrays flipped."""
    begin, out = 8 + int.from_bytes(data[:8], "little"), bytearray(data)
    for _ in range(bits):
        out[draw.randrange(begin, len(out))] ^= 1 << draw.randrange(8)
    return bytes(out)


@pytest.mark.parametrize("bits", [1, 2, BITS])
@pytest.mark.parametrize("kind", ["chunk", "kernel", "eisner-labelled", "items"])
def test_a_command_refuses_damaged_files(kind, bits, tmp_path, capsys):
    draw, path, told = random.Random(bits), tmp_path / "damaged.safetensors", tmp_path / "told"
    data = (model_kinds.FOLDER / f"{kind}.safetensors").read_bytes()
    for _ in range(COPIES):
        path.write_bytes(flipped := damaged(data, draw, bits))
        if flipped == data:
            continue
        assert main(["predict", str(path), str(model_kinds.FOLDER / "input.txt"), "-o", str(told)]) == 2
        said = capsys.readouterr().err
        assert "damaged.safetensors" in said
        assert "does not match its digest" in said
        assert not told.exists()


@pytest.mark.parametrize("new", [False, True], ids=["old file", "new file"])
@pytest.mark.parametrize("kind", ["chunk", "kernel", "items"])
def test_python_refuses_damaged_indices(kind, new, tmp_path):
    draw, path, source = random.Random(0), tmp_path / "damaged", model_kinds.FOLDER / f"{kind}.safetensors"
    if new:  # with checksums beside the digests
        models.save(tmp_path / "new", *models.load(source))
        source = tmp_path / "new"
    data, true = source.read_bytes(), models.load(source, verify=True)[1]
    for bits in (1, 2, 200) * 20:
        path.write_bytes(damaged(data, draw, bits))
        try:
            found = models.load(path)[1]
        except InputError as error:
            assert "does not match its digest" in error.sentence  # noqa: PT017
            continue
        assert all(np.array_equal(array, true[name]) for name, array in found.items() if array.dtype.kind != "f")
        with pytest.raises(InputError, match="does not match its digest"):
            models.load(path, verify=True)


def test_a_damaged_start_is_refused(tmp_path, capsys):
    path, draw = tmp_path / "damaged", random.Random(0)
    path.write_bytes(damaged((model_kinds.FOLDER / "chunk.safetensors").read_bytes(), draw, BITS))
    assert main(["train", "chunk", "town:train:5", "-o", str(tmp_path / "out"), "--init", str(path)]) == 2
    assert "damaged: the array" in capsys.readouterr().err
