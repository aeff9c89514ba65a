"""Costs: the price of each wrong part, written once for every objective.

    hamming                       every wrong label costs 1
    hamming*5                     the same, times 5
    miss=3,false=1,type=1         an entity guessed O costs 3; O guessed as an entity 1; another wrong label 1 (gimpel-smith2010, 4.1)
    weights:B-PER=2,B-LOC=1.5     a wrong label where the gold one is named costs that much, elsewhere 1
    matrix:FILE                   lines "GOLD GUESS COST"; pairs that are not named cost 1, a right label 0

Any of them may be followed by *NUMBER.
"""

from dataclasses import dataclass

import numpy as np

from .errors import InputError

OUTSIDE = "O"
FORMS = "hamming, hamming*5, miss=3,false=1,type=1, weights:LABEL=2,..., or matrix:FILE"


@dataclass(frozen=True)
class Cost:
    """A cost by (gold label, guessed label), summed over tokens; `text` is how the user wrote it."""

    text: str
    labels: tuple[str, ...]
    matrix: np.ndarray  # [Y, Y]   matrix[gold, guess], 0 on the diagonal

    def parts(self, gold: np.ndarray) -> np.ndarray:
        """Price of every node part [T, Y] against gold labels [T]; unknown gold (-1) costs nothing."""
        gold = np.asarray(gold)
        return np.where((gold >= 0)[:, None], self.matrix[np.maximum(gold, 0)], 0.0)

    @property
    def levels(self) -> np.ndarray:
        """Prices in units of the smallest that is not 0."""
        some = self.matrix[self.matrix > 0.0]
        return self.matrix / some.min() if len(some) else self.matrix

    def between(self, gold: np.ndarray, guess: np.ndarray) -> float:
        """Cost of a whole guess."""
        return float(self.parts(gold)[np.arange(len(guess)), guess].sum())


def parse_cost(text: str, labels: tuple[str, ...]) -> Cost:
    """Read one of the forms above for a list of labels."""
    body, factor = text.strip(), 1.0
    if "*" in body:
        body, _, times = body.rpartition("*")
        factor = _number(times, text)
    if body == "hamming":
        matrix = np.ones((len(labels), len(labels)))
    elif body.startswith("matrix:"):
        matrix = _from_file(body.removeprefix("matrix:"), labels)
    elif body.startswith("weights:"):
        matrix = np.ones((len(labels), len(labels)))
        for name, value in _settings(body.removeprefix("weights:"), text).items():
            matrix[_label(name, labels, "--cost")] = value
    elif "=" in body:
        matrix = _by_kind(_settings(body, text), labels, text)
    else:
        raise InputError(f"cost {text!r} is not known; use {FORMS}")
    matrix = matrix * factor
    np.fill_diagonal(matrix, 0.0)
    if not (np.isfinite(matrix).all() and (matrix >= 0).all()):
        raise InputError(f"cost {text!r} has a negative or infinite price; prices are numbers from 0 up")
    return Cost(text, tuple(labels), matrix)


def _by_kind(prices: dict[str, float], labels: tuple[str, ...], text: str) -> np.ndarray:
    unknown = sorted(set(prices) - {"miss", "false", "type"})
    if unknown:
        raise InputError(f"cost {text!r} names {unknown[0]!r}; the kinds of error are miss, false and type")
    if OUTSIDE not in labels:
        raise InputError(f"cost {text!r} needs a label O, and the labels are {', '.join(labels)}; use hamming, weights: or matrix: instead")
    outside = labels.index(OUTSIDE)
    matrix = np.full((len(labels), len(labels)), prices.get("type", 1.0))
    matrix[:, outside] = prices.get("miss", 1.0)
    matrix[outside, :] = prices.get("false", 1.0)
    return matrix


def _from_file(path: str, labels: tuple[str, ...]) -> np.ndarray:
    matrix = np.ones((len(labels), len(labels)))
    try:
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                cells, where = line.split(), f"{path}:{number}"
                # a remark begins with #, but so may a price of the Penn Treebank's label #
                if not cells or (cells[0].startswith("#") and not (len(cells) == 3 and cells[0] in labels)):
                    continue
                if len(cells) != 3:
                    raise InputError(f"a cost line has {len(cells)} fields; write GOLD GUESS COST", where)
                matrix[_label(cells[0], labels, where), _label(cells[1], labels, where)] = _number(cells[2], line.strip(), where)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the cost matrix cannot be read ({error}); matrix:FILE wants lines GOLD GUESS COST", path) from error
    return matrix


def _settings(body: str, text: str) -> dict[str, float]:
    out = {}
    for item in body.split(","):
        name, equals, value = item.partition("=")
        if not equals:
            raise InputError(f"cost {text!r}: {item!r} is not NAME=NUMBER; use {FORMS}")
        out[name.strip()] = _number(value, text)
    return out


def _label(name: str, labels: tuple[str, ...], where: str) -> int:
    if name not in labels:
        raise InputError(f"label {name!r} does not occur in the training data; the labels are {', '.join(labels)}", where)
    return labels.index(name)


def _number(value: str, text: str, where: str | None = None) -> float:
    try:
        return float(value)
    except ValueError:
        raise InputError(f"{value!r} in {text!r} is not a number", where) from None
