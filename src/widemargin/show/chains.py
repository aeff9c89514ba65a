"""Coreference chains drawn as SVG: running text, each mention underlined in its chain's colour with the chain's number behind it.

Nested mentions have lines below each other. Against gold chains, a mention that is right is as it would be alone; one that the gold has not
is dotted, and one that is missing is a grey line. The picture needs nothing but a browser; the same chains give the same bytes.
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass

from widemargin.errors import InputError

SIZE, SMALL, SPACE, LINE, STEP, MARGIN = 15, 10, 5, 26, 5, 16  # px: letters, numbers, between words, of a line, between underlines, around
WIDTH = 860
FONT = "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"
COLOURS = ("#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#0891b2", "#be185d", "#4d7c0f", "#9a3412", "#1e3a8a")
INK, MISSING = "#1f2937", "#9ca3af"


@dataclass
class _Mark:
    """A mention to be drawn."""

    first: int
    end: int
    colour: str
    label: str
    dotted: bool = False
    level: int = 0


def draw_chains(
    sentences: Sequence[Sequence[str]],
    chains: Sequence[Sequence[tuple[int, int]]],
    *,
    gold: Sequence[Sequence[tuple[int, int]]] | None = None,
) -> str:
    """A document as SVG; a mention is its first word and the one behind its last, counted through the document."""
    words = [word for sentence in sentences for word in sentence]
    if not words:
        raise InputError("there is no word to draw; give a document with words.")
    marks = _marks(chains, gold)
    for mark in marks:
        if not 0 <= mark.first < mark.end <= len(words):
            raise InputError(f"the mention {mark.first + 1} to {mark.end} is not a span of the document's {len(words)} words.")
    _stack(marks)
    ends = {mark.end - 1: max((m.end - m.first for m in marks if m.end == mark.end), default=0) for mark in marks}
    x, line, places = float(MARGIN), 0, list[tuple[float, float, int]]()
    breaks = {0}
    for sentence in sentences:
        breaks.add(max(breaks) + len(sentence))
    for t, word in enumerate(words):
        width = _width(word) + (SMALL * 1.6 if t in ends else 0)
        if (x + width > WIDTH - MARGIN and x > MARGIN) or (t in breaks and t):
            x, line = MARGIN, line + 1
        places.append((x, x + _width(word), line))
        x += width + SPACE
    depth = [0] * (line + 1)
    for mark in marks:
        for t in range(mark.first, mark.end):
            depth[places[t][2]] = max(depth[places[t][2]], mark.level + 1)
    top = [float(MARGIN + SIZE)]
    for levels in depth:
        top.append(top[-1] + LINE + STEP * levels)
    body = [_text(places[t][0], top[places[t][2]], word, SIZE, INK, places[t][1] - places[t][0]) for t, word in enumerate(words)]
    for mark in marks:
        body += _drawn(mark, places, top)
    height = top[-1] - LINE + SIZE + MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0f}" viewBox="0 0 {WIDTH} {height:.0f}" '
        f'font-family="{FONT}"><rect width="100%" height="100%" fill="white"/>' + "".join(body) + "</svg>\n"
    )


def _marks(chains, gold) -> list[_Mark]:
    """Chains of one mention are grey."""
    known = None if gold is None else {tuple(span) for chain in gold for span in chain}
    out, number = [], 0
    for chain in chains:
        alone = len(chain) == 1
        number += not alone
        colour, label = (MISSING, "") if alone else (COLOURS[(number - 1) % len(COLOURS)], str(number))
        out += [_Mark(first, end, colour, label, known is not None and (first, end) not in known) for first, end in chain]
    found = {(mark.first, mark.end) for mark in out}
    out += [_Mark(first, end, MISSING, "missing") for first, end in sorted((known or set()) - found)]
    return sorted(out, key=lambda mark: (mark.first, -mark.end))


def _stack(marks: list[_Mark]) -> None:
    """Levels below the words, inner mentions above outer ones, so that no two lines lie on each other."""
    done: list[_Mark] = []
    for mark in sorted(marks, key=lambda mark: mark.end - mark.first):
        taken = {other.level for other in done if other.first < mark.end and mark.first < other.end}
        mark.level = next(level for level in range(len(taken) + 1) if level not in taken)
        done.append(mark)


def _drawn(mark: _Mark, places: list[tuple[float, float, int]], top: list[float]) -> list[str]:
    """A line under each row of words that the mention runs over, the number behind the last."""
    out = []
    for row in sorted({places[t][2] for t in range(mark.first, mark.end)}):
        own = [t for t in range(mark.first, mark.end) if places[t][2] == row]
        y = top[row] + 5 + STEP * mark.level
        dash = ' stroke-dasharray="2 2"' if mark.dotted else ""
        left, right = places[own[0]][0], places[own[-1]][1]
        out.append(f'<path d="M{left:.1f} {y:.1f}H{right:.1f}" stroke="{mark.colour}" stroke-width="2.4"{dash}/>')
    x, y = places[mark.end - 1][1], top[places[mark.end - 1][2]] + 7 + STEP * mark.level
    return [*out, _text(x + 1.5, y, mark.label, SMALL, mark.colour)] if mark.label else out


def _text(x: float, y: float, text: str, size: int, colour: str, width: float = 0.0) -> str:
    """width: letters are stretched to it, whatever the font."""
    fit = f' textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs"' if width else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}"{fit}>{html.escape(text)}</text>'


def _width(word: str) -> float:
    """About how wide a word is."""
    return sum(0.36 if c in "ijlt.,;:'!|()[]fr" else 0.86 if c in "mwMW" else 0.66 if c.isupper() else 0.57 for c in word) * SIZE
