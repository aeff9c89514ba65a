"""Cases as small JSON files, and smaller cases for the same finding. A case is a dict of plain data and bytes."""

import base64
import hashlib
import json
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

FOUND = pathlib.Path(__file__).parent / "found"
BYTES = "base64"


def packed(value: Any) -> Any:
    """As JSON can hold it."""
    if isinstance(value, bytes):
        return {BYTES: base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {key: packed(member) for key, member in value.items()}
    return [packed(member) for member in value] if isinstance(value, list | tuple) else value


def unpacked(value: Any) -> Any:
    if isinstance(value, dict):
        return base64.b64decode(value[BYTES]) if set(value) == {BYTES} else {key: unpacked(member) for key, member in value.items()}
    return [unpacked(member) for member in value] if isinstance(value, list) else value


def write_found(target: str, mode: str, case: dict, what: str) -> pathlib.Path:
    """A case that is to be run again by every test run."""
    text = json.dumps({"target": target, "mode": mode, "what": what, "case": packed(case)}, indent=1, sort_keys=True)
    path = FOUND / f"{target}-{hashlib.sha256(json.dumps(packed(case), sort_keys=True).encode()).hexdigest()[:10]}.json"
    FOUND.mkdir(exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def read_found() -> Iterator[tuple[str, str, str, dict]]:
    """(name, target, mode, case) of all files."""
    for path in sorted(FOUND.glob("*.json")):
        read = json.loads(path.read_text(encoding="utf-8"))
        yield path.name, read["target"], read["mode"], unpacked(read["case"])


def minimised(case: dict, same: Callable[[dict], bool], tries: int = 300) -> dict:
    """A smaller case for which `same` still holds: pieces of its text, bytes and lists are left out as long as that works."""
    for key in sorted(case):
        if not isinstance(case[key], bytes | list) and key != "text":
            continue
        size = max(len(case[key]) // 2, 1)
        while tries > 0 and len(case[key]):
            at, shorter = 0, False
            while at < len(case[key]) and tries > 0:
                tries -= 1
                trial = case | {key: case[key][:at] + case[key][at + size :]}
                if same(trial):
                    case, shorter = trial, True
                else:
                    at += size
            if size == 1 and not shorter:
                break
            size = max(size // 2, 1)
    return case
