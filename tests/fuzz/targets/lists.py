"""Lists of hypotheses in every form: read, written, read again; BLEU statistics against counters of n-grams."""

import json
import pathlib
from collections import Counter
from collections.abc import Iterator
from random import Random

import numpy as np

from fuzz import mutate
from fuzz.judge import Difference
from fuzz.targets import Target
from fuzz.targets.columns import stored
from widemargin.families.reranking.answers import written
from widemargin.families.reranking.pool import Pool
from widemargin.families.reranking.references import with_references
from widemargin.families.reranking.sources import open_pool

WORDS = ("a", "the", "b", "|", "c", "é", "x=1")


def cases(random: Random) -> dict:
    make = random.choice((_moses, _moses, _jsonl, _tsv))
    return stored(random, mutate.mutated(random, make(random).encode()))


def _text(random: Random) -> str:
    return " ".join(random.choice(WORDS) for _ in range(random.randrange(7)))


def _moses(random: Random) -> str:
    forms = ("lm= {a} tm= {b} {c}", "lm={a} Glue={b} lm={c}", "{a} {b} {c}", "lm= {a} x_y={b}", "")
    lines, form = [], random.choice(forms)
    for _ in range(random.randrange(1, 8)):
        features = form.format(**{name: round(random.gauss(0, 3), 2) for name in "abc"})
        fields = [str(random.randrange(3)), _text(random), features, str(round(random.gauss(0, 3), 2)), "0-0 1-1"]
        lines.append(random.choice((" ||| ", "||| ")).join(fields[: random.randrange(3, 6)]))
    return "\n".join(lines) + "\n"


def _jsonl(random: Random) -> str:
    lines = []
    for _ in range(random.randrange(1, 6)):
        one = {
            "id": random.randrange(3),
            "text": _text(random),
            "features": {"f": random.random(), "g": 1},
            "metrics": {"m": random.random()},
        }
        lines.append(json.dumps(one | {"references": ["a b c", "b"], "score": random.random()}))
    return "\n".join(lines) + "\n"


def _tsv(random: Random) -> str:
    rows = [["id", "text", "f", "metric:m", "score"]]
    rows += [[str(random.randrange(3)), _text(random), str(random.random()), "1", "-2"] for _ in range(random.randrange(1, 6))]
    return "\n".join("\t".join(row) for row in rows) + "\n"


def content(pool: Pool) -> tuple:
    """What lists hold, without the order in which features were first seen."""
    features = []
    for low, high in zip(pool.feature_ptr.tolist(), pool.feature_ptr[1:].tolist()):
        features.append(sorted((pool.names[f], v) for f, v in zip(pool.feature[low:high].tolist(), pool.value[low:high].tolist())))
    score = [None if s != s else s for s in pool.score.tolist()]
    return pool.ids, pool.row_ptr.tolist(), pool.texts, features, score, pool.references


def run(case: dict) -> None:
    pathlib.Path("case").write_bytes(case["data"])
    pool = open_pool("case", encoding=case["encoding"])
    pathlib.Path("again").write_text(written(pool, pool.score), encoding="utf-8", newline="")
    again = open_pool("again")
    if content(pool) != content(again):
        raise Difference("lists written and read again are others")
    both = pool.merge(pool)
    if both.texts != pool.texts or not np.array_equal(both.row_ptr, pool.row_ptr):
        raise Difference("lists merged with themselves are others")
    check_statistics(pool)


def check_statistics(pool: Pool) -> None:
    """With every second hypothesis for a reference."""
    bounds = list(zip(pool.row_ptr.tolist(), pool.row_ptr[1:].tolist()))
    references = [pool.texts[low:high:2] for low, high in bounds]
    counts = with_references(pool, references).counts
    for (low, high), given in zip(bounds, references):
        for h in range(low, high):
            if counts[h, :4].tolist() != matches(pool.texts[h].split(), [one.split() for one in given]):
                raise Difference("matches of n-grams are others")


def matches(words: list[str], references: list[list[str]]) -> list[int]:
    """Clipped counts of n-grams, by counters."""
    out = []
    for n in range(1, 5):
        most: Counter = Counter()
        for one in references:
            most |= Counter(tuple(one[k : k + n]) for k in range(len(one) - n + 1))
        out.append(sum((Counter(tuple(words[k : k + n]) for k in range(len(words) - n + 1)) & most).values()))
    return out


def warm() -> Iterator[None]:
    from widemargin.families.reranking.hypotheses import pool_of

    check_statistics(pool_of([[("a b", {}), ("b", {})]]))
    yield


TARGETS = (Target("lists", cases, run, 60, compiled=True, warm=warm),)
