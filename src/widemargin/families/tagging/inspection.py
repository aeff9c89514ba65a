"""What a tagger is and has learnt: facts, the heaviest features of each label, features by name, and what follows what."""

import numpy as np

from widemargin.engine.names import known
from widemargin.errors import InputError
from widemargin.families.base import Told
from widemargin.families.tagging.model import Tagger
from widemargin.features.search import search
from widemargin.show.tables import Column, text_table

MOST_SHOWN, PER_LINE = 24, 6  # weights of a feature on a terminal: those of every label, or the strongest of pairs of labels


def inspection(
    model: Tagger, path: str, *, top: int = 10, search: str | None = None, transitions: bool = False, label: str | None = None
) -> Told:
    """Facts, the heaviest features for and against each label, and transitions; or only what search, transitions and a label ask for."""
    if top < 1:
        raise InputError(f"--top is {top}; it must be at least 1")
    facts = model.described(path)
    if label is not None:
        if search is not None or transitions:
            raise InputError("--label shows the weights of one label; leave out --search and --transitions, or --label")
        label = known("label", label, model.labels)
        own = heaviest(model, model.labels.index(label), top)
        around = _around(model, label, top)
        return Told(facts | {"label": label, "top": own} | around, "\n".join([label, *_both_lines(own), *_around_lines(around)]) + "\n")
    if search is not None or transitions:
        found = narrowed(model, top, search, transitions)
        return Told(facts | found, "\n".join(narrowed_lines(model, found)) + "\n")
    heavy = {name: heaviest(model, k, top) for k, name in enumerate(model.labels)}
    rows = transition_rows(model)
    lines = [f"{key:12} {value}" for key, value in facts.items()]
    for name, features in heavy.items():
        lines += ["", name, *_both_lines(features)]
    if rows:
        lines += ["", *transition_lines(model, rows)]
    return Told(facts | {"top": heavy, "transitions": rows}, "\n".join(lines) + "\n")


def heaviest(model: Tagger, label: int, top: int) -> list[dict]:
    """The `top` features with the largest weights for one label, then as many against it; of a kernel model training tokens."""
    if model.support is not None:
        w, support = np.asarray(model.support.alpha)[:, label], model.support

        def name(u: int) -> str:
            sentence, token = (int(number) + 1 for number in support.place[u])
            return f"training sentence {sentence}, token {token}"
    else:
        w, name = np.asarray(model.weights.labels)[:, label], model.extractor.nodes.name
    places = [place for side in (np.maximum(w, 0), np.minimum(w, 0)) for place in strongest(side, top)]
    return [{"feature": name(int(f)), "weight": _round(w[f])} for f in places]


def _both_lines(rows: list[dict]) -> list[str]:
    """Weights for a label, then those against it."""
    lines = []
    for title, side in (("for", [r for r in rows if r["weight"] > 0]), ("against", [r for r in rows if r["weight"] < 0])):
        if side:
            lines += [f"  {title}", *(f"  {row['weight']:+9.4f}  {row['feature']}" for row in side)]
    return lines or ["  every weight is 0"]


def _around(model: Tagger, label: str, top: int) -> dict[str, list[dict]]:
    """The strongest transitions to and from a label, up or down; none where tokens are decided one by one."""
    table, at = np.asarray(model.weights.transitions), model.labels.index(label)
    if not len(table):
        return {}
    sides = {"before": table[: len(model.labels), at], "after": table[at, : len(model.labels)]}
    return {side: [{"label": model.labels[k], "weight": _round(row[k])} for k in strongest(row, top)] for side, row in sides.items()}


def _around_lines(around: dict[str, list[dict]]) -> list[str]:
    titles = {"before": "  labels before it", "after": "  labels after it"}
    return [line for side, rows in around.items() for line in (titles[side], *(f"  {row['weight']:+9.4f}  {row['label']}" for row in rows))]


def strongest(values: np.ndarray, top: int) -> np.ndarray:
    """The places of the `top` largest absolute values, the largest first, the first among equals; zeros are left out."""
    size = np.abs(values)
    limit = np.partition(size, len(size) - top)[len(size) - top] if 0 < top < len(size) else 0
    found = np.flatnonzero((size >= limit) & (size > 0))
    return found[np.argsort(-size[found], kind="stable")][:top]


def transition_rows(model) -> list[dict]:
    """The shared transition matrix, a dict per previous label."""
    if not len(model.weights.transitions):
        return []
    table = np.asarray(model.weights.transitions)[: len(model.labels), : len(model.labels)]
    return [{"from": label} | {to: round(float(v), 4) for to, v in zip(model.labels, row)} for label, row in zip(model.labels, table)]


def transition_lines(model, rows: list[dict]) -> list[str]:
    """The table of shared transitions."""
    table = text_table(rows, [Column("from")] + [Column(label, precision=2) for label in model.labels])
    return ["transitions (from \\ to)", *table.splitlines()]


def edge_rows(model, top: int) -> list[dict]:
    """The strongest weights of transitions that look at the input."""
    weights = _edge_weights(model)
    places = strongest(weights.reshape(-1), top)
    found = zip(*np.unravel_index(places, weights.shape))
    return [
        {"feature": model.extractor.edges.name(int(f)), "from": model.labels[i], "to": model.labels[j], "weight": _round(weights[f, i, j])}
        for f, i, j in found
    ]


def search_rows(model, text: str, top: int) -> tuple[int, list[dict]]:
    """How many features match, and the strongest of them with their weights per label, or per pair of labels."""
    Y, labels = len(model.labels), model.labels
    pairs = [f"{i} {j}" for i in labels for j in labels]
    found: list[tuple[float, str, np.ndarray, list[str]]] = []
    count = 0
    both = ((model.extractor.nodes, model.weights.labels[:, :Y], list(labels)), (model.extractor.edges, _edge_weights(model), pairs))
    for index, weights, names in both:
        features = search(index, text)
        count += len(features)
        rows = weights[features].reshape(len(features), len(names))
        size = np.abs(rows).max(axis=1, initial=0)
        best = np.argsort(-size, kind="stable")[:top]
        found += [(float(size[i]), index.name(int(features[i])), rows[i], names) for i in best]
    found = sorted(found, key=lambda item: -item[0])[:top]
    return count, [{"feature": name, "weights": _named(row, names)} for _, name, row, names in found]


def narrowed(model, top: int, text: str | None, transitions: bool) -> dict:
    """What was asked for."""
    facts: dict = {}
    if text is not None and model.support is not None:
        raise InputError("a kernel model has no weights of features to search; see its strongest training tokens without --search")
    if text is not None:
        count, rows = search_rows(model, text, top)
        facts |= {"search": text, "matches": count, "found": rows}
    if transitions:
        facts |= {"transitions": transition_rows(model), "edge_features": edge_rows(model, top)}
    return facts


def narrowed_lines(model, facts: dict) -> list[str]:
    """What `inspect` found, as lines for a terminal."""
    lines = []
    if "search" in facts:
        found = facts["found"]
        lines.append(f"{facts['matches']:,} features match {facts['search']}" + (f"; the strongest {len(found)}:" if found else ""))
        for row in found:
            weights = [f"{label} {weight:+.4f}" for label, weight in row["weights"].items()] or ["every weight is 0"]
            more = [f"and {len(weights) - MOST_SHOWN:,} more"] if len(weights) > MOST_SHOWN else []
            shown = weights[:MOST_SHOWN] + more
            lines += ["", row["feature"], *("  " + "   ".join(shown[i : i + PER_LINE]) for i in range(0, len(shown), PER_LINE))]
    if "transitions" in facts:
        lines += [""] if "search" in facts else []
        if not facts["transitions"]:
            return [*lines, "this model decides every token by itself (structure choice): it has no transitions"]
        lines += transition_lines(model, facts["transitions"])
        if facts["edge_features"]:
            columns = [Column("weight", precision=4), Column("from"), Column("to"), Column("feature")]
            lines += ["", "strongest transitions that look at the input", *text_table(facts["edge_features"], columns).splitlines()]
    return lines


def _edge_weights(model) -> np.ndarray:
    """[E, Y, Y]."""
    Y, edge = len(model.labels), np.asarray(model.weights.transitions)
    return edge[Y:].reshape(-1, Y, edge.shape[1])[:, :, :Y]


def _named(row: np.ndarray, names: list[str]) -> dict[str, float]:
    """Weights that are not zero, the strongest first."""
    return {names[i]: _round(row[i]) for i in strongest(row, len(row))}


def _round(weight) -> float:
    return round(float(weight), 6)
