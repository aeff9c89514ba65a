"""Tables of a tuned study: the rows with their means and spreads, what is significant, every cell of the grids, and how robust each was."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from widemargin.show.tables import Column
from widemargin.study.reproduction import Section
from widemargin.study.tuning import Tuned, p_values, text_of

WITHIN = 1.0  # points of the metric: cells that are no further below the best of their row


def score_table(
    tuned: Sequence[Tuned], title: str, metric: str, more: Sequence[Column] = (), facts: dict[str, dict] | None = None
) -> Section:
    """A line per row. more: columns of a study's own, whose values are in facts, by row."""
    rows = [row.summary() | (facts or {}).get(row.name, {}) for row in tuned]
    spread = any(row["seeds"] > 1 for row in rows)
    columns = [Column("row", "method"), Column("dev", f"dev {metric}", 2), *([Column("dev_spread", "s.d.", 2)] if spread else [])]
    columns += [Column("test", f"test {metric}", 2), *([Column("test_spread", "s.d.", 2)] if spread else [])]
    columns += [Column("epoch", "at iteration"), Column("chosen", "chosen on dev"), Column("cells", "tried"), Column("seconds", "CPU s", 3)]
    return Section(title, rows, [*columns, *more])


def p_table(tuned: Sequence[Tuned], score: Callable[[np.ndarray], np.ndarray], samples: int) -> Section:
    """A line per row, best first: p of its being no worse than each better one."""
    pairs = p_values(tuned, score, samples)
    order = list(pairs)
    rows = [{"row": lower} | {better: pairs[better].get(lower) for better in order} for lower in order]
    columns = [Column("row", "lower"), *(Column(name, f"than {name}", 4) for name in order[:-1])]
    return Section(f"p on the test data, paired bootstrap, {samples:,} samples", rows, columns)


def cell_tables(tuned: Sequence[Tuned], metric: str) -> list[Section]:
    """Every cell, by development score: a matrix for each row with two settings, one list of all other rows with any."""
    sections, lines = [], []
    for row in tuned:
        axes = list(row.tried[0]["point"])
        if len(axes) == 2:
            sections.append(_matrix(row, axes, metric))
        elif axes:
            lines += [
                {"row": row.name, "settings": text_of(cell["point"]), "dev": cell["dev"], "epoch": cell["epoch"]} for cell in row.tried
            ]
    columns = [Column("row", "method"), Column("settings"), Column("dev", f"dev {metric}", 2), Column("epoch", "at iteration")]
    return sections + ([Section("Every other cell", lines, columns)] if lines else [])


def _matrix(row: Tuned, axes: list[str], metric: str) -> Section:
    down, across = axes
    values = list(dict.fromkeys(cell["point"][across] for cell in row.tried))
    lines: dict[Any, dict] = {}
    for cell in row.tried:
        lines.setdefault(cell["point"][down], {down: f"{cell['point'][down]:g}"})[f"{across}={cell['point'][across]:g}"] = cell["dev"]
    columns = [Column(down), *(Column(f"{across}={value:g}", None, 2) for value in values)]
    return Section(f"Every cell, dev {metric}: {row.name}", list(lines.values()), columns)


def robustness(tuned: Sequence[Tuned], metric: str) -> Section:
    """How much of each grid is near its best cell."""
    rows = []
    for row in tuned:
        if len(row.tried) > 1:
            dev = np.array([cell["dev"] for cell in row.tried])
            about = {
                "row": row.name,
                "cells": len(dev),
                "best": float(dev.max()),
                "median": float(np.median(dev)),
                "worst": float(dev.min()),
            }
            rows.append(about | {"near": int((dev >= dev.max() - WITHIN).sum())})
    columns = [Column("row", "method"), Column("cells"), *(Column(key, f"{key} dev {metric}", 2) for key in ("best", "median", "worst"))]
    return Section(f"How robust: cells within {WITHIN:g} point of the best", rows, [*columns, Column("near", "near the best")])
