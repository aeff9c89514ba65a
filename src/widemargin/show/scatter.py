"""Points in a plane as SVG, some of them named: one hypothesis of a list each, say, by score and metric."""

from collections.abc import Mapping, Sequence
from html import escape

from widemargin.show.figures import COLOURS, FAINT, INK

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 400, 64, 24, 44, 76
FONT = 'font-family="DejaVu Sans, sans-serif"'
TICKS = 5


def scatter(points: Sequence[tuple[float, float]], marks: Mapping[str, int], *, x_label: str, y_label: str, title: str) -> str:
    """All points, and rings in colours with a legend for those that `marks` names by number. Finite numbers alone."""
    x_low, x_high = _range([x for x, _ in points])
    y_low, y_high = _range([y for _, y in points])

    def place(x: float, y: float) -> tuple[float, float]:
        across = LEFT + (x - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT)
        return across, HEIGHT - BOTTOM - (y - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" {FONT}>']
    out.append(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>')
    out.append(_text(LEFT, 24, title, size=13))
    for step in range(TICKS + 1):
        x, y = x_low + step / TICKS * (x_high - x_low), y_low + step / TICKS * (y_high - y_low)
        across, down = place(x, y)
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{down:.1f}" y2="{down:.1f}" stroke="{FAINT}"/>')
        out.append(_text(LEFT - 8, down + 4, f"{y:.4g}", anchor="end"))
        out.append(_text(across, HEIGHT - BOTTOM + 16, f"{x:.4g}", anchor="middle"))
    out.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 34, x_label, anchor="middle"))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    out.append(_text(16, middle, y_label, anchor="middle", more=f' transform="rotate(-90 16 {middle:.0f})"'))
    for x, y in points:
        across, down = place(x, y)
        out.append(f'<circle cx="{across:.1f}" cy="{down:.1f}" r="3" fill="{INK}" fill-opacity="0.35"/>')
    for k, (name, number) in enumerate(marks.items()):
        colour = COLOURS[k % len(COLOURS)]
        across, down = place(*points[number])
        out.append(f'<circle cx="{across:.1f}" cy="{down:.1f}" r="{5 + 3 * k}" fill="none" stroke="{colour}" stroke-width="2"/>')
        left = LEFT + k * (WIDTH - LEFT - RIGHT) / max(len(marks), 1)
        out.append(f'<circle cx="{left + 6:.1f}" cy="{HEIGHT - 20}" r="5" fill="none" stroke="{colour}" stroke-width="2"/>')
        out.append(_text(left + 16, HEIGHT - 16, name))
    return "\n".join([*out, "</svg>\n"])


def _range(values: list[float]) -> tuple[float, float]:
    """A little more than the values take."""
    low, high = min(values), max(values)
    more = 0.06 * (high - low) or max(abs(low) * 0.05, 1.0)
    return low - more, high + more


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 11, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{INK}" text-anchor="{anchor}"{more}>{escape(text)}</text>'
