"""Costs that are functions of counts: Delta(tp, fp, gold), from a name or one line of arithmetic to a table per size of the gold.

tp: brackets of a tree that the gold has, fp: those that it has not, gold: how many the gold has (so that gold - tp are missed). A line is
read by a parser that knows numbers, these three names, + - * / **, comparisons (1 or 0) and min, max, sqrt, abs; nothing is ever executed.
0/0 is a cost of 0: the F1 and the precision of nothing are 1.
"""

import ast
import operator
from collections.abc import Callable

import numpy as np

from widemargin.engine.settings import shown
from widemargin.errors import InputError

# Bauer et al. 2017, section 2: the losses of F1 and of the number of false positives, and 0/1
NAMED = {
    "f1": "(gold + fp - tp) / (gold + fp + tp)",
    "fp": "fp",
    "zero-one": "max(fp > 0, tp < gold)",
    "precision": "fp / (tp + fp)",
    "recall": "(gold - tp) / gold",
}
NAMES = ("tp", "fp", "gold")
FORMS = f"{', '.join(NAMED)}, or a line like fp / (tp + fp), of {', '.join(NAMES)}, numbers, + - * / **, comparisons, min, max, sqrt, abs"
LONGEST = 200  # characters of a line
LEVEL = 1e-12  # differences below this are none
OPERATORS: dict[type, Callable] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: np.divide,
    ast.Pow: np.power,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
FUNCTIONS: dict[str, tuple[Callable, int]] = {"min": (np.minimum, 2), "max": (np.maximum, 2), "sqrt": (np.sqrt, 1), "abs": (np.abs, 1)}


class CountCost:
    """A cost by its name or its line."""

    def __init__(self, text: str):
        self.text = text.strip()
        line = NAMED.get(self.text, self.text)
        if len(line) > LONGEST:
            raise self._refusal(f"is longer than {LONGEST} characters")
        try:
            self._body = ast.parse(line, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise self._refusal("is neither a known name nor arithmetic") from None
        self._evaluated({name: np.ones((1, 1)) for name in NAMES})

    def table(self, gold: int, most: int) -> np.ndarray:
        """Costs [gold + 1, most + 1] of 0..gold true and 0..most false positives; they are at least 0, and the gold's is 0."""
        tp, fp = np.arange(gold + 1.0)[:, None], np.arange(most + 1.0)[None, :]
        found = self._evaluated({"tp": tp, "fp": fp, "gold": np.full((1, 1), float(gold))})
        table = np.array(np.broadcast_to(found, (gold + 1, most + 1)), float)
        table[np.isnan(table)] = 0.0
        if not np.isfinite(table).all() or table.min() < 0.0:
            t, f = np.argwhere(~np.isfinite(table) | (table < 0.0))[0]
            raise self._refusal(f"is {table[t, f]:g} at tp={t}, fp={f}, gold={gold}; costs are finite and at least 0")
        if table[gold, 0] > LEVEL:
            raise self._refusal(f"gives the gold itself a cost: {table[gold, 0]:g} at tp={gold}, fp=0, gold={gold}; that must be 0")
        table[gold, 0] = 0.0
        return table

    def _evaluated(self, names: dict[str, np.ndarray]) -> np.ndarray:
        with np.errstate(all="ignore"):
            return self._value(self._body, names)

    def _value(self, node: ast.AST, names: dict[str, np.ndarray]) -> np.ndarray:
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return np.full((1, 1), self._number(value))
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                return OPERATORS[type(op)](self._value(left, names), self._value(right, names))
            case ast.UnaryOp(op=op, operand=operand) if type(op) in OPERATORS:
                return OPERATORS[type(op)](self._value(operand, names))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in OPERATORS:
                return OPERATORS[type(op)](self._value(left, names), self._value(right, names)).astype(float)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS and arguments:
                function, least = FUNCTIONS[name]
                values = [self._value(argument, names) for argument in arguments]
                if len(values) >= least and (least > 1 or len(values) == 1):
                    out = values[0] if least > 1 else function(values[0])
                    for other in values[1:]:
                        out = function(out, other)
                    return out
        raise self._refusal(f"has {shown(ast.unparse(node))!r} in it")

    def _number(self, value: int | float) -> float:
        try:
            return float(value)
        except OverflowError:
            raise self._refusal("has a number in it that is too large") from None

    def _refusal(self, why: str) -> InputError:
        return InputError(f"the cost {shown(self.text)!r} {why}; use {FORMS}")


def is_monotone(table: np.ndarray) -> bool:
    """Does the cost never fall with false positives, nor rise with true ones?"""
    return bool((np.diff(table, axis=1) >= -LEVEL).all() and (np.diff(table, axis=0) <= LEVEL).all())


def levels(table: np.ndarray) -> tuple[int, int, int]:
    """Counts above which the cost does not change: of tp, of fp (more are as good as so many), and the fp from which on tp makes no
    difference; one more than the largest where it always makes one."""
    tp = np.abs(table - table[-1:]).max(axis=1) <= LEVEL
    fp = np.abs(table - table[:, -1:]).max(axis=0) <= LEVEL
    flat = np.append(np.ptp(table, axis=0) <= LEVEL, True)
    first = [int(np.argmax(np.logical_and.accumulate(same[::-1])[::-1])) for same in (tp, fp, flat)]
    return first[0], first[1], first[2]
