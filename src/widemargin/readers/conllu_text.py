"""Sentences as CoNLL-U text, for files that were none: words and what is known of them, `_` elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

CELLS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
NOTHING = "_"


@dataclass(frozen=True)
class Sentence:
    """Words of a sentence; where each stands in a text, in characters; and other cells by the name of their column."""

    words: Sequence[str]
    text: str | None = None
    offsets: Sequence[tuple[int, int]] | None = None
    cells: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """Comments and words, and an empty line. Offsets stand in MISC, TokenRange=0:4, as UDPipe writes them."""
        out = [] if self.text is None else [f"# text = {' '.join(self.text.split())}"]
        for i, word in enumerate(self.words):
            known = {name: column[i] for name, column in self.cells.items()}
            misc = [known["misc"]] if "misc" in known else []
            if self.offsets is not None:
                misc.append("TokenRange={}:{}".format(*self.offsets[i]))
            row = known | {"id": str(i + 1), "form": word, "misc": "|".join(misc) or NOTHING}
            out.append("\t".join(row.get(name, NOTHING) for name in CELLS))
        return [*out, ""]


def conllu_text(sentences: Sequence[Sentence]) -> str:
    """All of them; those without words are left out."""
    return "".join(line + "\n" for sentence in sentences if sentence.words for line in sentence.lines())
