"""widemargin rerank diff: what two systems choose differently, as a sheet for an error analysis by hand (Eidelman et al. 2013, 5)."""

import numpy as np

from widemargin.engine.settings import LAST_SEED, as_number, in_range
from widemargin.errors import InputError
from widemargin.families.reranking.commands.common import choice_of, print_json, write_lines
from widemargin.families.reranking.pool import Pool
from widemargin.families.reranking.sources import open_pool
from widemargin.readers.outputs import check_output

HEADER = ("id", "source", "reference", "one", "two", "verdict", "remarks")


def run(options) -> int:
    """Sentences with two different texts, in a table with room for a verdict."""
    sample = in_range("--sample", as_number("--sample", options.sample, int), 0)
    seed = in_range("--seed", as_number("--seed", options.seed, int), 0, LAST_SEED)
    output = "-" if options.output is None else options.output
    if options.blind and (output == "-" or options.json):
        raise InputError(
            "--blind writes a sheet and, beside it, a key that says which is which; name the sheet with -o, and leave --json out"
        )
    for name in (output, f"{output}.key") if options.blind else (output,):
        check_output(name)
    pool = open_pool(options.lists, refs=options.refs, sources=options.src, encoding=options.encoding)
    one, two = (choice_of(name, pool) for name in (options.system, options.other))
    rows, swapped, different = drawn(pool, one, two, sample=sample, seed=seed)
    if not options.blind:
        swapped[:] = False
    names = np.array([options.system, options.other])
    lines, key = ["\t".join(HEADER)], ["id\tone\ttwo"]
    for i, swap in zip(rows.tolist(), swapped.tolist()):
        pair, called = ((two, one), names[::-1]) if swap else ((one, two), names)
        texts = [_cell(pool.texts[choice[i]]) for choice in pair]
        about = [pool.ids[i], pool.sources[i] if pool.sources else "", " / ".join(pool.references[i]) if pool.references else ""]
        lines.append("\t".join([*map(_cell, about), *texts, "", ""]))
        key.append(f"{pool.ids[i]}\t{called[0]}\t{called[1]}")
    if options.json:
        cells = [dict(zip(HEADER[:5], line.split("\t"))) for line in lines[1:]]
        print_json({"task": "rerank", "different": different, "sentences": pool.sentences, "sheet": cells})
        return 0
    write_lines(output, lines)
    if options.blind:
        write_lines(f"{output}.key", key)
    if output != "-":
        print(f"{output}: {len(rows)} of {different} sentences that differ, of {pool.sentences}")
    return 0


def drawn(pool: Pool, one: np.ndarray, two: np.ndarray, *, sample: int, seed: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Sentences in which two choices have different texts, a sample of them in their order; whether each is swapped; how many differ."""
    differ = np.array([i for i, (a, b) in enumerate(zip(one.tolist(), two.tolist())) if pool.texts[a] != pool.texts[b]], np.int64)
    random = np.random.default_rng(seed)
    rows = np.sort(random.choice(differ, min(sample or len(differ), len(differ)), replace=False))
    return rows, random.random(len(rows)) < 0.5, len(differ)


def _cell(text: str) -> str:
    return text.replace("\t", " ").replace("\n", " ")
