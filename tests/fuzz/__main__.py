"""python -m fuzz: run many cases, print a table, write what is found as regression cases; status 1 if there is anything."""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time

from fuzz.cases import packed, read_found, write_found
from fuzz.pool import Pool, Stretch, Tally, Worker, firsts, make_seeds, marked
from fuzz.targets import COMPILED, PLAIN, targets

KINDS = ("foreign", "message", "difference", "memory", "hang", "crash")
SMALLEST, PIECES = 40, 12


def planned(cases: int, seed: int, names: list[str], *, compiled: bool) -> list[Stretch]:
    """How many cases of each target, in stretches that workers can share; half of a target with kernels is for compiled ones."""
    chosen = [target for target in targets().values() if not names or target.name in names]
    total = sum(target.weight for target in chosen)
    out = []
    for target in chosen:
        modes = [PLAIN, COMPILED] if compiled and target.compiled else [PLAIN]
        for m, mode in enumerate(modes):
            count = max(1, round(cases * target.weight / total / len(modes)))
            size = max(SMALLEST, -(-count // PIECES))
            for first in range(0, count, size):
                out.append(Stretch(target.name, mode, seed + m, first, min(size, count - first)))
    return out


def table(tallies: dict[tuple[str, str], Tally]) -> str:
    lines = [f"{'target':20} {'mode':9} {'cases':>9} {'per s':>7} {'slowest':>8} " + " ".join(f"{kind:>10}" for kind in KINDS)]
    rows = {**tallies, ("all", ""): together(list(tallies.values()))}
    for (name, mode), tally in rows.items():
        found = " ".join(f"{tally.found[kind] or '-':>10}" for kind in KINDS)
        rate = tally.cases / tally.seconds if tally.seconds else 0
        lines.append(f"{name:20} {mode:9} {tally.cases:9,} {rate:7,.0f} {tally.slowest:7.2f}s {found}")
    return "\n".join(lines)


def together(tallies: list[Tally]) -> Tally:
    out = Tally()
    for tally in tallies:
        out.cases, out.seconds, out.slowest = out.cases + tally.cases, out.seconds + tally.seconds, max(out.slowest, tally.slowest)
        out.found += tally.found
    return out


def replayed(seeds: pathlib.Path, limit: float) -> int:
    """Run what was found before, compiled where it was; how many of it are findings still."""
    still = 0
    workers = {mode: Worker(mode, seeds, limit) for mode in (PLAIN, COMPILED)}
    for name, target, mode, case in read_found():
        if found := marked(workers[mode], target, case):
            still += 1
            print(f"{name}: still {found}", flush=True)
    for worker in workers.values():
        worker.close()
    return still


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("-n", type=int, default=100_000, help="how many cases (100000)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="another seed, other cases (the time)")
    parser.add_argument("--limit", type=float, default=5.0, help="seconds of processor time for a case (5)")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes (one per core)")
    parser.add_argument("--plain", action="store_true", help="no compiled kernels")
    parser.add_argument("--dry", action="store_true", help="write no regression cases")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(targets()))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        seeds = pathlib.Path(folder, "seeds")
        make_seeds(seeds)
        still = replayed(seeds, options.limit)
        pool = Pool(seeds, options.limit)
        stretches = planned(options.n, options.seed, options.targets, compiled=not options.plain)
        pool.run(stretches, options.workers, lambda text: print(text, flush=True))
        print(table(pool.tallies))
        print(f"{time.monotonic() - began:.0f} s")
        for target, mode, what, case in firsts(pool):
            told = json.dumps(packed(case))[:1000] if options.dry else f"tests/fuzz/found/{write_found(target, mode, case, what).name}"
            print(f"{target} ({mode}): {what}\n    {told}", flush=True)
    return 1 if still or any(tally.found for tally in pool.tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
