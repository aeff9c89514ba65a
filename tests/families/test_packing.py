"""Tables of weights in model files: what is written is what comes back, in rows as wide as kernels want them."""

import numpy as np
import pytest

from widemargin import InputError
from widemargin.compiler.lanes import WIDTHS, lanes_for, width_of
from widemargin.contents import Contents
from widemargin.families.packing import FORMAT, label_columns, restored, stored


def table_of(rows: int, labels: int, share: float, *, half: bool = False) -> np.ndarray:
    random = np.random.default_rng(rows + labels)
    table = np.zeros((rows, width_of(lanes_for(labels))), np.float32)
    some = np.where(random.random((rows, labels)) < share, random.normal(size=(rows, labels)), 0.0)
    table[:, :labels] = some.astype(np.float16 if half else np.float32)
    return table


@pytest.mark.parametrize("labels", [1, 4, 17, 26, 41, 70])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("half", [False, True])
def test_a_table_comes_back(labels, share, half):
    columns, width = label_columns(labels)
    assert labels <= columns <= width
    assert columns % 4 == 0
    assert width in WIDTHS
    for rows in (0, 3, 50):
        table = table_of(rows, labels, share, half=half)
        header, arrays = stored({"t": table}, {"t": columns})
        if np.count_nonzero(table) < 0.75 * rows * columns:
            assert header == {"format": FORMAT, "shapes": {"t": [rows, columns]}}
            assert arrays["t.kept"].nbytes == -(-rows * columns // 8)
            assert len(arrays["t.values"]) == np.count_nonzero(table)
            assert arrays["t.values"].dtype == (np.float16 if half or not len(arrays["t.values"]) else np.float32)
        else:
            assert header == {}
            assert arrays["t"].shape == (rows, columns)
        own = Contents(header, arrays)
        np.testing.assert_array_equal(restored(own, "t", rows, columns, width), table)


def test_what_does_not_fit_is_refused():
    header, arrays = stored({"t": table_of(9, 10, 0.3)}, {"t": 12})
    for rows, columns in ((18, 12), (9, 16)):
        with pytest.raises(InputError, match="shapes in its header"):
            restored(Contents(header, arrays), "t", rows, columns, 16)
        with pytest.raises(InputError, match=r"t\.kept is uint8"):
            restored(Contents({}, arrays), "t", rows, columns, 16)
    for name, change, why in (
        ("t.values", lambda values: values[1:], r"t\.values is float32"),
        ("t.values", lambda values: np.full_like(values, np.nan), "NaN or infinity"),
        ("t.values", lambda values: np.full(values.shape, np.inf, np.float16), "NaN or infinity"),
        ("t.values", lambda values: values.astype(np.float64), r"t\.values is float64"),
        ("t.kept", lambda bits: bits.astype(np.int8), r"t\.kept is int8"),
    ):
        with pytest.raises(InputError, match=why):
            restored(Contents(header, arrays | {name: change(arrays[name])}), "t", 9, 12, 12)
