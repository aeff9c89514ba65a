"""python -m widemargin."""

from widemargin.cli import console

raise SystemExit(console())
