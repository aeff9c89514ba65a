"""Names: fixed lists with a long tail, and an inexhaustible supply of new ones from syllables."""

from .lexicon import read_classes
from .stream import Stream

NAMES = read_classes("names.txt")

ONSETS = "b br c ch cl cr d dr f fl g gl gr h j k kr l m n p pl pr r s sh sk st t th tr v w y z".split()
VOWELS = "a e i o u a e i o ai ea ee ou oo".split()
CODAS = "b ck d l ll m n nd ng nt r rk rn rt s st t th v x".split()
# Surnames and towns share most endings, as they do in life: the ending alone does not tell a person from a place.
ENDINGS = {
    "surname": "ley ton er son by man ford ham field well a o ski wood sen more ridge in el ock ett".split(),
    "town": "ley ton by ford ham field well wick mouth stead more wood bury ridge dale combe port minster".split(),
    "coinage": "ex tor ia on ix ara eo ium tech co al a".split(),
    "female": "a ia ina elle ette y een is".split(),
    "male": "o us in an ard as en el".split(),
}
DISTRICTS = "Northgate Millfield Old_Harbour Eastfield Castle_Hill Marsh_End Chapelside The_Shambles Tannery_Row Kingsmead".split()
STREET_WORDS = "Street Lane Road Street Avenue Square Row Hill Street Road".split()
STREET_FIRST = (
    "Church Mill High Station Market Chapel Bridge Castle Orchard River Victoria Tanner Queen Harbour College Cherry Long Pound".split()
)


def coined(stream: Stream, kind: str) -> str:
    """A new name of a kind, spelt from syllables."""
    syllable = stream.choice(ONSETS) + stream.choice(VOWELS)
    if stream.chance(0.7):
        syllable += stream.choice(CODAS)
    elif stream.chance(0.6):
        syllable += stream.choice(ONSETS)[0] + stream.choice(VOWELS)[0] + stream.choice(CODAS)
    return (syllable + stream.choice(ENDINGS[kind])).capitalize()


def surname(stream: Stream, fresh: float = 0.5) -> str:
    """A family name: coined with probability `fresh`, else from the list, now and then a town's name or a double one."""
    u = stream.uniform()
    if u < fresh:
        return coined(stream, "surname")
    if u > 0.96:
        return stream.choice(NAMES["town"][:20])
    if u > 0.945:
        return f"{stream.early(NAMES['surname'])}-{coined(stream, 'surname')}"
    return stream.early(NAMES["surname"])


def given(stream: Stream, gender: str) -> str:
    """A first name for a woman (f) or a man (m)."""
    kind = "female" if gender == "f" else "male"
    return coined(stream, kind) if stream.chance(0.28) else stream.early(NAMES[kind])


def town(stream: Stream, fresh: float = 0.35) -> str:
    """A town of the county: mostly one of the known ones."""
    return coined(stream, "town") if stream.chance(fresh) else stream.early(NAMES["town"])


def district(stream: Stream) -> str:
    """A part of the town; spaces are underscores."""
    return stream.early(DISTRICTS) if stream.chance(0.8) else coined(stream, "town") + stream.choice(("_Green", "_Park", "_Hill", "_End"))


def street(stream: Stream) -> str:
    """A street, often named after a person or a town."""
    u = stream.uniform()
    first = stream.early(STREET_FIRST) if u < 0.5 else surname(stream, 0.4) if u < 0.85 else town(stream)
    return f"{first}_{stream.choice(STREET_WORDS)}"


def river(stream: Stream) -> str:
    """A river."""
    return stream.early(NAMES["river"])


def organisation(stream: Stream, pattern: str, home: str) -> str:
    """An organisation's name from a pattern such as `S_&_S` or `T_Council`; T is mostly the home town."""
    words = []
    for part in pattern.split("_"):
        if part == "S":
            part = surname(stream)
        elif part == "T":
            part = home if stream.chance(0.5) else town(stream)
        elif part == "C":
            part = coined(stream, "coinage")
        elif part == "R":
            part = river(stream)
        elif part == "D":
            part = district(stream)
        words.append(part)
    return "_".join(words)
