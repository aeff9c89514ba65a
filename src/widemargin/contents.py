"""What a model is loaded from, a JSON object and arrays, handed out only as what they are declared to be.

Compiled code checks no bounds, and anyone can write a file whose digests are right. So whoever reads a model says of every array its
type, its shape and what its numbers mean, `own.floats("weights", rows, lanes)`, and gets it only if that is true: no kernel sees
anything else.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from widemargin.errors import InputError

LARGEST = 1 << 53  # of whole numbers in JSON
CHUNK = 1 << 16  # numbers looked at in one go, so that nothing large is allocated
RUN = 512  # slots of a hash table; each such block has a free one, so that no search takes long
REQUIRED = object()
KINDS = {str: "a text", bool: "true or false", int: "a whole number", float: "a number", dict: "an object", list: "a list"}


class Contents:
    """The header and the arrays of a model, or of a part of one."""

    def __init__(self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray], path: str = "<model>", prefix: str = ""):
        self.header, self.arrays, self.path, self.prefix = header, arrays, path, prefix

    def part(self, name: str) -> "Contents":
        """The object of that name in the header, with the arrays whose names begin with it and a dot."""
        return Contents(self.field(name, dict), self.arrays, self.path, f"{self.prefix}{name}.")

    def below(self, name: str) -> "Contents":
        """The arrays whose names begin so, with the same part of the header."""
        return Contents(self.header, self.arrays, self.path, f"{self.prefix}{name}.")

    def refusal(self, what: str) -> InputError:
        """The error to raise: `what` is wrong with the model."""
        return InputError(f"{what}; the model is damaged, copy or train it again", self.path)

    # ---- the header -------------------------------------------------------------------------------------------------------------

    def field(self, key: str, kind: type, default: Any = REQUIRED) -> Any:
        """A field of this JSON type. float: any finite number."""
        if key not in self.header and default is not REQUIRED:
            return default
        value: Any = self.header.get(key)
        if not _is_a(value, kind):
            raise self.refusal(f"{self.prefix}{key} in its header is not {KINDS[kind]}")
        return float(value) if kind is float else value

    def whole(self, key: str, least: int, most: int = LARGEST, default: Any = REQUIRED) -> int:
        """A whole number from `least` to `most`."""
        value = self.field(key, int, default)
        if not least <= value <= most:
            raise self.refusal(f"{self.prefix}{key} in its header is {value}, not a number from {least} to {most}")
        return value

    def positive(self, key: str, default: float = 1.0) -> float:
        """A finite number above 0."""
        value = self.field(key, float, default)
        if value <= 0.0:
            raise self.refusal(f"{self.prefix}{key} in its header is {value}, not a number above 0")
        return value

    def texts(self, key: str, *, least: int = 0, distinct: bool = True) -> tuple[str, ...]:
        """A list of at least so many texts, no two the same."""
        found = self.field(key, list)
        if not all(isinstance(text, str) for text in found) or len(found) < least or (distinct and len(set(found)) < len(found)):
            wanted = f"{f'at least {least} ' if least else ''}{'different ' if distinct else ''}"
            raise self.refusal(f"{self.prefix}{key} in its header is not a list of {wanted}texts")
        return tuple(found)

    def choice(self, key: str, known: Any) -> str:
        """One of the texts that are known."""
        value = self.field(key, str)
        if value not in known:
            raise self.refusal(
                f"{self.prefix}{key} in its header is {value[:40]!r}, not one of {', '.join(name or 'none' for name in known)}"
            )
        return value

    # ---- arrays -----------------------------------------------------------------------------------------------------------------

    def array(self, name: str, dtype: str, *shape: int | None) -> np.ndarray:
        """An array of this type and shape, in C order; None: any size."""
        array = self.arrays.get(self.prefix + name)
        if not isinstance(array, np.ndarray):
            raise self.refusal(f"there is no array {self.prefix}{name}")
        if array.dtype != np.dtype(dtype) or array.ndim != len(shape) or any(w not in (None, s) for w, s in zip(shape, array.shape)):
            wanted = ", ".join("any" if size is None else str(size) for size in shape)
            found = f"{array.dtype} [{', '.join(map(str, array.shape))}]"
            raise self.wrong(name, f"is {found[:60]}, not {np.dtype(dtype)} [{wanted}]")
        return np.ascontiguousarray(array)

    def wrong(self, name: str, how: str) -> InputError:
        """The error to raise for an array."""
        return self.refusal(f"the array {self.prefix}{name} {how}")

    def floats(self, name: str, *shape: int | None, half: bool = False) -> np.ndarray:
        """float32, all finite; half: it may be stored as float16."""
        kept = self.arrays.get(self.prefix + name)
        if half and isinstance(kept, np.ndarray) and kept.dtype == np.float16:
            array = self.array(name, "f2", *shape).astype(np.float32)
        else:
            array = self.array(name, "f4", *shape)
        flat = array.reshape(-1)
        if not all(np.isfinite(flat[at : at + CHUNK]).all() for at in range(0, flat.size, CHUNK)):
            raise self.wrong(name, "holds NaN or infinity")
        return array

    def numbers(self, name: str, *shape: int | None, below: int, least: int = 0) -> np.ndarray:
        """int32, each from `least` up and below a size."""
        array = self.array(name, "i4", *shape)
        if array.size and not (least <= array.min() and array.max() < below):
            raise self.wrong(name, f"goes beyond {least} to {below - 1}")
        return array

    def bounds(self, name: str, size: int, count: int | None = None) -> np.ndarray:
        """int64 [count + 1]: where each of `count` pieces of `size` things begins, and where the last one ends."""
        array = self.array(name, "i8", None if count is None else count + 1)
        if not len(array) or array[0] != 0 or array[-1] != size or (array[1:] < array[:-1]).any():
            raise self.wrong(name, f"has bounds that decrease or do not span the {size} things they divide")
        return array

    def strings(self, name: str = "") -> tuple[np.ndarray, np.ndarray]:
        """pool uint8 and bounds int64 [V+1] of strings in UTF-8."""
        own = self.below(name) if name else self
        pool = own.array("pool", "u1", None)
        bounds = own.bounds("bounds", len(pool))
        inside = bounds[bounds < len(pool)]
        try:
            pool.tobytes().decode()
        except UnicodeDecodeError:
            raise own.wrong("pool", "is not UTF-8") from None
        if ((pool[inside] & 0xC0) == 0x80).any():
            raise own.wrong("bounds", "cuts a character in two")
        return pool, bounds

    def keys(self, name: str) -> np.ndarray:
        """uint64, in increasing order."""
        array = self.array(name, "u8", None)
        if (array[1:] <= array[:-1]).any():
            raise self.wrong(name, "is not in order")
        return array

    def table(self, name: str, dtype: str, number: int, most: int) -> np.ndarray:
        """A hash table [a power of 2] of unsigned slots, 0 being free. `number`: the bits of a slot that hold a number, at most `most`."""
        array = self.array(name, dtype, None)
        if not len(array) or len(array) & (len(array) - 1):
            raise self.wrong(name, f"has {len(array)} slots, not a power of 2")
        blocks, mask = array.reshape(-1, min(RUN, len(array))), array.dtype.type(number)
        step = max(1, CHUNK // RUN)
        for at in range(0, len(blocks), step):
            part = blocks[at : at + step]
            if part.min(axis=1).any():
                raise self.wrong(name, "has no free slot where one is needed")
            if (part & mask).max() > most:
                raise self.wrong(name, f"names numbers beyond {most}")
        return array


def _is_a(value: Any, kind: type) -> bool:
    """Whether a value from JSON is of a kind."""
    if kind is float:
        return type(value) in (int, float) and abs(value) <= 1e300 and math.isfinite(value)
    return type(value) is kind
