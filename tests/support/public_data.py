"""Public corpora in $WIDEMARGIN_DATA, or in ../shared/data beside the repository."""

import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = pathlib.Path(os.environ.get("WIDEMARGIN_DATA") or ROOT.parent / "shared" / "data")


def public(pattern: str) -> list[pathlib.Path]:
    """Files that a pattern names; the test is skipped where there are none."""
    found = sorted(FOLDER.glob(pattern))
    if not found:
        pytest.skip(f"needs {pattern} in WIDEMARGIN_DATA")
    return found
