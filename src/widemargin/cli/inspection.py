"""widemargin inspect --search and --transitions: features by name, and what follows what."""

import numpy as np

from widemargin.errors import InputError
from widemargin.features.searching import search
from widemargin.study.tables import Column, text_table

MOST, PER_LINE = 24, 6  # weights of a feature on a terminal: those of every label, or the strongest of pairs of labels


def strongest(values: np.ndarray, top: int) -> np.ndarray:
    """The places of the `top` largest absolute values, the largest first, the first among equals; zeros are left out."""
    size = np.abs(values)
    limit = np.partition(size, len(size) - top)[len(size) - top] if 0 < top < len(size) else 0
    found = np.flatnonzero((size >= limit) & (size > 0))
    return found[np.argsort(-size[found], kind="stable")][:top]


def transition_rows(model) -> list[dict]:
    """The shared transition matrix, a dict per previous label."""
    if not len(model.weights.edge):
        return []
    table = np.asarray(model.weights.edge)[: len(model.labels), : len(model.labels)]
    return [{"from": label} | {to: round(float(v), 4) for to, v in zip(model.labels, row)} for label, row in zip(model.labels, table)]


def print_transitions(model, rows: list[dict]) -> None:
    """The table of shared transitions."""
    print("transitions (from \\ to)")
    print(text_table(rows, [Column("from")] + [Column(label, precision=2) for label in model.labels]), end="")


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
    both = ((model.extractor.nodes, model.weights.node[:, :Y], list(labels)), (model.extractor.edges, _edge_weights(model), pairs))
    for index, weights, names in both:
        features = search(index, text)
        count += len(features)
        rows = weights[features].reshape(len(features), len(names))
        size = np.abs(rows).max(axis=1, initial=0)
        best = np.argsort(-size, kind="stable")[:top]
        found += [(float(size[i]), index.name(int(features[i])), rows[i], names) for i in best]
    found = sorted(found, key=lambda item: -item[0])[:top]
    return count, [{"feature": name, "weights": _named(row, names)} for _, name, row, names in found]


def narrowed(model, options) -> dict:
    """What --search and --transitions ask for."""
    if options.top < 1:
        raise InputError(f"--top is {options.top}; it must be at least 1")
    facts: dict = {}
    if options.search is not None and model.support is not None:
        raise InputError("a kernel model has no weights of features to search; see its strongest training tokens without --search")
    if options.search is not None:
        count, rows = search_rows(model, options.search, options.top)
        facts |= {"search": options.search, "matches": count, "found": rows}
    if options.transitions:
        facts |= {"transitions": transition_rows(model), "edge_features": edge_rows(model, options.top)}
    return facts


def print_narrowed(model, facts: dict) -> None:
    """The same for a terminal."""
    if "search" in facts:
        found = facts["found"]
        print(f"{facts['matches']:,} features match {facts['search']}" + (f"; the strongest {len(found)}:" if found else ""))
        for row in found:
            weights = [f"{label} {weight:+.4f}" for label, weight in row["weights"].items()] or ["every weight is 0"]
            more = [f"and {len(weights) - MOST:,} more"] if len(weights) > MOST else []
            shown = weights[:MOST] + more
            print(f"\n{row['feature']}")
            for i in range(0, len(shown), PER_LINE):
                print("  " + "   ".join(shown[i : i + PER_LINE]))
    if "transitions" in facts:
        if "search" in facts:
            print()
        if not facts["transitions"]:
            print("this model decides every token by itself (structure choice): it has no transitions")
            return
        print_transitions(model, facts["transitions"])
        if facts["edge_features"]:
            print("\nstrongest transitions that look at the input")
            columns = [Column("weight", precision=4), Column("from"), Column("to"), Column("feature")]
            print(text_table(facts["edge_features"], columns), end="")


def _edge_weights(model) -> np.ndarray:
    """[E, Y, Y]."""
    Y, edge = len(model.labels), np.asarray(model.weights.edge)
    return edge[Y:].reshape(-1, Y, edge.shape[1])[:, :, :Y]


def _named(row: np.ndarray, names: list[str]) -> dict[str, float]:
    """Weights that are not zero, the strongest first."""
    return {names[i]: _round(row[i]) for i in strongest(row, len(row))}


def _round(weight) -> float:
    return round(float(weight), 6)
