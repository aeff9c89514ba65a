"""Dictionary forms, universal parts of speech and features (universaldependencies.org) of the corpus's words."""

import functools

from .morphology import ADJECTIVE_FORMS, IRREGULAR, VERB_FORMS, s_form
from .tree import Leaf

FORMS = VERB_FORMS | ADJECTIVE_FORMS | {"NNS": s_form}
ENDINGS = ("", "e", "y", "er", "est")
CATEGORIES = frozenset(["weekday", "month"])  # stand where the lemma would, in dates
BE = {"was": "be", "were": "be", "is": "be", "are": "be", "am": "be", "been": "be", "being": "be", "has": "have", "had": "have"}
BE |= {"having": "have", "did": "do", "does": "do", "done": "do", "people": "people", "children": "child", "thieves": "thief", "feet": "foot"}
REGULAR_PAST = {form: base for base, forms in IRREGULAR.items() for form in forms}
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
    if leaf.lemma in CATEGORIES or leaf.entity != "O":
        return leaf.word
    word = leaf.lemma.lower() if leaf.word.lower() == leaf.lemma.lower() and leaf.pos not in ("NNP", "NNPS") else leaf.lemma
    return _uninflected(word, leaf.pos) if leaf.pos in FORMS and word.lower() == leaf.word.lower() else word


@functools.cache
def _uninflected(word: str, pos: str) -> str:
    """A form that the rules give as it is (voted, shares), taken back: the base whose form it would be."""
    known = BE.get(word) or (REGULAR_PAST.get(word) if pos in ("VBD", "VBN") else None)
    if known is not None:
        return known
    bases = [word[: len(word) - cut] + ending for cut in range(5) for ending in ENDINGS if cut < len(word) - 1]
    return next((base for base in bases if FORMS[pos](base) == word), word)


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
