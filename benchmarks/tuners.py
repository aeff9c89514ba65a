"""Tuners on n-best lists, one core, after compiling: CPU seconds, best of several, and what they reach on the lists themselves.

usage: python benchmarks/tuners.py [LISTS.nbest[.gz] REFERENCES]     without files: 1,014 generated lists of 48 hypotheses with 8 features
The start is 1 for every feature. Run with OPENBLAS_NUM_THREADS=1.
"""

import sys
import time

import numpy as np

from widemargin.families.reranking.metrics import metric_named
from widemargin.families.reranking.pool import Pool
from widemargin.families.reranking.sources import open_pool
from widemargin.families.reranking.tuners import Mert, Mira, Pro, Rampion, Rm
from widemargin.show.tables import Column, text_table

REPEATS = 5
TUNERS = {"mira, 60 epochs": Mira(), "rm, 60 epochs": Rm(), "mert, 20 restarts": Mert(), "pro": Pro(), "rampion": Rampion()}


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


def main() -> None:
    pool = open_pool(sys.argv[1], refs=sys.argv[2]) if len(sys.argv) > 2 else generated()
    metric, rows = metric_named(pool, "bleu"), []
    for name, tuner in TUNERS.items():
        found, seconds = tuner.tune(pool, metric), []  # compiles
        for _ in range(REPEATS):
            began = time.process_time()
            found = tuner.tune(pool, metric)
            seconds.append(time.process_time() - began)
        rows.append({"tuner": name, "seconds": min(seconds), "bleu": found.score, **found.facts})
    print(f"{pool.sentences:,} sentences, {len(pool):,} hypotheses, {len(pool.names)} features")
    decimals = {"seconds": 3, "bleu": 2, "spread": 2, "relative_margin": 3}
    print(text_table(rows, [Column("tuner"), *(Column(key, None, places) for key, places in decimals.items())]), end="")


if __name__ == "__main__":
    main()
