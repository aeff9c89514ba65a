"""Figures of several panels beside each other, both axes logarithmic where asked, one legend per panel."""

from dataclasses import dataclass

from widemargin.show.figures import COLOURS, FAINT, HEIGHT, MARKERS, Points, house_figure, write_figure


@dataclass(frozen=True)
class Panel:
    """Curves, name -> [(x, y)], and what the axes are."""

    title: str
    curves: dict[str, Points]
    x_label: str
    y_label: str
    log_y: bool = True


def draw_panels(panels: list[Panel], stem: str) -> list[str]:
    """Write stem.png and stem.svg; x is always logarithmic. A name has the same colour in every panel."""
    names = list(dict.fromkeys(name for panel in panels for name in panel.curves))
    with house_figure(HEIGHT) as figure:
        from matplotlib.ticker import FormatStrFormatter, LogLocator, NullLocator  # house_figure has said so where it is missing

        figure.set_figwidth(5.2 * len(panels))
        for place, panel in enumerate(panels, 1):
            axes = figure.add_subplot(1, len(panels), place)
            axes.set_title(panel.title, loc="left", fontsize=11, fontweight="bold", parse_math=False)
            axes.set_xlabel(panel.x_label, parse_math=False)
            axes.set_ylabel(panel.y_label, parse_math=False)
            axes.set_xscale("log")
            if panel.log_y:
                axes.set_yscale("log")
            for axis in (axes.xaxis, axes.yaxis) if panel.log_y else (axes.xaxis,):
                axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
                axis.set_major_formatter(FormatStrFormatter("%g"))
                axis.set_minor_locator(NullLocator())
            axes.grid(color=FAINT, linewidth=0.8)
            axes.set_axisbelow(True)
            axes.spines[["top", "right"]].set_visible(False)
            for name, points in panel.curves.items():
                at = names.index(name)
                look = {"color": COLOURS[at % len(COLOURS)], "marker": MARKERS[at % len(MARKERS)], "markersize": 4.5}
                axes.plot(*zip(*points), label=name, linewidth=1.6, markevery=max(1, len(points) // 15), **look)
            axes.legend(fontsize=8.5, frameon=False)
        return write_figure(figure, stem)
