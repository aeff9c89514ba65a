"""widemargin score."""

import dataclasses

from widemargin.cli import flags
from widemargin.cli.common import print_json
from widemargin.errors import InputError


def declare(command) -> None:
    flags.task_argument(command)
    command.add_argument("gold", metavar="GOLD", help="a treebank, or a column file whose last column is the gold label")
    command.add_argument("system", metavar="SYSTEM", help="the same sentences with a system's trees, or its labels in the last column")
    command.add_argument("--against", metavar="OTHER", help="another system's file: is the difference significant? (paired bootstrap)")
    command.add_argument("--samples", action=flags.Number, low=1, metavar="N", help="with --against: bootstrap samples (10000)")
    flags.reading(command)
    flags.json_flag(command)


def run(options) -> int:
    """Compare two files; or three, which of two systems is better on the first and whether that is chance."""
    from widemargin.families.registry import family_of_task
    from widemargin.families.sources import TOWN

    family = family_of_task(options.task)
    chosen = flags.choices(options, family, options.task)
    if options.samples is not None and not options.against:
        raise InputError("--samples is of the bootstrap that compares with --against OTHER; leave it out, or name the other system")

    def opened(path: str):
        """Scoring looks at the answers alone, so that a file may have any other columns."""
        return family.open(path, options.task if path.startswith(TOWN) else None, **chosen.reading)

    gold = opened(options.gold)
    scores = family.scores(gold, opened(options.system), options.task, **chosen.scoring)
    if options.against:
        return _against(options, scores, family.scores(gold, opened(options.against), options.task, **chosen.scoring))
    if options.json:
        print_json({"task": options.task, "metrics": scores.as_dict()})
    else:
        print(scores.report(), end="")
    return 0


def _against(options, one, other) -> int:
    """Two systems on the same sentences: the difference, its 95 % interval and p-value (Koehn 2004); and Wilcoxon's test, where sentences
    have scores of their own."""
    from widemargin.metrics.bootstrap import paired_bootstrap
    from widemargin.metrics.wilcoxon import signed_rank

    found = paired_bootstrap(one.counts, other.counts, score=one.score, samples=options.samples or 10_000)
    both = [float(one.score(side.counts.sum(axis=0))) for side in (one, other)]
    facts = {"task": options.task, "metric": one.metric, "system": both[0], "against": both[1], **dataclasses.asdict(found)}
    ranks = None
    if hasattr(one, "per_sentence"):
        each = [side.per_sentence for side in (one, other)]
        scored = each[0] + each[1] == each[0] + each[1]  # NaN: one of them could not be scored
        ranks = signed_rank(each[0][scored], each[1][scored])
        facts["signed_rank"] = {"n": ranks.n, "w": ranks.w, "p_value": ranks.p_value}
    if options.json:
        print_json(facts)
    else:
        print(f"{one.metric}: {both[0]:.2f} against {both[1]:.2f}, difference {found.difference:+.2f}")
        print(f"95 % interval {found.low:+.2f} to {found.high:+.2f}, p = {found.p_value:.4f} ({found.samples:,} paired bootstrap samples)")
        if ranks is not None:
            print(f"sentence by sentence: {ranks.n:,} differ, W = {ranks.w:.1f}, p = {ranks.p_value:.4f} (Wilcoxon's signed-rank test)")
    return 0
