"""widemargin inspect, list, warmup."""

import time

import numpy as np

from widemargin.cli.common import Progress, is_parser, print_json
from widemargin.study.tables import Column, text_table


def inspect(options) -> int:
    """Facts, the heaviest features of each label, and the transitions; or only what --search and --transitions ask for."""
    if is_parser(options.model):
        from widemargin.cli.parsing import inspect_trees

        return inspect_trees(options)
    from widemargin.cli.inspection import narrowed, print_narrowed, print_transitions, transition_rows
    from widemargin.tasks.tagger import Tagger

    model = Tagger.load(options.model)
    facts = summary(model, options.model)
    if options.search is not None or options.transitions:
        found = narrowed(model, options)
        print_json(facts | found) if options.json else print_narrowed(model, found)
        return 0
    top = {label: heaviest(model, k, options.top) for k, label in enumerate(model.labels)}
    transitions = transition_rows(model)
    if options.json:
        print_json(facts | {"top": top, "transitions": transitions})
        return 0
    for key, value in facts.items():
        print(f"{key:12} {value}")
    for label, rows in top.items():
        print(f"\n{label}")
        for row in rows:
            print(f"  {row['weight']:+9.4f}  {row['feature']}")
    if transitions:
        print()
        print_transitions(model, transitions)
    return 0


def summary(model, path: str) -> dict:
    """What a model is, in a few lines."""
    import os

    from widemargin.tasks.pruning import largest_weights

    learner = model.facts.get("learner", {})
    nonzero = int(np.count_nonzero(model.weights.node)) + int(np.count_nonzero(model.weights.edge))
    weights = (len(model.weights.node) + len(model.weights.edge)) * len(model.labels)
    return {
        "model": path,
        "bytes": os.path.getsize(path),
        "MB": round(os.path.getsize(path) / 1e6, 2),
        "task": model.task.name,
        "structure": model.structure_name,
        "features": len(model.extractor.nodes) + len(model.extractor.edges),
        **({} if model.support is None else {"kernel": " ".join(f"{k}={v}" for k, v in model.support.kernel.settings().items())}),
        **({} if model.support is None else {"support": f"{len(model.support):,} tokens"}),
        "zero rows": sum(int(np.count_nonzero(largest == 0)) for largest in largest_weights(model)),  # features that prune drops at no cost
        "weights": weights,
        "nonzero": nonzero,
        "zero": weights - nonzero,
        "labels": " ".join(model.labels),
        "learner": learner.get("name"),
        "objective": model.facts.get("objective"),
        "cost": model.facts.get("cost"),
        "penalty": f"l1 {model.facts.get('l1')} l2 {model.facts.get('l2')}",
        "epoch": model.facts.get("epoch"),
        "temperature": round(model.temperature, 4),
        "trained on": f"{model.facts.get('sentences'):,} sentences, {model.facts.get('tokens'):,} tokens",
        "version": model.facts.get("widemargin"),
    }


def heaviest(model, label: int, top: int) -> list[dict]:
    """The features with the largest weights, up or down, for one label."""
    from widemargin.cli.inspection import strongest

    if model.support is not None:
        return strongest_tokens(model, label, top)
    w = np.asarray(model.weights.node)[:, label]
    return [{"feature": model.extractor.nodes.name(int(f)), "weight": round(float(w[f]), 6)} for f in strongest(w, top)]


def strongest_tokens(model, label: int, top: int) -> list[dict]:
    """The support tokens with the largest alpha, up or down, for one label: where they stand in the training data."""
    from widemargin.cli.inspection import strongest

    alpha = np.asarray(model.support.alpha)[:, label]
    places = [tuple(int(number) + 1 for number in model.support.place[u]) for u in strongest(alpha, top)]
    found = zip(places, alpha[strongest(alpha, top)])
    return [{"feature": f"training sentence {i}, token {t}", "weight": round(float(a), 6)} for (i, t), a in found]


def listing(options) -> int:
    """Names with a line about each."""
    rows = _tables()[options.what]()
    if options.json:
        print_json({options.what: rows})
        return 0
    print(text_table(rows, [Column(key) for key in rows[0]]), end="")
    return 0


def _tables():
    return {
        "learners": _learners,
        "objectives": _objectives,
        "tasks": _tasks,
        "templates": _templates,
        "structures": _structures,
        "costs": _costs,
    }


def _learners():
    import dataclasses

    from widemargin.learners import LEARNERS

    rows = []
    for name, (kind, usual, objective) in LEARNERS.items():
        settings = {f.name: usual.get(f.name, f.default) for f in dataclasses.fields(kind) if f.name != "name"}
        rows.append({"learner": name, "usual objective": objective, "settings": " ".join(f"{k}={v}" for k, v in settings.items())})
    return rows


def _objectives():
    from widemargin.objectives import OBJECTIVES

    def words(term):
        return " ".join([type(term).__name__.lower()] + [f"{k}={v}" for k, v in term._asdict().items()])

    return [
        {
            "objective": o.name,
            "upper": words(o.upper),
            "lower": words(o.lower),
            "convex": o.convex,
            "uses the cost": o.costly,
            "needs": " ".join(o.needs),
        }
        for o in OBJECTIVES.values()
    ]


def _tasks():
    from widemargin.tasks.base import TASKS

    return [
        {
            "task": t.name,
            "about": t.about,
            "columns": " ".join(t.columns) or "any",
            "templates": t.templates,
            "labels": t.labels,
            "metric": t.metric,
        }
        for t in TASKS.values()
    ] + [
        {
            "task": "depparse",
            "about": "dependency trees, CoNLL-U or CoNLL-X",
            "columns": "the format's ten",
            "templates": "arcs",
            "labels": "as-is",
            "metric": "las",
        }
    ]


def _templates():
    from widemargin.features.named import ARCS, TOKENS, named_set, named_sets

    def about(name, kind):
        return next((line.lstrip("# ") for line in named_set(name, kind).splitlines() if line.startswith("#")), "")

    return [{"templates": name, "about": about(name, kind)} for kind in (TOKENS, ARCS) for name in named_sets(kind)]


def _structures():
    from widemargin.structures import STRUCTURES
    from widemargin.structures.trees import TREES

    return [
        {"structure": name, "offers": " ".join(sorted(kind.offers)), "about": (kind.__doc__ or "").splitlines()[0]}
        for name, kind in {**STRUCTURES, **TREES}.items()
    ]


def _costs():
    import widemargin.costs

    lines = (widemargin.costs.__doc__ or "").splitlines()
    return [{"cost": line[4:34].strip(), "meaning": line[34:].strip()} for line in lines if line.startswith("    ")]


def warmup(options) -> int:
    """Train and predict on a few sentences with every combination that commands use, so that each kernel is compiled and cached."""
    from widemargin.study.warming import warm, warm_parsers

    began = time.perf_counter()
    tell = Progress().note
    done = warm(tuple(options.labels or (9, 17, 23)), tell) + (0 if options.labels else warm_parsers(tell))
    seconds = time.perf_counter() - began
    if options.json:
        print_json({"combinations": done, "seconds": round(seconds, 2)})
    else:
        print(f"{done} combinations of labels, objectives and rules are compiled; {seconds:.1f} s")
    return 0
