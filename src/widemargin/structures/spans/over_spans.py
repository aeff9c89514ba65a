"""What every structure over spans is given: the answers of engine/structure.py, for a workspace that has the fields lanes, spans,
splits and grammar. argmax, logsum, tilt and kbest are its own."""

import numpy as np

from widemargin.compiler.jit import tiny
from widemargin.engine.structure import (
    add_output,
    augment,
    clear,
    copy_output,
    gold_part,
    negate,
    output_cost,
    output_score,
    outputs,
    part_at,
    set_direction,
    set_part,
    slots,
    take_gold,
    worst,
)
from widemargin.structures.negation import negate_rows
from widemargin.structures.spans.kernel import clear_grammar, count_spans, forget, forget_splits, negate_grammar, negate_splits
from widemargin.structures.spans.nodes import add_node, node_at, node_score
from widemargin.structures.spans.prices import keep_gold, lay_costs, lay_prices, tree_cost, worst_tree

FIELD = 16  # bits of each of the four numbers of a node: up to 32,767 words and 65,536 symbols
MASK = (1 << FIELD) - 1


def augment_spans(s, gold, price, n, cost, inside):
    """work and rebates = scores + cost * price."""
    lay_costs(price, s, gold, n, cost)
    if inside:
        keep_gold(s, gold, n)


def take_gold_nodes(s, gold, n, out):
    """out = the gold's nodes."""
    for x in range(len(gold.node)):
        for f in range(4):
            out[x, f] = gold.node[x, f]
    return len(gold.node) > 0


def direct_at_spans(s, gold, price, n):
    """direction = price against the gold."""
    lay_prices(s, gold, price, n, 1.0, s.spans.direction, s.spans.rebates.direction)


def add_nodes(s, n, sign, out):
    """mu += sign * indicator of the tree."""
    for x in range(2 * n - 1):
        add_node(s, node_at(out, x), n, sign)


def nodes_score(s, n, out):
    """Sum over the tree's nodes."""
    value = 0.0
    for x in range(2 * n - 1):
        value += node_score(s, node_at(out, x), n)
    return value


def clear_spans(s, n):
    """mu = 0."""
    spans = s.spans
    forget(spans.span, n if spans.only_words else count_spans(n))
    for a in range(spans.root.mu.shape[1]):
        spans.root.mu[0, a] = 0.0
    forget_splits(s.splits, n)
    clear_grammar(s.grammar)


def negate_spans(s, n):
    """Scores of nodes, splits and productions change signs."""
    negate_rows(s.spans.span.score, n if s.spans.only_words else count_spans(n))
    negate_rows(s.spans.root.score, 1)
    negate_splits(s.splits, n)
    negate_grammar(s.grammar)


def both_outputs(s):
    """The two outputs of the workspace."""
    return s.spans.output


def copy_nodes(s, n, out, at, into):
    """into: int32 [N, 4], the nodes of all sentences."""
    for x in range(2 * n - 1):
        for f in range(4):
            into[at + x, f] = out[x, f]


# ---- outputs as numbers: a slot is a node in pre-order, its number packs first, split + 1, end and symbol ------------------------------


def price_nodes(s, gold, price, n, out):
    """Summed over nodes (prices.py), or by counts (count_prices.py)."""
    return tree_cost(price, s, gold, n, out)


def find_worst(s, gold, price, n, need, out):
    """By counts (count_prices.py)."""
    return worst_tree(price, s, gold, n, need, out)


def count_nodes(s, n):
    """One for each node."""
    return 2 * n - 1


@tiny
def packed(node, t):
    """Node t as one number."""
    return (((np.int64(node[t, 0]) << FIELD | (node[t, 1] + 1)) << FIELD) | node[t, 2]) << FIELD | node[t, 3]


def packed_node(s, out, t):
    """Node t of a tree as one number."""
    return packed(out, t)


def unpack_node(s, out, t, part):
    """Node t of out is this one."""
    out[t, 0], out[t, 1] = part >> 3 * FIELD, (part >> 2 * FIELD & MASK) - 1
    out[t, 2], out[t, 3] = part >> FIELD & MASK, part & MASK


def packed_gold(s, gold, t):
    """Node t of the gold as one number."""
    return packed(gold.node, t)


def over_spans(kind):
    """Gives a structure these answers."""
    bodies = {
        augment: augment_spans,
        take_gold: take_gold_nodes,
        set_direction: direct_at_spans,
        add_output: add_nodes,
        output_score: nodes_score,
        clear: clear_spans,
        negate: negate_spans,
        outputs: both_outputs,
        copy_output: copy_nodes,
        output_cost: price_nodes,
        worst: find_worst,
        slots: count_nodes,
        part_at: packed_node,
        set_part: unpack_node,
        gold_part: packed_gold,
    }
    for question, body in bodies.items():
        question.when(kind)(body)
    return kind
