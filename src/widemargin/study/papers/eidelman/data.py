"""The lists of the study, German-English or of the embedded corpus, for tuning, development and test, with two sets of features."""

import os
from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.families.reranking.features import featurised, load_templates
from widemargin.families.reranking.metrics import Metric, metric_named
from widemargin.families.reranking.pool import Pool
from widemargin.families.reranking.sources import open_pool

FOLDER, STEM = "nbest_multi30k_de_en", "de-en."
THIRD = 3  # every third sentence of the validation lists is for development, once and for all
UNUSED = ("swlenli",)  # features that the system that made the lists gave no weight


@dataclass(frozen=True)
class Part:
    """Lists and their BLEU."""

    pool: Pool
    metric: Metric


@dataclass(frozen=True)
class Data:
    """What a tuner is given, what its settings are chosen on, and what is looked at once."""

    name: str
    features: str
    tune: Part
    dev: Part
    test: Part
    start: np.ndarray  # 1 for every feature of the lists that the system used, 0 for others


def open_lists(folder: str | None, sentences: int | None, *, quick: bool) -> list[Data]:
    """Dense features, then dense and sparse ones."""
    name, val, test = places(folder, quick=quick)
    pools = [open_pool(path) for path in (val, test)]
    if sentences is not None:
        pools = [pool.part(np.arange(min(sentences, pool.sentences))) for pool in pools]
        name += f", the first {sentences} sentences of each file"
    if pools[0].sentences < THIRD:
        raise InputError(f"{pools[0].sentences} sentences cannot be cut into tuning and development lists; take at least {THIRD}")
    return [cut(name, features, templates, *pools) for features, templates in (("dense", "given"), ("dense and sparse", "given-words"))]


def places(folder: str | None, *, quick: bool) -> tuple[str, str, str]:
    """A name, and the paths of validation and test lists."""
    town = "the embedded corpus", "town:dev:60" if quick else "town:dev", "town:test:60" if quick else "town:test"
    root = folder or os.environ.get("WIDEMARGIN_DATA")
    if quick or root is None:
        return town
    paths = [os.path.join(root, FOLDER, f"{STEM}{part}.nbest.gz") for part in ("val", "test_2016_flickr")]
    if all(map(os.path.exists, paths)):
        return "Multi30k German-English, phrase-based, untuned", paths[0], paths[1]
    if folder is None:
        return town
    raise InputError(f"the lists of the study are not there; put them in {FOLDER}/, or leave --data out for the embedded corpus", paths[0])


def cut(name: str, features: str, templates: str, val: Pool, test: Pool) -> Data:
    """Every third sentence of val is held out; features are those of the tuning lists."""
    held = np.arange(val.sentences) % THIRD == THIRD - 1
    lines = load_templates(templates)
    tune = featurised(val.part(np.flatnonzero(~held)), lines)
    others = [featurised(pool, lines, tune.names) for pool in (val.part(np.flatnonzero(held)), test)]
    start = np.array([float(feature in val.names and feature not in UNUSED) for feature in tune.names])
    first, second, third = (Part(pool, metric_named(pool, "bleu")) for pool in (tune, *others))
    return Data(name, features, first, second, third, start)
