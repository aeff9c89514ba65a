"""Costs of labels: the price of each wrong label, by the forms of FAMILY.costs (families/tagging/__init__.py)."""

from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError, several
from widemargin.families.costs import named_prices, price_of, split_factor

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
    body, factor = split_factor(text)
    if body == "hamming":
        matrix = np.ones((len(labels), len(labels)))
    elif body.startswith("matrix:"):
        matrix = _from_file(body.removeprefix("matrix:"), labels)
    elif body.startswith("weights:"):
        matrix = np.ones((len(labels), len(labels)))
        for name, value in named_prices(body.removeprefix("weights:"), text, FORMS).items():
            matrix[_label(name, labels, "--cost")] = value
    elif "=" in body:
        matrix = _by_kind(named_prices(body, text, FORMS), labels, text)
    else:
        raise InputError(f"cost {text!r} is not known; use {FORMS}")
    matrix = matrix * factor
    np.fill_diagonal(matrix, 0.0)
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
                    raise InputError(f"this line has {several(len(cells), 'field')}; write GOLD GUESS COST", where)
                matrix[_label(cells[0], labels, where), _label(cells[1], labels, where)] = price_of(cells[2], line.strip(), where)
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"the cost matrix cannot be read ({error}); matrix:FILE wants lines GOLD GUESS COST", path) from error
    return matrix


def _label(name: str, labels: tuple[str, ...], where: str) -> int:
    if name not in labels:
        raise InputError(f"label {name!r} does not occur in the training data; the labels are {', '.join(labels)}", where)
    return labels.index(name)
