"""First-order chains of labels."""

from widemargin.structures.chain import kbest, kernel, slack  # noqa: F401  (answers of engine/structure.py)
