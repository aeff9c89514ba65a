"""Options of families: declared once, read by argparse, Recipe, estimators and `widemargin list options`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from widemargin.engine.names import canonical, hint
from widemargin.engine.settings import as_bool, as_number, in_range, shown
from widemargin.errors import InputError, require

# what an option decides
RECIPE = "recipe"  # the model: a field of Recipe.options
READING = "reading"  # how files are read
ANSWERING = "answering"  # how a model answers
SCORING = "scoring"  # what a metric counts
SHOWING = "showing"  # what inspect, explain and warmup show or do

MODEL = "model"  # kind of an option whose value is a model, or the file of one


@dataclass(frozen=True)
class Option:
    """A choice that a family has."""

    name: str  # as a keyword, and as KEY of --set KEY=VALUE
    about: str
    kind: Any = str  # str, int, float or bool; a tuple of words; list, of whole numbers; MODEL; or object: the value is taken as it is
    default: Any = None
    use: str = RECIPE
    verbs: tuple[str, ...] = ()  # commands with a flag for it. --set in train, compare and curve knows RECIPE and READING without one
    flag: str = ""  # the flag, where it is not --name
    metavar: str = ""
    low: float = 0  # of numbers
    high: float | None = None  # without one, what makes sense of anything
    needs: Mapping[Any, str] = field(default_factory=dict)  # value -> a module that it needs (errors.EXTRAS)

    @property
    def word(self) -> str:
        """The flag of the command line."""
        return self.flag or "--" + self.name.replace("_", "-")

    def converted(self, value: Any) -> Any:
        """A value, perhaps text from a command line, as the family wants it. What it needs and is not installed is said now."""
        found = self._converted(value)
        if isinstance(found, str | bool) and found in self.needs:
            require(self.needs[found], self.word + ("" if found is True else f" {found}"))
        return found

    def _converted(self, value: Any) -> Any:
        if value is None or self.kind is object:
            return value
        if self.kind is list:
            return [self._number(item, int) for item in value]
        if self.kind == MODEL:
            from widemargin.families.recipes import load

            return load(value) if isinstance(value, str) else value
        if isinstance(self.kind, tuple):
            if (found := canonical(value, self.kind) if isinstance(value, str) else value) not in self.kind:
                near = hint(value, self.kind) if isinstance(value, str) else ""
                raise InputError(f"{self.name}={shown(value)} is not known; choose one of {', '.join(self.kind)}{near}")
            return found
        if self.kind is str:
            return value if isinstance(value, str) else shown(value)
        return as_bool(self.name, value) if self.kind is bool else self._number(value, self.kind)

    def _number(self, value: Any, kind: type) -> Any:
        return in_range(self.name, as_number(self.name, value, kind), self.low, self.high)
