"""The data of the study: CoNLL-2003 (ner), CoNLL-2000 (chunk), treebanks (mst-*, span-parser), LitBank with gold mentions (coref), both
domains of FewSum together (summarization), or the embedded corpus in their place."""

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin.corpora.catalogue import files_or_town
from widemargin.errors import InputError
from widemargin.families.constituency.sources import open_trees as open_brackets
from widemargin.families.coreference.sources import open_documents
from widemargin.families.dependencies.conllu import Treebank
from widemargin.families.dependencies.sources import open_treebank
from widemargin.families.summaries.clusters import Clusters
from widemargin.families.summaries.sources import open_clusters
from widemargin.families.tagging.sources import open_columns
from widemargin.study.papers.gimpel.data import Data, open_data, select

SPANS, LINKS, SUMMARIES = "span-parser", "coref", "summarization"
TASKS = ("ner", "chunk", "mst-projective", "mst-nonprojective", SPANS, LINKS, SUMMARIES)
TREES = {"mst-projective": "eisner", "mst-nonprojective": "arborescence"}  # task -> structure
TREEBANKS = {"ud_english_ewt": "UD English EWT", "ud_basque_v1.2": "UD Basque 1.2"}
INSTANCES = 4_000  # of constituency trees from one look at the development data to the next, as in the paper
TENTH = 10  # CoNLL-2000 has no development data: every tenth training sentence is held out
PARTS = ("train", "dev", "test")


@dataclass(frozen=True)
class Parts:
    """Training, development and test data of any family, and what they are."""

    name: str
    train: Any
    dev: Any
    test: Any


def open_task(task: str, folder: str | None = None, sentences: int | None = None) -> Data:
    """Training, development and test columns of a task; `sentences`: only the first so many of each."""
    if task not in TASKS or task in (*TREES, SPANS, LINKS, SUMMARIES):
        raise InputError(f"task {task!r} is not in this study; choose one of {', '.join(TASKS)}")
    if task == "ner":
        return open_data(folder, sentences)
    name, places = files_or_town("conll2000", "CoNLL-2000", folder, PARTS)
    parts = [open_columns(path, task) for path in places]
    if len(parts) == 2:
        whole, test = parts
        held = np.arange(len(whole.row_ptr) - 1) % TENTH == TENTH - 1
        parts = [select(whole, ~held), select(whole, held), test]
    if sentences is not None:
        parts = [select(columns, np.arange(len(columns.row_ptr) - 1) < sentences) for columns in parts]
        name += f", the first {sentences} sentences of each part"
    return Data(name, *parts)


def open_trees(folder: str | None = None, sentences: int | None = None) -> list[Parts]:
    """Both treebanks of the folder, subtypes of relations cut off; the embedded one, once, when they are not there."""
    found: dict[str, Parts] = {}
    for key, title in TREEBANKS.items():
        name, places = files_or_town(key, title, folder, PARTS)
        parts = [open_treebank(path, subtypes=False) for path in places]
        if sentences is not None:
            parts = [first_trees(part, sentences) for part in parts]
            name += f", the first {sentences} sentences of each part"
        found.setdefault(name, Parts(name, *parts))
    return list(found.values())


def open_spans(folder: str | None = None, sentences: int | None = None, seed: int = 1) -> Parts:
    """Constituency trees of the Penn sample, some of the training trees twice so that an iteration is INSTANCES; or the embedded ones."""
    name, places = files_or_town("ptb_sample", "Penn sample", folder, PARTS)
    parts = [open_brackets(path) for path in places]
    if sentences is not None:
        parts = [part.part(np.arange(min(sentences, part.sentences))) for part in parts]
        name += f", the first {sentences} trees of each part"
    elif (more := INSTANCES - parts[0].sentences) > 0 and name != "town":
        again = np.random.default_rng(seed).choice(parts[0].sentences, more, replace=False)
        parts[0] = parts[0].part(np.concatenate([np.arange(parts[0].sentences), again]))
        name += f", {more:,} of the training trees twice in {INSTANCES:,}"
    return Parts(name, *parts)


def open_links(folder: str | None = None, sentences: int | None = None) -> Parts:
    """LitBank; `sentences`: only documents of the first so many of each part."""
    name, places = files_or_town("litbank_coref", "LitBank", folder, PARTS)
    parts = [open_documents(path) for path in places]
    if sentences is not None:
        ends = [np.searchsorted(part.sentence_ptr, part.row_ptr[1:]) for part in parts]
        parts = [part.part(range(max(1, int((end <= sentences).sum())))) for part, end in zip(parts, ends)]
        name += f", documents of the first {sentences} sentences of each part"
    return Parts(name, *parts)


def open_summaries(folder: str | None = None, clusters: int | None = None) -> Parts:
    """Both domains together; `clusters`: only the first so many of each part."""
    name, places = files_or_town("summarization_fewsum", "FewSum", folder, PARTS)
    parts = []
    for part in range(3):
        found = [cluster for path in places[part::3] for cluster in open_clusters(path).clusters]
        parts.append(Clusters(tuple(found[:clusters]), f"{name}, part {part + 1}"))
    if clusters is not None:
        name += f", the first {clusters} clusters of each part"
    return Parts(name, *parts)


def first_trees(treebank: Treebank, sentences: int) -> Treebank:
    """The first sentences of a treebank, to learn from (its text stays whole)."""
    row_ptr = treebank.row_ptr[: sentences + 1]
    words = int(row_ptr[-1])
    columns = dataclasses.replace(treebank.columns, codes=np.ascontiguousarray(treebank.columns.codes[:, :words]), row_ptr=row_ptr)
    return dataclasses.replace(treebank, columns=columns, heads=treebank.heads[:words], relation=treebank.relation[:words])
