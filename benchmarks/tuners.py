"""Tuners on n-best lists, one core, after compiling: CPU seconds, least of the repetitions, and what they reach on the lists themselves.

The lists are those of Multi30k, 1,014 sentences with 48,273 hypotheses and 8 features; where they are not there, as many generated ones.
The start is 1 for every feature.
"""

import argparse
import functools
import os
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import HERE, Claim, Files, Outcome, main, run, spent

from widemargin.corpora.catalogue import FOLDER_VARIABLE
from widemargin.families.reranking.metrics import metric_named
from widemargin.families.reranking.pool import Pool
from widemargin.families.reranking.references import statistics
from widemargin.families.reranking.sources import open_pool
from widemargin.families.reranking.tuners import Mert, Mira, Pro, Rampion, Rm

TUNERS = {  # and the most that each may take
    "mira, 60 epochs": (Mira(), 0.15),
    "rm, 60 epochs": (Rm(), 0.15),
    "mert, 20 restarts": (Mert(), 0.8),
    "pro": (Pro(), 0.3),
    "rampion": (Rampion(), None),
}
SHOWN = ("spread", "relative_margin")


def generated(sentences: int = 1014, size: int = 48, features: int = 8) -> Pool:
    """Random lists whose statistics depend on their features."""
    random, H = np.random.default_rng(1), sentences * size
    x = random.normal(size=(H, features))
    quality = 1.0 / (1.0 + np.exp(-(x @ np.linspace(-1.0, 1.0, features) / 2.0 + random.normal(size=H))))
    length = random.integers(8, 16, H)
    totals = length[:, None] - np.arange(4)
    matches = random.binomial(totals, quality[:, None] ** np.arange(1, 5))
    counts = np.column_stack([matches, totals, length, np.repeat(random.integers(8, 16, sentences), size)]).astype(np.int32)
    row_ptr, feature_ptr = np.arange(0, H + 1, size), np.arange(0, H * features + 1, features)
    feature = np.tile(np.arange(features, dtype=np.int32), H)
    token_ptr = np.concatenate([[0], np.cumsum(length)])
    names = tuple(f"f{k}" for k in range(features))
    token, references = np.zeros(token_ptr[-1], np.int32), (("generated",),) * sentences
    return Pool(row_ptr, feature_ptr, feature, x.ravel(), names, token_ptr, token, counts, references=references)


def lists() -> Pool:
    """The validation lists of nbest_multi30k_de_en in $WIDEMARGIN_DATA, or in shared/data beside the repository; generated ones where they
    are not there."""
    folder = pathlib.Path(os.environ.get(FOLDER_VARIABLE) or HERE.parents[1] / "shared" / "data")
    path = folder / "nbest_multi30k_de_en" / "de-en.val.nbest.gz"
    return open_pool(str(path)) if path.exists() else generated()


def fastest(work: Callable[[], Any], repeat: int) -> tuple[Any, float]:
    """What it gives, and its CPU seconds, the least of so many; kernels are compiled before."""
    found, seconds = work(), []
    for _ in range(repeat):
        with spent() as times:
            found = work()
        seconds.append(times["cpu"])
    return found, min(seconds)


def tuned(repeat: int) -> dict:
    """Rows of the table, the size of the lists, and microseconds that the statistics of a hypothesis take, where lists have texts."""
    pool = lists()
    metric, rows = metric_named(pool, "bleu"), []
    for name, (tuner, _) in TUNERS.items():
        found, seconds = fastest(functools.partial(tuner.tune, pool, metric), repeat)
        rows.append({"tuner": name, "CPU s": seconds, "BLEU": found.score} | {key: found.facts[key] for key in SHOWN})
    each = None
    if pool.texts:
        _, seconds = fastest(lambda: statistics(pool, pool.references), repeat)
        each = 1e6 * seconds / len(pool)
    return {"rows": rows, "each": each, "size": f"{pool.sentences:,} sentences, {len(pool):,} hypotheses, {len(pool.names)} features"}


def measure(options: argparse.Namespace, _: Files) -> Outcome:
    """A line per tuner."""
    found = run("tuners:tuned", repeat=options.repeat)
    limits = {name: limit for name, (_, limit) in TUNERS.items() if limit is not None}
    claims = [Claim(f"{row['tuner']}: CPU s", row["CPU s"], limits[row["tuner"]]) for row in found["rows"] if row["tuner"] in limits]
    if found["each"] is None:
        return Outcome(found["rows"], claims, [f"Generated lists: {found['size']}."])
    claims.append(Claim("BLEU statistics: microseconds a hypothesis", found["each"], 0.2))
    return Outcome(found["rows"], claims, [found["size"]])


if __name__ == "__main__":
    main(measure, __doc__, peers=False)
