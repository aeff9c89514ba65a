"""Gold trees as a parser can have them: binarised, with its symbols; what it cannot have is left out and counted."""

from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError, several
from widemargin.families.constituency.binary import Binariser
from widemargin.families.constituency.inventory import Inventory
from widemargin.families.constituency.kernels.parsing import best_known
from widemargin.families.constituency.kinds import Kind
from widemargin.families.constituency.problem import Gold, SpanProblem
from widemargin.families.constituency.symbols import CONSTITUENT
from widemargin.families.constituency.trees import UNKNOWN, Trees


@dataclass(frozen=True)
class GoldTrees:
    """Some sentences of a treebank, with what is known of their trees."""

    rows: np.ndarray  # int64 [n], which sentences of the treebank
    gold: Gold
    inventory: Inventory
    remarks: tuple[str, ...]  # on what was left out


def find_gold(trees: Trees, binariser: Binariser, kind: Kind, inventory: Inventory | None = None, *, empty: bool = False) -> GoldTrees:
    """Gold trees with the symbols of an inventory, or of their own. Sentences without words or without a tree are left out, and those whose
    tree an inventory does not have. empty: none may be left."""
    there = (np.diff(trees.row_ptr) > 0) & trees.parsed
    if not there.any():
        raise InputError("no sentence has a tree to learn from; give trees in brackets", trees.source)
    remarks = [] if there.all() else [f"{(~there).sum():,} sentences without words or without a tree are left out"]
    rows = np.flatnonzero(there)
    whole = rows[~trees.partial[rows]]
    if not len(whole) and inventory is None:
        raise InputError("no tree is wholly known, so there is no grammar to learn; give some that are", trees.source)
    binary = binariser(trees.part(whole)) if len(whole) else None
    if inventory is None:
        assert binary is not None
        inventory = Inventory.of(binary, kind)
    known: dict[int, np.ndarray] = {}
    if binary is not None:
        node, good = inventory.gold(binary)
        known = {int(row): node[low:high] for row, low, high, g in zip(whole, binary.node_ptr, binary.node_ptr[1:], good) if g}
    brackets, sets = partial_gold(trees, rows[trees.partial[rows]], inventory)
    kept = np.array([row for row in rows.tolist() if row in known or row in brackets], np.int64)
    if len(kept) < len(rows):
        remarks.append(f"{several(len(rows) - len(kept), 'sentence')} left out: the grammar lacks symbols or productions of their trees")
    if not len(kept) and not empty:
        raise InputError("the grammar of the model to start from has none of these trees; train without --init", trees.source)
    nothing = np.zeros((0, 4), np.int32), np.zeros((0, 3), np.int32)
    nodes, found = [known.get(row, nothing[0]) for row in kept.tolist()], [brackets.get(row, nothing[1]) for row in kept.tolist()]
    gold = Gold(_bounds(nodes), np.concatenate([nothing[0], *nodes]), _bounds(found), np.concatenate([nothing[1], *found]), sets)
    return GoldTrees(kept, gold, inventory, tuple(remarks))


def has_tree(problem: SpanProblem) -> np.ndarray:
    """Which sentences have a tree with all brackets that are known, bool [n]; asked where a tree is not wholly known."""
    asked = np.flatnonzero(np.diff(problem.corpus.gold.node_at) == 0)
    found = np.ones(problem.corpus.rows, bool)
    if len(asked):
        part = problem.part(asked)
        value, room = np.zeros(len(asked)), part.corpus.longest
        best_known(part.rows(np.float32, room), part.workspace(np.float32, room), part.reader(part.zeros(np.float32)), value)
        found[asked] = np.isfinite(value)
    return found


def partial_gold(trees: Trees, rows: np.ndarray, inventory: Inventory) -> tuple[dict[int, np.ndarray], np.ndarray]:
    """Brackets of trees that are known in part, int32 [B, 3] by sentence, and the sets of symbols they name, bool [C, K]. Sentences with
    brackets that no symbol has are not there.

    A bracket may be part of a chain, so its symbols are all chains with its labels in their order; `?` is any label."""
    sets: dict[tuple[str, ...], int] = {}
    masks: list[np.ndarray] = []
    out = {}
    for row in rows.tolist():
        chains: dict[tuple[int, int], list[str]] = {}
        for first, end, label in trees.nodes(row)[1:].tolist():
            chains.setdefault((first, end), []).append(trees.labels[label])
        found = []
        for (first, end), labels in chains.items():
            key = tuple(labels)
            if key not in sets:
                sets[key] = len(masks)
                masks.append(np.array([_has_chain(item.labels, key) and item.kind == CONSTITUENT for item in inventory.symbols.items]))
            found.append((first, end, sets[key], (masks[sets[key]] & inventory.legal[int(end - first > 1)]).any()))
        if all(possible for *_, possible in found):
            out[row] = np.array([bracket[:3] for bracket in found], np.int32).reshape(-1, 3)
    return out, np.array(masks, bool).reshape(-1, len(inventory))


def _has_chain(labels: tuple[str, ...], known: tuple[str, ...]) -> bool:
    """Are the known labels among these, in this order? `?` is any."""
    left = iter(labels)
    return all(any(name in (UNKNOWN, label) for label in left) for name in known)


def _bounds(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
