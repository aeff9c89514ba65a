"""Trees as pictures."""

from widemargin.errors import InputError
from widemargin.families.constituency.trees import Trees
from widemargin.show import constituents


def draw(gold: Trees, sentence: int, system: Trees | None = None) -> str:
    """A sentence (from 1) as SVG, or a system's tree of it with what is wrong and what is missing."""
    shown = gold if system is None else system
    if not 1 <= sentence <= min(gold.sentences, shown.sentences):
        raise InputError(f"there is no sentence {sentence}; there are {min(gold.sentences, shown.sentences):,}.", gold.source)
    tree, right = shown.tree(sentence - 1), gold.tree(sentence - 1)
    if tree.words != right.words:
        raise InputError(
            f"the words differ from those in {gold.where(sentence - 1)}; give trees of the same words.", shown.where(sentence - 1)
        )
    return constituents.draw(tree.words, tree.tags, tree.brackets, gold=None if system is None else right.brackets)
