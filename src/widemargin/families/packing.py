"""Tables of weights in model files: the columns that hold labels, and of tables most of whose weights are 0 a bit for every weight and
those that are not."""

from collections.abc import Mapping

import numpy as np

from widemargin.compiler.lanes import lanes_for, whole_lanes, width_of
from widemargin.contents import Contents

SPARSE = 0.75  # a table is packed where fewer of its weights than this are not 0
FORMAT = 5  # of files with packed tables


def stored(tables: Mapping[str, np.ndarray], columns: Mapping[str, int]) -> tuple[dict, dict[str, np.ndarray]]:
    """The first so many columns of each table as arrays of a model file, and what the header says of those that are packed.

    Packed are name.kept, uint8 with 8 weights a byte, the first in the highest bit, and name.values, float16 where no weight is changed by
    it, else float32.
    """
    shapes: dict[str, list[int]] = {}
    arrays: dict[str, np.ndarray] = {}
    for name, whole in tables.items():
        table = np.asarray(whole)[:, : columns[name]]
        kept = table != 0
        if np.count_nonzero(kept) >= SPARSE * kept.size:
            arrays[name] = np.ascontiguousarray(table, np.float32)
            continue
        shapes[name] = list(table.shape)
        arrays |= {f"{name}.kept": np.packbits(kept), f"{name}.values": smallest(table[kept])}
    return {"format": FORMAT, "shapes": shapes} if shapes else {}, arrays


def smallest(values: np.ndarray) -> np.ndarray:
    """float16 where that is exact, else float32."""
    with np.errstate(over="ignore"):
        half = values.astype(np.float16)
    return half if np.array_equal(half, values) else values.astype(np.float32)


def restored(own: Contents, name: str, rows: int, columns: int, width: int) -> np.ndarray:
    """A table [rows, width] of a model file that holds its first `columns` columns, packed or not."""
    if f"{own.prefix}{name}.kept" not in own.arrays:
        return widened(own.floats(name, rows, columns), width)
    if own.field("shapes", dict, {}).get(name, [rows, columns]) != [rows, columns]:  # some earlier files do not say
        raise own.refusal(f"the shapes in its header are not those of its features ({name})")
    size = rows * columns
    bits = own.array(f"{name}.kept", "u1", -(-size // 8))
    place = np.flatnonzero(np.unpackbits(bits, count=size).view(bool))
    table = np.zeros(rows * width, np.float32)
    table[place + place // columns * (width - columns) if width > columns else place] = own.floats(f"{name}.values", len(place), half=True)
    return table.reshape(rows, width)


def widened(table: np.ndarray, width: int) -> np.ndarray:
    """The same table with columns of 0 up to `width`; itself where there is nothing to add."""
    if table.shape[1] == width:
        return table
    wide = np.zeros((len(table), width), table.dtype)
    wide[:, : table.shape[1]] = table
    return wide


def label_columns(labels: int) -> tuple[int, int]:
    """How many columns a row of labels has in a file, and how many in memory."""
    return max(whole_lanes(labels), whole_lanes(1)), width_of(lanes_for(labels))
