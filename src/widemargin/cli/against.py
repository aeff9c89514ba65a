"""Two systems on the same sentences: is one better, or is it chance? (paired bootstrap, Koehn 2004)"""

import dataclasses

from widemargin.errors import InputError, several

SAMPLES = 10_000


def compared(one, other, samples: int | None) -> dict:
    """The metric of both, the difference, its 95 % interval and p-value, from Scores of the same sentences; and Wilcoxon's test, where
    sentences have scores of their own."""
    from widemargin.metrics.bootstrap import paired_bootstrap
    from widemargin.metrics.wilcoxon import signed_rank

    if one.metric != other.metric:
        raise InputError(f"one is scored by {one.metric} and the other by {other.metric}; compare two of the same kind")
    if len(one.counts) != len(other.counts):
        raise InputError(
            f"one has answers to {several(len(one.counts), 'sentence')} and the other to {len(other.counts):,}; give both the same"
        )
    found = paired_bootstrap(one.counts, other.counts, score=one.score, samples=samples or SAMPLES)
    system, against = (float(one.score(side.counts.sum(axis=0))) for side in (one, other))
    facts = {"metric": one.metric, "system": system, "against": against, **dataclasses.asdict(found)}
    if hasattr(one, "per_sentence"):
        each = [side.per_sentence for side in (one, other)]
        scored = each[0] + each[1] == each[0] + each[1]  # NaN: one of them could not be scored
        ranks = signed_rank(each[0][scored], each[1][scored])
        facts["signed_rank"] = {"n": ranks.n, "w": ranks.w, "p_value": ranks.p_value}
    return facts


def told(facts: dict) -> str:
    """The same in words."""
    lines = (
        f"{facts['metric']}: {facts['system']:.2f} against {facts['against']:.2f}, difference {facts['difference']:+.2f}\n"
        f"95 % interval {facts['low']:+.2f} to {facts['high']:+.2f}, p = {facts['p_value']:.4f} "
        f"({facts['samples']:,} paired bootstrap samples)\n"
    )
    if ranks := facts.get("signed_rank"):
        test = "Wilcoxon's signed-rank test"
        lines += f"sentence by sentence: {ranks['n']:,} differ, W = {ranks['w']:.1f}, p = {ranks['p_value']:.4f} ({test})\n"
    return lines
