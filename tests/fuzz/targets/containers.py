"""Damaged model files: refused, or the same answer. Whatever the bytes are, nothing else."""

import functools
import io
import pathlib
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr
from random import Random

from fuzz import mutate, seeds
from fuzz.judge import Difference
from fuzz.targets import Target
from widemargin import models
from widemargin.cli import main
from widemargin.errors import InputError

ANSWERED = ("chunk", "choice", "hashed", "items", "kernel", "eisner-labelled", "heads", "pairs", "expanded", "lexicon", "pruned-eisner")


def cases(random: Random) -> dict:
    name = random.choice(ANSWERED)
    size = len(seeds.model_bytes(name))
    table = 8 + int.from_bytes(seeds.model_bytes(name)[:8], "little")
    reach = random.choice((16, table, size))
    flips = [[random.randrange(reach), 1 << random.randrange(8)] for _ in range(random.choice((0, 1, 1, 3, 200)))]
    cut = None if mutate.chance(random, 0.8) else sorted((random.randrange(size), random.randrange(size)))
    noise = mutate.mutated(random, b"{}", most=3) if mutate.chance(random, 0.05) else b""
    return {"model": name, "flips": flips, "cut": cut, "noise": noise}


def run(case: dict) -> None:
    data = bytearray(seeds.model_bytes(case["model"]))
    for at, bits in case["flips"]:
        data[at] ^= bits
    if case["cut"]:
        del data[case["cut"][0] : case["cut"][1]]
    pathlib.Path("case.safetensors").write_bytes(case["noise"] or bytes(data))
    status, out, told = command(["predict", "case.safetensors", seeds.input_of(case["model"]), "--threads", "1"])
    if status == 2:
        raise InputError(told.strip())
    if (status, out) != (0, usual(case["model"])):
        raise Difference(f"a damaged file: status {status}, and another answer")


def raw_cases(random: Random) -> dict:
    data = seeds.model_bytes("items")
    return {"data": mutate.mutated(random, data[: random.choice((40, 400, 4000, len(data)))], most=6)}


def run_raw(case: dict) -> None:
    pathlib.Path("case.safetensors").write_bytes(case["data"])
    models.load("case.safetensors", verify=True)


@functools.cache
def usual(name: str) -> bytes:
    return command(["predict", f"{seeds.SEEDS}/{name}.safetensors", seeds.input_of(name), "--threads", "1"])[1]


def command(arguments: list[str], given: bytes = b"") -> tuple[int, bytes, str]:
    """Status, standard output and standard error of a command in this process."""
    out, told = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    before = sys.stdin, sys.stdout
    sys.stdin, sys.stdout = io.TextIOWrapper(io.BufferedReader(io.BytesIO(given)), "utf-8"), out
    try:
        with redirect_stderr(told):
            status = main(arguments)
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else 1 if stop.code else 0
    finally:
        sys.stdin, sys.stdout = before
    out.flush()
    return status, out.buffer.getvalue(), told.getvalue()  # type: ignore[attr-defined]


def warm() -> Iterator[None]:
    for name in ANSWERED:
        usual(name)
        yield


TARGETS = (Target("damage", cases, run, 20, compiled=True, warm=warm), Target("containers", raw_cases, run_raw, 30))
