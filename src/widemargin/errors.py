"""One kind of error for everything a user can get wrong: a sentence that says what, where, and what would work."""

import importlib.util
import re

# the most characters of a quotation, of anything else without blanks, and of a message's parts
QUOTE, WORD, SENTENCE, PLACE = 60, 120, 500, 180
_BREAK = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_QUOTED = re.compile(rf"""(?<!\w)(['"])((?:(?!\1)[^\\]|\\.){{{QUOTE + 1},}})\1""", re.DOTALL)
_WORD = re.compile(rf"\S{{{WORD + 1},}}")


class InputError(ValueError):
    """Bad input: shown as one sentence, exit status 2. `where` is a file or file:line and goes in front of the sentence.

    What it quotes of the input may be of any length, and is cut here.
    """

    def __init__(self, sentence: str, where: str | None = None):
        self.sentence, self.where = clipped(sentence), where and _cut(_one_line(str(where)), 0, PLACE)
        super().__init__(f"{self.where}: {self.sentence}" if self.where else self.sentence)


# what is not installed with the library: the extra that brings each module
EXTRAS = {"matplotlib": "plot", "sacrebleu": "mt", "nltk": "rouge", "ray": "ray"}


def installed(module: str) -> bool:
    """Is a module of EXTRAS there?"""
    return importlib.util.find_spec(module) is not None


def require(module: str, what: str) -> None:
    """Refuse to begin what needs a module of EXTRAS that is not there."""
    if not installed(module):
        raise InputError(f"{what} needs {module}, which is not installed; pip install 'widemargin[{EXTRAS[module]}]' brings it")


def several(number: int, noun: str) -> str:
    """A number and what is counted: 1 column, 2 columns, 1,000 columns."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def clipped(sentence: str) -> str:
    """A sentence on one line, in which long quotations and words are cut, and the middle of long lists left out."""
    sentence = _one_line(_cut(sentence, 10 * SENTENCE, 10 * SENTENCE))
    if len(sentence) <= QUOTE:
        return sentence
    sentence = _QUOTED.sub(lambda found: f"{found[1]}{_cut(found[2], QUOTE, 0)}{found[1]}", sentence)
    return _cut(_WORD.sub(lambda found: _cut(found[0], QUOTE, 0), sentence), SENTENCE // 2, SENTENCE // 2)


def _one_line(text: str) -> str:
    """Line breaks as they are written in a program."""
    return _BREAK.sub(lambda found: repr(found[0])[1:-1], text)


def _cut(text: str, head: int, tail: int) -> str:
    """The text, or its first and last so many characters with dots between them."""
    return text if len(text) <= head + tail else f"{text[:head]}...{text[len(text) - tail :]}"
