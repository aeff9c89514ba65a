"""Documents with chains: CoNLL-2012, CoNLL-U, JSONL and brat, read, written again, found, drawn and scored; templates of links."""

import io
import pathlib
from random import Random

from fuzz import mutate
from fuzz.judge import Difference
from fuzz.seeds import sentences
from fuzz.targets import Target
from fuzz.targets.columns import stored
from widemargin.errors import InputError
from widemargin.families.coreference.conll2012 import chains_text, read_chains
from widemargin.families.coreference.conllu import entities_text, read_entities
from widemargin.families.coreference.detection import detected
from widemargin.families.coreference.documents import DUPLICATES, Documents
from widemargin.families.coreference.jsonl import jsonl_text, read_jsonl
from widemargin.families.coreference.metric import compare_documents
from widemargin.families.coreference.reports import documents_facts, drawing
from widemargin.families.coreference.sources import READERS, WRITERS, open_documents
from widemargin.families.coreference.templates import COLUMNS, RELATIONS, parse_link_templates

ODD = (
    b"(",
    b")",
    b"|",
    b"(1",
    b"1)",
    b"(1)",
    b"(1|(1",
    b"-",
    b"_",
    b"#",
    b"#begin document (x)",
    b"#end document",
    b"\n",
    b" ",
    b"\t",
    b"\0",
)
ODD_JSON = (
    b"[",
    b"]",
    b"{",
    b"}",
    b",",
    b"null",
    b"-1",
    b"1e9",
    b"99999999999999999999",
    b'"',
    b'"a b"',
    b"[[0,1]]",
    b'"\\ud800"',
    b"true",
)
ENTITY = (b"Entity=(e1-x-1)", b"Entity=(e1", b"Entity=e1)", b"Entity=(e1[1/2]-x)", b"|", b"# newdoc", b"# global.Entity = x-eid")
NAMES = {"conll2012": "case.conll", "conllu": "case.conllu", "jsonl": "case.jsonl", "brat": "case.ann", "brackets": "case.mrg"}


def odd(random: Random, data: bytes, pieces: tuple[bytes, ...]) -> bytes:
    """With faults of brackets, and of bytes, lines and cells."""
    for _ in range(random.randrange(4)):
        at = random.randrange(len(data) + 1)
        data = data[:at] + random.choice(pieces) + data[at + random.choice((0, 0, 1, 3)) :]
    return mutate.mutated(random, data) if mutate.chance(random, 0.5) else data


def cases(random: Random) -> dict:
    """A document or two in one of the formats."""
    layout = random.choice(tuple(NAMES))
    text = "".join(random.sample(sentences("chains"), random.choice((1, 2))))
    case = {"layout": layout, "duplicates": random.choice(DUPLICATES), "singletons": mutate.chance(random, 0.7), "text": b""}
    documents = read_chains(io.StringIO(text))
    if layout == "conll2012":
        data = odd(random, text.encode(), ODD)
    elif layout == "jsonl":
        data = odd(random, jsonl_text(documents), ODD_JSON)
    elif layout == "brackets":
        data = odd(random, mutate.block(random, sentences("brackets")), (b"(", b")", b" ", b"(-NONE- *)", b"-LRB-"))
    elif layout == "brat":
        case["text"] = odd(random, " ".join(documents.words).encode(), (b"\n", b"  "))
        spans = [(random.randrange(200), random.randrange(200)) for _ in range(8)]
        lines = [f"T{i}\tX {min(span)} {max(span)}\tx\n" for i, span in enumerate(spans)] + ["*\tEquiv T0 T2\nR1\tCoref Arg1:T1 Arg2:T3\n"]
        data = odd(random, "".join(lines).encode(), (b";", b"T9", b"\t", b" 7", b"R"))
    else:
        rows = [f"{t % 9 + 1}\t{word}\t_\tX\t_\t_\t_\t_\t_\tEntity=(e{t % 3}-x)\n" for t, word in enumerate(documents.words)]
        data = odd(random, "".join(rows).encode(), ENTITY)
    return stored(random, data) | case


def run(case: dict) -> None:
    path = NAMES[case["layout"]]
    pathlib.Path(path).write_bytes(case["data"])
    pathlib.Path("case.txt").write_bytes(case["text"])
    check(open_documents(path, encoding=case["encoding"], duplicates=case["duplicates"], singletons=case["singletons"]))


def check(documents: Documents) -> None:
    """What is read is written in every format that can hold it, found, drawn and scored."""
    documents_facts(documents)
    if documents.format != "brat" and not same(READERS[documents.format](io.BytesIO(WRITERS[documents.format](documents))), documents):
        raise Difference("documents that were written are read otherwise")
    for write, read in ((chains_text, read_chains), (jsonl_text, read_jsonl)):
        try:
            written = write(documents)
        except InputError:  # mentions of one chain cross
            continue
        again = read(io.BytesIO(written))
        if len(again) == len(documents) and in_order(again) != in_order(documents):  # words of texts are cut by mentions
            raise Difference("documents of another format are read otherwise")
    found = detected(documents)
    scores = compare_documents(documents, found).as_dict()
    if not all(0.0 <= value <= 100.0 + 1e-9 for value in scores.values()):
        raise Difference("scores are no per cents")
    drawing(documents, 1, found)
    if documents.format == "conllu":
        read_entities(io.BytesIO(entities_text(found)))


def in_order(documents: Documents) -> list:
    return [chain for d in range(len(documents.given)) for chain in documents.chains(d)]


def same(one: Documents, other: Documents) -> bool:
    return in_order(one) == in_order(other) and len(one) == len(other)


PARTS = (
    *RELATIONS,
    *(f"{side}.{name}" for side in ("mention", "antecedent") for name in COLUMNS),
    "new",
    "bias",
    "between",
    "include",
    "links",
)


def template_cases(random: Random) -> dict:
    lines = [" ".join(random.choices(PARTS, k=random.choice((1, 1, 2, 3)))) for _ in range(6)]
    return {"text": mutate.mutated(random, ("new\nbias\n" + "\n".join(lines) + "\n").encode()).decode("utf-8", "replace")}


def run_templates(case: dict) -> None:
    found = parse_link_templates(case["text"])
    again = parse_link_templates("".join(template.text + "\n" for template in found))
    if [template.text for template in again] != [template.text for template in found]:
        raise Difference("templates that were written are read otherwise")


TARGETS = (Target("chains", cases, run, 60), Target("link-templates", template_cases, run_templates, 10))
