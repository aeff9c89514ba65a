"""widemargin rerank oracle."""

import numpy as np

from widemargin.families.reranking.commands.common import print_json, write_lines
from widemargin.families.reranking.metrics import first_best, metric_named
from widemargin.families.reranking.sources import open_pool
from widemargin.readers.outputs import check_output


def run(options) -> int:
    """The metric of the best hypotheses, each by itself, among the first n of each list; and of the worst."""
    if options.output is not None:
        check_output(options.output)
    pool = open_pool(options.lists, refs=options.refs, encoding=options.encoding)
    metric = metric_named(pool, options.metric)
    place, longest = np.arange(len(pool)) - pool.row_ptr[:-1][pool.row], int(np.diff(pool.row_ptr).max())
    sizes = [n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if n < longest] + [longest]

    def total(choice: np.ndarray) -> float:
        return float(metric.total(metric.counts[choice].sum(axis=0)))

    best = {n: first_best(pool.row_ptr, np.where(place < n, metric.worth, -np.inf)) for n in sizes}
    worst = total(first_best(pool.row_ptr, -metric.worth))
    if options.output is not None:
        write_lines(options.output, [pool.texts[h] for h in best[longest].tolist()])
    if options.json:
        print_json({"task": "rerank", "metric": metric.name, "oracle": {str(n): total(one) for n, one in best.items()}, "worst": worst})
        return 0
    for n, one in best.items():
        print(f"{metric.name} of the best of the first {n:<5} {total(one):7.2f}")
    print(f"{metric.name} of the worst {worst:23.2f}")
    return 0
