"""Classes of words: a word itself if it is frequent, else its longest frequent suffix (Hall, Durrett and Klein 2014)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from widemargin.contents import Contents
from widemargin.features.functions import brief
from widemargin.features.lexicons import Strings

LONGEST = 4  # letters of a suffix
RARE = "~"  # before the class of a word that is not frequent


@dataclass(frozen=True)
class WordClasses:
    """Frequent words and suffixes of training data."""

    words: frozenset[str]
    suffixes: frozenset[str]

    @classmethod
    def of(cls, values: Sequence[str], codes: np.ndarray, *, words: int = 2, suffixes: int = 10) -> "WordClasses":
        """Those that occur so often: words of tokens, suffixes of tokens of rare words. values[codes[t]] is the word at token t."""
        counts: Counter[str] = Counter()
        for word, count in zip(values, np.bincount(codes, minlength=len(values)).tolist()):
            counts[word] += count
        ends: Counter[str] = Counter()
        for word, count in counts.items():
            if count < words:
                ends.update({word[-k:]: count for k in range(1, LONGEST + 1) if k <= len(word)})
        frequent = frozenset(word for word, count in counts.items() if count >= words)
        return cls(frequent, frozenset(end for end, count in ends.items() if count >= suffixes))

    def __call__(self, word: str) -> str:
        """The class of a word. A rare one has its brief shape too: capitals and digits say what it is."""
        if word in self.words:
            return word
        ends = (word[-k:] for k in range(min(LONGEST, len(word)), 0, -1))
        return f"{RARE}{brief(word)}{RARE}{next((end for end in ends if end in self.suffixes), '')}"

    def arrays(self) -> dict[str, np.ndarray]:
        """For a model file."""
        out: dict[str, np.ndarray] = {}
        for name, texts in (("words", self.words), ("suffixes", self.suffixes)):
            strings = Strings.of(sorted(texts))
            out |= {f"{name}.pool": strings.pool, f"{name}.bounds": strings.bounds}
        return out

    @classmethod
    def from_contents(cls, own: Contents) -> "WordClasses":
        """What `arrays` gave."""
        return cls(*(frozenset(Strings(*own.strings(name))) for name in ("words", "suffixes")))
