"""Reliability diagrams: accuracy against confidence, bin by bin, before and after calibration; how many tokens there are, below."""

import os
from typing import Any

import numpy as np

from widemargin.metrics.calibration import Reliability
from widemargin.show.figures import COLOURS, FAINT, INK, MARKERS, house_figure, write_figure

TALL = 5.4  # inches


def draw_reliability(files: dict[str, dict[str, Reliability]], path_stem: str | os.PathLike[str], *, title: str) -> list[str]:
    """One diagram per file, one curve per state of the model: file -> state -> reliability; writes path_stem.png and .svg.

    A calibrated model lies on the diagonal; below it, it is too sure of itself. The same numbers give the same bytes.
    """
    with house_figure(TALL) as figure:
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold", parse_math=False)
        grid = figure.add_gridspec(2, len(files), height_ratios=[3.2, 1])
        for place, (name, states) in enumerate(files.items()):
            upper, lower = figure.add_subplot(grid[0, place]), figure.add_subplot(grid[1, place])
            _diagram(upper, name, states, first=place == 0)
            _counts(lower, states, first=place == 0)
        return write_figure(figure, os.fspath(path_stem))


def _diagram(axes: Any, name: str, states: dict[str, Reliability], *, first: bool) -> None:
    axes.set_title(name, loc="left", fontsize=10, parse_math=False)
    axes.plot([0, 1], [0, 1], color=INK, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    for number, (state, found) in enumerate(states.items()):
        filled = found.count > 0
        look = {"color": _colour(number), "marker": MARKERS[number], "markersize": 5.8, "markeredgecolor": "white", "markeredgewidth": 0.7}
        label = f"{state}: ECE {found.ece:.4f}"
        axes.plot(found.confidence[filled], found.accuracy[filled], linewidth=1.8, zorder=3, label=label, **look)
    axes.set_ylim(-0.03, 1.03)
    if first:
        axes.set_ylabel("accuracy in the bin")
    axes.legend(loc="best", frameon=False, fontsize=9.5)
    _dress(axes)


def _counts(axes: Any, states: dict[str, Reliability], *, first: bool) -> None:
    """Bars on a logarithmic axis: most tokens are in the last bin, which is most of the ECE."""
    for number, found in enumerate(states.values()):
        bins = len(found.count)
        width = 0.8 / bins / len(states)
        places = (np.arange(bins) + 0.1) / bins + (number + 0.5) * width
        axes.bar(places, found.count, width=width, color=_colour(number), zorder=3)
    axes.set_yscale("log")
    axes.set_ylim(bottom=0.7)
    axes.set_xlabel("probability of the likeliest answer")
    if first:
        axes.set_ylabel("tokens")
    _dress(axes)


def _colour(number: int) -> str:
    """The first state in orange, the second in blue."""
    return COLOURS[1 - number] if number < 2 else COLOURS[number]


def _dress(axes: Any) -> None:
    axes.set_xlim(-0.03, 1.03)
    axes.grid(color=FAINT, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=3)
