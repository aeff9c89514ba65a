"""What a choice of hypotheses came to: the metric that decides, BLEU with its parts, the first hypotheses and the best possible."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from widemargin.errors import InputError
from widemargin.families.reranking.bleu import brevity_penalty, corpus_bleu, precisions, signature
from widemargin.families.reranking.metrics import Metric, error_rate, metric_named
from widemargin.families.reranking.pool import Pool
from widemargin.families.reranking.references import with_references
from widemargin.metrics.bootstrap import paired_bootstrap

SAMPLES = 1000


@dataclass(frozen=True, eq=False)
class ListScores:
    """A metric of one chosen hypothesis for every sentence, beside that of the first and of the best ones of the lists."""

    gold: Pool
    measured: Metric  # of the hypotheses of gold
    chosen: Pool  # a list of one hypothesis for every sentence, with gold's references
    counts: np.ndarray  # [S, K]   of the metric, for the chosen ones
    intervals: bool = True  # bootstrap intervals too
    ter: bool = False  # TER and half of TER less BLEU too

    @property
    def metric(self) -> str:
        return self.measured.name

    def score(self, counts: np.ndarray) -> np.ndarray:
        return self.measured.total(counts)

    @cached_property
    def first(self) -> np.ndarray:
        """Counts of the system's first hypotheses [S, K]."""
        return self.measured.counts[self.gold.row_ptr[:-1]]

    def as_dict(self) -> dict:
        """Numbers by name, in per cent but for the brevity penalty and the ratio of lengths."""
        best = self.measured.counts[self.measured.best(self.gold)]
        found = {self.metric: float(self.score(self.counts.sum(axis=0)))}
        found |= {"baseline": float(self.score(self.first.sum(axis=0))), "oracle": float(self.score(best.sum(axis=0)))}
        if self.intervals:
            whole = paired_bootstrap(self.counts, np.zeros_like(self.counts), score=self._safe, samples=SAMPLES)
            gain = paired_bootstrap(self.counts, self.first, score=self._safe, samples=SAMPLES)
            found |= {"low": whole.low, "high": whole.high, "gain": gain.difference, "gain_low": gain.low, "gain_high": gain.high}
        if self.gold.references:
            sums = self.chosen.counts.sum(axis=0)
            found |= {"bleu": float(corpus_bleu(sums))} | {f"p{n}": p for n, p in enumerate(precisions(sums).tolist(), 1)}
            found |= {"brevity_penalty": brevity_penalty(sums), "length_ratio": float(sums[8] / max(sums[9], 1))}
        if self.ter:
            rate = float(error_rate(metric_named(self.chosen, "ter").counts.sum(axis=0)))
            found |= {"ter": rate, "half_ter_less_bleu": (rate - found["bleu"]) / 2}
        return found

    def _safe(self, counts: np.ndarray) -> np.ndarray:
        return np.asarray(self.score(counts), float)

    def report(self) -> str:
        """Lines to read."""
        found = self.as_dict()
        lines = [f"{self.metric:10} {found[self.metric]:7.2f}"]
        if self.intervals:
            lines[0] += f"   95 % interval {found['low']:.2f} to {found['high']:.2f}"
        lines += [f"{'first':10} {found['baseline']:7.2f}", f"{'oracle':10} {found['oracle']:7.2f}   best of each list by itself"]
        if self.intervals:
            lines.append(f"{'gain':10} {found['gain']:+7.2f}   95 % interval {found['gain_low']:+.2f} to {found['gain_high']:+.2f}, paired")
        if self.gold.references:
            lines.append(f"{'BLEU':10} {found['bleu']:7.2f}   " + "/".join(f"{found[f'p{n}']:.1f}" for n in range(1, 5)))
            lines[-1] += f"   brevity {found['brevity_penalty']:.3f}, length {found['length_ratio']:.3f} of the reference"
            sizes = {len(one) for one in self.gold.references}
            lines.append(f"{'signature':10} {signature(sizes.pop() if len(sizes) == 1 else 0)}")
        if self.ter:
            lines.append(f"{'TER':10} {found['ter']:7.2f}   (TER - BLEU)/2 {found['half_ter_less_bleu']:.2f}")
        return "\n".join(lines) + "\n"


def choice_scores(gold: Pool, measured: Metric, choice: np.ndarray, *, intervals: bool = True, ter: bool = False) -> ListScores:
    """Of hypotheses of the lists, one for every sentence, int [S]."""
    chosen = gold.hypotheses(choice, np.arange(gold.sentences + 1))
    return ListScores(gold, measured, chosen, measured.counts[choice], intervals, _with_references(gold, ter))


def system_scores(gold: Pool, system: Pool, metric: str, *, ter: bool = False) -> ListScores:
    """Of the first hypotheses of another file with the same sentences."""
    place = {name: i for i, name in enumerate(system.ids)}
    if missing := [name for name in gold.ids if name not in place]:
        raise InputError(f"sentence {missing[0]} has no hypothesis here; give every sentence of {gold.source} one", system.source)
    rows = system.part(np.array([place[name] for name in gold.ids]))
    chosen = rows.hypotheses(rows.row_ptr[:-1], np.arange(gold.sentences + 1))
    if gold.references:
        chosen = with_references(chosen, gold.references)
    return ListScores(gold, metric_named(gold, metric), chosen, metric_named(chosen, metric).counts, True, _with_references(gold, ter))


def _with_references(gold: Pool, ter: bool) -> bool:
    if ter and not gold.references:
        raise InputError("TER needs references; give files with --refs", gold.source)
    return ter
