"""Figures of results, drawn with matplotlib when it is there: learning curves, each named at its end."""

import contextlib
import io
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from widemargin.errors import InputError, installed, require
from widemargin.readers.files import atomic_writer
from widemargin.show.curves import Curve, Points

# Okabe & Ito (2008): told apart by colour-blind readers too. Their yellow is too faint on white; black comes last.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)))  # the next one after each round of colours
INK, FAINT = "#333333", "#E4E4E4"
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so the figure is the same everywhere
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": "#999999",
    "xtick.color": INK,
    "ytick.color": INK,
    "svg.hashsalt": "widemargin",
}
WIDTH, HEIGHT, DPI = 8.0, 4.8, 160  # inches, dots per inch
LINE = 0.19  # inches between the labels of two curves


def draw_curves(
    curves: Mapping[str, Points | Curve],
    path_stem: str | os.PathLike[str],
    *,
    title: str,
    x_label: str,
    y_label: str,
    y_range: tuple[float, float] | None = None,
    guides: Mapping[str, Points] | None = None,
    ordered: bool = True,
) -> list[str]:
    """Draw all curves, name -> [(x, y)] or a Curve, in one figure and write it to path_stem.png and path_stem.svg; return the two paths.

    Unless y_range is given, the y axis shows where the curves end, and as much again of the way there; what lies beyond is cut off. Points
    that are not finite are left out. ordered: points are joined in the order of x, otherwise in the order given. guides: faint lines
    behind the curves, with their names. The same curves give the same bytes.
    """
    every = {name: (one if isinstance(one, Curve) else Curve(one)).finite(ordered) for name, one in curves.items()}
    kept = {name: one for name, one in every.items() if one.points}
    if not kept:
        raise InputError("there is nothing to draw: no curve has a finite point; give at least one.")
    low, high = y_range or with_bands(interesting_range([one.points for one in kept.values()]), list(kept.values()))
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(f"the y axis cannot go from {low} to {high}; give a smaller number and a larger one.")
    with house_figure(max(HEIGHT, 1.4 + LINE * len(kept))) as figure:
        _draw(figure, kept, (low, high), guides or {}, title=title, x_label=x_label, y_label=y_label)
        return write_figure(figure, os.fspath(path_stem))


def draw_histogram(
    edges: Sequence[float],
    counts: Sequence[int],
    path_stem: str | os.PathLike[str],
    *,
    title: str,
    x_label: str,
    y_label: str,
    note: str = "",
) -> list[str]:
    """Draw bars between edges [n+1] with heights [n], and a line at 0 if it is inside, to path_stem.png and .svg; return the two paths."""
    if len(edges) != len(counts) + 1 or not len(counts):
        raise InputError(f"{len(counts)} bars have {len(edges)} edges; give at least one bar, and one edge more than bars.")
    with house_figure(HEIGHT) as figure:
        axes = figure.add_subplot()
        axes.set_title(title, loc="left", fontsize=10, fontweight="bold", pad=22 if note else 10, parse_math=False)
        if note:
            axes.text(0.0, 1.02, note, transform=axes.transAxes, fontsize=9, parse_math=False)
        axes.set_xlabel(x_label, parse_math=False)
        axes.set_ylabel(y_label, parse_math=False)
        widths = [high - low for low, high in zip(edges, edges[1:])]
        axes.bar(edges[:-1], counts, width=widths, align="edge", color=COLOURS[0], edgecolor="white", linewidth=0.7, zorder=3)
        if edges[0] < 0 < edges[-1]:
            axes.axvline(0.0, color=INK, linewidth=1.0, zorder=4)
        axes.grid(color=FAINT, linewidth=0.8, axis="y")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        return write_figure(figure, os.fspath(path_stem))


@contextlib.contextmanager
def house_figure(height: float) -> Iterator[Any]:
    """An empty figure of that height in inches; what is drawn and written inside the with block follows STYLE."""
    require("matplotlib", "a figure")
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # whatever the user's own matplotlibrc says
        matplotlib.rcParams.update(STYLE)
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        FigureCanvasAgg(figure)
        yield figure


def can_draw() -> bool:
    """Is matplotlib installed? Where it is not, reports are written without their figures."""
    return installed("matplotlib")


def interesting_range(curves: Sequence[Points]) -> tuple[float, float]:
    """The part of the y axis in which the curves end, whether they rise (scores) or fall (losses).

    Rising curves: from the worst last value minus its distance to the best value of all, but not below the lowest value; falling ones are
    the mirror image. A margin of 4% is added at both ends.
    """
    values = [y for points in curves for _, y in points]
    last = [points[-1][1] for points in curves]
    rising = sum(points[-1][1] - points[0][1] for points in curves) >= 0
    if rising:
        high, low = max(values), min(last)
        low = max(min(values), low - (high - low)) if high > low else min(values)
    else:
        low, high = min(values), max(last)
        high = min(max(values), high + (high - low)) if high > low else max(values)
    margin = 0.04 * (high - low) or 0.01 * abs(high) or 1.0
    return low - margin, high + margin


def with_bands(y_range: tuple[float, float], curves: Sequence[Curve]) -> tuple[float, float]:
    """A range that holds the ends of all bands too, with the same margin."""
    ends = [edge for one in curves if one.band for edge in one.band[-1][1:]]
    if not ends:
        return y_range
    low, high = min(y_range[0], *ends), max(y_range[1], *ends)
    margin = 0.02 * (high - low)
    return low - margin, high + margin


def spread(places: list[float], distance: float, *, low: float, high: float) -> list[float]:
    """Move places, as little as is needed in the least squares sense, to be `distance` apart in the same order, within low..high.

    With the i-th place moved down by i·distance they need only be in order: isotonic regression, by pooling adjacent violators. `distance`
    shrinks when there is no room for it.
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    distance = min(distance, (high - low) / max(1, len(places) - 1))
    pools: list[list[float]] = []  # [sum, count]
    for rank, i in enumerate(order):
        pools.append([places[i] - rank * distance, 1])
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] > pools[-1][0] / pools[-1][1]:
            total, count = pools.pop()
            pools[-1][0] += total
            pools[-1][1] += count
    levels = [total / count for total, count in pools for _ in range(int(count))]
    ceiling = high - (len(places) - 1) * distance
    moved = [0.0] * len(places)
    for rank, i in enumerate(order):
        moved[i] = min(max(levels[rank], low), ceiling) + rank * distance
    return moved


def _draw(
    figure: Any,
    drawn: dict[str, Curve],
    y_range: tuple[float, float],
    guides: Mapping[str, Points],
    *,
    title: str,
    x_label: str,
    y_label: str,
) -> None:
    """Lines, axes, and the name and last value of each curve to the right of where it ends."""
    from matplotlib.ticker import FormatStrFormatter, LogLocator, MaxNLocator, NullLocator

    low, high = y_range
    curves = {name: one.points for name, one in drawn.items()}
    axes = figure.add_subplot()
    axes.set_title(title, loc="left", fontsize=12, fontweight="bold", pad=10, parse_math=False)
    axes.set_xlabel(x_label, parse_math=False)
    axes.set_ylabel(y_label, parse_math=False)
    axes.set_ylim(low, high)
    first, end = (extreme(x for points in curves.values() for x, _ in points) for extreme in (min, max))
    whole = all(x.is_integer() for points in curves.values() for x, _ in points)
    logarithmic = first > 0 and end > 4 * min(points[-1][0] for points in curves.values())
    if logarithmic:  # ten epochs beside a hundred iterations: neither may be squeezed out of sight
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(FormatStrFormatter("%g"))
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=whole, min_n_ticks=1, steps=[1, 2, 5, 10]))
    scale = math.log if logarithmic else float
    room = 0.025 * (scale(end) - scale(first)) or 0.5
    back = math.exp if logarithmic else float
    axes.set_xlim(back(scale(first) - room), back(scale(end) + room))
    axes.grid(color=FAINT, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=3)
    _guides(axes, guides)
    names = sorted(curves, key=lambda name: -curves[name][-1][1])
    height = figure.get_figheight() - 1.2  # inches of the axes, nearly
    unit = (high - low) / height
    ends = [min(max(curves[name][-1][1], low), high) for name in names]
    places = spread(ends, LINE * unit, low=low, high=high)
    decimals = _decimals(high - low)
    for number, (name, points) in enumerate(curves.items()):
        marker = MARKERS[number % len(MARKERS)]
        look = {
            **{"color": COLOURS[number % len(COLOURS)], "linestyle": DASHES[number // len(COLOURS) % len(DASHES)], "linewidth": 1.8},
            **{"marker": marker, "markersize": 7.5 if marker in "PX" else 5.8, "markeredgecolor": "white", "markeredgewidth": 0.7},
        }
        x, y = zip(*points)
        axes.plot(x, y, markevery=max(1, math.ceil(len(points) / 25)), zorder=3, **look)
        if band := drawn[name].band:
            axes.fill_between(*zip(*band), color=look["color"], alpha=0.15, linewidth=0, zorder=1)
        _notes(axes, points, drawn[name].notes, look["color"], below=number % 2 == 1)
        place = (places[names.index(name)] - low) / (high - low)
        value = (min(max(y[-1], low), high) - low) / (high - low)
        right = 1 - (scale(end) - scale(x[-1]) + room) / (scale(end) - scale(first) + 2 * room)
        beside: dict[str, Any] = {"clip_on": False, "transform": axes.transAxes}
        axes.plot([right + 0.008, 1.005, 1.025], [value, value, place], color=look["color"], alpha=0.5, linewidth=0.8, zorder=2, **beside)
        axes.plot([1.03, 1.0475, 1.065], [place] * 3, markevery=[1], zorder=3, **look, **beside)
        axes.text(
            1.08,
            place,
            drawn[name].label or f"{y[-1]:.{decimals}f}  {name}",
            fontsize=9.5,
            va="center_baseline",
            parse_math=False,
            **beside,
        )


def _notes(axes: Any, points: Points, notes: Sequence[str], colour: str, *, below: bool) -> None:
    """A word beside each point, those of equal points joined: above it to the right, or below it to the left where there is room, with a
    white edge so that lines do not strike it out."""
    from matplotlib.patheffects import withStroke

    joined: dict[tuple[float, float], list[str]] = {}
    for at, note in zip(points, notes):
        if note:
            joined.setdefault(at, []).append(note)
    low, high = axes.get_xlim()
    for at, words in joined.items():
        left = below and at[0] > low + 0.15 * (high - low)
        place = {"xytext": (-6 if left else 6, -5 if below else 5), "textcoords": "offset points", "ha": "right" if left else "left"}
        edge = {"va": "top" if below else "bottom", "path_effects": [withStroke(linewidth=2.5, foreground="white")]}
        axes.annotate(", ".join(words), at, color=colour, fontsize=9, zorder=5, parse_math=False, **place, **edge)


def _guides(axes: Any, guides: Mapping[str, Points]) -> None:
    """Faint lines, each named where it begins."""
    for name, points in guides.items():
        axes.plot(*zip(*points), color="#BBBBBB", linewidth=0.9, linestyle=(0, (4, 3)), zorder=1.5)
        axes.annotate(
            name,
            points[len(points) // 20],
            xytext=(3, -3),
            textcoords="offset points",
            va="top",
            fontsize=8,
            color="#888888",
            parse_math=False,
        )


def _decimals(extent: float) -> int:
    """Enough decimals to tell apart values that differ by a hundredth of the axis."""
    return min(8, max(0, 2 - math.floor(math.log10(extent)))) if extent < 1000 else 0


def write_figure(figure: Any, stem: str) -> list[str]:
    """Save the figure in both formats, without dates or versions, each file whole or not at all."""
    paths = []
    for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None, "Creator": None})):
        drawn = io.BytesIO()
        figure.savefig(drawn, format=kind, dpi=DPI, metadata=metadata)
        with atomic_writer(f"{stem}.{kind}") as handle:
            handle.write(drawn.getvalue())
        paths.append(f"{stem}.{kind}")
    return paths
