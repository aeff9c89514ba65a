"""The lexicon: classes of words by meaning, each in every form the grammar asks for."""

import functools

from .morphology import ADJECTIVE_FORMS, VERB_FORMS, lines, s_form
from .tree import Leaf, Node

# What one lexical choice puts into a phrase: usually one word, two for a compound, a word and a particle phrase for "set up".
Item = tuple[Leaf | Node, ...]

# Members of compounds that are not nouns.
NOT_NOUNS = {
    "IN": "of",
    "POS": "'s",
    "JJ": "broken retired drunken own free open red chief black scarlet full",
    "VBN": "stolen sprained dislocated burnt",
    "VBG": "handling whooping magnifying",
}
COMPOUND_POS = {word: pos for pos, words in NOT_NOUNS.items() for word in words.split()}


def read_classes(name: str) -> dict[str, list[str]]:
    """Classes from a file of `class: word word ...` lines."""
    return {key: words.split() for key, words in (line.split(": ", 1) for line in lines(name))}


NOUNS = read_classes("nouns.txt")
VERBS = read_classes("verbs.txt")
MODIFIERS = read_classes("modifiers.txt")


def noun(entry: str, pos: str) -> Item:
    """A noun, singular or plural; the members of a compound before the last stay as they are."""
    entry, _, irregular = entry.partition("/")
    *before, last = entry.split("_")
    word = last if pos == "NN" else (irregular or s_form(last))
    # "minutes", "sales" have no singular; they keep their plural tag and so their agreement.
    tag = "NNS" if irregular == last and last.endswith("s") else pos
    return (*(Leaf(part, COMPOUND_POS.get(part, "NN"), part) for part in before), Leaf(word, tag, last))


def verb(entry: str, pos: str) -> Item:
    """A verb form, with its particle if it has one."""
    base, _, particle = entry.partition("_")
    leaf = Leaf(VERB_FORMS[pos](base), pos, base)
    if not particle:
        return (leaf,)
    return (leaf, Node("PRT", [Leaf(particle, "RP", particle)]))


def adjective(entry: str, pos: str) -> Item:
    """An adjective, plain or compared."""
    return (Leaf(ADJECTIVE_FORMS[pos](entry), pos, entry),)


def adverb(entry: str, pos: str) -> Item:
    """An adverb."""
    return (Leaf(entry, pos, entry),)


@functools.cache
def items(pos: str, key: str) -> tuple[Item, ...]:
    """All members of a class in the form that the part of speech names, commonest first."""
    if pos in ("NN", "NNS"):
        return tuple(noun(entry, pos) for entry in NOUNS[key])
    if pos in VERB_FORMS:
        return tuple(verb(entry, pos) for entry in VERBS[key])
    if pos in ADJECTIVE_FORMS:
        return tuple(adjective(entry, pos) for entry in MODIFIERS["adj." + key])
    return tuple(adverb(entry, pos) for entry in MODIFIERS["adv." + key])
