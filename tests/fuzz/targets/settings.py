"""Small languages of the command line: costs, settings, names of columns, constraints, parts of the corpus, searches."""

import pathlib
import types
from random import Random

from fuzz import mutate
from fuzz.seeds import SEEDS
from fuzz.targets import Target
from fuzz.targets.models import opened
from widemargin.cli.common import recipe_from
from widemargin.cli.flags import Choices
from widemargin.families.dependencies.costs import parse_arc_cost
from widemargin.families.dependencies.templates import load_arc_templates
from widemargin.families.recipes import recipe_of
from widemargin.families.registry import family_of_task, tasks
from widemargin.families.sources import town_part
from widemargin.families.tagging.constraints import legal_of
from widemargin.families.tagging.costs import parse_cost
from widemargin.families.tagging.sources import open_columns, sentence_columns
from widemargin.features.named import load_templates
from widemargin.features.search import search
from widemargin.learners import LEARNERS, learner_named

LABELS = ("O", "B-NP", "I-NP", "B-PP", "#")
RELATIONS = ("nsubj", "nsubj:pass", "punct", "root")
COSTS = (
    "hamming",
    "*",
    "miss",
    "false",
    "type",
    "weights:",
    "matrix:",
    "case",
    "head",
    "label",
    "=",
    ",",
    ":",
    *LABELS,
    *RELATIONS,
    *mutate.NUMBERS,
)


def cost_cases(random: Random) -> dict:
    text = mutate.sentence(random, COSTS, 8) if mutate.chance(random, 0.8) else f"matrix:case*{mutate.number(random)}"
    lines = [" ".join((random.choice(LABELS), random.choice(LABELS), mutate.number(random))) for _ in range(3)]
    return {"text": text, "file": mutate.mutated(random, "\n".join(lines).encode(), most=1)}


def run_cost(case: dict) -> None:
    if "case" in case["text"]:
        pathlib.Path("case").write_bytes(case["file"])
    parse_cost(case["text"], LABELS)


def run_arc_cost(case: dict) -> None:
    parse_arc_cost(case["text"], RELATIONS)


KEYS = sorted(
    {name for learner in LEARNERS for name in vars(learner_named(learner))}
    | {option.name for task in tasks() for option in family_of_task(task).options}
    | {"structure", "inner", "encoding", "l1", "l2", "x", ""}
)
VALUES = (
    *mutate.NUMBERS,
    "true",
    "no",
    "auto",
    "poly",
    "tanh",
    "rbf",
    "linear",
    "BIO",
    "iob2",
    "bioes",
    "none",
    "chain",
    "choice",
    "eisner",
    "perceptron",
    "mira",
)


def set_cases(random: Random) -> dict:
    items = [f"{random.choice(KEYS)}={random.choice(VALUES)}" for _ in range(random.randrange(1, 4))]
    joined = random.choice((",", ";", " ")).join(items) if mutate.chance(random, 0.3) else None
    if mutate.chance(random, 0.2):
        items.append(mutate.sentence(random, (*KEYS, *VALUES, "=", ",", "."), 5))
    how = {
        "cost": random.choice((None, "hamming")),
        "l1": random.choice((0.0, -1.0, 1e400)),
        "l2": random.choice((None, 0.1, -1.0, float("nan"))),
    }
    learner = random.choice((None, *LEARNERS, "x", "ops:hinge", "ops:", ":", "sgd:nothing"))
    return {"task": random.choice((*tasks(), "x")), "learner": learner, "set": [joined] if joined else items, "how": how}


def run_set(case: dict) -> None:
    family, chosen = family_of_task(case["task"]), Choices()
    empty = dict.fromkeys(("epochs", "patience", "objective", "templates"))
    options = types.SimpleNamespace(task=case["task"], seed=1, set=case["set"], **empty, **case["how"])
    recipe = recipe_from(options, family, case["learner"], chosen)
    family.check(recipe, "train")
    learner_named(recipe.learner, recipe.settings)
    keywords = dict(item.partition("=")[::2] for item in case["set"])
    recipe_of(case["task"], **{name: value for name, value in keywords.items() if name.isidentifier() and name != "task"})


def columns_cases(random: Random) -> dict:
    names = random.choice((",", ", ", ";")).join(
        random.choice(("word", "pos", "chunk", "", "0", "-1", "x" * 600, "é", "\0")) for _ in range(random.randrange(6))
    )
    return {"names": names, "column": random.choice(("word", "-1", "0", "9" * 5000, "²", "", "x" * 600, "-", "\n"))}


def run_columns(case: dict) -> None:
    open_columns(f"{SEEDS}/input.columns", "chunk", names=tuple(case["names"].split(","))).column(case["column"])


SCHEMES = ("BIO", "IOB1", "bioes", "none", "", "pairs:case", "pairs:", "pairs:no", "x" * 600, "\n", "\0", "pairs:\0", "pairs:" + "x" * 300)


def constraint_cases(random: Random) -> dict:
    lines = [" ".join(random.choices((*LABELS, "-", "x"), k=2)) for _ in range(random.randrange(40))]
    spec = random.choice(SCHEMES) if mutate.chance(random, 0.4) else "pairs:case"
    return {"spec": spec, "data": mutate.mutated(random, "\n".join(lines).encode(), most=2)}


def run_constraints(case: dict) -> None:
    pathlib.Path("case").write_bytes(case["data"])
    legal_of(case["spec"], LABELS)


def texts(pieces: tuple, most: int):
    """Cases that are one text."""
    return lambda random: {"text": mutate.sentence(random, pieces, most)}


PARTS = ("town:", "train", "dev", ":", "1", "-", "²", "9" * 5000, "\0", "x", " ", "/")
TYPED = ("The/DT", "cat", "\\/", " ", "/", "\t", "NN", "x" * 600, "\0", "é")
SEARCHES = ("/", "(a+)+$", "[", "word", "*", "(", "\\", "{9}", "=", "(" * 300)
PLACES = ("crfpp:", "wapiti:", "ner", "chunk-rich", "arcs", "no", "\0", "x" * 300, "/", "\ud800", ".", "")


def run_typed(case: dict) -> None:
    sentence_columns(case["text"], opened("chunk"))


def run_search(case: dict) -> None:
    search(opened("chunk").extractor.nodes, case["text"])


TARGETS = (
    Target("costs", cost_cases, run_cost, 30),
    Target("arc-costs", cost_cases, run_arc_cost, 20),
    Target("settings", set_cases, run_set, 40),
    Target("column-names", columns_cases, run_columns, 10),
    Target("constraints", constraint_cases, run_constraints, 30),
    Target("parts-of-town", texts(PARTS, 5), lambda case: town_part(case["text"]), 5),
    Target("typed-sentences", texts(TYPED, 8), run_typed, 10),
    Target("searches", texts(SEARCHES, 6), run_search, 5),
    Target("template-names", texts(PLACES, 3), lambda case: load_templates(case["text"]), 5),
    Target("arc-template-names", texts(PLACES, 3), lambda case: load_arc_templates(case["text"]), 5),
)
