"""Mentions found by rules, from what the file has: noun phrases of a parse, or runs of tags, or else words; names and pronouns always.

    parse    every NP, and every possessive pronoun
    tags     Penn or universal tags: determiners, adjectives, numbers and nouns that end in a noun; what is left of a possessive 's too
    words    a determiner or possessive and what follows, up to a word of grammar or a mark; runs of capitals, but a sentence's first word

A name's run of words is a mention, and so is every personal pronoun. Nothing is given twice.
"""

import re
from collections.abc import Sequence

from widemargin.families.coreference import word_lists as lists
from widemargin.families.coreference.documents import Document, Documents, Span

NOUNS = frozenset("NN NNS NNP NNPS NOUN PROPN".split())
BEFORE_NOUNS = frozenset("DT PRP$ JJ JJR JJS CD VBG VBN DET ADJ NUM PDT".split())
PERSONAL = frozenset("PRP PRP$ PRON".split())
NOT_FOUND = frozenset(
    "it which that what who whom whose this these those there here where all both some many others most few any one".split()
)
GRAMMAR = frozenset(
    """
    is was were are be been being am has have had having do does did will would shall should can could may might must not n't 's ’s to if
    but so then than too very also only just even still yet now never always again up down out off away back through across along around
    during while because since until unless although though said says went came made took gave saw knew thought looked seemed felt
    he she it they we i you him them me us himself herself itself themselves myself ourselves yourself
    """.split()
)
MOST_WORDS = 6  # of a phrase that is found by words alone
_BIT = re.compile(r"\(([^\s()*]*)|(\))")


def detected(documents: Documents) -> Documents:
    """The same documents with the mentions that rules find."""
    return with_found(documents, [mentions_in(document) for document in documents.given])


def with_found(documents: Documents, spans: Sequence[Sequence[Span]]) -> Documents:
    """The same documents with other mentions. One that the documents have keeps its chain; the others are known to be alone where chains
    are known."""
    known = bool((documents.chain >= 0).any())
    chains = []
    for document, found in zip(documents.given, spans):
        gold = dict(zip(document.mentions, document.chains))
        chains.append([gold.get(span, ("found", span) if known else None) for span in found])
    return documents.with_mentions(spans, chains)


def mentions_in(document: Document) -> list[Span]:
    """The mentions of a document, in order."""
    found: set[Span] = set()
    low = 0
    for sentence in document.sentences:
        words = [word.lower() for word in sentence]
        part = slice(low, low + len(words))
        tags, parse = (column[part] if column else None for column in (document.tags, document.parse))
        if parse and any("(" in bit for bit in parse):
            spans = _by_parse(parse, words)
        elif tags and any(tags):
            spans = _by_tags(tags, words)
        else:
            spans = _by_words(sentence, words)
        spans |= {(t, t + 1) for t, word in enumerate(words) if word in lists.PRONOUNS and word not in NOT_FOUND}
        found |= {(a + low, b + low) for a, b in spans}
        low += len(words)
    return sorted(found | _names(document.names), key=lambda span: (span[0], -span[1]))


def _names(names: list[str] | None) -> set[Span]:
    """Runs of one class of names."""
    out, first = set(), 0
    for t in range(1, len(names or ()) + 1):
        assert names is not None
        if t == len(names) or names[t] != names[first]:
            if names[first] != "O":
                out.add((first, t))
            first = t
    return out


def _by_parse(bits: list[str], words: list[str]) -> set[Span]:
    """NPs; what a broken parse never closes is none."""
    out, inside = set(), list[tuple[str, int]]()
    for t, bit in enumerate(bits):
        for opened, closed in _BIT.findall(bit):
            if opened:
                inside.append((opened, t))
            elif closed and inside:
                label, first = inside.pop()
                if label.startswith("NP"):
                    out.add((first, t + 1))
    return out | {(t, t + 1) for t, word in enumerate(words) if word in lists.POSSESSIVE and word not in NOT_FOUND}


def _by_tags(tags: list[str], words: list[str]) -> set[Span]:
    """Runs that end in a noun; a possessor is one of its own, and begins the next."""
    out, first = set(), None
    for t, tag in enumerate([*tags, ""]):
        if first is not None and (tag == "POS" or (t < len(words) and words[t] in ("'s", "’s")) or tag not in NOUNS | BEFORE_NOUNS):
            end = t
            while end > first and tags[end - 1] not in NOUNS:
                end -= 1
            if end > first:
                out.add((first, end))
            first = first if tag == "POS" else None
        elif first is None and tag in NOUNS | BEFORE_NOUNS:
            first = t
    return out | {(t, t + 1) for t, tag in enumerate(tags) if tag in PERSONAL and words[t] not in NOT_FOUND}


def _by_words(sentence: list[str], words: list[str]) -> set[Span]:
    """Phrases that a determiner or a possessive opens, and capitals."""
    out, n, t = set(), len(words), 0
    for t, word in enumerate(words):
        if word in lists.DEFINITE | lists.POSSESSIVE or word in ("a", "an"):
            end = t + 1
            while end < n and end - t < MOST_WORDS and words[end].isalpha() and not _ends_phrase(words[end]):
                end += 1
            if end > t + 1:
                out.add((t, end))
    first = None
    for t, word in enumerate([*sentence, ""]):
        capital = word[:1].isupper() and words[t] not in lists.PRONOUNS and not (t == 0 and _ends_phrase(words[t]))
        if capital and (t > 0 or words[t] in lists.TITLES | lists.MALE_WORDS | lists.FEMALE_WORDS or _is_capital(sentence, t + 1)):
            first = t if first is None else first
        elif first is not None:
            out.add((first, t))
            first = None
    return out


def _is_capital(sentence: list[str], t: int) -> bool:
    return t < len(sentence) and sentence[t][:1].isupper()


def _ends_phrase(word: str) -> bool:
    return word in GRAMMAR or word in lists.BEHIND_HEAD or word in lists.PRONOUNS or word in ("the", "a", "an")
