"""What score and data do with treebanks: scores, facts, drawings."""

import dataclasses

import numpy as np

from widemargin.cli.common import print_json
from widemargin.errors import InputError
from widemargin.kernels.conllu import BEGIN
from widemargin.metrics.bootstrap import accuracy_from_counts, paired_bootstrap
from widemargin.metrics.dependencies import arc_counts_per_sentence, check_words, compare_treebanks
from widemargin.readers.conllu import UPOS
from widemargin.study.arcs import draw
from widemargin.tasks.treebanks import open_treebank

DEPPARSE = "depparse"


def score_trees(options) -> int:
    """Two treebanks of the same words: attachment scores, or whether one system is really better than another."""
    if options.strict or options.columns:
        raise InputError("--strict and --columns are for labelled columns; depparse has ten columns and no spans")
    gold = open_treebank(options.gold, encoding=options.encoding)
    system = open_treebank(options.system, encoding=options.encoding)
    choices = {"punctuation": not options.no_punctuation, "subtypes": options.subtypes}
    if options.against:
        other = open_treebank(options.against, encoding=options.encoding)
        counts = [arc_counts_per_sentence(gold, side, **choices) for side in (system, other)]
        found = paired_bootstrap(*counts, score=accuracy_from_counts, samples=options.samples)
        both = [float(accuracy_from_counts(part.sum(axis=0))) for part in counts]
        facts = {"task": DEPPARSE, "metric": "las", "system": both[0], "against": both[1], **dataclasses.asdict(found)}
        if options.json:
            print_json(facts)
        else:
            print(f"LAS: {both[0]:.2f} against {both[1]:.2f}, difference {found.difference:+.2f}")
            interval = f"95 % interval {found.low:+.2f} to {found.high:+.2f}"
            print(f"{interval}, p = {found.p_value:.4f} ({found.samples:,} paired bootstrap samples)")
        return 0
    scores = compare_treebanks(gold, system, **choices)
    if options.json:
        print_json({"task": DEPPARSE, "metrics": scores.as_dict()})
    else:
        print(scores.report(), end="")
    return 0


def treebank_facts(path: str, options) -> dict:
    """What a treebank holds; reading it checks every tree."""
    treebank = open_treebank(path, encoding=options.encoding)
    crossed, lengths = treebank.crossed(), np.diff(treebank.row_ptr)
    counts = np.bincount(treebank.relation[treebank.relation >= 0], minlength=len(treebank.relations))
    order = np.argsort(-counts, kind="stable")[:40]
    first = treebank.columns.text[treebank.aside[:, BEGIN]]
    roots = np.add.reduceat((treebank.heads == 0).astype(np.int64), treebank.row_ptr[:-1])
    return {
        "file": treebank.source,
        "format": treebank.format,
        "documents": len(treebank.columns.doc_ptr) - 1,
        "sentences": len(lengths),
        "words": len(treebank),
        "longest": int(lengths.max()),
        "mean length": round(float(lengths.mean()), 2),
        "other lines": {"comments": int((first == ord("#")).sum()), "multi-word or empty": int((first != ord("#")).sum())},
        "heads unknown": int((treebank.heads < 0).sum()),
        "several roots": int((roots > 1).sum()),
        "non-projective": {"sentences": int((crossed > 0).sum()), "arcs": int(crossed.sum())},
        "columns": {name: len(values) for name, values in zip(treebank.columns.names, treebank.columns.values)},
        "relations": {treebank.relations[i]: int(counts[i]) for i in order},
    }


def tree_drawing(path: str, options) -> str:
    """One sentence of a treebank as SVG, or a system's tree of it with what is wrong."""
    gold = open_treebank(path, encoding=options.encoding)
    if not 1 <= options.sentence <= len(gold.row_ptr) - 1:
        raise InputError(f"there is no sentence {options.sentence}; the treebank has {len(gold.row_ptr) - 1:,}", gold.source)
    s = options.sentence - 1
    low, high = gold.row_ptr[s : s + 2]
    tags = [gold.columns.values[UPOS][code] for code in gold.columns.codes[UPOS, low:high]]
    right = gold.heads[low:high].tolist(), gold.names(s)
    if not options.system:
        return draw(gold.words(s), *right, tags=tags)
    system = open_treebank(options.system, encoding=options.encoding)
    check_words(gold, system)
    return draw(gold.words(s), system.heads[low:high].tolist(), system.names(s), tags=tags, gold=right)
