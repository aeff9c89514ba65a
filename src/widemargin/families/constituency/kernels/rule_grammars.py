"""Weights of rules, one behind the other in rows of L behind the root's row (grammars.py); and grammars without any."""

import numpy as np

from widemargin.compiler.lanes import store
from widemargin.engine.rules import peek
from widemargin.engine.tables import room
from widemargin.families.constituency.kernels.grammars import ROW0, gather_grammar, grammar_has_residual, score_grammar
from widemargin.structures.spans.factored import NoGrammar
from widemargin.structures.spans.rules import Rules


@score_grammar.when(NoGrammar)
def _(grammar, seen, lanes, reader):
    pass


@grammar_has_residual.when(NoGrammar)
def _(grammar, skip, lanes):
    return False


@gather_grammar.when(NoGrammar)
def _(grammar, step, lanes, into):
    pass


@score_grammar.when(Rules)
def _(grammar, seen, lanes, reader):
    spare, width, count = seen.spare, seen.spare.shape[1], len(grammar.score)
    for first in range(0, count, width):
        store(spare, 0, peek(reader.rule, reader.tables.grammar, np.int64(1 + first // width), ROW0, reader.now))
        for r in range(first, min(first + width, count)):
            grammar.score[r] = spare[0, r - first]


@grammar_has_residual.when(Rules)
def _(grammar, skip, lanes):
    for r in range(len(grammar.mu)):
        if abs(grammar.mu[r]) > skip:
            return True
    return False


@gather_grammar.when(Rules)
def _(grammar, step, lanes, into):
    width = into.g.shape[1]
    for r in range(len(grammar.mu)):
        if abs(grammar.mu[r]) > step.skip:
            into.g[room(into, np.int64(1 + r // width)) + step.layer, r % width] += grammar.mu[r] * step.scale
