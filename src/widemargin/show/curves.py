"""What a figure of curves is made of."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

Points = list[tuple[float, float]]


@dataclass(frozen=True)
class Curve:
    """Points that are joined; a band around them, what stands at their end, and a word beside each of them."""

    points: Points
    band: list[tuple[float, float, float]] = field(default_factory=list)  # x, lowest, highest
    label: str = ""  # the last value and the name, unless given
    notes: Sequence[str] = ()

    def finite(self, ordered: bool) -> "Curve":
        """Without points that are not finite; ordered: by x."""
        kept = [(float(x), float(y)) for x, y in self.points if math.isfinite(x) and math.isfinite(y)]
        return replace(self, points=sorted(kept) if ordered else kept)


def f1_lines(x_range: tuple[float, float], y_range: tuple[float, float], *, most: int = 6) -> dict[str, Points]:
    """Precision (y) over recall (x), both in per cent, where F1 is a round number: name -> points inside the ranges.

    F = 2PR / (P + R), so that P = F R / (2R - F).
    """
    corners = [_f1(x, y) for x in x_range for y in y_range]
    low, high = max(0.0, min(corners)), min(100.0, max(corners))
    step = next((step for step in (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0) if (high - low) / step <= most), 20.0)
    lines = {}
    for k in range(math.ceil(low / step), math.floor(high / step) + 1):
        f = k * step
        recalls = [x_range[0] + (x_range[1] - x_range[0]) * i / 200 for i in range(201)]
        points = [(r, f * r / (2 * r - f)) for r in recalls if 2 * r > f]
        points = [(r, p) for r, p in points if y_range[0] <= p <= y_range[1]]
        if len(points) > 10:
            lines[f"F1 {f:g}"] = points
    return lines


def _f1(a: float, b: float) -> float:
    return 2 * a * b / (a + b) if a > 0 and b > 0 else 0.0
