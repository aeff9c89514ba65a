"""Dependency trees with scores given: microseconds per sentence on one core, by its length.

Scores in float32 as parsers give them: noise, and 3 more for the arcs of a random tree ("noise": without). The arborescence's time
depends on it. The smallest CPU time of the rounds, in which all operations take turns. Augmenting (copying scores by modifier,
under masks and costs) is counted. Sums come with their marginals. Compiling is not counted: `--compile` measures it, in a fresh cache.
"""

import argparse
import functools
import os
import tempfile
import time

import numpy as np
from harness import Claim, Files, Outcome, main, run

LENGTHS = (10, 20, 40, 80)
TARGETS = {"eisner": 25.0, "arborescence": 10.0, "matrix-tree": 60.0}  # microseconds at 40 words
ROUND = 0.02  # seconds of one operation in a round


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """One row per length."""
    if options.kbest:
        return Outcome(run("trees:list_times", repeat=options.repeat)["rows"])
    if options.compile:
        rows = []
        for name in OPERATIONS:
            with tempfile.TemporaryDirectory() as folder:
                os.environ["WIDEMARGIN_CACHE"] = folder
                rows.append({"operation": name, "compile, CPU s": compile_seconds(name)})
        return Outcome(rows)
    found = run("trees:times", repeat=3 * options.repeat)
    rows = [{"words": n, **{name: found[name][i] for name in OPERATIONS}} for i, n in enumerate(LENGTHS)]
    claims = [Claim(f"{name}, 40 words, microseconds", found[name][LENGTHS.index(40)], limit) for name, limit in TARGETS.items()]
    return Outcome(rows, claims)


def compile_seconds(name: str) -> float:
    """In a process of its own."""
    import json
    import subprocess
    import sys

    code = f"import trees, json; print(json.dumps(trees.first_call({name!r})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=os.path.dirname(__file__))
    return json.loads(done.stdout)


def first_call(name: str) -> float:
    """CPU seconds of the first call."""
    call = operation(name, 4)
    start = time.process_time()
    call(1)
    return time.process_time() - start


def times(repeat: int) -> dict:
    """Microseconds of every operation at every length."""
    found: dict[str, list[float]] = {name: [] for name in OPERATIONS}
    for n in LENGTHS:
        calls = {name: operation(name, n) for name in OPERATIONS}
        turns = {name: max(1, int(ROUND / per_call(call, 3))) for name, call in calls.items()}
        least = dict.fromkeys(OPERATIONS, np.inf)
        for _ in range(repeat):
            for name, call in calls.items():
                least[name] = min(least[name], per_call(call, turns[name]))
        for name in OPERATIONS:
            found[name].append(1e6 * least[name])
    return found


def list_times(repeat: int) -> dict:
    """Microseconds for the k best projective trees, from Python, lazily (eisner_kbest.py) and by branching (kbest.py)."""
    from widemargin.engine.terms import augment_row
    from widemargin.structures.arcs.trees import Eisner, Trees, unknown

    rows, kind = [], Eisner()
    for n, k in ((20, 10), (20, 100), (40, 10), (40, 100)):
        s, gold, price = loaded(kind, n, False), unknown(n), kind.prices(dtype=np.float32)
        room = kind.kbest_memory(n, k, np.float32)

        def call(turns, way, s=s, gold=gold, price=price, n=n, room=room):
            for _ in range(turns):
                augment_row(s, gold, price, n)
                way(kind, s, n, room)

        row = {"words": n, "k": k}
        for name, way in (("lazy", Eisner._list_trees), ("branching", Trees._list_trees)):
            listed = functools.partial(call, way=way)
            turns = max(1, int(ROUND / per_call(listed, 1)))
            row[name] = 1e6 * min(per_call(listed, turns) for _ in range(repeat))
        rows.append(row)
    return {"rows": rows}


def per_call(call, turns: int) -> float:
    """CPU seconds of one turn; the first call may compile."""
    call(1)
    start = time.thread_time()
    call(turns)
    return (time.thread_time() - start) / turns


def operation(name: str, n: int):
    """A function that does the operation so many times."""
    from tree_loops import again

    from widemargin.engine.terms import LogSum, Max
    from widemargin.structures.arcs.trees import TREES, unknown

    structure, summing, plain = OPERATIONS[name]
    kind = TREES[structure]()
    s = loaded(kind, n, plain)
    term = LogSum(0.0, False) if summing else Max(0.0, False)
    gold, price = unknown(n), kind.prices(dtype=np.float32)
    return lambda turns: again(term, s, gold, price, n, turns)


def loaded(kind, n: int, plain: bool):
    """A structure with scores of n words."""
    s, random = kind.workspace(n, dtype=np.float32), np.random.default_rng(n)
    s.arcs.score[:] = random.normal(size=(n + 1, n + 1))
    if not plain:
        s.arcs.score[[0, *random.integers(1, np.arange(2, n + 1))], np.arange(1, n + 1)] += 3.0
    return s


OPERATIONS = {
    "eisner": ("eisner", False, False),
    "arborescence": ("arborescence", False, False),
    "arborescence, noise": ("arborescence", False, True),
    "heads": ("heads", False, False),
    "matrix-tree": ("arborescence", True, False),
    "inside-outside": ("eisner", True, False),
    "siblings": ("siblings", False, False),
    "sums of siblings": ("siblings", True, False),
}


MORE = {"--compile": "seconds to compile each operation instead", "--kbest": "lists of the k best projective trees instead"}

if __name__ == "__main__":
    main(measure, __doc__, MORE, peers=False)
