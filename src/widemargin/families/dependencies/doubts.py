"""What is surely not meant, said as a warning: treebanks without gold trees, unknown relations, words without the tags of the training."""

import warnings

import numpy as np

from widemargin.errors import several
from widemargin.families.dependencies.conllu import FORMATS, NO_VALUE, Treebank
from widemargin.families.dependencies.model import Parser
from widemargin.families.listing import some_of

FEW = 20  # unknown relations of one word in so many are as is to be expected


def doubt_columns(parser: Parser, treebank: Treebank) -> None:
    """Warn of columns that the parser was trained with, and that are empty here."""
    names = FORMATS["conllu"]
    looked_at = parser.features.looks_at()
    missing = [
        name
        for name in names
        if name in ("upos", "xpos")
        and name in looked_at
        and set(treebank.columns.values[names.index(name)]) <= {NO_VALUE}
        and treebank.tokens
    ]
    if missing:
        what = f"{' and '.join(missing)} of every word, and {treebank.source} has none"
        warnings.warn(
            f"the parser was trained with {what}: its trees will be poor; a model of `train tag` gives tags (--tagger MODEL)",
            RuntimeWarning,
            stacklevel=3,
        )


def doubt_gold(parser: Parser, treebank: Treebank) -> None:
    """Warn of gold trees that are not there, and of relations that the parser has never seen."""
    heads = treebank.heads >= 0
    if not heads.all():
        some = f"{int((~heads).sum()):,} of {treebank.tokens:,} words have no gold head and are not counted"
        text = some if heads.any() else f"{treebank.source} has no gold trees: no word has a head, so there is nothing to score"
        warnings.warn(text, RuntimeWarning, stacklevel=3)
    if not parser.relations:
        return
    cut = {name.partition(":")[0] for name in parser.relations}  # scores look at these
    unknown = np.array([name.partition(":")[0] not in cut for name in treebank.relations] + [False])
    if (words := int(unknown[treebank.relation].sum())) * FEW > treebank.tokens:
        names = [name for name, new in zip(treebank.relations, unknown) if new]
        warnings.warn(
            f"{treebank.source}: {several(words, 'word')} with gold relations that the parser does not know: {some_of(names)}",
            RuntimeWarning,
            stacklevel=3,
        )
