"""Flags: those that commands share, and those of the options that families declare. An option that the family at hand lacks is refused."""

import argparse
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from widemargin.engine.settings import LAST_SEED, as_number, in_range
from widemargin.errors import InputError, require
from widemargin.families.base import OFFERS, Family
from widemargin.families.options import READING, RECIPE, Option
from widemargin.families.registry import families, tasks
from widemargin.workers import ENGINES

if TYPE_CHECKING:
    from widemargin.workers import Engine

FILES = "a file, .gz too, - for standard input, or town:train, town:dev, town:test (the embedded corpus; town:train:5000 for more)"
TASK = "what is learnt; see `widemargin list tasks`"


MOST_THREADS = 4096


class Number(argparse.Action):
    """An option that is a number from low to high; without a high, up to what makes sense of anything (engine/settings.py)."""

    def __init__(self, *, kind: type = int, low: float = 0, high: float | None = None, **more: Any):
        super().__init__(**more)
        self.kind, self.low, self.high = kind, low, high

    def __call__(self, parser, namespace, values, option_string=None) -> None:
        number = as_number(str(option_string), values, self.kind)
        setattr(namespace, self.dest, in_range(str(option_string), number, self.low, self.high))


def task_argument(command) -> None:
    command.add_argument("task", metavar="TASK", help=f"{', '.join(tasks())}: {TASK}")


def reading(command) -> None:
    command.add_argument("--encoding", help="encoding of the input files (utf-8)")


def json_flag(command) -> None:
    command.add_argument("--json", action="store_true", help="one JSON object on standard output and nothing else there")


def machine(command) -> None:
    command.add_argument(
        "--threads", action=Number, high=MOST_THREADS, metavar="N", help="how many threads; 0: one per core (0); never changes the result"
    )
    json_flag(command)


def engine(command, what: str, names: tuple[str, ...] = ENGINES) -> None:
    """Who does the work."""
    usual = names[0] if names == ENGINES else "this process, one after the other"
    command.add_argument("--engine", choices=names, help=f"what runs {what} ({usual}); never changes the result")
    workers = "how many workers; 0: one per core of this machine or, with ray, of the cluster (0)"
    command.add_argument("--workers", action=Number, high=MOST_THREADS, default=0, metavar="N", help=workers)
    command.add_argument("--address", metavar="HOST:PORT", help="address of a Ray cluster (RAY_ADDRESS; without it, Ray is started here)")


def chosen_engine(options: argparse.Namespace) -> "Engine | None":
    """The engine that these flags name, or None; flags that would change nothing are refused."""
    from widemargin.workers import Engine

    if options.engine is None and (options.workers or options.address):
        flag = "--workers" if options.workers else "--address"
        raise InputError(f"{flag} is for the workers of an engine; name one with --engine, or leave it out")
    if options.engine == "ray":
        require("ray", "--engine ray")
    return None if options.engine is None else Engine(options.engine, options.workers, options.address)


def samples(command) -> None:
    command.add_argument("--samples", action=Number, low=1, default=10_000, metavar="N", help="samples of the paired bootstrap (10000)")


def two_files(command) -> None:
    command.add_argument("train", metavar="TRAIN", nargs="?", default="town:train", help=FILES + " (town:train)")
    command.add_argument(
        "dev", metavar="DEV", nargs="?", default="town:dev", help="development file, on which everything is scored (town:dev)"
    )


def recipe(
    command,
    *,
    grid: bool = False,
    costs: str = "see `widemargin list costs` (the task's usual one)",
    objective: str = "the learner's usual one",
):
    """What makes a recipe; grid: several values may be given for some of it."""
    several, many, values = "", "", ""
    if grid:
        several, many = "; several separated by semicolons", ", or several separated by commas"
        values = "; KEY=VALUE,VALUE,... tries all, LEARNER.KEY=... is for that learner alone"
    command.add_argument("--objective", metavar="NAME", help=f"see `widemargin list objectives` ({objective})")
    command.add_argument("--cost", metavar="SPEC", help=costs + several)
    epochs = "sweeps over the data; iterations for lbfgs (10; lbfgs: 100, one-slack: 500, other duals: 50)"
    command.add_argument("--epochs", action=Number, low=1, metavar="N", help=epochs)
    l1 = "penalty on absolute weights in F(w) = mean loss + l2/2 |w|^2 + l1 |w|_1 (0; rda: 4/n)"
    command.add_argument("--l1", action=Number, kind=float, default=None, metavar="X", help=l1)
    l2 = f"penalty on squared weights, in the same F (0; lbfgs: 2/n, which is CRFsuite's c2 = 1; duals: 1/n){many}"
    command.add_argument("--l2", **{} if grid else {"action": Number, "kind": float}, metavar="X", help=l2)
    about = "a template file (crfpp:FILE: of CRF++, wapiti:FILE: of Wapiti), or a named set: see `widemargin list templates`"
    command.add_argument("--templates", metavar="FILE", help=about)
    setting = f"structure, a setting of the learner, or an option of the task: see `widemargin list options`{values}"
    command.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help=setting)
    command.add_argument("--seed", action=Number, high=LAST_SEED, default=1, metavar="N", help="seed of the random order of sentences (1)")
    wait = "stop after N epochs without a better dev score; 0: never (train with --dev and an online learner: 3, else 0)"
    command.add_argument("--patience", action=Number, metavar="N", help=wait)


def settings_in(items: list[str]) -> list[str]:
    """--set KEY=VALUE,KEY=VALUE is two settings; what follows a comma without a KEY= is another value of the same."""
    return [part for item in items for part in re.split(r",(?=[\w.-]+=)", item)]


# ---- options of families --------------------------------------------------------------------------------------------------------------


def _place(option: Option) -> str:
    """Where argparse keeps it."""
    return option.word.lstrip("-").replace("-", "_")


def _by_flag(verb: str) -> dict[str, list[tuple[Family, Option]]]:
    """Every flag of a verb that some family declares, with those families."""
    found: dict[str, list[tuple[Family, Option]]] = {}
    for family in families():
        for option in family.options:
            if verb in option.verbs:
                found.setdefault(option.word, []).append((family, option))
    return found


def add_family_flags(command: argparse.ArgumentParser, verb: str) -> None:
    """The union of the families' options for a verb, grouped by those whose they are; not given, each is None."""
    groups: dict[tuple[str, ...], Any] = {}
    for word, owners in _by_flag(verb).items():
        option = owners[0][1]
        more: dict[str, Any] = {}
        if option.kind is bool:
            more = {"action": "store_const", "const": True}
        elif option.kind is list:
            more = {"action": "append"}
        elif isinstance(option.kind, tuple):
            more = {"choices": option.kind}
        if option.metavar and option.kind is not bool:
            more["metavar"] = option.metavar
        texts = []
        for family, own in owners:
            usual = "" if own.default in (None, False) else f" ({own.default})"
            texts.append((f"{family.name}: " if len(owners) > 1 else "") + own.about + usual)
        names = tuple(family.name for family, _ in owners) if len(owners) == 1 else ()
        if names not in groups:
            title = f"only for {', '.join(owners[0][0].tasks)}" if names else "for several kinds of tasks"
            groups[names] = command.add_argument_group(title)
        groups[names].add_argument(word, dest=_place(option), default=None, help="; ".join(texts), **more)


@dataclass
class Choices:
    """What was chosen of a family's options, by use; names are the family's."""

    recipe: dict[str, Any] = field(default_factory=dict)
    reading: dict[str, Any] = field(default_factory=dict)
    answering: dict[str, Any] = field(default_factory=dict)
    scoring: dict[str, Any] = field(default_factory=dict)
    showing: dict[str, Any] = field(default_factory=dict)


def choices(options: argparse.Namespace, family: Family, task: str) -> Choices:
    """The flags that were given, as options of the family; one that it does not have is refused, with those that it has."""
    found, verb = Choices(), options.verb
    if getattr(options, "encoding", None) is not None:
        found.reading["encoding"] = options.encoding
    for word, owners in _by_flag(verb).items():
        value = getattr(options, _place(owners[0][1]))
        if value is None:
            continue
        own = next((option for owner, option in owners if owner is family), None)
        if own is None:
            has = [option.word for option in family.options if verb in option.verbs]
            works = f"with {task}, {verb} has {', '.join(has)}" if has else f"{verb} has no options for {task} alone"
            raise InputError(f"{word} is not for {task}; {works}")
        getattr(found, own.use)[own.name] = own.converted(value)
    return found


def set_option(found: Choices, family: Family, key: str, value: str) -> bool:
    """KEY=VALUE of --set as an option of the family, if it is one."""
    option = family.option(key, RECIPE, READING)
    if option is None:
        return False
    place = getattr(found, option.use)
    if key in place:
        raise InputError(f"{key} is given twice, by {option.word} and by --set {key}={value}; give one of them")
    place[key] = value if option.use == RECIPE else option.converted(value)
    return True


def need(family: Family, offer: str, task: str) -> None:
    """Refuse what the family does not offer."""
    if offer not in family.offers:
        why = f": {family.lacks[offer]}" if offer in family.lacks else ""
        has = ", ".join(OFFERS[name] for name in OFFERS if name in family.offers)
        raise InputError(f"{OFFERS[offer]} is not for {task}{why}; {task} offers {has or 'training, predicting and scoring'}")
