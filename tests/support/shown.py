"""Pages whose blocks are run: which blocks there are, and whether what was printed is what the page shows."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NUMBER = re.compile(r"(?<![\w.])[-+]?[0-9][0-9,]*(?:\.[0-9]*)?")


def blocks(page: str) -> list[tuple[str, str]]:
    """The fenced blocks of a page: language and text."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def matches(shown: str, printed: str) -> bool:
    """The same words, and numbers within a tenth of each other; three dots stand for anything."""
    pattern, expected = "", []
    for i, part in enumerate(re.split(r"\.\.\.", shown.strip())):
        pattern += ".*" if i else ""
        words = NUMBER.split(part)
        expected += NUMBER.findall(part)
        pattern += f"({NUMBER.pattern})".join(r"\s+".join(map(re.escape, re.split(r"\s+", word))) for word in words)
    found = re.fullmatch(pattern, printed.strip(), re.DOTALL)
    return found is not None and all(float_of(got) == pytest.approx(float_of(want), rel=0.1) for got, want in zip(found.groups(), expected))


def float_of(text: str) -> float:
    return float(text.rstrip(",").replace(",", ""))
