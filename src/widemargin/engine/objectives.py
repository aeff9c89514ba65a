"""Objectives as data: loss(s) = Upper(s) - Lower(s), each a max, a log-sum or an expectation of scores with some cost.

| name            | upper           | lower                | convex | paper                    |
|-----------------|-----------------|----------------------|--------|--------------------------|
| perceptron      | max(s)          | max_G(s)             | yes    | Collins 2002             |
| hinge           | max(s + c)      | max_G(s)             | yes    | Taskar et al. 2003       |
| slack           | max c (1+s-s_G) | -                    | yes    | Tsochantaridis 2005      |
| ramp            | max(s + c)      | max(s)               | no     | Do et al. 2008           |
| likelihood      | logsum(s)       | logsum_G(s)          | yes    | Lafferty et al. 2001     |
| softmax-margin  | logsum(s + c)   | logsum_G(s)          | yes    | gimpel-smith2010         |
| jensen          | logsum(s + c)   | logsum(s)            | no     | gimpel-smith2010, eq. 8  |
| risk            | E[c] under s    | -                    | no     | gimpel-smith2010, eq. 10 |
| rm              | max(s + c) - max(s - c), and a bound on the spread of s: terms.Relative | no | eidelman2013, eq. 3, 4 |

G is the set of outputs that agree with the gold: one output when all labels are known, so that max_G(s) and logsum_G(s) are the gold
score, and a set when some are not (label `?`), which makes the objective latent; slack wants one output, of score s_G.
Convex says: convex in the weights when G is one output.
"""

from dataclasses import dataclass, replace

from widemargin.engine.names import known
from widemargin.engine.settings import as_number, in_range
from widemargin.engine.terms import Expect, LogSum, Max, Nothing, Relative, Rescaled, Terms
from widemargin.errors import InputError


@dataclass(frozen=True)
class Objective:
    """A row of the table: two terms, what the structure must offer, whether F is convex, whether the cost matters."""

    name: str
    upper: tuple
    lower: tuple
    needs: frozenset[str]
    convex: bool
    costly: bool

    @property
    def terms(self) -> Terms:
        """Both, as kernels take them."""
        return Terms(self.upper, self.lower)


def _row(name, upper, lower, needs, convex, costly):
    return Objective(name, upper, lower, frozenset(needs), convex, costly)


OBJECTIVES = {
    row.name: row
    for row in (
        _row("perceptron", Max(0.0, False), Max(0.0, True), {"argmax"}, True, False),
        _row("hinge", Max(1.0, False), Max(0.0, True), {"argmax"}, True, True),
        _row("slack", Rescaled(1.0), Nothing(0.0), {"argmax", "strata"}, True, True),
        _row("ramp", Max(1.0, False), Max(0.0, False), {"argmax"}, False, True),
        _row("likelihood", LogSum(0.0, False), LogSum(0.0, True), {"logsum"}, True, False),
        _row("softmax-margin", LogSum(1.0, False), LogSum(0.0, True), {"logsum"}, True, True),
        _row("jensen", LogSum(1.0, False), LogSum(0.0, False), {"logsum"}, False, True),
        _row("risk", Expect(1.0), Nothing(0.0), {"tilt"}, False, True),
        _row("rm", Relative(1.0, 1.0, 1.0), Nothing(0.0), {"argmax", "argmin"}, False, True),
    )
}


# name -> the loss of a row, and what it asks for. s: scores, c: costs, s(y): the gold output's score
ABOUT = {
    "perceptron": ("max s - s(y)", "the gold output scores highest"),
    "hinge": ("max (s + c) - s(y)", "the gold output scores higher than every other by at least what that one costs (margin rescaling)"),
    "slack": ("max c (1 + s - s(y))", "the gold output scores higher than every other by 1, and breaking that weighs as much as it costs"),
    "ramp": ("max (s + c) - max s", "what is predicted costs little; outliers count no more than their cost"),
    "likelihood": ("log sum exp(s) - s(y)", "the gold output is probable: a conditional random field"),
    "softmax-margin": ("log sum exp(s + c) - s(y)", "the gold output is probable even when costly outputs are favoured"),
    "jensen": ("log sum exp(s + c) - log sum exp(s)", "costly outputs are improbable: an upper bound on the risk"),
    "risk": ("sum p(s) c", "the expected cost is small"),
    "rm": ("max (s + c) - max (s - c), and a bound on the spread of s", "costly outputs score lower than cheap ones, in a bounded range"),
}

ALIASES = {
    "log-loss": "likelihood",
    "log-likelihood": "likelihood",
    "nll": "likelihood",
    "crf": "likelihood",
    "svm": "hinge",
    "max-margin": "hinge",
    "margin-rescaling": "hinge",
    "slack-rescaling": "slack",
    "jrb": "jensen",
    "jensen-risk-bound": "jensen",
    "minimum-risk": "risk",
}


def objective_named(name: str, structure=None) -> Objective:
    """An objective by name, with other numbers behind it where it has some: "rm ratio=10 bound=2". Refused when the structure lacks an
    operation that it needs, naming those that work."""
    word, *numbers = name.split() or [name]
    row = OBJECTIVES[known("objective", word, OBJECTIVES, ALIASES)]
    if numbers:
        row = replace(row, name=" ".join([row.name, *numbers]), upper=_with_numbers(row, numbers))
    if structure is not None and not row.needs <= structure.offers:
        work = [o.name for o in OBJECTIVES.values() if o.needs <= structure.offers]
        lacking = ", ".join(sorted(row.needs - structure.offers))
        raise InputError(f"objective {name!r} needs {lacking}, which {structure.name} does not offer; {', '.join(work)} work")
    return row


def _with_numbers(row: Objective, numbers: list[str]) -> tuple:
    """The upper term with numbers given as NAME=NUMBER, each from 0 up."""
    names = ("ratio", "bound") if isinstance(row.upper, Relative) else ()
    found = {}
    for text in numbers:
        name, _, number = text.partition("=")
        if name not in names:
            takes = f"takes {' and '.join(f'{n}=NUMBER' for n in names)}" if names else "takes no numbers; rm does"
            raise InputError(f"objective {row.name!r} {takes}, not {text!r}")
        found[name] = in_range(name, as_number(name, number, float), 0.0)
    return row.upper._replace(**found)  # type: ignore[attr-defined]
