"""Fewer widths of label rows. Tests have 5 labels here and 22 there, each number padded to a width of its own, and a kernel is compiled for each: what the
tests of families and commands prove does not depend on it. So `make test` pads most rows to FEW, where padding is never empty; rows of EXACT
many labels have none. `make test-all`, plain Python and processes of their own use the widths of the package (compiler/test_lanes.py)."""

from widemargin.compiler import lanes

EXACT = (4, 8, 16)  # blocks of the package have these sizes
FEW = (4, 24, 40, 64, 96, 160, lanes.MOST_LANES)

usual = lanes.lanes_for


def few_lanes(labels: int) -> tuple:
    """lanes.lanes_for, with fewer answers."""
    if labels > lanes.MOST_LANES or labels in EXACT:
        return usual(labels)
    return usual(next(width for width in FEW if labels <= width))


def use_few() -> None:
    """For all modules that are imported from now on."""
    lanes.lanes_for = few_lanes
