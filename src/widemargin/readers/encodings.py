"""Files in any encoding, read as UTF-8."""

import codecs
import os
from typing import IO, Any

from widemargin.errors import InputError
from widemargin.readers.files import file_name, open_bytes

UTF8_MARK = b"\xef\xbb\xbf"


def read_whole(path: str | os.PathLike[str] | IO[Any], encoding: str) -> tuple[bytes, str]:
    """All of a file (plain, gzip, or "-") or of an open file, in UTF-8, and what to call it in messages."""
    if isinstance(path, str | os.PathLike):
        with open_bytes(path) as handle:
            data, source = handle.read(), file_name(path)
    else:
        data, source = path.read(), str(getattr(path, "name", "<file>"))
        if isinstance(data, str):
            data, encoding = data.encode(), "utf-8"
    return Recoder(encoding, source)(data, final=True), source


class Recoder:
    """Bytes in some encoding, given block by block, to UTF-8; UTF-8 itself passes through (its cells are checked when decoded)."""

    def __init__(self, encoding: str, source: str):
        try:
            name = codecs.lookup(encoding).name
        except LookupError:
            raise InputError(f"there is no encoding {encoding!r}; common ones are utf-8, latin-1, cp1252 and utf-16.") from None
        self.encoding, self.source, self.line = encoding, source, 1
        self.decoder = None if name in ("utf-8", "utf-8-sig") else codecs.getincrementaldecoder(encoding)()
        self.fresh = True

    def __call__(self, block: bytes, *, final: bool) -> bytes:
        if self.decoder:
            try:
                text = self.decoder.decode(block, final)
            except UnicodeDecodeError as error:
                raise undecodable(error, self.line, self.source) from None
            self.line += text.count("\n")
            block = text.encode()
        if self.fresh and block:
            block, self.fresh = block.removeprefix(UTF8_MARK), False
        return block


def undecodable(error: UnicodeDecodeError, line: int, source: str) -> InputError:
    """The error to raise for a byte that the encoding does not have; `line` is that of the first byte."""
    line += error.object[: error.start].decode(error.encoding, "ignore").count("\n")
    byte = error.object[error.start]
    return InputError(
        f"the byte 0x{byte:02x} is not {error.encoding}; name the encoding with encoding=..., e.g. latin-1.", f"{source}:{line}"
    )
