"""Lists of hypotheses: reading them, BLEU statistics against sacrebleu's, one core, after compiling; every statistic is compared.

usage: python benchmarks/reranking.py [LISTS.nbest[.gz] ...]     without files: those of nbest_multi30k_de_en in $WIDEMARGIN_DATA
"""

import os
import pathlib
import sys
import time

from sacrebleu.metrics import BLEU

from widemargin.families.reranking.pool import Pool
from widemargin.families.reranking.references import statistics
from widemargin.families.reranking.sources import open_pool
from widemargin.show.tables import Column, text_table

REPEATS = 5
SACRE = [8, 9, 0, 1, 2, 3, 4, 5, 6, 7]  # lengths first


def by_sacrebleu(pool: Pool) -> tuple[float, int]:
    """Seconds, and how many hypotheses have other statistics."""
    metric, found, began = BLEU(tokenize="none"), [], time.process_time()
    for i, references in enumerate(pool.references):
        cached = metric._cache_references([[one] for one in references])[0]
        found += [metric._compute_segment_statistics(pool.texts[h], cached) for h in range(*pool.row_ptr[i : i + 2])]
    seconds = time.process_time() - began
    return seconds, sum(list(theirs) != ours for theirs, ours in zip(found, pool.counts[:, SACRE].tolist()))


def fastest(work) -> float:
    """Seconds of CPU, the least of several."""
    work()
    seconds = []
    for _ in range(REPEATS):
        began = time.process_time()
        work()
        seconds.append(time.process_time() - began)
    return min(seconds)


def main() -> None:
    folder = pathlib.Path(os.environ.get("WIDEMARGIN_DATA", "data"))
    files = sys.argv[1:] or sorted(map(str, folder.glob("nbest_multi30k_de_en/*.nbest.gz")))
    rows = []
    for name in files:
        pool = open_pool(name)
        theirs, other = by_sacrebleu(pool)
        read, ours = fastest(lambda name=name: open_pool(name)), fastest(lambda pool=pool: statistics(pool, pool.references))
        facts = {"lists": pathlib.Path(name).name, "hypotheses": len(pool), "read s": read, "us each": 1e6 * ours / len(pool)}
        rows.append(facts | {"sacrebleu us": 1e6 * theirs / len(pool), "times faster": theirs / ours, "others": other})
    places = {"hypotheses": 0, "read s": 2, "us each": 3, "sacrebleu us": 1, "times faster": 0, "others": 0}
    print(text_table(rows, [Column("lists"), *(Column(key, None, places[key]) for key in places)]), end="")


if __name__ == "__main__":
    main()
