"""Features of tokens to best labels, on several threads."""

import weakref

import numpy as np

from widemargin.compiler.lanes import only_wide, width_of
from widemargin.engine.gradient import decode_all
from widemargin.engine.rows import Places, Rows
from widemargin.engine.terms import UNKNOWN
from widemargin.parallel import together
from widemargin.scoring.corpus import NO_BASE, ONES
from widemargin.scoring.optional_inputs import Base, Values
from widemargin.scoring.score import Linear, Tokens, reader_of
from widemargin.scoring.token_features import Features


def in_lanes(scores: np.ndarray, structure) -> np.ndarray:
    """Scores [N, Y] in whole lanes float32 [N, L]."""
    out = np.zeros((len(scores), width_of(structure.lanes)), np.float32)
    out[:, : structure.labels] = scores
    return out


def rows_of(structure, features: Features, base: np.ndarray | None = None) -> Rows:
    """Rows of a structure, of which no label is known: sentences of a chain, single tokens of a choice."""
    token = np.arange(features.row_ptr[-1] + 1) if structure.splits_rows else features.row_ptr
    edge_ptr = features.edge_ptr if len(features.edge_ptr) else np.zeros(1, np.int64)
    value = Values(features.node_val) if len(features.node_val) else ONES
    token = np.ascontiguousarray(token, np.int64)
    tokens = Tokens(
        token, features.node_ptr, features.node_ind, edge_ptr, features.edge_ind, value, NO_BASE if base is None else Base(base)
    )
    free = np.zeros((1, width_of(structure.lanes)), np.float32)
    return Rows(
        Places(token, np.full(int(token[-1]), UNKNOWN, np.int32), free, only_wide(structure.lanes)), tokens, np.ones(len(token) - 1)
    )


def longest_of(rows: Rows) -> int:
    """Tokens of the longest row."""
    return int(np.diff(rows.input.token).max(initial=1))


def looks_at_input(rows: Rows) -> bool:
    """Do transitions have features?"""
    return len(rows.input.edge_ptr) > 1


def decode_features(structure, weights: Linear, features: Features, *, base: np.ndarray | None = None, threads: int = 1) -> np.ndarray:
    """Best labels int32 [N] under the weights, and base scores in whole lanes [N, L]."""
    rows, reader = rows_of(structure, features, base), reader_of(weights, structure.labels)
    out, at = np.zeros(int(features.row_ptr[-1]), np.int32), rows.input.token
    desks = Desks(structure, longest_of(rows), looks_at_input(rows))

    def job(low, high):
        s = desks.take()

        def decode():
            decode_all(low, high, rows, s, reader, at, out)
            desks.give_back(s)

        return decode

    together(pieces(job, len(at) - 1, threads), threads=threads)
    return out


class Desks:
    """Workspaces for decoding. One for short rows is kept with the structure when it is given back, so that single sentences, asked for
    again and again, need no new memory."""

    def __init__(self, structure, longest: int, per_position: bool):
        self.structure, self.per_position = structure, per_position
        self.short = longest <= SHORT and not per_position
        self.room = SHORT if self.short else longest

    def take(self):
        """One that nobody else has."""
        try:
            if self.short:
                return SPARE[self.structure].pop()
        except (KeyError, IndexError):
            pass
        return self.structure.workspace(self.room, per_position=self.per_position, dtype=np.float32)

    def give_back(self, s) -> None:
        """It is free for others."""
        if self.short and len(kept := SPARE.setdefault(self.structure, [])) < MOST_SPARE:
            kept.append(s)


SHORT, MOST_SPARE = 128, 8  # tokens of a row; workspaces kept
SPARE: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def pieces(job, rows: int, threads: int):
    """Jobs over row ranges; one range per thread, because rows do not touch each other's results."""
    cuts = np.linspace(0, rows, max(threads, 1) + 1).astype(int)
    return [job(int(a), int(b)) for a, b in zip(cuts, cuts[1:])]
