"""Chains of two sets of the same documents, in one system of places: by words, or by characters where the words differ."""

from widemargin.errors import InputError
from widemargin.families.coreference.documents import Chains, Documents


def aligned_chains(gold: Documents, system: Documents) -> tuple[list[Chains], list[Chains]]:
    """The chains of every document on both sides. Where words differ, the letters must be the same, and mentions are runs of those."""
    names = [[document.name for document in side.given] for side in (gold, system)]
    if len(names[0]) != len(names[1]):
        raise InputError(
            f"there are {len(names[1]):,} documents here and {len(names[0]):,} in {gold.source}; give the same.", system.source
        )
    chains: tuple[list[Chains], list[Chains]] = ([], [])
    for d, name in enumerate(names[0]):
        words = [side.words[side.row_ptr[d] : side.row_ptr[d + 1]] for side in (gold, system)]
        places = [None, None] if words[0] == words[1] else [_letters(own) for own in words]
        if words[0] != words[1] and "".join(words[0]) != "".join(words[1]):
            raise InputError(f"document {d + 1} ({name!r}) has other words than in {gold.source}; give the same documents.", system.source)
        for side, at, out in zip((gold, system), places, chains):
            found = side.chains(d)
            out.append(found if at is None else [[(at[a], at[b]) for a, b in chain] for chain in found])
    return chains


def _letters(words: tuple[str, ...]) -> list[int]:
    """How many letters stand before each word, and before the end."""
    out = [0]
    for word in words:
        out.append(out[-1] + len(word))
    return out
