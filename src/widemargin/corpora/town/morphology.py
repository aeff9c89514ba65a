"""English inflection for the lexicon: plurals, verb forms, comparison."""

from collections.abc import Callable
from pathlib import Path

VOWELS = "aeiou"
WORDS = Path(__file__).parent / "words"


def lines(name: str, folder: Path = WORDS) -> list[str]:
    """The lines of a data file that are neither empty nor comments."""
    return [line for line in (folder / name).read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


def s_form(word: str) -> str:
    """The regular plural of a noun, which is also the third person of a verb."""
    if word.endswith(("s", "x", "z", "ch", "sh")) or word in ("go", "do", "veto"):
        return word + "es"
    if word.endswith("y") and word[-2] not in VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def doubles(word: str) -> bool:
    """True if the last consonant is doubled before a vowel: short words such as stop, big, sit."""
    vowels = sum(letter in VOWELS for letter in word)
    return len(word) > 2 and vowels == 1 and word[-1] not in VOWELS + "wxyh" and word[-2] in VOWELS


def stem(word: str) -> str:
    """The form to which -ed, -er and -est are added."""
    if word.endswith("e"):
        return word[:-1]
    if word.endswith("y") and word[-2] not in VOWELS:
        return word[:-1] + "i"
    return word + word[-1] if doubles(word) else word


IRREGULAR = {base: (past, participle) for base, past, participle in (line.split() for line in lines("irregular.txt"))}


def past(verb: str) -> str:
    """The past tense."""
    return IRREGULAR[verb][0] if verb in IRREGULAR else stem(verb) + "ed"


def participle(verb: str) -> str:
    """The past participle."""
    return IRREGULAR[verb][1] if verb in IRREGULAR else stem(verb) + "ed"


def ing_form(verb: str) -> str:
    """The present participle; a doubled consonant in the past tense (admitted) is doubled here too."""
    if past(verb) == verb + verb[-1] + "ed" or doubles(verb) or verb == "begin":
        return verb + verb[-1] + "ing"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return verb[:-1] + "ing"
    return verb + "ing"


def comparative(adjective: str) -> str:
    """The form in -er."""
    return stem(adjective) + "er"


def superlative(adjective: str) -> str:
    """The form in -est."""
    return stem(adjective) + "est"


VERB_FORMS: dict[str, Callable[[str], str]] = {"VB": str, "VBP": str, "VBZ": s_form, "VBD": past, "VBN": participle, "VBG": ing_form}
ADJECTIVE_FORMS: dict[str, Callable[[str], str]] = {"JJ": str, "JJR": comparative, "JJS": superlative}
