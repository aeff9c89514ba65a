"""CRFsuite's item files: read, written, read again."""

import io
import pathlib
from random import Random

from fuzz import mutate
from fuzz.judge import Difference
from fuzz.seeds import sentences
from fuzz.targets import Target
from fuzz.targets.columns import stored
from widemargin.readers.items import ItemFile, read_items, write_items


def cases(random: Random) -> dict:
    return stored(random, mutate.mutated(random, mutate.block(random, sentences("items"))))


def content(items: ItemFile) -> tuple:
    attributes = [(items.names[i], v) for i, v in zip(items.ind.tolist(), items.val.tolist() or [1.0] * len(items.ind))]
    labels = [items.label_values[code] for code in items.labels.tolist()]
    return items.row_ptr.tolist(), items.ptr.tolist(), attributes, labels, items.weight.tolist()


def run(case: dict) -> None:
    pathlib.Path("case").write_bytes(case["data"])
    items = read_items("case", encoding=case["encoding"])
    out = io.BytesIO()
    write_items(items, out)
    again = read_items(io.BytesIO(out.getvalue()))
    if content(items) != content(again):
        raise Difference("items written and read again are others")


TARGETS = (Target("items", cases, run, 90),)
