"""Noun phrases of CoNLL-2000 (3 labels in the file): the linear scorer, and the quadratic kernel written out exactly.

Test F1, CPU seconds from file to model and peak memory. --repeat N takes the seeds 1 to N. --paper does the same in yu-lam2008's own
setting: Table 1's features, the file's 3 labels, hinge; its pairs take some gigabytes.
"""

import argparse
import statistics

from harness import Claim, Files, Outcome, main, median, run, say

# Chosen with --tune: trained on the first 90 % of the training file, scored on the rest, never on the test file.
NP = {"task": "np", "objective": "softmax-margin"}
PAIRS = {"kernel": "poly", "degree": 2, "gamma": 0.3, "coef": 0.3, "expand": True}
RECIPES = {
    "linear": NP | {"templates": "np-rich", "settings": {"rate": 0.1, "epochs": 8, "average": True}},
    "quadratic": NP | {"templates": "np-quadratic", "settings": {"rate": 0.08, "epochs": 4} | PAIRS},
}
TABLE1 = {"task": "np", "objective": "hinge", "templates": "np-chunking", "labels": "as-is", "constraints": "none"}
PAPER = {
    "linear, Table 1": TABLE1 | {"settings": {"rate": 0.05, "epochs": 8, "average": True}},
    "quadratic, Table 1": TABLE1 | {"settings": {"rate": 0.05, "epochs": 4} | PAIRS | {"gamma": 0.15, "coef": 0.15}},
}
F1 = {"linear": 94.7, "quadratic": 95.0}
CPU = {"linear": 8.0, "quadratic": 40.0}
MEMORY = 2048.0
GRID = {"linear": {"average": (False, True)}, "quadratic": {"gamma": (0.2, 0.3, 0.5)}}
RATES, MOST_EPOCHS = (0.05, 0.08, 0.1), 8


def seeded(recipe: dict, seed: int, **settings) -> dict:
    """The recipe with this seed and other settings."""
    return recipe | {"settings": recipe["settings"] | settings | {"seed": seed}}


def tune(files: Files) -> Outcome:
    """Held-out F1 after each epoch for the neighbours of our settings."""
    rows = []
    for name, axes in GRID.items():
        ((key, values),) = axes.items()
        for rate in RATES:
            for value in values:
                say(f"{name}: rate {rate:g}, {key} {value}")
                chosen = {"rate": rate, "epochs": MOST_EPOCHS} | ({"gamma": value, "coef": value} if key == "gamma" else {key: value})
                recipe = seeded(RECIPES[name], 1, **chosen)
                f1 = run("ours:curve", train=files("np-train-90"), dev=files("np-train-10"), recipe=recipe)["f1"]
                rows.append({"scorer": name, "rate": f"{rate:g}", key: value} | {f"epoch {e}": f"{v:.2f}" for e, v in enumerate(f1, 1)})
    return Outcome(rows)


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """Every recipe once per seed, or the choice of our settings."""
    if options.tune:
        return tune(files)
    train, test, sample = (files(name) for name in ("np-train", "np-test", "np-sample"))
    rows, claims = [], []
    for name, recipe in (PAPER if options.paper else RECIPES).items():
        answers = []
        for seed in range(1, options.repeat + 1):
            say(f"{name}, seed {seed}")
            answers.append(run("ours:train", train=train, model=files("m"), sample=sample, recipe=seeded(recipe, seed), test=test))
        scores, cpu, memory = [answer["f1"] for answer in answers], median(answers, "cpu"), max(answer["rss"] for answer in answers)
        rows.append(
            {
                "scorer": name,
                "features": answers[0]["attributes"],
                "epochs": answers[0]["iterations"],
                "test F1, mean": statistics.mean(scores),
                "by seed": " ".join(f"{score:.2f}" for score in scores),
                "CPU s": cpu,
                "peak MB": memory,
            }
        )
        if name in F1:
            claims += [
                Claim(f"{name}: test F1", rows[-1]["test F1, mean"], F1[name], at_least=True),
                Claim(f"{name}: CPU seconds", cpu, CPU[name]),
                Claim(f"{name}: peak MB", memory, MEMORY),
            ]
    return Outcome(rows, claims)


if __name__ == "__main__":
    flags = {"--tune": "choose our settings on held-out training data instead", "--paper": "yu-lam2008's own setting instead"}
    main(measure, __doc__, flags)
