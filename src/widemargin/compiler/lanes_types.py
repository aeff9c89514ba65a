"""Numba's types of rows of labels."""

from numba import types


class LanesType(types.Type):
    """L numbers of one float type, in machine vectors of 32 bytes and perhaps a last one of 16.

    Not one vector of L: LLVM takes a value whose length is not a power of two apart, number by number, wherever it crosses a branch.
    """

    def __init__(self, count: int, dtype: types.Type):
        self.count, self.dtype = count, dtype
        wide = 32 * 8 // dtype.bitwidth
        self.widths = [wide] * (count // wide) + ([count % wide] if count % wide else [])
        super().__init__(name=f"Lanes({count}, {dtype})")


class WideType(LanesType):
    """As many numbers as the row says at run time, in memory of its own that nobody writes to once they are there."""

    def __init__(self, dtype: types.Type):
        self.dtype, self.array = dtype, types.Array(dtype, 1, "C")
        types.Type.__init__(self, name=f"WideRow({dtype})")


def has_wide(kinds) -> bool:
    """Are there wide rows among these types, or lanes of such, however deep in tuples?"""
    return any(isinstance(kind, WideType) or "Wide(" in str(kind) for kind in kinds)
