"""widemargin rerank tune."""

import time

import numpy as np

import widemargin
from widemargin.engine.settings import LAST_SEED, as_number, in_range
from widemargin.errors import InputError, require
from widemargin.families.reranking import BY_SACREBLEU
from widemargin.families.reranking.commands.common import print_json, reranker
from widemargin.families.reranking.costs import check_smoothing
from widemargin.families.reranking.features import featurised, load_templates, within_lists
from widemargin.families.reranking.metrics import metric_named
from widemargin.families.reranking.model import ListWeights, RerankModel
from widemargin.families.reranking.scores import choice_scores
from widemargin.families.reranking.sources import open_pool
from widemargin.families.reranking.tuners import TUNERS, tuner_named
from widemargin.models import check_place


def run(options) -> int:
    """Tune, report, save; a tuning that ends without weights or below the first hypotheses is a failure, and nothing is saved."""
    check_place(options.output)
    check_smoothing(options.smoothing)
    if options.metric in BY_SACREBLEU:
        require("sacrebleu", f"--metric {options.metric}")
    began, tuner = time.perf_counter(), tuner_named(options.tuner, settings_of(options.tuner, options.set, options.seed))
    pool = open_pool(options.lists, refs=options.refs, encoding=options.encoding)
    templates = load_templates(options.templates)
    ready = featurised(pool, templates)
    metric = metric_named(pool, options.metric, smoothing=options.smoothing)
    dev = held = None
    if options.dev:
        held = open_pool(options.dev, refs=options.refs, encoding=options.encoding)
        dev = featurised(held, templates, ready.names), metric_named(held, options.metric, smoothing=options.smoothing)
    found = tuner.tune(ready, metric, _start(options.start, ready.names), dev=dev)
    if found.failure:
        raise InputError(found.failure, options.lists)
    settings = {"name": found.tuner} | {key: "inf" if value == np.inf else value for key, value in vars(tuner).items()}
    facts = {"widemargin": widemargin.__version__, "learner": settings, "sentences": pool.sentences, "tokens": len(pool)}
    facts |= {"epoch": found.epoch, "history": found.history, "notes": list(found.notes)}
    scale = within_lists(ready)
    model = RerankModel(ready.names, ListWeights(found.weights), scale, templates, options.metric, options.smoothing, facts)
    size = model.save(options.output)
    judged = pool if held is None else held
    scores = choice_scores(judged, metric if dev is None else dev[1], model.predict(judged))
    seconds = round(time.perf_counter() - began, 3)
    if options.json:
        weights = dict(zip(model.names, found.weights.tolist())) if len(model.names) <= 1000 else {}
        told = {"metrics": scores.as_dict(), "features": model.active, "weights": weights, "history": found.history, "notes": found.notes}
        told |= {"lists": found.facts}
        print_json({"task": "rerank", "model": options.output, "bytes": size, "tuner": found.tuner, **told, "seconds": seconds})
        return 0
    for note in found.notes:
        print(note)
    print(f"on {'the tuning lists' if held is None else options.dev}, after {found.epoch} epochs of {found.tuner}")
    print(scores.report(), end="")
    spread, sd, margin = (found.facts[key] for key in ("spread", "spread_sd", "relative_margin"))
    print(f"{'spread':10} {spread:7.2f} ± {sd:.2f} on the tuning lists, relative margin {margin:+.3f}")
    print(f"{options.output}: {model.active:,} of {len(model.names):,} features have a weight, {seconds:.1f} s")
    return 0


def settings_of(tuner: str, items: list[str], seed: str) -> dict:
    """KEY=VALUE as a dict; the seed where the tuner has one."""
    chosen = {"seed": in_range("--seed", as_number("--seed", seed, int), 0, LAST_SEED)} if hasattr(TUNERS.get(tuner), "seed") else {}
    for item in items:
        key, equals, value = item.partition("=")
        if not equals:
            raise InputError(f"--set {item!r} is not KEY=VALUE")
        chosen[key] = value
    return chosen


def _start(path: str | None, names: tuple[str, ...]) -> np.ndarray | None:
    """A model's weights by name, 0 for features that it does not have."""
    if path is None:
        return None
    model = reranker(path)
    known = dict(zip(model.names, model.weights.values.tolist()))
    if not any(known.get(name) for name in names):
        raise InputError("this model has no weight for any feature of the lists; start from another, or from none", path)
    return np.array([known.get(name, 0.0) for name in names])
