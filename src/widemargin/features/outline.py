"""What templates look at: known before any data are there, and so worked out once for all of them."""

import itertools
from collections.abc import Sequence

import numpy as np

from widemargin.features.atoms import Atom, Call, Column, Mark, Template
from widemargin.features.derived import is_bounded
from widemargin.features.index import boundary
from widemargin.features.lexicons import Strings


class Outline:
    """The derived columns of templates, in the order in which a layout has them, and how each of two kinds of templates reads them."""

    def __init__(self, templates: Sequence[Template]):
        atoms = [atom for template in templates for atom in seen_atoms(template)]
        self.pad = max((abs(atom.offset) for atom in atoms), default=0)
        self.whats = list({str(atom.what): atom.what for atom in atoms}.values())
        self.at: dict[tuple[str, int], int] = {}  # the column of an expression's alternative
        bounded: list[bool] = []
        for what in self.whats:
            for rank in range(ways(what)):
                self.at[str(what), rank] = len(bounded)
                bounded.append(is_bounded(what))
        self.bounded = np.array(bounded, bool)
        self.first = 1 + 2 * self.pad * self.bounded.astype(np.int64)  # each column's first code that is a string
        ends = [boundary(k, after=after) for after in (False, True) for k in range(1, self.pad + 1)]
        self.outside = Strings.of_bytes(ends).hashes()
        self.kinds = Readings(node_templates(templates), self.at), Readings(edge_templates(templates), self.at)


class Readings:
    """Templates by the columns that they read; one with alternatives (had) stands there once for each of them."""

    def __init__(self, templates: Sequence[Template], at: dict[tuple[str, int], int]):
        owner: list[int] = []
        chosen: list[list[tuple[int, int]]] = []  # of each: (derived column, offset) of its atoms
        self.expressions: list[list[str]] = []  # of each: what its atoms look at
        for m, template in enumerate(templates):
            atoms = seen_atoms(template)
            for ranks in itertools.product(*(range(ways(atom.what)) for atom in atoms)):
                owner.append(m)
                self.expressions.append([str(atom.what) for atom in atoms])
                chosen.append([(at[str(atom.what), rank], atom.offset) for atom, rank in zip(atoms, ranks)])
        self.owner, self.count = np.array(owner, np.int32), np.array(list(map(len, chosen)), np.int64)
        self.most = int(self.count.max(initial=0))
        self.atom = np.concatenate([[0], np.cumsum(self.count)]).astype(np.uint64)
        flat = [pair for each in chosen for pair in each]
        self.column, self.offset = (np.array([pair[k] for pair in flat], np.int64) for k in (0, 1))
        self.filled = np.arange(max(1, self.most)) < self.count[:, None]  # bool [readings, most atoms]
        self.grid = np.full(self.filled.shape, -1)  # the column of each atom
        self.grid[self.filled] = self.column


def ways(what: Column | Call | Mark) -> int:
    """How many strings an expression may have at a token."""
    call = learnt_call(what)
    return call.alternatives if call else 1


def node_templates(templates: Sequence[Template]) -> tuple[Template, ...]:
    """Those that look at a token alone."""
    return tuple(template for template in templates if not template.previous_label)


def edge_templates(templates: Sequence[Template]) -> tuple[Template, ...]:
    """Those that look at the label before too; label[-1] alone is the transition that every chain has."""
    return tuple(template for template in templates if template.previous_label and template.atoms)


def seen_atoms(template: Template) -> list[Atom]:
    """The atoms that look at something."""
    return [atom for atom in template.atoms if not (isinstance(atom.what, Mark) and atom.what.name == "bias")]


def learnt_call(what: Column | Call | Mark) -> Call | None:
    """The had(...) or seen(...) in an expression, if there is one: nothing stands around it."""
    return what if isinstance(what, Call) and what.alternatives else None
