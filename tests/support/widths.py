"""Fewer widths of label rows in `make test`.

Tests have 3 labels here and 22 there, and a kernel is compiled for each width that rows are padded to; what tests of families and commands
prove does not depend on it, and wide rows compile in the time of narrow ones. So rows are padded to FEW. `make test-all`, plain Python and
processes of their own use the package's widths, of which compiler/test_lanes.py compiles some.
"""

from widemargin.compiler import lanes

FEW = (40, 96, 160)

usual = lanes.lanes_for


def few_lanes(labels: int) -> tuple:
    """lanes.lanes_for, with fewer answers."""
    return usual(next((width for width in FEW if labels <= width), labels))


def use_few() -> None:
    """In all modules that are imported from now on."""
    lanes.lanes_for = few_lanes
