"""Tables of weights most of which are 0, for model files: a bit for every weight, and the weights that are not 0."""

import math

import numpy as np

from widemargin.contents import Contents


def packed(name: str, table: np.ndarray) -> dict[str, np.ndarray]:
    """A table as two arrays of a model file: name.kept, uint8 with 8 weights a byte, the first in the highest bit; name.values float32."""
    kept = np.asarray(table).reshape(-1) != 0
    return {f"{name}.kept": np.packbits(kept), f"{name}.values": np.asarray(table, np.float32).reshape(-1)[kept]}


def unpacked(name: str, own: Contents, shape: tuple[int, ...]) -> np.ndarray:
    """The table again."""
    size = math.prod(shape)
    kept = np.unpackbits(own.array(f"{name}.kept", "u1", -(-size // 8)), count=size).view(bool)
    table = np.zeros(size, np.float32)
    table[kept] = own.floats(f"{name}.values", int(np.count_nonzero(kept)))
    return table.reshape(shape)
