"""A text with every mention written out: pronouns and descriptions replaced by their chain's clearest mention."""

from collections.abc import Sequence
from typing import NamedTuple

from widemargin.errors import InputError
from widemargin.families.coreference import word_lists as lists


class Edit(NamedTuple):
    """A run of letters that was replaced."""

    first: int
    end: int
    old: str
    new: str


def resolve(text: str, clusters: Sequence[Sequence[tuple[int, int]]]) -> tuple[str, list[Edit]]:
    """The text with mentions replaced, and the edits; clusters: chains of mentions, each its first letter and the one behind its last.

    A chain is represented by its first name, or its longest noun phrase if it has none; by pronouns never, and then nothing of it changes.
    Of mentions that overlap, the innermost is replaced. A possessive (her, Ann's) becomes one.
    """
    wanted: list[Edit] = []
    for chain in clusters:
        for first, end in chain:
            if not 0 <= first < end <= len(text):
                raise InputError(f"the mention {first} to {end} is not a span within the text's {len(text)} characters")
        best = _representative([text[a:b] for a, b in chain])
        for first, end in chain:
            new = None if best is None else _fitted(text[first:end], best)
            if new is not None and new != text[first:end]:
                wanted.append(Edit(first, end, text[first:end], new))
    edits: list[Edit] = []
    for edit in sorted(wanted, key=lambda edit: (edit.end - edit.first, edit.first)):
        if all(edit.end <= other.first or other.end <= edit.first for other in edits):
            edits.append(edit)
    edits.sort()
    out, at = [], 0
    for edit in edits:
        out += [text[at : edit.first], edit.new]
        at = edit.end
    return "".join([*out, text[at:]]), edits


def _representative(mentions: Sequence[str]) -> str | None:
    bare = [_without_possessive(mention) for mention in mentions if mention.lower() not in lists.PRONOUNS]
    names = [mention for mention in bare if mention[:1].isupper() and mention.split()[0].lower() not in lists.DEFINITE | {"a", "an"}]
    return names[0] if names else max(bare, key=len, default=None)


def _without_possessive(mention: str) -> str:
    for end in ("'s", "’s"):
        mention = mention.removesuffix(end).rstrip()
    return mention


def _fitted(old: str, best: str) -> str | None:
    """The representative in the place of a mention; None where that would say no more than it does."""
    word = old.lower()
    own = word in ("my", "our", "your", "his", "its", "their", "thy", "whose")
    if word in ("her", "mine", "ours", "yours", "hers", "theirs", "thine", "myself", "himself", "herself", "itself", "themselves"):
        return None  # of two cases, or reflexive: the sentence would break
    if word in lists.PRONOUNS:
        return f"{best}'s" if own else best
    if _without_possessive(old) == best or best.lower() in word:
        return None
    return f"{best}'s" if old.endswith(("'s", "’s")) else best
