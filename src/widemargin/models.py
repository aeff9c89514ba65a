"""Models on disk: arrays and a JSON header in one .safetensors file, memory-mapped; loading runs no code. See docs/model-format.md.

8 bytes     N, the length of the table, little-endian
N bytes     the table: JSON {name: {dtype, shape, data_offsets}, "__metadata__": {string: string}}, padded with spaces
the rest    the arrays' bytes, little-endian, in C order, one after another without holes
"""

import hashlib
import json
import math
import mmap
import os
import re
import stat
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from widemargin.errors import InputError
from widemargin.readers.files import atomic_writer
from widemargin.readers.outputs import check_output, unwritten

FORMAT = 5
KINDS = ("model", "checkpoint")
DTYPES = {
    name: np.dtype(code)
    for name, code in {
        **{"BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "F16": "<f2"},
        **{"U32": "<u4", "I32": "<i4", "F32": "<f4", "U64": "<u8", "I64": "<i8", "F64": "<f8"},
    }.items()
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
ALIGNMENT = 64  # a cache line, and what the widest vector loads like
LONGEST_TABLE = 100_000_000  # what the safetensors package accepts
MOST_AXES = 32  # what every NumPy accepts
METADATA, HEADER, ARRAYS, SEAL, SUMS = "__metadata__", "widemargin", "widemargin.arrays", "widemargin.sha256", "widemargin.crc32"

DAMAGED = "the file is damaged, copy or save it again."
PICKLE = "this is a pickle; widemargin never loads pickles, because they can run code: train and save the model again."
OLD_PICKLE = re.compile(rb"\((?:[dlt]p0\n|i[\w.]+\n|K.)|\(?(?:c[\w.]+\n\w+\n|I\d+\n|[VS][^\n]*\np[01]\n)|[\]})]q\x00")
STRANGERS = (  # how other files begin, and what to say; looked at only when a file is no .safetensors file
    (re.compile(rb"\x80[\x02-\x05]"), PICKLE),
    (OLD_PICKLE, PICKLE),
    (
        re.compile(rb"PK(\x03\x04|\x05\x06)"),
        "this is a zip file, as are .npz and PyTorch files; give a .safetensors file saved by widemargin.",
    ),
    (re.compile(rb"\x1f\x8b"), "this is a gzip file and models are memory-mapped; unpack it first with gunzip."),
    (re.compile(rb"\x93NUMPY"), "this is a NumPy .npy file; give a .safetensors file saved by widemargin."),
)


class _Refused(Exception):
    """Why a file is not loaded: the sentence, without the file's name."""


def save(path: str | os.PathLike[str], header: dict, arrays: Mapping[str, np.ndarray]) -> int:
    """Write a model; return its size in bytes. The same header and arrays give the same bytes.

    The file appears under its name only when complete: a crash leaves the old one. The header is any JSON object with "format" (at most
    FORMAT) and "kind" ("model" or "checkpoint"). Arrays of whole 64-byte lines come first, then the others by item size: with the table
    padded to 64 bytes, the former begin on a cache line and every array is aligned to its items, though safetensors allows no holes.
    """
    name = _mappable(path)
    try:
        _check_header(header, verb="has")
        try:
            header_text = json.dumps(header, sort_keys=True, separators=(",", ":"), allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise _Refused(f"the header cannot be written as JSON ({error}); use strings, finite numbers, lists and dicts.") from None
        plain = {key: _plain(key, array) for key, array in arrays.items()}
    except _Refused as reason:
        raise InputError(str(reason), name) from None
    order = sorted(plain, key=lambda key: (plain[key].nbytes % ALIGNMENT > 0, -plain[key].itemsize, key))
    table: dict[str, Any] = {}
    done = 0
    for key in order:
        array = plain[key]
        table[key] = {"dtype": NAMES[array.dtype], "shape": list(array.shape), "data_offsets": [done, done + array.nbytes]}
        done += array.nbytes
    digests = json.dumps({key: _digest(plain[key]) for key in sorted(plain)}, separators=(",", ":"))
    sums = json.dumps({key: zlib.crc32(_bytes(plain[key])) for key in sorted(plain) if _is_index(plain[key])}, separators=(",", ":"))
    metadata = {HEADER: header_text, ARRAYS: digests, SEAL: _seal(header_text, digests, table), SUMS: sums}
    text = json.dumps({METADATA: metadata, **table}, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    if len(text) > LONGEST_TABLE:
        raise InputError(f"the header takes {len(text):,} bytes and {LONGEST_TABLE:,} are allowed; move long lists into arrays.", name)
    try:
        with atomic_writer(path) as handle:
            handle.write(len(text).to_bytes(8, "little") + text)
            for key in order:
                handle.write(_bytes(plain[key]))
    except OSError as error:
        raise unwritten(error, name) from None
    return 8 + len(text) + done


def check_place(path: str | os.PathLike[str]) -> None:
    """Refuse a name under which no model could be saved, before the work that makes one."""
    check_output(_mappable(path))


def _mappable(path: str | os.PathLike[str]) -> str:
    name = os.fsdecode(path)
    if name == "-" or name.endswith(".gz"):
        raise InputError("models are memory-mapped and so cannot be packed or piped; give a file name that ends in .safetensors.", name)
    return name


def load(path: str | os.PathLike[str], *, verify: bool = False) -> tuple[dict, dict[str, np.ndarray]]:
    """The header and the arrays of a model, views of the mapped file: nothing is copied, pages are read when touched.

    The mapping is private: writing to an array never reaches the file. (Read-only arrays would make Numba compile every kernel again.)

    The table is always checked, by its own digest too, and arrays of whole numbers, which others are found by, against their checksums;
    `verify` reads everything and checks the digest of each array.
    """
    name = os.fspath(path)
    try:
        return _load(name, verify)
    except _Refused as reason:
        raise InputError(str(reason), name) from None
    except FileNotFoundError:
        raise InputError("there is no such file; check the path.", name) from None
    except OSError as error:
        raise InputError(f"the file cannot be read ({error.strerror}); check its permissions.", name) from None


def _load(name: str, verify: bool) -> tuple[dict, dict[str, np.ndarray]]:
    mode = os.stat(name).st_mode
    if stat.S_ISDIR(mode):
        raise _Refused("this is a folder; give one model file in it.")
    if not stat.S_ISREG(mode):
        raise _Refused("this is a pipe or device and models are memory-mapped; give a file on disk.")
    with open(name, "rb") as handle:
        size = os.fstat(handle.fileno()).st_size
        if not size:
            raise _Refused("the file is empty; save or copy the model again.")
        mapped = mmap.mmap(handle.fileno(), size, access=mmap.ACCESS_COPY)
    length = int.from_bytes(mapped[:8], "little")
    if size < 8 or length > min(LONGEST_TABLE, size - 8) or mapped[8:9] != b"{":
        raise _Refused(_stranger(mapped, length))
    table = _json_object(mapped[8 : 8 + length], "the table of arrays")
    metadata = table.pop(METADATA, None)
    if metadata is None or (isinstance(metadata, dict) and HEADER not in metadata):
        raise _Refused("this is a .safetensors file and not a widemargin model; give a file saved by widemargin.")
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise _Refused(f"the metadata is not a table of strings; {DAMAGED}")
    header = _json_object(metadata[HEADER], "the header")
    _check_header(header, verb="of the file has")
    extents = [(*_extent(key, entry), key) for key, entry in table.items()]
    _check_layout(extents, size - 8 - length)
    if metadata.get(SEAL) != _seal(metadata[HEADER], metadata.get(ARRAYS, ""), table):
        raise _Refused(f"the header does not match its digest; {DAMAGED}")
    arrays = {key: _view(mapped, 8 + length + begin, table[key]) for begin, _, key in extents}
    quick = not verify and SUMS in metadata  # files of older versions have digests alone
    known = _json_object(metadata.get(SUMS if quick else ARRAYS, ""), "the list of digests")
    for key, array in arrays.items():
        if (verify or _is_index(array)) and known.get(key) != (zlib.crc32(_bytes(array)) if quick else _digest(array)):
            raise _Refused(f"the array {_shown(key)} does not match its digest; {DAMAGED}")
    return header, dict(sorted(arrays.items()))


def _check_header(header: Any, verb: str) -> None:
    """Refuse a header without a format that can be read and a kind that is known."""
    if not isinstance(header, dict):
        raise _Refused("the header is not a JSON object; give a dict with at least the keys format and kind.")
    version, kind = header.get("format"), header.get("kind")
    if type(version) is not int or version < 1:
        raise _Refused(f'the header {verb} the format {_shown(version)}; it must be a whole number from 1, "format": {FORMAT}.')
    if version > FORMAT:
        raise _Refused(f"the header {verb} the format {_shown(version)} and this version reads formats up to {FORMAT}; upgrade widemargin.")
    if kind not in KINDS:
        raise _Refused(f'the header {verb} the kind {_shown(kind)}; it must be "model" or "checkpoint".')


def _plain(key: str, array: Any) -> np.ndarray:
    """The array in C order, little-endian; a copy only where it was not."""
    if not isinstance(key, str) or key == METADATA or any("\ud800" <= letter <= "\udfff" for letter in key):
        raise _Refused(f"{_shown(key)} cannot name an array; use another string.")
    array = np.asarray(array)
    dtype = array.dtype.newbyteorder("<") if array.dtype.kind in "biuf" else array.dtype
    if dtype not in NAMES:
        raise _Refused(f"the array {_shown(key)} has the type {array.dtype}, which a model cannot hold; use one of {', '.join(DTYPES)}.")
    return np.asarray(array, dtype=dtype, order="C")


def _bytes(array: np.ndarray) -> memoryview:
    """The memory of an array in C order, without a copy."""
    return array.reshape(-1).view(np.uint8).data


def _is_index(array: np.ndarray) -> bool:
    """Whether an array is of whole numbers: by such ones others are found, so a wrong bit in them does the most harm."""
    return array.dtype.kind in "biu"


def _shown(name: Any) -> str:
    """A name, or what stands in its place, as a message shows it."""
    text = repr(name)
    return text if len(text) <= 60 else text[:57] + "..."


def _digest(array: np.ndarray) -> str:
    return hashlib.sha256(_bytes(array)).hexdigest()


def _seal(header_text: str, digests: str, table: dict[str, Any]) -> str:
    """The digest of all that the table says. Places are left out, so that other tools may write the arrays in another order."""
    entries = [[key, table[key]["dtype"], table[key]["shape"]] for key in sorted(table)]
    return hashlib.sha256(json.dumps([header_text, digests, entries], separators=(",", ":")).encode()).hexdigest()


def _stranger(mapped: mmap.mmap, length: int) -> str:
    """What to say of a file that does not begin like a .safetensors file that is all there."""
    size, beginning = len(mapped), mapped[:400]
    if size > 8 and beginning[8:9] == b"{" and size - 8 < length <= LONGEST_TABLE:
        return f"the file is cut short: its table takes {length:,} bytes and {size - 8:,} are there; copy or save the model again."
    for pattern, sentence in STRANGERS:
        if pattern.match(beginning) and (pattern is not OLD_PICKLE or mapped[-1:] == b"."):
            return sentence
    if size <= 8:
        return f"the file is cut short: it has only {size} bytes; copy or save the model again."
    return "this is not a widemargin model, or its first bytes are damaged; give a .safetensors file saved by widemargin."


def _json_object(text: bytes | str, what: str) -> dict[str, Any]:
    """A JSON object, refused when it is not one or gives a key twice."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            raise _Refused(f"{what} gives a key twice; {DAMAGED}")
        return members

    try:
        members = json.loads(text.decode() if isinstance(text, bytes) else text, object_pairs_hook=unique)
    except (ValueError, RecursionError):
        raise _Refused(f"{what} is not JSON; {DAMAGED}") from None
    if not isinstance(members, dict):
        raise _Refused(f"{what} is not a JSON object; {DAMAGED}")
    return members


def _whole_numbers(numbers: Any) -> bool:
    return isinstance(numbers, list) and all(type(number) is int and number >= 0 for number in numbers)


def _extent(key: str, entry: Any) -> tuple[int, int]:
    """Where an array begins and ends, when what the table says of it makes sense."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise _Refused(f"the array {_shown(key)} is not described by dtype, shape and data_offsets; {DAMAGED}")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise _Refused(f"the array {_shown(key)} has the unknown type {_shown(dtype)}; known are {', '.join(DTYPES)}.")
    if not _whole_numbers(shape) or len(shape) > MOST_AXES or not _whole_numbers(offsets) or len(offsets) != 2:
        raise _Refused(f"the array {_shown(key)} has no proper shape or data_offsets; {DAMAGED}")
    begin, end = offsets
    if end - begin != math.prod(shape) * DTYPES[dtype].itemsize:
        raise _Refused(f"the array {_shown(key)} has the shape {_shown(shape)} of {dtype} and not the bytes for it; {DAMAGED}")
    return begin, end


def _check_layout(extents: list[tuple[int, int, str]], available: int) -> None:
    """Refuse arrays that overlap, leave holes, or do not end where the file ends."""
    done = 0
    for begin, end, key in sorted(extents):
        if begin != done:
            raise _Refused(f"the array {_shown(key)} overlaps another or leaves a hole; {DAMAGED}")
        done = end
    if done != available:
        fault = "cut short" if done > available else "too long"
        raise _Refused(f"the file is {fault}: its arrays take {done:,} bytes and {available:,} are there; copy or save the model again.")


def _view(mapped: mmap.mmap, offset: int, entry: dict[str, Any]) -> np.ndarray:
    """An array on the mapped bytes; a copy only of what another tool has put at an odd address."""
    try:
        array: np.ndarray = np.ndarray(tuple(entry["shape"]), DTYPES[entry["dtype"]], buffer=mapped, offset=offset)
    except (ValueError, OverflowError):  # no elements, and axes beyond what NumPy can count
        raise _Refused(f"the shape {_shown(entry['shape'])} is too large; {DAMAGED}") from None
    return array if array.flags.aligned else array.copy()
