"""What a resolver has got wrong."""

import numpy as np

from widemargin.errors import several
from widemargin.families.answers import Answers, Told
from widemargin.families.coreference.alignment import aligned_chains
from widemargin.families.coreference.documents import Documents
from widemargin.families.mistakes import NOTHING, Poor, told_mistakes, worst_rows

MOST_WORDS = 6


def mistakes(data: Documents, answers: Answers, *, top: int) -> Told:
    """Mentions whose antecedent is wrong: linked though new, not linked, or linked to another chain; mentions on one side alone; and the
    documents with most of them, each gold chain that was not found beside what its mentions became."""
    documents = answers.best.documents
    confused, counts, tables = [], [], []
    for d, (gold, guess) in enumerate(zip(*aligned_chains(data, documents))):
        words = [word for sentence in data.given[d].sentences for word in sentence]
        right, found = _antecedents(gold), _antecedents(guess)
        chain = {span: c for c, one in enumerate(gold) for span in one}
        wrong = []
        for span in sorted({*right, *found}):
            pair = _kind(span, right, found, chain)
            if pair is not None:
                wrong.append(span)
                confused.append(pair)
        tables.append(
            [
                {
                    "mention": _text(words, span),
                    "gold": _after(words, right[span]) if span in right else NOTHING,
                    "guess": _after(words, found[span]) if span in found else NOTHING,
                }
                for span in wrong
            ]
        )
        counts.append(len(wrong))
    poor = [
        Poor(d + 1, f"{data.given[d].name}: {several(counts[d], 'wrong link')}", tables[d][:20]) for d in worst_rows(np.array(counts), top)
    ]
    return told_mistakes(confused, poor, top=top, of="wrong links", unit="document")


def _antecedents(chains) -> dict:
    """The mention before each one in its chain, None for the first."""
    return {span: before for chain in chains for span, before in zip(sorted(chain), [None, *sorted(chain)])}


def _kind(span, right: dict, found: dict, chain: dict) -> tuple[str, str] | None:
    """What the gold says of a mention and what was guessed, or None where that is right."""
    if span not in found:
        return "mention", "no mention"
    if span not in right:
        return "no mention", "mention"
    gold, guess = right[span], found[span]
    if guess is not None and chain.get(guess) == chain[span]:
        return None
    if gold is None:
        return None if guess is None else ("new", "linked")
    return "linked", "new" if guess is None else "linked to another chain"


def _text(words: list[str], span: tuple[int, int]) -> str:
    inside = words[span[0] : span[1]]
    return " ".join(inside[:MOST_WORDS] + (["..."] if len(inside) > MOST_WORDS else []))


def _after(words: list[str], span: tuple[int, int] | None) -> str:
    return "new" if span is None else f"{_text(words, span)} (word {span[0] + 1})"
