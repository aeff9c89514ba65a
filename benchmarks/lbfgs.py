"""Conditional likelihood by L-BFGS with all feature x label pairs: CRFsuite against ours, the same objective, memory and stopping rule.

Noun phrases (3 labels) to convergence, where both objectives must agree to four digits; all chunks (22 labels) for 100 iterations, or with
--full to convergence too. CPU of the whole from file to weights, and per iteration of the fit alone; then our wall time on one and two
threads.
"""

import argparse

from harness import Claim, Files, Outcome, alternate, main, median, ratio_note, run

from widemargin.engine.penalty import l2_from

C2, MEMORIES, PERIOD, DELTA = 1.0, 6, 10, 1e-5
CONVERGED, FIXED, BRIEF = 2000, 100, 20
PEER = {
    "c2": C2,
    "num_memories": MEMORIES,
    "period": PERIOD,
    "delta": DELTA,
    "feature.possible_states": 1,
    "feature.possible_transitions": 1,
}
CPU_RATIO, AGREEMENT, SPEED_UP = 3.0, 1e-4, 1.6


def our_recipe(path: str, iterations: int) -> dict:
    """The same objective in our letters."""
    with open(path, encoding="utf-8") as file:
        rows = file.read().strip().count("\n\n") + 1
    settings = {"epochs": iterations, "memory": MEMORIES, "period": PERIOD, "delta": DELTA}
    return {"learner": "lbfgs", "objective": "likelihood", "l2": l2_from("crfsuite", C2, rows), "settings": settings}


def our_run(files: Files, prefix: str, iterations: int, threads: int = 1) -> dict:
    """One fit of ours."""
    train, sample = files(f"{prefix}train"), files(f"{prefix}sample")
    return run("ours:batch", train=train, sample=sample, recipe=our_recipe(train, iterations), threads=threads)


def race(files: Files, repeat: int, iterations: int, prefix: str = "") -> dict[str, list[dict]]:
    """Both on one file."""
    params = PEER | {"max_iterations": iterations}
    return alternate(
        {
            f"{prefix}crfsuite": lambda: run("peers:train", train=files(f"{prefix}train"), model=files("crfsuite.model"), params=params),
            f"{prefix}widemargin": lambda: our_run(files, prefix, iterations),
        },
        repeat,
    )


def table(what: str, answers: dict[str, list[dict]]) -> list[dict]:
    """A line per contender."""
    return [
        {
            "data": what,
            "contender": name,
            "iterations": runs[0]["iterations"],
            "objective": f"{runs[0]['objective']:.2f}",
            "CPU s": median(runs, "cpu"),
            "CPU s per iteration": median(runs, "fit") / runs[0]["iterations"],
        }
        for name, runs in answers.items()
    ]


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """Both label sets, then the threads."""
    rows, claims, notes = [], [], []
    cases = [("np-", "NP, to convergence", CONVERGED), ("", "all chunks, to convergence" if options.full else "all chunks", FIXED)]
    for prefix, what, iterations in cases:
        answers = race(files, options.repeat, CONVERGED if options.full else iterations, prefix)
        rows += table(what, answers)
        peer, ours = answers.values()
        notes.append(f"{what}: {ratio_note(ours, peer)}")
        claims.append(Claim(f"{what}: CPU, peer / ours", median(peer, "cpu") / median(ours, "cpu"), CPU_RATIO, at_least=True))
        if iterations == CONVERGED or options.full:
            gap = abs(ours[0]["objective"] / peer[0]["objective"] - 1.0)
            claims.append(Claim(f"{what}: objectives differ by (relative)", gap, AGREEMENT))
    threads = alternate({f"{n} threads": lambda n=n: our_run(files, "", BRIEF, n) for n in (1, 2)}, options.repeat)
    one, two = (median(runs, "wall") for runs in threads.values())
    notes.append(f"{BRIEF} iterations on all chunks: {one:.2f} s on one thread, {two:.2f} s on two (a quiet machine needed).")
    claims.append(Claim("wall time, one thread / two", one / two, SPEED_UP, at_least=True))
    return Outcome(rows, claims, notes)


if __name__ == "__main__":
    main(measure, __doc__, {"--full": "all chunks to convergence too"})
