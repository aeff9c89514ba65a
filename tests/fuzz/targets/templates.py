"""Languages of templates: our own, CRF++'s, Wapiti's, and that of arcs; then the features that they make."""

import functools
import io
from random import Random

from fuzz import mutate
from fuzz.judge import Difference
from fuzz.seeds import sentences
from fuzz.targets import Target
from widemargin.families.dependencies.templates import parse_arc_templates
from widemargin.features.extractor import Extractor
from widemargin.features.foreign import parse_foreign
from widemargin.features.functions import FUNCTIONS
from widemargin.features.named import named_set, named_sets
from widemargin.features.templates import parse_templates
from widemargin.readers.columns import Columns, read_columns

NAMES = ("word", "pos", "chunk", "ner")
NUMBERS = ("0", "1", "-1", "2", "-3", "+1", "²", "99", "9" * 5000, "-" + "9" * 30, "..", "-1..1", "-2..", "..9", "0..0")
REGEXES = (
    "/^a+$/",
    "/(a+)+$/",
    "/(([a-z])+.)+[A-Z]$/",
    "/[/",
    "/\\/",
    "/(/",
    "/a{1,99999}/",
    "/(?<=a+)b/",
    "/\\p{L}/",
    "/" + "(" * 300,
    "/x*y*z/",
)
PIECES = (
    *NAMES,
    *FUNCTIONS,
    *NUMBERS,
    *REGEXES,
    *"()[],*#\"' \t\n",
    "[0]",
    "[-1..1]",
    "label[-1]",
    "bias",
    " ",
    "\n",
    ",2)",
    '"t" ',
    "first",
    "last",
)
OWN = [line for name in named_sets() for line in named_set(name).split("\n")]
FOREIGN = (
    "U",
    "B",
    "u",
    "b",
    "*",
    "%x[",
    "%X[",
    "%t[",
    "%m[",
    "%M[",
    "]",
    "-1,0]",
    "0,0",
    ',"',
    '"]',
    "^[A-Z]",
    "\\u*",
    "\\",
    "#",
    " ",
    ":",
    "\n",
    *NUMBERS,
)
FOREIGN_LINES = (
    "U00:%x[0,0]",
    "B",
    "U1:%x[-1,0]/%x[0,1]",
    '*2:%t[0,0,"^\\u"]',
    'u:%m[ 0,0,"^.?.?"]',
    "# remark",
    "",
    "U3",
    'U4:%m[0,1,"\\d*$"]',
)
ARC_PIECES = (
    "head.",
    "mod.",
    "sib.",
    "between.",
    "form",
    "lemma",
    "upos",
    "xpos",
    "feats",
    "label ",
    "include arcs",
    "bias",
    "lower(",
    ")",
    "[1]",
    " ",
    "\n",
)
ARC_LINES = named_set("arcs", "widemargin.families.dependencies.sets").split("\n")


def written(random: Random, lines: tuple | list, pieces: tuple) -> str:
    """Lines as people write them, with faults, or a heap of pieces."""
    if mutate.chance(random, 0.4):
        return mutate.sentence(random, pieces, 12)
    text = "\n".join(random.choices(lines, k=random.randrange(1, 5)))
    if mutate.chance(random, 0.5):
        at = random.randrange(len(text) + 1)
        text = text[:at] + random.choice(pieces) + text[at + random.randrange(3) :]
    return mutate.mutated(random, text.encode(), most=2).decode("utf-8", "replace")


@functools.cache
def data() -> Columns:
    """Three sentences, and words that are hard on regular expressions."""
    hard = "".join(f"{word} NN B-NP O\n" for word in ("a" * 40, "aA1-" * 12, "é²\u0301", "9" * 60))
    return read_columns(io.BytesIO(("".join(sentences("columns")[:2]) + hard).encode()), names=NAMES)


def use(templates: tuple) -> None:
    """Features of a few tokens."""
    if len(templates) <= 40:
        Extractor(templates).fit(data())


def run_own(case: dict) -> None:
    templates = parse_templates(case["text"], columns=NAMES)
    again = parse_templates("\n".join(map(str, templates)), columns=NAMES)
    if again != templates:
        raise Difference("templates written and read again are others")
    if case["use"]:
        use(templates)


def run_foreign(case: dict) -> None:
    templates = parse_foreign(case["text"], case["dialect"], columns=NAMES)
    if case["use"]:
        use(templates)


def run_arcs(case: dict) -> None:
    parse_arc_templates(case["text"])


def used(random: Random) -> bool:
    return mutate.chance(random, 0.1)


TARGETS = (
    Target("templates", lambda r: {"text": written(r, OWN, PIECES), "use": used(r)}, run_own, 130),
    Target(
        "foreign-templates",
        lambda r: {"text": written(r, FOREIGN_LINES, FOREIGN), "dialect": r.choice((None, "crfpp", "wapiti")), "use": used(r)},
        run_foreign,
        110,
    ),
    Target("arc-templates", lambda r: {"text": written(r, ARC_LINES, (*ARC_PIECES, *PIECES))}, run_arcs, 80),
)
