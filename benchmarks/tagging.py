"""Tagging CoNLL-2000 files from file to file (22 labels): tokens per CPU second of python-crfsuite and ours, and of our decoder alone.

Read the columns, build features, decode, write the columns with the answers; the models are trained and opened before the clock starts.
"""

import argparse

from harness import Claim, Files, Outcome, alternate, main, median, run

PEER = {"algorithm": "ap", "params": {"max_iterations": 5}}
RECIPE = {"learner": "ops", "settings": {"epochs": 2}}
FASTER, DECODED = 10.0, 1e6


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """Both models, both files."""
    theirs, ours, target, sample = files("crfsuite.model"), files("ours.model"), files("answers"), files("sample")
    run("peers:train", train=files("train"), model=theirs, **PEER)
    run("ours:train", train=files("train"), model=ours, sample=sample, recipe=RECIPE)
    rows, claims = [], []
    for name in ("test", "train"):
        source = files(name)
        answers = alternate(
            {
                "python-crfsuite": lambda source=source: run("peers:tag", model=theirs, source=source, target=target),
                "widemargin": lambda source=source: run("ours:tag", model=ours, source=source, target=target, sample=sample),
            },
            options.repeat,
        )
        speed = {who: runs[0]["tokens"] / median(runs, "cpu") for who, runs in answers.items()}
        alone = answers["widemargin"][0]["tokens"] / median(answers["widemargin"], "decoding")
        for who, runs in answers.items():
            decoding = alone if who == "widemargin" else None
            rows.append({"file": name, "contender": who, "tokens": runs[0]["tokens"], "tokens/s": speed[who], "decoding alone": decoding})
        claims.append(
            Claim(f"{name} file, tokens per CPU second, ours / peer", speed["widemargin"] / speed["python-crfsuite"], FASTER, at_least=True)
        )
        claims.append(Claim(f"{name} file, decoding alone, tokens per CPU second", alone, DECODED, at_least=True))
    return Outcome(rows, claims)


if __name__ == "__main__":
    main(measure, __doc__)
