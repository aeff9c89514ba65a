"""Arrays and headers that say what is not so: edits as plain data, drawn for a model and applied to it."""

import copy
from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np

DTYPES = ("u1", "i1", "i4", "i8", "u8", "f2", "f4", "f8", "?", "u4")
EXTREMES = (0, 1, -1, 2, 3, 255, 1 << 20, (1 << 31) - 1, -(1 << 31), 1 << 44, (1 << 62) + 1, -(1 << 63))
FLOATS = (0.0, -1.0, 1e30, -1e38, float("nan"), float("inf"), float("-inf"), 1e-40)
VALUES: tuple[Any, ...] = (
    *(None, True, False, "", "x", "x" * 3000, "é\n", [], {}, [[]], ["a"], [1], {"a": 1}, {"name": "x"}, [None]),
    *(0, 1, -1, 2, 28, 63, 64, 1 << 40, 10**30, 0.0, -1.0, 1e300, float(10**6)),
    *(
        "chain",
        "choice",
        "eisner",
        "siblings",
        "arborescence",
        "heads",
        "poly",
        "rbf",
        "BIO",
        "BIOES",
        "pairs",
        "hashed",
        "given",
        "templates",
    ),
    *("chunk", "ner", "depparse", "tag", "tagging", "dependencies", "word[0]", "match(word,/^(([a-zA-Z])+)+$X/)"),
)


def edits(random: Random, header: dict, arrays: Mapping[str, np.ndarray]) -> list[list]:
    """One to three lies about a model."""
    return [_edit(random, header, arrays) for _ in range(random.choice((1, 1, 1, 2, 3)))]


def _edit(random: Random, header: dict, arrays: Mapping[str, np.ndarray]) -> list:
    if not arrays or random.random() < 0.35:
        places = [place for place in _places(header, []) if place[:2] != ["facts", "history"]]
        return ["header", random.choice(places), random.choice(("set", "set", "set", "drop", "double", "cut")), random.choice(VALUES)]
    name = random.choice(sorted(arrays))
    how = random.choice(
        ("set", "set", "set", "add", "fill", "cut", "cut", "longer", "dtype", "reshape", "drop", "shuffle", "other", "flip")
    )
    value = random.choice(FLOATS) if arrays[name].dtype.kind == "f" else random.choice(EXTREMES)
    return ["array", name, how, random.random(), value, random.choice(DTYPES if how == "dtype" else sorted(arrays))]


def _places(value: Any, path: list) -> list[list]:
    """Every key of a header, as paths."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    return [found for key in keys for found in ([*path, key], *_places(value[key], [*path, key]))]


def applied(lies: list[list], header: dict, arrays: Mapping[str, np.ndarray]) -> tuple[dict, dict[str, np.ndarray]]:
    """Header and arrays with the lies in them; those given stay as they are."""
    header, out = copy.deepcopy(header), dict(arrays)
    for kind, *lie in lies:
        if kind == "header":
            _in_header(header, *lie)
        elif lie[0] in out:
            _in_array(out, *lie)
    return header, out


def _in_header(header: Any, path: list, how: str, value: Any) -> None:
    try:
        for key in path[:-1]:
            header = header[key]
        old = header[path[-1]]
    except (KeyError, IndexError, TypeError):
        return  # another lie has taken it away
    if not isinstance(header, dict | list):
        return
    if how == "drop":
        del header[path[-1]]
    elif how == "double" and isinstance(old, list | str):
        header[path[-1]] = old + old
    elif how == "cut" and isinstance(old, list | str):
        header[path[-1]] = old[: len(old) // 2]
    else:
        header[path[-1]] = value


def _in_array(arrays: dict[str, np.ndarray], name: str, how: str, at: float, value: float, other: str) -> None:
    array = arrays[name]
    flat = array.reshape(-1).copy()
    place = int(at * len(flat))
    with np.errstate(all="ignore"):
        number = np.asarray(value).astype(array.dtype)
        if how == "drop":
            del arrays[name]
        elif how == "set" and len(flat):
            flat[place] = number
            arrays[name] = flat.reshape(array.shape)
        elif how == "add" and len(flat):
            flat[place:] += number
            arrays[name] = flat.reshape(array.shape)
        elif how == "fill":
            arrays[name] = np.full(array.shape, number, array.dtype)
        elif how == "flip" and flat.nbytes:
            flat.view(np.uint8)[int(at * flat.nbytes)] ^= 1 << int(at * 8191) % 8
            arrays[name] = flat.reshape(array.shape)
        elif how == "cut":
            arrays[name] = array[: int(at * len(array))].copy() if array.ndim else array
        elif how == "longer":
            arrays[name] = np.concatenate([array, array[: 1 + int(at * 8)]]) if array.ndim else array
        elif how == "dtype":
            arrays[name] = array.astype(other)
        elif how == "reshape":
            shapes = ((-1,), (1, -1), (-1, 1), (1, *array.shape), array.shape[::-1])
            arrays[name] = flat.reshape(shapes[int(at * len(shapes))])
        elif how == "shuffle":
            arrays[name] = np.random.default_rng(int(at * 1e6)).permutation(array) if array.ndim else array
        elif how == "other":
            arrays[name] = arrays.get(other, array).copy()
