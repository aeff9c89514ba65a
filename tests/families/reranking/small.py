"""Lists of a few hypotheses with three features: what the common list of tests asks of a family (tests/README.md)."""

import json

import engine_enumeration as brute
import numpy as np

from widemargin.engine.gradient import score_row
from widemargin.families.recipes import Recipe
from widemargin.families.reranking.hypotheses import pool_of

TASK = "rerank"
COMMON = {"metric": "worth", "gold": "ties", "cost": "sentence*100"}
RECIPES = {
    "few features": Recipe(TASK, **COMMON),
    "as they are": Recipe(TASK, **COMMON, scaled=False),
    "words, sparse": Recipe(TASK, **COMMON, templates="*\ntext:words\ntext:bigrams\ntext:length\n"),
}
REFUSED = {
    "metric": ({"metric": "comet"}, "metric 'comet' is not known"),
    "templates": ({"templates": "text:letters\n"}, "text:letters"),
    "no such feature": ({"templates": "zz*\n"}, "no feature of the lists is chosen"),
    "corpus": ({"cost": "corpus"}, "cost corpus is for BLEU"),
    "smo": ({"learner": "smo", "l2": 0.1}, "smo and kernels are for labels of tokens"),
    "memory of bcfw": ({"learner": "bcfw", "l2": 0.1, "settings": {"memory": 1e-9}}, "raise it"),
}
WORDS = [f"w{k}" for k in range(12)]


def hypotheses(random, n, *, ties):
    """A list of n hypotheses, whose worth is different but for those that share the highest."""
    worth = random.permutation(n) * 0.7 + random.random(n) * 0.1
    if ties and n > 1 and random.random() < 0.5:
        worth[np.argsort(worth)[-2]] = worth.max()
    out = []
    for k in range(n):
        features = {name: round(float(value), 3) for name, value in zip(("lm", "tm", "wp"), random.normal(size=3))}
        text = " ".join(random.choice(WORDS, int(random.integers(1, 5))))
        out.append({"text": f"{text} {k}", "features": features, "metrics": {"worth": float(worth[k])}})
    return out


def data(seed=0, rows=6, unknown=True):
    """Lists of up to four; unknown: several hypotheses may be correct."""
    random = np.random.default_rng(seed)
    return pool_of([hypotheses(random, int(n), ties=unknown) for n in [4, 2, *random.integers(1, 5, rows - 2)]])


def outputs(problem, i):
    """Every hypothesis of list i, those that are correct, and the price of each."""
    low, high = problem.corpus.at[i : i + 2]
    n = high - low
    one = np.eye(n)
    found = brute.Outputs(np.arange(n)[:, None], one)
    right = np.flatnonzero(problem.corpus.mark[low:high] == 1)
    return found, brute.Outputs(right[:, None], one[right]), problem.corpus.price[low:high]


def scores(problem, i, w):
    """Scores of the hypotheses of list i, as the rows of a learner score them."""
    problem = problem.part(np.array([i]))
    n = problem.corpus.longest
    s = problem.workspace(np.float64, n)
    score_row(problem.rows(np.float64, n), s, 0, problem.reader(np.ascontiguousarray(w)))
    return s.score[:n].copy()


def same(other, answer):
    """Is it the hypothesis of an answer?"""
    return [other["chosen"] == answer["chosen"]]


# ---- the command line ---------------------------------------------------------------------------------------------------------------

OTHER_STRUCTURE = "chain"  # for --set structure=: refused, there is no other
SMALL: dict = {}
INIT = [
    (["--templates", "{other}"], "--templates asks for others"),
    (["--metric", "wer"], "metric=wer asks for another"),
]
SAME: list[str] = []
CITY = "the old town has a new mayor and many people like her very much".split()


def files(folder):
    """NAME.train, .dev, .system, .templates and .other; a reference is the first hypothesis of each list of dev."""
    random = np.random.default_rng(5)
    lists = []
    for i in range(16):
        right = [CITY[(i + 3 * k) % len(CITY)] for k in range(6 + i % 4)]
        rows = []
        for k in range(4):
            words = [word if random.random() < 1 - 0.2 * k else "else" for word in right] + ["x"] * k
            features = {"lm": -len(words) + float(random.normal()), "tm": float(-k + random.normal()), "wp": float(len(words))}
            rows.append({"text": " ".join(words), "features": features, "score": -float(k), "references": [" ".join(right)]})
        lists.append(rows)
    parts = {"train": lists[:10], "dev": lists[10:], "system": [rows[2:] for rows in lists[10:]]}
    for part, found in parts.items():
        lines = [json.dumps({"id": i, **row}) for i, rows in enumerate(found) for row in rows]
        (folder / f"reranking.{part}").write_text("\n".join(lines) + "\n")
    (folder / "reranking.templates").write_text("lm\ntm\nwp\n")
    (folder / "reranking.other").write_text("lm\n")


def written(text):
    """The hypotheses of a written file: one for each sentence."""
    return text.strip().split("\n")
