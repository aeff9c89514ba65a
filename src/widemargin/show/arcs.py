"""Dependency trees drawn as SVG: arcs above the words, flat-topped so that crossing ones stay apart, relations on them.

With a gold tree to compare, arcs that are wrong are red, and the gold arcs of those words hang below in blue. Arcs that are not
projective are dashed. The picture needs nothing but a browser; the same tree gives the same bytes.
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass

from widemargin.errors import InputError

SIZE, SMALL = 15, 11  # px, of words and of relations
GAP, STEP, LEVEL, CORNER = 18, 7, 24, 8  # px: between words, between arcs at a word, between levels, radius
INK, WRONG, GOLD = "#334155", "#dc2626", "#2563eb"
FONT = "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"


@dataclass
class Arc:
    """From head to modifier (counted from 0; head -1 is the root), with its level above or below the words."""

    head: int
    modifier: int
    relation: str
    colour: str
    dashed: bool
    level: int = 1
    tail: float = 0.0  # x at the head
    tip: float = 0.0  # x at the modifier

    @property
    def span(self) -> tuple[int, int]:
        return min(self.head, self.modifier), max(self.head, self.modifier)


def draw(
    words: Sequence[str],
    heads: Sequence[int],
    relations: Sequence[str],
    *,
    tags: Sequence[str] | None = None,
    gold: tuple[Sequence[int], Sequence[str]] | None = None,
) -> str:
    """One sentence as SVG; heads count from 1, 0 is the root and -1 unknown (not drawn); tags stand below the words.

    gold: heads and relations of the right tree, to show what is wrong.
    """
    rows = [heads, relations, *([tags] if tags is not None else []), *(gold or ())]
    if not words or any(len(row) != len(words) for row in rows):
        sizes = ", ".join(str(len(row)) for row in rows)
        raise InputError(
            f"there are {len(words)} words and {sizes} heads, relations or tags; give one of each per word, for one word or more."
        )
    wrong = [gold is not None and (heads[m], relations[m]) != (gold[0][m], gold[1][m]) for m in range(len(words))]
    above = _arcs(heads, relations, [WRONG if bad else INK for bad in wrong])
    below = [arc for arc in _arcs(*gold, [GOLD] * len(words)) if wrong[arc.modifier]] if gold else []
    centres, width = _columns(words, tags, above + below)
    for side in (above, below):
        _stack(side)
        _place(side, centres)
    top = LEVEL * max([arc.level for arc in above], default=0) + 2 * SMALL
    text = top + SIZE
    base = text + 6 + (SIZE if tags is not None else 0)
    height = base + 6 + (LEVEL * max([arc.level for arc in below], default=0) + 2 * SMALL if below else 0)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"']
    out.append(f' font-family="{FONT}" text-anchor="middle">\n<rect width="100%" height="100%" fill="#ffffff"/>\n')
    out += [_path(arc, top - 4, -1) for arc in above] + [_path(arc, base + 2, 1) for arc in below]
    out += [_label(arc, top - 4, -1) for arc in above] + [_label(arc, base + 2, 1) for arc in below]
    for m, word in enumerate(words):
        out.append(f'<text x="{centres[m]:.1f}" y="{text}" font-size="{SIZE}" fill="#0f172a">{html.escape(word)}</text>\n')
        if tags is not None:
            tag = html.escape(tags[m])
            out.append(f'<text x="{centres[m]:.1f}" y="{text + SIZE}" font-size="{SMALL}" fill="#64748b">{tag}</text>\n')
    return "".join(out) + "</svg>\n"


def crossed(heads: Sequence[int]) -> list[bool]:
    """Which words' arcs are not projective: a word between head and modifier is not below the head (heads from 1, 0 the root)."""
    out = []
    for m, head in enumerate(heads, 1):
        bad = False
        for between in range(min(m, head) + 1, max(m, head)) if head > 0 else ():
            at, steps = between, 0
            while at not in (head, 0, -1) and steps <= len(heads):
                at, steps = heads[at - 1], steps + 1
            bad |= at != head
        out.append(bad)
    return out


def _arcs(heads: Sequence[int], relations: Sequence[str], colours: list[str]) -> list[Arc]:
    dashed = crossed(heads)
    return [Arc(head - 1, m, relations[m], colours[m], dashed[m]) for m, head in enumerate(heads) if head >= 0]


def _stack(arcs: list[Arc]) -> None:
    """Shorter arcs on lower levels, none on the level of one that it overlaps; the root's above all that pass over it."""
    inner = sorted((arc for arc in arcs if arc.head >= 0), key=lambda arc: (arc.span[1] - arc.span[0], arc.span))
    for i, arc in enumerate(inner):
        low, high = arc.span
        arc.level = 1 + max((other.level for other in inner[:i] if other.span[0] < high and low < other.span[1]), default=0)
    for arc in arcs:
        if arc.head < 0:
            arc.level = 1 + max((other.level for other in inner if other.span[0] <= arc.modifier <= other.span[1]), default=0)


def _columns(words: Sequence[str], tags: Sequence[str] | None, arcs: list[Arc]) -> tuple[list[float], float]:
    """The centres of the words, far enough apart for words, tags and the relations of neighbours; and the width of all."""
    widths = [0.58 * SIZE * len(word) for word in words]
    if tags is not None:
        widths = [max(width, 0.6 * SMALL * len(tag)) for width, tag in zip(widths, tags)]
    need = [0.0] * len(words)  # between a word and the next
    for arc in arcs:
        low, high = arc.span
        if low >= 0 and high == low + 1:
            need[low] = max(need[low], 0.6 * SMALL * len(arc.relation) + 3 * STEP)
    centres: list[float] = []
    x = float(GAP)
    for m, width in enumerate(widths):
        x += width / 2
        if m:
            x = max(x, centres[-1] + need[m - 1])
        centres.append(x)
        x += width / 2 + GAP
    return centres, x


def _place(arcs: list[Arc], centres: list[float]) -> None:
    """Where arcs meet their words: side by side, the longer the nearer to the middle."""
    for word, centre in enumerate(centres):
        for side in (-1, 1):
            meeting = [arc for arc in arcs if arc.head >= 0 and word in arc.span and (sum(arc.span) - 2 * word) * side > 0]
            for k, arc in enumerate(sorted(meeting, key=lambda arc: arc.span[0] - arc.span[1])):
                x = centre + side * STEP * (k + 0.5) * (1.0 if len(meeting) < 4 else 3.0 / len(meeting))
                if arc.modifier == word:
                    arc.tip = x
                else:
                    arc.tail = x
    for arc in arcs:
        if arc.head < 0:
            arc.tail = arc.tip = centres[arc.modifier]


def _path(arc: Arc, base: float, way: int) -> str:
    """The line of an arc with its arrowhead; way is -1 above the words and 1 below."""
    y = base + way * LEVEL * arc.level
    if arc.head < 0:
        line = f"M{arc.tip:.1f} {y:.1f}V{base:.1f}"
    else:
        turn = CORNER if arc.tip > arc.tail else -CORNER
        line = f"M{arc.tail:.1f} {base:.1f}V{y - way * CORNER:.1f}Q{arc.tail:.1f} {y:.1f} {arc.tail + turn:.1f} {y:.1f}"
        line += f"H{arc.tip - turn:.1f}Q{arc.tip:.1f} {y:.1f} {arc.tip:.1f} {y - way * CORNER:.1f}V{base:.1f}"
    dash = ' stroke-dasharray="5 3"' if arc.dashed else ""
    head = f"M{arc.tip - 3:.1f} {base + way * 6:.1f}L{arc.tip:.1f} {base:.1f}L{arc.tip + 3:.1f} {base + way * 6:.1f}Z"
    return f'<path d="{line}" fill="none" stroke="{arc.colour}"{dash}/>\n<path d="{head}" fill="{arc.colour}"/>\n'


def _label(arc: Arc, base: float, way: int) -> str:
    """The relation in the middle of the arc, with a white edge so that lines behind it do not strike it out."""
    y = base + way * LEVEL * arc.level + (-4 if way < 0 else SMALL)
    style = f'font-size="{SMALL}" fill="{arc.colour}" stroke="#ffffff" stroke-width="3" paint-order="stroke"'
    return f'<text x="{(arc.tail + arc.tip) / 2:.1f}" y="{y:.1f}" {style}>{html.escape(arc.relation)}</text>\n'
