"""What is surely not meant, said as a warning: gold trees with labels of another treebank, words without tags."""

import warnings

import numpy as np

from widemargin.errors import several
from widemargin.families.constituency.model import ChartParser
from widemargin.families.constituency.trees import LABEL, Trees
from widemargin.families.listing import some_of

FEW = 20  # unknown labels of one bracket in so many are as is to be expected


def doubt_gold(parser: ChartParser, trees: Trees) -> None:
    """Warn of gold brackets with labels that the parser cannot answer with."""
    own = set(parser.inventory.symbols.labels)
    count = np.bincount(trees.node[:, LABEL], minlength=len(trees.labels))
    unknown = {label: often for label, often in zip(trees.labels, count.tolist()) if often and label not in own}
    if (brackets := sum(unknown.values())) * FEW > len(trees.node):
        told = f"{brackets:,} of {several(len(trees.node), 'gold bracket')} in {trees.sources[0]} have labels that the parser does not know"
        warnings.warn(f"{told}: {some_of(list(unknown))}", RuntimeWarning, stacklevel=3)
