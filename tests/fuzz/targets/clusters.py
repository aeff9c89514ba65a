"""Clusters as JSON lines and templates of summaries: what is read is where it says, and has a summary within its budget."""

import json
import pathlib
from random import Random

from fuzz import mutate
from fuzz.judge import Difference
from fuzz.targets import Target
from fuzz.targets.columns import stored
from widemargin.families.summaries.attributes import ATTRIBUTES, SENTENCE_ATTRIBUTES
from widemargin.families.summaries.candidates import Extraction, candidates_of
from widemargin.families.summaries.corpus import row_of
from widemargin.families.summaries.costs import parse_summary_cost
from widemargin.families.summaries.model import text_of
from widemargin.families.summaries.sources import open_clusters
from widemargin.families.summaries.templates import parse_summary_templates
from widemargin.families.summaries.text import UNITS, room
from widemargin.structures.subset.arrays import Subset

TEXTS = ("It rained. We left!", "The cat sat.\n\nDr. No ran. cat", "", "the cat sat", "雨。é", '"No!" he said... Then', "a\x00b. C")
PIECES = (
    *ATTRIBUTES,
    *SENTENCE_ATTRIBUTES,
    "sentence:",
    "sentence",
    "#",
    "\n",
    "\n",
    " ",
    "\t",
    "²",
    "bias\n",
    "stop count position\n" * 3,
)


def cases(random: Random) -> dict:
    def some(low, high):
        return [random.choice(TEXTS) for _ in range(random.randint(low, high))]

    lines = []
    for _ in range(random.randint(1, 2)):
        record = {"documents": some(0, 4), "references": some(0, 2)} if mutate.chance(random, 0.7) else {"sentences": some(1, 5)}
        for mark in ("must", "never"):
            if mutate.chance(random, 0.2):
                record[mark] = [random.randint(-1, 4)]
        lines.append(json.dumps(record, ensure_ascii=mutate.chance(random, 0.5)))
    data = mutate.mutated(random, "\n".join(lines).encode(), most=2)
    how = {"budget": random.choice((1, 3, 10, 10**9)), "unit": random.choice(list(UNITS)), "near": random.choice((1.0, 0.5, 0.0))}
    how |= {"least_words": random.choice((0, 1, 3)), "least_count": random.choice((1, 2))}
    text = "".join(random.choice(PIECES) + random.choice((" ", "\n")) for _ in range(random.randint(0, 6)))
    text = text if mutate.chance(random, 0.3) else "bias\nstop count\nsentence: length\n"
    return {**stored(random, data), "how": how, "templates": text, "cost": random.choice(("recall", "hamming", "recall*0", "hamming*2"))}


def run(case: dict) -> None:
    pathlib.Path("case").write_bytes(case["data"])
    templates = parse_summary_templates(case["templates"], "templates")
    cost, how = parse_summary_cost(case["cost"]), Extraction(**case["how"])
    for cluster in open_clusters("case", encoding=case["encoding"]).clusters:
        for sentence in cluster.sentences:
            if cluster.documents[sentence.document][sentence.begin : sentence.end] != sentence.text:
                raise Difference("a sentence does not stand where it says")
        row = row_of(candidates_of(cluster, how), templates, Subset(200), cost)
        found = Subset(200).argmax(row.x.sum(axis=1), row.candidates.coverage)
        text = text_of(cluster, row.candidates.sentences[found.sentences])
        length = len(found.sentences) if how.unit == "sentences" else UNITS[how.unit](text)
        if len(found.sentences) and length > room(how.budget, how.unit):
            raise Difference("a summary is longer than its budget")


TARGETS = (Target("clusters", cases, run, 60),)
