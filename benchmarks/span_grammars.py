"""Grammars for benchmarks/spans.py, read off the Penn sample: right-factored trees, unary chains as one symbol, gold tags."""

import gzip
import os
import pathlib
import re
from collections import Counter

import numpy as np
from harness import Skip


def penn_trees() -> list:
    """Trees as (label, children) or (tag, word), without function tags and null elements."""
    folder = pathlib.Path(os.environ.get("WIDEMARGIN_DATA") or pathlib.Path(__file__).parents[2] / "shared" / "data")
    path = folder / "ptb_sample" / "train.mrg.gz"
    if not path.exists():
        raise Skip(f"needs {path}")
    found = []
    for token in re.findall(r"[()]|[^\s()]+", gzip.decompress(path.read_bytes()).decode()):
        if token == "(":
            found.append(None)
        elif token != ")":
            found.append(token)
        else:
            children = []
            while found[-1] is not None:
                children.append(found.pop())
            found[-1] = closed(children[::-1])
    return [tree[1][0] if tree[0] == "" and len(tree[1]) == 1 else tree for tree in found]


def closed(parts: list):
    """A tree of what stood between two brackets; an empty string where nothing of it is left."""
    label = parts[0] if isinstance(parts[0], str) else ""
    kept = [part for part in parts[1 if label else 0 :] if part]
    if kept and isinstance(kept[0], str):
        return "" if label == "-NONE-" else (label, kept[0])
    label = re.split("[-=|]", label)[0]
    if len(kept) == 1 and isinstance(kept[0][1], list) and label:
        return f"{label}+{kept[0][0]}", kept[0][1]
    return (label, kept) if kept else ""


class Grammar:
    """Productions and their relative frequencies (logarithms), and the tags of sentences. With one_tag all words have the same."""

    def __init__(self, trees: list, *, horizontal: int, one_tag: bool = False):
        self.horizontal, self.one_tag = horizontal, one_tag
        self.numbers: dict[str, int] = {}
        self.rules: Counter = Counter()
        self.words: Counter = Counter()
        self.roots: Counter = Counter()
        self.sentences = [np.array(self.read(tree), np.int64) for tree in trees]
        self.tags = np.array(["tag " in name for name in self.numbers])

    def number(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))

    def read(self, tree) -> list[int]:
        """Counts the productions of a tree; its tags."""
        tags: list[int] = []
        self.roots[self.walk(tree, tags)] += 1
        return tags

    def walk(self, tree, tags: list[int]) -> int:
        label, children = tree
        if isinstance(children, str):
            tags.append(self.number("tag " + ("any" if self.one_tag else label)))
            return tags[-1]
        if len(children) == 1:
            tag = self.walk(children[0], tags)
            self.words[self.number(label), tag] += 1
            return self.number(label)
        return self.join(label, label.split("+")[-1], [(child[0].split("+")[0], self.walk(child, tags)) for child in children])

    def join(self, name: str, label: str, children: list[tuple[str, int]]) -> int:
        """Right-factored: what remains is named by its constituent and the first labels that it covers."""
        (_, first), *rest = children
        second = rest[0][1]
        if len(rest) > 1:
            second = self.join(f"{label}|{'-'.join(child for child, _ in rest[: self.horizontal])}", label, rest)
        self.rules[self.number(name), first, second] += 1
        return self.number(name)

    def frequencies(self, counts: Counter) -> dict:
        """log of count / all of the same parent."""
        total: Counter = Counter()
        for key, count in (*self.rules.items(), *self.words.items()):
            total[key[0]] += count
        return {key: float(np.log(count / total[key[0]])) for key, count in counts.items()}

    def of_length(self, n: int, most: int = 8) -> list[np.ndarray]:
        """Sentences of n words."""
        return [tags for tags in self.sentences if len(tags) == n][:most]

    def legal(self) -> np.ndarray:
        """bool [2, K]: tags are symbols of one word alone, others only of more unless seen above a tag."""
        one = self.tags.copy()
        one[[parent for parent, _ in self.words]] = True
        return np.array([one, ~self.tags])
