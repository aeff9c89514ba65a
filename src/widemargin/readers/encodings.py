"""Files in any encoding, read as UTF-8. One that is not, and looks like UTF-16 or UTF-32, is refused."""

import codecs
import os
from collections.abc import Iterable
from typing import IO, Any

from widemargin.errors import InputError
from widemargin.readers.files import file_name, open_bytes

UTF8_MARK = b"\xef\xbb\xbf"
MARKS = ((b"\xff\xfe\0\0", "utf-32"), (b"\0\0\xfe\xff", "utf-32"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
BLOCK, HEAD = 1 << 24, 1024  # bytes: to be read at a time, and to be looked at


def read_whole(path: str | os.PathLike[str] | IO[Any], encoding: str) -> tuple[bytes, str]:
    """All of a file (plain, gzip, or "-") or of an open file, in UTF-8, and what to call it in messages."""
    if isinstance(path, str | os.PathLike):
        recode = Recoder(encoding, file_name(path))
        with open_bytes(path) as handle:
            blocks = [recode(block, final=False) for block in iter(lambda: handle.read(BLOCK), b"")]
        return b"".join([*blocks, recode(b"", final=True)]), recode.source
    data, source = path.read(), str(getattr(path, "name", "<file>"))
    if isinstance(data, str):
        check_text([data], "the text")
        data, encoding = data.encode(), "utf-8"
    return Recoder(encoding, source)(data, final=True), source


def check_text(texts: Iterable[str], what: str) -> None:
    """Text from users can be written as UTF-8: it holds no half of a surrogate pair. what: what each is, for the message."""
    texts = list(texts)
    try:
        "".join(texts).encode()
    except UnicodeEncodeError as error:
        bad = next(text for text in texts if error.object[error.start] in text)
        raise InputError(f"{what} {bad!r:.60} holds half of a surrogate pair, which is not a character; replace it.") from None


class Recoder:
    """Bytes in some encoding, given block by block, to UTF-8; UTF-8 itself passes through (its cells are checked when decoded)."""

    def __init__(self, encoding: str, source: str):
        self.encoding, self.source, self.line, self.fresh = encoding, source, 1, True
        self.decoder = _decoder(encoding)

    def __call__(self, block: bytes, *, final: bool) -> bytes:
        if self.decoder:
            block = self._decoded(block, final).encode()
        elif self.fresh and (wide := _wide_encoding(block)):
            raise InputError(f"this looks like {wide[:6].upper()}; use --encoding {wide}, or encoding={wide!r} in Python.", self.source)
        elif self.fresh and block and not block[:HEAD].strip(b"\0"):
            raise InputError("the file begins with NUL characters, so it is not text; give a text file.", self.source)
        if self.fresh and block:
            block, self.fresh = block.removeprefix(UTF8_MARK), False
        return block

    def _decoded(self, block: bytes, final: bool) -> str:
        assert self.decoder
        try:
            text = self.decoder.decode(block, final)
        except UnicodeDecodeError as error:
            raise undecodable(error, self.line, self.source, self.encoding) from None
        except UnicodeError as error:  # such as a mark that is missing at the beginning
            raise InputError(f"the file is not {self.encoding} ({error}); name its encoding, e.g. utf-8.", self.source) from None
        try:
            check_text([text], "the text")
        except InputError:
            raise InputError(
                f"as {self.encoding} the file holds half of a surrogate pair; name its encoding, e.g. utf-8.", self.source
            ) from None
        self.line += text.count("\n")
        return text


def _decoder(encoding: str) -> codecs.IncrementalDecoder | None:
    """What decodes this encoding; None for UTF-8."""
    common = "common ones are utf-8, latin-1, cp1252 and utf-16."
    try:
        if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig"):
            return None
    except (LookupError, ValueError):  # a name may hold what no name can
        raise InputError(f"there is no encoding {encoding!r}; {common}") from None
    try:
        b"a".decode(encoding, "ignore")
        return codecs.getincrementaldecoder(encoding)()
    except (LookupError, ValueError):
        raise InputError(f"{encoding!r} is not an encoding of text; {common}") from None


def _wide_encoding(block: bytes) -> str | None:
    """The encoding of two or four bytes a character that a file begins like, if any."""
    marked = next((name for mark, name in MARKS if block.startswith(mark)), None)
    if marked or 0 not in block[:HEAD]:
        return marked
    zeros = [block[at:HEAD:4].count(0) / max(len(block[at:HEAD:4]), 1) for at in range(4)]  # shares by place, in text of the ASCII range
    for name, silent in {"utf-32-le": (1, 2, 3), "utf-32-be": (0, 1, 2), "utf-16-le": (1, 3), "utf-16-be": (0, 2)}.items():
        if all((share > 0.5) == (place in silent) for place, share in enumerate(zeros)):
            return name
    return None


def undecodable(error: UnicodeDecodeError, line: int, source: str, encoding: str = "utf-8") -> InputError:
    """The error to raise for a byte that the encoding does not have; `line` is that of the first byte."""
    before = error.object[: error.start]
    try:
        line += before.decode(error.encoding, "ignore").count("\n")
    except (LookupError, ValueError):
        line += before.count(b"\n")
    byte = error.object[error.start : error.start + 1].hex()
    name = "name the encoding: --encoding latin-1, or encoding='latin-1' in Python."
    return InputError(f"the byte 0x{byte} is not {encoding}; {name}", f"{source}:{line}")


def nul_byte(where: str) -> InputError:
    """The error to raise for a line with a NUL byte."""
    return InputError("this line holds a NUL byte, so the file is not text; if it is UTF-16, use --encoding utf-16.", where)


def read_text(path: str | os.PathLike[str] | IO[Any], encoding: str) -> tuple[str, str]:
    """A whole file as text, and its name for messages; bytes that are no text are named by their line."""
    data, source = read_whole(path, encoding)
    try:
        return data.decode(), source
    except UnicodeDecodeError as error:
        raise undecodable(error, 1, source) from None
