"""A small set of kernels, compiled and checked: for versions of Numba without test tools (see .ci/numba-versions).

Trains a tagger and a parser on 50 sentences of the embedded corpus, in float64, and compares the losses of each epoch with those recorded
here; compares marginals of a two-token sentence with the sums over all of its outputs.
"""

import contextlib
import io
import json
import math
import os
import sys
import tempfile
import time

import numba

from widemargin.cli import main
from widemargin.compiler.mode import LINKING

RECORDED = {
    "tagger": [12.624853765453983, 1.9058005629704573, 1.271074099328437],
    "parser": [15.87657969342459, 8.97039668277149, 5.397022091337775],
}
TOLERANCE = 1e-7  # versions of LLVM may fuse and reorder sums


def command(*arguments: str) -> dict:
    """The JSON answer of a command."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        status = main([*arguments, "--json", "--threads", "1"])
    if status:
        raise SystemExit(f"widemargin {' '.join(arguments)}: exit status {status}")
    return json.loads(out.getvalue())


def losses(task: str, model: str, *options: str) -> list[float]:
    """Losses by epoch of a short training."""
    told = command("train", task, "town:train:50", "-o", model, "--epochs", "3", "--set", "dtype=float64", *options)
    return [epoch["loss"] for epoch in told["history"]]


def enumerated(model: str, folder: str) -> float:
    """The largest difference between a tagger's marginals and those summed over all outputs, with their number."""
    text = os.path.join(folder, "two.txt")
    with open(text, "w") as file:
        file.write("The\tDT\nsun\tNN\n\n")
    (outputs,) = command("predict", model, text, "--kbest", "1000")["sentences"]
    (answers,) = command("predict", model, text, "--marginals")["sentences"]
    scores = [output["score"] for output in outputs["kbest"]]
    total = math.fsum(math.exp(score) for score in scores)
    sums: list[dict] = [{}, {}]
    for output, score in zip(outputs["kbest"], scores):
        for place, label in enumerate(output["labels"]):
            sums[place][label] = sums[place].get(label, 0.0) + math.exp(score) / total
    if len(scores) < 50:
        raise SystemExit(f"only {len(scores)} outputs")
    return max(abs(sums[t].get(label, 0.0) - p) for t in range(2) for label, p in answers["label_marginals"][t].items())


def tagger(folder: str) -> list[float]:
    """Losses of a CRF trained by AdaGrad; the model is left in `folder`."""
    return losses("chunk", os.path.join(folder, "tagger"), "--objective", "likelihood", "--l2", "0.01")


def parser(folder: str) -> list[float]:
    """Losses of a dependency parser trained by MIRA."""
    return losses("depparse", os.path.join(folder, "parser"))


def check(name: str, found: list[float]) -> bool:
    """Are these losses the recorded ones? Says so."""
    right = len(found) == len(RECORDED[name]) and all(math.isclose(a, b, rel_tol=TOLERANCE) for a, b in zip(found, RECORDED[name]))
    print(f"  {name}: losses {found}: {'as recorded' if right else f'NOT as recorded, {RECORDED[name]}'}", flush=True)
    return right


if __name__ == "__main__":
    print(f"Numba {numba.__version__}, Python {sys.version.split()[0]}, mode {'linked' if LINKING else 'plain'}", flush=True)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as place:
        fine = [check("tagger", tagger(place)), check("parser", parser(place))]
        difference = enumerated(os.path.join(place, "tagger"), place)
        fine.append(difference < 2e-6)  # both are printed to six digits
        print(f"  chain: marginals differ from enumeration by {difference:.1e}: {'as they may' if fine[-1] else 'TOO MUCH'}")
    print(f"  {time.perf_counter() - began:.0f} s")
    sys.exit(not all(fine))
