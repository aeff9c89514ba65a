"""Why a model chose an output: the difference to the next best one, split by feature. What every family's explanation looks like.

A label here is what a family decides at a token: a tagger's label, or a parser's pair (head, relation).
"""

from dataclasses import dataclass
from typing import Any

from widemargin.families.shown import LABELS, as_html, as_text

Label = Any  # str, or (int, str)


@dataclass(frozen=True)
class Contribution:
    """What one feature at one token adds to a difference."""

    feature: str
    token: int  # in the sentence, from 0
    ours: tuple[Label, ...]  # the label there, or the two labels of a transition
    theirs: tuple[Label, ...]
    value: float  # weight for ours less weight for theirs


@dataclass(frozen=True)
class Comparison:
    """Two outputs of a sentence; the contributions sum to the difference of their scores."""

    ours: tuple[Label, ...]
    theirs: tuple[Label, ...]
    difference: float
    contributions: tuple[Contribution, ...]  # the strongest first

    def shown(self, top: int) -> tuple[list[Contribution], list[Contribution], list[Contribution]]:
        """The strongest contributions for and against, `top` of each, and the others that are not zero."""
        pro = [c for c in self.contributions if c.value > 0]
        contra = [c for c in self.contributions if c.value < 0]
        return pro[:top], contra[:top], pro[top:] + contra[top:]

    def as_json(self, top: int) -> dict:
        """What is not among the top is summed as rest, so that the numbers still add up to the difference."""
        pro, contra, rest = self.shown(top)
        return {
            "labels": _listed(self.theirs),
            "difference": self.difference,
            "contributions": [
                {"feature": c.feature, "token": c.token + 1, "ours": _listed(c.ours), "theirs": _listed(c.theirs), "value": c.value}
                for c in pro + contra
            ],
            "rest": sum(c.value for c in rest),
            "rest_count": len(rest),
        }


@dataclass(frozen=True)
class Decision:
    """One token: its label, and the best output that has another there. There is none when there is no choice."""

    token: int
    label: Label
    runner_up: Label | None
    margin: float | None
    comparison: Comparison | None
    probability: float | None = None  # of the label at this token, where the family says so
    runner_up_probability: float | None = None

    def as_json(self, top: int) -> dict:
        """Tokens from 1, as lines are."""
        facts = {
            "token": self.token + 1,
            "label": _plain(self.label),
            "runner_up": _plain(self.runner_up),
            "margin": self.margin,
            "against": None if self.comparison is None else self.comparison.as_json(top),
        }
        if self.probability is not None:
            facts |= {"probability": self.probability, "runner_up_probability": self.runner_up_probability}
        return facts


@dataclass(frozen=True)
class Explanation:
    """One sentence. Labels are the model's own; `written` are those of the file's scheme."""

    tokens: tuple[tuple[str, ...], ...]  # the cells of each
    labels: tuple[Label, ...]
    written: tuple[Label, ...]
    score: float
    decisions: tuple[Decision, ...]
    form: str = LABELS  # what labels are: of tokens (LABELS), ARCS, BRACKETS or OTHER

    def __str__(self) -> str:
        """What was decided, how sure that is, and what decided where it was closest."""
        return as_text(self)

    def _repr_html_(self) -> str:
        """For notebooks: the answer drawn, and a table."""
        return as_html(self)

    @property
    def second_best(self) -> Comparison | None:
        """Against the second-best output: that differs somewhere, so it is the runner-up of the token with the smallest margin."""
        found = [decision.comparison for decision in self.decisions if decision.comparison is not None]
        return min(found, key=lambda comparison: comparison.difference, default=None)

    def as_json(self, top: int, token: int | None = None) -> dict:
        """All of it, or the decision at one token (from 1) alone; `top` contributions for and as many against."""
        second = self.second_best
        return {
            "tokens": [list(cells) for cells in self.tokens],
            "labels": _listed(self.labels),
            "written": _listed(self.written),
            "score": self.score,
            "decisions": [decision.as_json(top) for decision in self.decisions if token in (None, decision.token + 1)],
            "second_best": None if second is None else second.as_json(top),
        }


def _plain(label: Label) -> Any:
    return list(label) if isinstance(label, tuple) else label


def _listed(labels: tuple[Label, ...]) -> list:
    return [_plain(label) for label in labels]
