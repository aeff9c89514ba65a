"""Annotation noise, as real corpora have it: tags of a part-of-speech tagger that errs, and slips of annotators in chunks and entities."""

from .stream import Stream

# For each tag: how often a tagger gets it wrong, and what it says then (likeliest first).
POS_ERRORS = {
    "NN": (0.04, "JJ VB NNP VBG"),
    "NNS": (0.03, "VBZ NNPS NN"),
    "NNP": (0.035, "NN JJ NNS VB"),
    "NNPS": (0.25, "NNP NNS"),
    "JJ": (0.06, "NN VBN VB RB"),
    "VBD": (0.055, "VBN JJ"),
    "VBN": (0.11, "VBD JJ"),
    "VBG": (0.08, "NN JJ"),
    "VBZ": (0.06, "NNS"),
    "VBP": (0.12, "VB NN"),
    "VB": (0.04, "NN VBP"),
    "RB": (0.05, "JJ IN RP NN"),
    "RP": (0.2, "IN RB"),
    "IN": (0.015, "RB RP WDT"),
    "WDT": (0.1, "IN"),
    "JJR": (0.1, "RBR"),
    "PRP$": (0.03, "PRP"),
    "DT": (0.005, "IN PDT"),
    "POS": (0.02, "VBZ"),
}
SLIPS = 0.0065
CHUNK_SLIPS = {
    "NP": "ADVP NP",
    "VP": "NP ADJP",
    "PP": "SBAR ADVP PRT",
    "ADVP": "NP ADJP PP",
    "ADJP": "VP ADVP NP",
    "SBAR": "PP NP",
    "PRT": "ADVP PP",
}
ENTITY_SLIPS = {"PER": "ORG LOC", "ORG": "LOC PER MISC", "LOC": "ORG PER", "MISC": "ORG LOC"}
_POS = {tag: (rate, wrong.split()) for tag, (rate, wrong) in POS_ERRORS.items()}
_CHUNKS = {kind: wrong.split() for kind, wrong in CHUNK_SLIPS.items()}
_ENTITIES = {kind: wrong.split() for kind, wrong in ENTITY_SLIPS.items()}


def noisy_pos(tags: list[str], stream: Stream) -> list[str]:
    """The tags with a tagger's errors in them."""
    uniform = stream.uniform
    noisy = []
    for tag in tags:
        error = _POS.get(tag)
        noisy.append(stream.early(error[1]) if error is not None and uniform() < error[0] else tag)
    return noisy


def noisy_chunks(tags: list[str], stream: Stream) -> list[str]:
    """Chunk tags with the slips of an annotator: wrong types, split, joined and missed chunks."""
    return _slip(tags, stream, SLIPS, _CHUNKS)


def noisy_entities(tags: list[str], stream: Stream) -> list[str]:
    """Entity tags with the slips of an annotator, who also marks a word or two that is no name."""
    noisy = _slip(tags, stream, 4 * SLIPS, _ENTITIES)
    uniform = stream.uniform
    return noisy if uniform() > SLIPS else [tag if tag != "O" or uniform() > 0.1 else "B-MISC" for tag in noisy]


def _slip(tags: list[str], stream: Stream, rate: float, wrong: dict[str, list[str]]) -> list[str]:
    """Spoils spans that begin at a word with the given rate; what comes out is legal IOB2."""
    uniform = stream.uniform
    hits = [i for i, tag in enumerate(tags) if tag != "O" and uniform() < rate]
    if not hits:
        return tags
    tags = list(tags)
    for i in hits:
        mark, kind = tags[i][0], tags[i][2:]
        u = uniform()
        if u < 0.4:
            kind = stream.choice(wrong.get(kind, ["NP"]))
            tags[i] = f"B-{kind}"
            j = i + 1
            while mark == "B" and j < len(tags) and tags[j][0] == "I":
                tags[j] = f"I-{kind}"
                j += 1
        elif u < 0.7:
            tags[i] = "O"
        else:
            tags[i] = ("I-" if mark == "B" else "B-") + kind
    return legal(tags)


def legal(tags: list[str]) -> list[str]:
    """The tags with every span begun by B-."""
    before = "O"
    fixed = []
    for tag in tags:
        if tag[0] == "I" and before[2:] != tag[2:]:
            tag = "B" + tag[1:]
        fixed.append(tag)
        before = tag
    return fixed
