"""Models on disk: what `widemargin train` writes for all chunks, and what python-crfsuite writes for the same features; F1 beside each.

Ours has a weight for every feature and label that training gave one to; CRFsuite for those pairs that training has seen. With a folder that
holds eng.train and eng.testa of CoNLL-2003 in $WIDEMARGIN_NER, the usual model of named entities too.
"""

import argparse
import os

from harness import Claim, Files, Outcome, run
from harness import main as benchmark

NER_LIMIT = 15.0  # MB


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """One training each: sizes do not vary."""
    train, test = files("train"), files("test")
    ours = run("ours:stored", train=train, dev=test, model=files("ours.model"), task="chunk")
    peer = run(
        "peers:train", train=train, model=files("peer.model"), algorithm="lbfgs", params={"c2": 1.0, "max_iterations": 100}, test=test
    )
    rows = [
        {"model": "widemargin train chunk", "MB": ours["mb"], "test F1": ours["f1"]},
        {"model": "python-crfsuite lbfgs", "MB": os.path.getsize(files("peer.model")) / 1e6, "test F1": peer["f1"]},
    ]
    claims = []
    folder = os.environ.get("WIDEMARGIN_NER")
    if folder:
        names = run(
            "ours:stored",
            train=os.path.join(folder, "eng.train"),
            dev=os.path.join(folder, "eng.testa"),
            model=files("ner.model"),
            task="ner",
        )
        rows.append({"model": "widemargin train ner", "MB": names["mb"], "test F1": names["f1"]})
        claims.append(Claim("the usual model of CoNLL-2003, MB", names["mb"], NER_LIMIT))
    return Outcome(rows, claims, [] if folder else ["CoNLL-2003 was left out: $WIDEMARGIN_NER does not name a folder with it."])


if __name__ == "__main__":
    benchmark(measure, __doc__)
