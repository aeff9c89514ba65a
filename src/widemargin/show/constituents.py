"""Constituency trees drawn as SVG: words in a row, their tags above them, and brackets above those, each as high as what it holds needs.

With a gold tree to compare, brackets that are wrong are red, and gold brackets that are missing lie under the words in blue. The picture
needs nothing but a browser; the same tree gives the same bytes.
"""

import html
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from widemargin.errors import InputError

SIZE, SMALL = 15, 12  # px, of words and of tags and labels
GAP, LEVEL, CORNER, EDGE = 16, 34, 5, 14  # px: between words, between levels, radius, around all
INK, WRONG, GOLD, WORD, TAG = "#334155", "#dc2626", "#2563eb", "#0f172a", "#64748b"
FONT = "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"
Bracket = tuple[int, int, str]


@dataclass
class Node:
    """A bracket or a tag, with its place in the picture."""

    first: int
    end: int
    label: str
    colour: str
    children: "list[Node]" = field(default_factory=list)
    level: int = 0  # of tags
    x: float = 0.0


def draw(words: Sequence[str], tags: Sequence[str], brackets: Sequence[Bracket], *, gold: Sequence[Bracket] | None = None) -> str:
    """One sentence as SVG; brackets (first, end, label) in pre-order, over words[first:end].

    gold: the brackets of the right tree, to show what is wrong and what is missing.
    """
    n = len(words)
    if not n or len(tags) != n or any(not 0 <= first < end <= n for first, end, _ in [*brackets, *(gold or ())]):
        raise InputError(
            f"there are {n} words, {len(tags)} tags and brackets over some words; give one tag per word, and brackets over them."
        )
    found, wanted = Counter(brackets), Counter(brackets if gold is None else gold)
    wrong, missing = found - wanted, wanted - found
    nodes = _nodes(brackets, tags, wrong)
    centres, width = _columns(words, nodes)
    for node in reversed(nodes):
        node.x = (node.children[0].x + node.children[-1].x) / 2 if node.children else centres[node.first]
    top = EDGE + SMALL + LEVEL * max(node.level for node in nodes)  # the base line of tags
    text = top + LEVEL - 6  # and of words
    rows = _stacked(sorted(missing.elements(), key=lambda bracket: (bracket[1] - bracket[0], bracket)))
    height = text + EDGE + (18 * (max(row for row, _ in rows) + 1) + SMALL if rows else 0)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"']
    out.append(f' font-family="{FONT}" text-anchor="middle">\n<rect width="100%" height="100%" fill="#ffffff"/>\n')
    out += [_line(node, child, top) for node in nodes for child in node.children]
    for node in nodes:
        out.append(_text(node.x, top - LEVEL * node.level, SMALL, node.colour, node.label or "( )"))
    for centre, word in zip(centres, words):
        out.append(f'<path d="M{centre:.1f} {top + 4}V{text - SIZE + 1}" stroke="{TAG}"/>\n')
        out.append(_text(centre, text, SIZE, WORD, word))
    out += [_below(bracket, row, centres, text) for row, bracket in rows]
    return "".join(out) + "</svg>\n"


def _nodes(brackets: Sequence[Bracket], tags: Sequence[str], wrong: Counter[Bracket]) -> list[Node]:
    """All brackets and tags in pre-order, with children and levels. Of brackets that are there too often, the last are wrong."""
    left, items = wrong.copy(), list[Node]()
    for first, end, label in reversed(brackets):
        bad = left[first, end, label] > 0
        left[first, end, label] -= bad
        items.append(Node(first, end, label, WRONG if bad else INK))
    inside: list[Node] = []
    out: list[Node] = []
    leaves = iter([Node(w, w + 1, tag, TAG) for w, tag in enumerate(tags)])
    last: Node | None = next(leaves)
    for node in [*reversed(items), Node(len(tags), len(tags), "", INK)]:  # the one behind all brings the words that are left
        while last and (last.first < node.first):
            _put(last, inside, out)
            last = next(leaves, None)
        if node.end > node.first:
            _put(node, inside, out)
            inside.append(node)
    for node in reversed(out):
        node.level = 1 + max(child.level for child in node.children) if node.children else 0
    return out


def _put(node: Node, inside: list[Node], out: list[Node]) -> None:
    """A node under the innermost bracket that holds it."""
    while inside and inside[-1].end <= node.first:
        inside.pop()
    if inside:
        inside[-1].children.append(node)
    out.append(node)


def _columns(words: Sequence[str], nodes: list[Node]) -> tuple[list[float], float]:
    """The centres of the words, far enough apart for words, tags and the labels of brackets over one word; and the width of all."""
    widths = [0.58 * SIZE * len(word) for word in words]
    for node in nodes:
        if node.end - node.first == 1:
            widths[node.first] = max(widths[node.first], 0.66 * SMALL * len(node.label))
    centres, x = [], float(EDGE)
    for width in widths:
        centres.append(x + width / 2)
        x += width + GAP
    return centres, x - GAP + EDGE


def _stacked(brackets: list[Bracket]) -> list[tuple[int, Bracket]]:
    """Brackets with rows, so that none lies on another."""
    out: list[tuple[int, Bracket]] = []
    for bracket in brackets:
        taken = {row for row, other in out if other[0] < bracket[1] and bracket[0] < other[1]}
        out.append((next(row for row in range(len(out) + 1) if row not in taken), bracket))
    return out


def _line(node: Node, child: Node, top: float) -> str:
    """From a bracket across and down to what it holds, in the bracket's colour."""
    y, bar, end = top - LEVEL * node.level + 4, top - LEVEL * node.level + 12, top - LEVEL * child.level - SMALL
    turn = max(-CORNER, min(CORNER, child.x - node.x))
    if abs(turn) < 1:
        path = f"M{node.x:.1f} {y:.1f}V{end:.1f}"
    else:
        path = f"M{node.x:.1f} {y:.1f}V{bar:.1f}H{child.x - turn:.1f}Q{child.x:.1f} {bar:.1f} {child.x:.1f} {bar + CORNER:.1f}V{end:.1f}"
    return f'<path d="{path}" fill="none" stroke="{node.colour}"/>\n'


def _below(bracket: Bracket, row: int, centres: list[float], text: float) -> str:
    """A missing bracket under the words that it would hold."""
    first, end, label = bracket
    low, high, y = centres[first] - 8, centres[end - 1] + 8, text + 12 + 18 * row
    path = f'<path d="M{low:.1f} {y - 4:.1f}V{y:.1f}H{high:.1f}V{y - 4:.1f}" fill="none" stroke="{GOLD}"/>\n'
    return path + _text((low + high) / 2, y + 4, SMALL, GOLD, label or "( )")


def _text(x: float, y: float, size: int, colour: str, text: str) -> str:
    """With a white edge, so that lines behind it do not strike it out."""
    style = f'font-size="{size}" fill="{colour}" stroke="#ffffff" stroke-width="4" paint-order="stroke"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{html.escape(text)}</text>\n'
