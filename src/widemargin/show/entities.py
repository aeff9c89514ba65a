"""Labels of words as HTML, drawn as displaCy does: spans on coloured ground with their types behind them, other labels below the words."""

import html
from collections.abc import Sequence

# light grounds on which dark text is read well; types take them in the order in which they come
GROUNDS = ("#7aecec", "#feca74", "#ff9561", "#aa9cfc", "#c887fb", "#9cc9cc", "#bfe1d9", "#e4e7d2", "#f0d0ff", "#bfeeb7")
PREFIXES = {"B": True, "S": True, "U": True, "I": False, "E": False, "L": False}  # does it begin a span?
BOX = "padding:0.25em 0.5em;margin:0 0.2em;line-height:1;border-radius:0.35em"
SMALL = "font-size:0.75em;font-weight:bold;margin-left:0.5em;vertical-align:middle"


def spans_of(labels: Sequence[str]) -> list[tuple[int, int, str]] | None:
    """Runs (first, end, type) of labels such as B-X, I-X, O; None where some label is none of that kind."""
    spans: list[list] = []
    for t, label in enumerate(labels):
        prefix, dash, kind = str(label).partition("-")
        if label == "O":
            continue
        if not dash or prefix not in PREFIXES:
            return None
        if not PREFIXES[prefix] and spans and spans[-1][1] == t and spans[-1][2] == kind:
            spans[-1][1] = t + 1
        else:
            spans.append([t, t + 1, kind])
    return [(first, end, kind) for first, end, kind in spans]


def draw_labels(words: Sequence[str], labels: Sequence[str]) -> str:
    """One sentence as HTML, without script or style sheet; what it shows is escaped."""
    spans = spans_of(labels)
    if spans is None:
        cells = [_below(word, str(label)) for word, label in zip(words, labels)]
        return f'<div class="labels" style="line-height:1.6">{"".join(cells)}</div>'
    colour: dict[str, str] = {}
    out, at = [], 0
    for first, end, kind in spans:
        ground = colour.setdefault(kind, GROUNDS[len(colour) % len(GROUNDS)])
        text = html.escape(" ".join(words[first:end]))
        mark = f'<mark class="entity" style="background:{ground};{BOX}">{text}<span style="{SMALL}">{html.escape(kind)}</span></mark>'
        out += [html.escape(" ".join(words[at:first])), mark]
        at = end
    body = " ".join(filter(None, [*out, html.escape(" ".join(words[at:]))]))
    return f'<div class="entities" style="line-height:2.5">{body}</div>'


def _below(word: str, label: str) -> str:
    small = f'<span style="font-size:0.75em;color:#64748b">{html.escape(label)}</span>'
    return f'<span style="display:inline-block;text-align:center;margin:0 0.4em">{html.escape(word)}<br>{small}</span>'
