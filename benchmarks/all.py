"""Every benchmark, one after the other, and one table of what was promised and measured."""

import argparse
import json
import pathlib
import subprocess
import sys

from harness import HERE, Claim, say

NAMES = (
    "chunking",
    "np_chunking",
    "epochs",
    "lbfgs",
    "tagging",
    "memory",
    "startup",
    "threads",
    "mixing",
    "feature_lists",
    "latency",
    "sizes",
    "duals",
    "quadratic",
    "trees",
    "parsing",
    "constituency",
    "coreference",
    "spans",
    "exact_f1",
    "tuners",
)


def main() -> None:
    """Run them with --json; print the summary, and write everything to a file where one is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="times that each contender runs (3)")
    parser.add_argument("--only", metavar="LIST", help=f"some of {','.join(NAMES)}")
    parser.add_argument("-o", "--output", type=pathlib.Path, metavar="FILE", help="write all results there as JSON")
    options = parser.parse_args()
    results, rows = {}, []
    for name in options.only.split(",") if options.only else NAMES:
        say(f"== {name}")
        done = subprocess.run(
            [sys.executable, str(HERE / f"{name}.py"), "--repeat", str(options.repeat), "--json"], stdout=subprocess.PIPE, text=True
        )
        result = json.loads(done.stdout) if done.returncode == 0 else {"failed": f"exit status {done.returncode}"}
        results[name] = result
        rows += [{"benchmark": name} | Claim(c["what"], c["measured"], c["limit"], c["at_least"]).row() for c in result.get("claims", [])]
        rows += [{"benchmark": name, "claim": result[word], "": word} for word in ("skipped", "failed") if word in result]
    from widemargin.show.tables import Column, text_table

    print(text_table(rows, [Column(key) for key in ("benchmark", "claim", "measured", "target", "")]), end="")
    if options.output:
        options.output.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
