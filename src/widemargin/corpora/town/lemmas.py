"""Dictionary forms, universal parts of speech and features (universaldependencies.org) of the corpus's words."""

import functools

from .lexicon import MODIFIERS, NOUNS, VERBS
from .morphology import ADJECTIVE_FORMS, IRREGULAR, VERB_FORMS, s_form
from .tree import Leaf

FORMS = VERB_FORMS | ADJECTIVE_FORMS | {"NNS": s_form}
CATEGORIES = frozenset(["weekday", "month"])  # stand where the lemma would, in dates
BASES = {entry.partition("_")[0] for entries in VERBS.values() for entry in entries} | set(IRREGULAR)
SINGULARS = {entry.partition("/")[0].split("_")[-1] for entries in NOUNS.values() for entry in entries}
ADJECTIVES = {entry for key, entries in MODIFIERS.items() if key.startswith("adj.") for entry in entries}
# Forms that the rules spell out and the lexicon does not have.
SPELT_OUT = "was be were be is be are be am be been be being be has have had have having have did do does do done do chose choose"
SPELT_OUT += " fought fight launched launch named name printed print queued queue resigned resign voted vote appointed appoint born bear"
SPELT_OUT += " charged charge cost cost jailed jail reached reach launches launch people people police police children child thieves thief"
SPELT_OUT += " feet foot copies copy"
SPELT = dict(zip(SPELT_OUT.split()[::2], SPELT_OUT.split()[1::2], strict=True))
UPOS = {"NNP": "PROPN", "NNPS": "PROPN", "NN": "NOUN", "NNS": "NOUN", "MD": "AUX", "CD": "NUM", "DT": "DET", "PDT": "DET", "PRP": "PRON"}
UPOS |= {"PRP$": "PRON", "WP": "PRON", "WP$": "PRON", "WDT": "PRON", "EX": "PRON", "WRB": "ADV", "CC": "CCONJ", "TO": "PART", "POS": "PART"}
UPOS |= {"RP": "ADP", "IN": "ADP", "$": "SYM"} | dict.fromkeys(["JJ", "JJR", "JJS"], "ADJ") | dict.fromkeys(["RB", "RBR", "RBS"], "ADV")
UPOS |= dict.fromkeys(VERB_FORMS, "VERB") | dict.fromkeys([".", ",", ":", "``", "''", "-LRB-", "-RRB-"], "PUNCT")
FEATS = {
    "NN": "Number=Sing",
    "NNS": "Number=Plur",
    "NNP": "Number=Sing",
    "NNPS": "Number=Plur",
    "VB": "VerbForm=Inf",
    "VBD": "Mood=Ind|Tense=Past|VerbForm=Fin",
    "VBZ": "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin",
    "VBP": "Mood=Ind|Tense=Pres|VerbForm=Fin",
    "VBN": "Tense=Past|VerbForm=Part",
    "VBG": "Tense=Pres|VerbForm=Part",
    "MD": "VerbForm=Fin",
    "JJ": "Degree=Pos",
    "JJR": "Degree=Cmp",
    "JJS": "Degree=Sup",
    "RBR": "Degree=Cmp",
    "CD": "NumType=Card",
    "PRP": "PronType=Prs",
    "PRP$": "Poss=Yes|PronType=Prs",
    "WP": "PronType=Int,Rel",
    "WDT": "PronType=Int,Rel",
    "WRB": "PronType=Int,Rel",
    "EX": "PronType=Dem",
}
ARTICLES = {"the": "Definite=Def|PronType=Art", "a": "Definite=Ind|PronType=Art", "an": "Definite=Ind|PronType=Art"}


def lemma(leaf: Leaf) -> str:
    """The dictionary form of a word."""
    if leaf.entity != "O" or (leaf.pos == "NNP" and leaf.lemma in CATEGORIES):
        return leaf.word
    word = leaf.lemma.lower() if leaf.word.lower() == leaf.lemma.lower() and leaf.pos not in ("NNP", "NNPS") else leaf.lemma
    return _uninflected(word, leaf.pos) if leaf.pos in FORMS and word.lower() == leaf.word.lower() else word


def _uninflected(word: str, pos: str) -> str:
    """A form that the rules spell out (voted, shares), taken back to its base."""
    base = SPELT.get(word) or _bases(pos).get(word)
    return base or (word.removesuffix("s") if pos in ("NNS", "VBZ") else word)


@functools.cache
def _bases(pos: str) -> dict[str, str]:
    """The lexicon's words by their forms."""
    words = BASES if pos in VERB_FORMS else SINGULARS if pos == "NNS" else ADJECTIVES
    return {FORMS[pos](base): base for base in sorted(words)}


def universal_pos(pos: str, word: str, relation: str) -> str:
    """The universal part of speech; the relation tells auxiliaries, conjunctions and determiners from words of the same tag."""
    if relation.startswith(("aux", "cop")) and pos in VERB_FORMS:
        return "AUX"
    if pos == "IN" and relation == "mark":
        return "SCONJ"
    if pos == "DT" and relation != "det":
        return "PRON" if relation.startswith(("nsubj", "obj", "obl", "nmod", "root", "conj")) else "DET"
    if pos == "TO" and relation == "case":
        return "ADP"
    return "PART" if word.lower() in ("not", "n't") else UPOS.get(pos, "X")


def features(pos: str, word: str) -> str:
    """What the tag says about the form, `_` for nothing."""
    return ARTICLES.get(word.lower(), "_") if pos == "DT" else FEATS.get(pos, "_")
