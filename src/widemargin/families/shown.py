"""Explanations for people: as text, and as HTML with a drawing of the answer where there is one."""

import html
from collections.abc import Callable, Iterable
from typing import Any

from widemargin.show.arcs import draw as draw_arcs
from widemargin.show.constituents import draw as draw_constituents
from widemargin.show.entities import draw_labels
from widemargin.show.tables import Column, text_table

MOST_SHOWN = 3  # contributions for and against

# forms of answers: what an explanation's labels are
LABELS, ARCS, BRACKETS, OTHER = "labels", "arcs", "brackets", "other"


def apart(lines: Iterable[tuple[float, str]]) -> str:
    """Lines about weights, those above 0 first, those below it after them, each part with a title and in the order given."""
    kept, out = list(lines), ""
    for title, side in (("for", [text for value, text in kept if value > 0]), ("against", [text for value, text in kept if value < 0])):
        out += f"\n{title}\n" + "".join(f"{text}\n" for text in side) if side else ""
    return out


def words_of(found: Any) -> list[str]:
    """The first cell of each token; a number where it has none."""
    return [cells[0] or f"({t})" for t, cells in enumerate(found.tokens, 1)]


def label_text(found: Any, label: Any) -> str:
    """A label in words."""
    if found.form == ARCS:
        head, relation = label
        return f"{relation} <- " + ("root" if head == 0 else f"{words_of(found)[head - 1]} ({head})")
    if found.form == BRACKETS:
        first, end, name = label
        return f"{name} {first + 1}-{end}"
    return str(label)


def decision_rows(found: Any, number: Callable[[float], Any] = float) -> list[dict]:
    """A dict per decision: what was decided, how probably, what else, by how much."""
    words, rows = words_of(found), []
    for decision in found.decisions:
        row = {"token": decision.token + 1, "word": words[decision.token], "label": label_text(found, decision.label)}
        row |= {} if decision.probability is None else {"probability": number(decision.probability)}
        rather = "" if decision.runner_up is None else label_text(found, decision.runner_up)
        rows.append(row | {"rather than": rather, "margin": None if decision.margin is None else number(decision.margin)})
    return rows


def as_text(found: Any) -> str:
    """A table of the decisions, then what speaks for the closest of them and against."""
    columns = {key: Column(key, precision=4 if key in ("probability", "margin") else None) for row in decision_rows(found) for key in row}
    lines = text_table(decision_rows(found), list(columns.values())).splitlines() if columns else ["nothing was decided"]
    close = min((d for d in found.decisions if d.comparison is not None), key=lambda d: d.margin, default=None)
    if close is not None:
        rather = "" if close.runner_up is None else f" rather than {label_text(found, close.runner_up)}"
        lines += ["", f"closest: {words_of(found)[close.token]} is {label_text(found, close.label)}{rather}"]
        pro, contra, _ = close.comparison.shown(MOST_SHOWN)
        lines += [f"{c.value:+10.4f}  {c.feature}" for c in (*pro, *contra)]
    return "\n".join(lines) + "\n"


def as_html(found: Any) -> str:
    """The answer drawn, then the decisions as a table. Everything is escaped."""
    words, drawing = words_of(found), ""
    if found.form == LABELS:
        drawing = draw_labels(words, found.written)
    elif found.form == ARCS:
        drawing = draw_arcs(words, [head for head, _ in found.labels], [relation for _, relation in found.labels])
    elif found.form == BRACKETS:
        drawing = draw_constituents(words, [cells[1] for cells in found.tokens], found.labels)
    rows = decision_rows(found, "{:.4f}".format)
    keys = list(dict.fromkeys(key for row in rows for key in row))
    head = "".join(f"<th>{key}</th>" for key in keys)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(row.get(k) or ''))}</td>" for k in keys) + "</tr>" for row in rows)
    return f"<div>{drawing}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
