"""Fewer widths of label rows in `make test`.

Tests have 5 labels here and 22 there, and a kernel is compiled for each width that rows are padded to; what tests of families and commands
prove does not depend on it. So rows are padded to FEW, but for blocks of the package, which are EXACT. `make test-all`, plain Python and
processes of their own use the package's widths, of which compiler/test_lanes.py compiles some.
"""

from widemargin.compiler import lanes

EXACT = (4, 8, 16)
FEW = (4, 40, 96, 160, lanes.MOST_LANES)

usual = lanes.lanes_for


def few_lanes(labels: int) -> tuple:
    """lanes.lanes_for, with fewer answers."""
    if labels > lanes.MOST_LANES or labels in EXACT:
        return usual(labels)
    return usual(next(width for width in FEW if labels <= width))


def use_few() -> None:
    """In all modules that are imported from now on."""
    lanes.lanes_for = few_lanes
