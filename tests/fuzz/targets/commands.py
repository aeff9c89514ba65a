"""Command lines: every verb with options and values that nobody meant. Status 0 or 2, and in the latter case one sentence."""

import os
import pathlib
import shutil
from random import Random

from fuzz import mutate, seeds
from fuzz.judge import Difference
from fuzz.targets import Target
from fuzz.targets.containers import command
from widemargin.errors import InputError

TRAINED = ["--epochs", "1", "--templates", "few", "--columns", "word,pos,chunk,ner"]
MODEL, TREES, DATA, PARSED = (
    f"{seeds.SEEDS}/{name}" for name in ("chunk.safetensors", "heads.safetensors", "input.columns", "input.trees")
)
USUAL = (
    ["train", "chunk", DATA, "-o", "out", *TRAINED],
    ["train", "ner", DATA, "-o", "out", *TRAINED, "--dev", DATA, "--patience", "1"],
    ["train", "depparse", PARSED, "-o", "out", "--epochs", "1", "--templates", "arcs-few", "--hash-bits", "10"],
    ["train", "tag", f"{seeds.SEEDS}/input.items", "-o", "out", "--format", "crfsuite", "--epochs", "1"],
    ["predict", MODEL, DATA],
    ["predict", MODEL, DATA, "--kbest", "2"],
    ["predict", MODEL, DATA, "--marginals", "--json"],
    ["predict", MODEL, "-", "-o", "out"],
    ["predict", TREES, PARSED, "--probability"],
    ["predict", TREES, PARSED, "--kbest", "2"],
    ["evaluate", MODEL, DATA],
    ["evaluate", TREES, PARSED, "--no-punctuation"],
    ["score", "chunk", DATA, DATA, "--samples", "10"],
    ["score", "depparse", PARSED, PARSED],
    ["calibrate", MODEL, DATA, "-o", "out"],
    ["inspect", MODEL, "--top", "3"],
    ["inspect", MODEL, "--search", "word"],
    ["explain", MODEL, DATA, "--sentence", "1"],
    ["explain", TREES, PARSED, "--token", "1", "--top", "2"],
    ["prune", MODEL, "-o", "out", "--threshold", "0.1"],
    ["prune", TREES, "-o", "out", "--keep", "10"],
    ["data", "stats", DATA],
    ["data", "town", "dev", "--sentences", "2", "-o", "out"],
    ["data", "draw", PARSED, "--sentence", "1", "-o", "out"],
    ["data", "list"],
    ["list", "tasks"],
    ["list", "options", "--json"],
)
OPTIONS = (
    *("--epochs", "--l1", "--l2", "--seed", "--patience", "--kbest", "--top", "--cutoff", "--hash-bits", "--checkpoint", "--threads"),
    *("--samples", "--sentence", "--token", "--threshold", "--keep", "--sentences", "--encoding", "--columns", "--label", "--learner"),
    *("--objective", "--cost", "--set", "--constraints", "--strict", "--dev", "--init", "--base", "--templates", "--format", "--search"),
)
FLAGS = (
    "--json",
    "--resume",
    "--marginals",
    "--probability",
    "--transitions",
    "--subtypes",
    "--no-punctuation",
    "--help",
    "--version",
    "--",
    "-",
    "-x",
)
VALUES = (
    *(
        "0",
        "1",
        "-1",
        "2",
        "0.5",
        "-0.5",
        "nan",
        "inf",
        "-inf",
        "1e400",
        "1e-400",
        "9" * 30,
        "9" * 5000,
        "²",
        "",
        " ",
        "x",
        "x" * 500,
        "é",
        "a\nb",
    ),
    *(
        "rot13",
        "utf-16",
        "latin-1",
        "hex",
        "word,pos,chunk,ner",
        "chunk",
        "perceptron",
        "lbfgs",
        "bcfw",
        "mira",
        "hinge",
        "hamming*2",
        "miss=2",
        "BIO",
    ),
    *(
        DATA,
        PARSED,
        MODEL,
        TREES,
        "no-such",
        "no/such/file",
        ".",
        "few",
        "folder",
        "out",
        "town:dev:1",
        "town:x",
        "l2=0.1",
        "rate=-1",
        "degree=2,kernel=poly",
    ),
)
OUTPUTS = ("out", "", "-", "no/such/out", "folder", "out.gz", "x" * 300, "folder/.", "link", "\ud800", "out\n2")


def cases(random: Random) -> dict:
    arguments = list(random.choice(USUAL))
    for _ in range(random.randrange(4)):
        how, at = random.random(), random.randrange(len(arguments))
        if how < 0.5:
            arguments += [random.choice(OPTIONS), random.choice(VALUES)]
        elif how < 0.6:
            arguments.insert(at, random.choice(FLAGS))
        elif how < 0.7 and "-o" in arguments[:-1]:
            arguments[arguments.index("-o") + 1] = random.choice(OUTPUTS)
        elif how < 0.8 and at > 1 and arguments[at - 1] != "-o":
            arguments[at] = random.choice(VALUES)
        elif how < 0.9 and at and arguments[at] != "-o" and arguments[at - 1] != "-o":
            del arguments[at]
    given = mutate.mutated(random, mutate.block(random, seeds.sentences("columns"), 2)) if "-" in arguments else b""
    return {"arguments": arguments, "given": given}


def run(case: dict) -> None:
    if any(word in ("town:train", "fetch", "reproduce", "warmup", "compare", "curve") for word in case["arguments"]):
        return  # too long for a case
    os.makedirs("folder", exist_ok=True)
    for name, text in (("few", seeds.TAGGING), ("arcs-few", seeds.ARCS)):
        pathlib.Path(name).write_text(text)
    try:
        status, _, told = command(case["arguments"], case["given"])
        if "Traceback" in told or status not in (0, 2):
            raise Difference(f"status {status}: {told.strip().rpartition(chr(10))[2][:100]}")
        if status == 2:
            raise InputError(told.strip().rpartition("widemargin: ")[2])
    finally:
        swept()


def swept() -> None:
    """Nothing is left of a command."""
    for name in os.listdir("."):
        if name not in ("now", seeds.SEEDS):
            shutil.rmtree(name) if os.path.isdir(name) and not os.path.islink(name) else os.unlink(name)
    seeds.restore()


TARGETS = (Target("commands", cases, run, 10),)
