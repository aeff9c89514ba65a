"""Tags of a tagger in the place of those that sentences came with: its best ones, or of its k best taggings the one with the best tree.

    argmax over t among the k best, y of    log p(t | words) + log p(y | t, words)

with the probabilities of both models, each at its own temperature.
"""

from collections.abc import Sequence

import numpy as np

from widemargin.errors import InputError
from widemargin.families.answers import Alternative
from widemargin.families.constituency.model import ChartParser
from widemargin.families.constituency.trees import Trees
from widemargin.families.taggers import load_tagger, taggings


def tagged_by(path: str, parser: ChartParser, trees: Trees, *, kbest: int = 1, threads: int = 1) -> Trees:
    """The same sentences with the tags of a model in a file that labels words by words alone, such as `widemargin train tag` makes of
    columns (word, tag). kbest: so many of its taggings are looked at."""
    if parser.inventory.kind.words:
        raise InputError("this parser predicts tags itself, from words alone; leave the tagger out")
    filled = np.flatnonzero(np.diff(trees.row_ptr) > 0)
    if not len(filled):
        return trees
    listed = usable_taggings(path, trees, filled, kbest, threads=threads)
    best = np.zeros(len(filled), int) if kbest == 1 else _best_ranks(parser, trees.part(filled), listed, threads)
    return _with_tags(trees, [ranked[rank].output for ranked, rank in zip(listed, best.tolist())])


def usable_taggings(path: str, trees: Trees, rows: np.ndarray, k: int, *, threads: int = 1) -> list[list[Alternative]]:
    """The k best taggings of these sentences, each of some words, best first; labels that are no tags are refused."""
    found = taggings(load_tagger(path), [trees.words(i) for i in rows.tolist()], k, threads=threads)
    for tag in {tag for ranked in found for tagging in ranked for tag in tagging.output}:
        if not tag or any(mark in tag for mark in "() \t"):
            raise InputError(f"the tagger's label {tag!r} cannot stand in brackets as a tag; use a tagger of parts of speech", path)
    if k > 1 and any(tagging.log_probability is None for ranked in found for tagging in ranked):
        raise InputError(
            "this tagger has no probabilities, by which taggings could be weighed against trees; leave --tagger-kbest out", path
        )
    return found


def _best_ranks(parser: ChartParser, trees: Trees, listed: list[list[Alternative]], threads: int) -> np.ndarray:
    """Which tagging of each sentence has the most probable tree, both taken together, int [S]; the first where none has a tree."""
    best, top = np.zeros(trees.sentences, int), np.full(trees.sentences, -np.inf)
    for rank in range(max(map(len, listed))):
        rows = np.array([i for i, ranked in enumerate(listed) if len(ranked) > rank])
        tagged = _with_tags(trees.part(rows), [listed[i][rank].output for i in rows])
        sure = np.array([listed[i][rank].log_probability for i in rows], float)
        sure += parser.scored(tagged, threads=threads).guess_log_probability(parser.guess(tagged, threads=threads))
        better = rows[sure > top[rows]]
        best[better] = rank
        top[rows] = np.maximum(top[rows], sure)
    return best


def _with_tags(trees: Trees, tags: Sequence[Sequence[str]]) -> Trees:
    """The same sentences with these tags, those of sentences without words left out."""
    values: dict[str, int] = {}
    codes = [values.setdefault(tag, len(values)) for sentence in tags for tag in sentence]
    return trees.with_tags(np.array(codes, np.int64), list(values))
