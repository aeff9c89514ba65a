"""Two systems on the same sentences: is one better, or is it chance? (paired bootstrap, Koehn 2004)"""

import dataclasses

from widemargin.errors import InputError

SAMPLES = 10_000


def compared(one, other, samples: int | None) -> dict:
    """The metric of both, the difference, its 95 % interval and p-value, from Scores of the same sentences."""
    from widemargin.metrics.bootstrap import paired_bootstrap

    if one.metric != other.metric:
        raise InputError(f"one is scored by {one.metric} and the other by {other.metric}; compare two of the same kind")
    if len(one.counts) != len(other.counts):
        raise InputError(f"one has answered {len(one.counts):,} sentences and the other {len(other.counts):,}; give the same ones to both")
    found = paired_bootstrap(one.counts, other.counts, score=one.score, samples=samples or SAMPLES)
    system, against = (float(one.score(side.counts.sum(axis=0))) for side in (one, other))
    return {"metric": one.metric, "system": system, "against": against, **dataclasses.asdict(found)}


def told(facts: dict) -> str:
    """The same in two lines."""
    return (
        f"{facts['metric']}: {facts['system']:.2f} against {facts['against']:.2f}, difference {facts['difference']:+.2f}\n"
        f"95 % interval {facts['low']:+.2f} to {facts['high']:+.2f}, p = {facts['p_value']:.4f} "
        f"({facts['samples']:,} paired bootstrap samples)\n"
    )
