"""Everything that a structure over arcs is given: the answers of engine/structure.py, for a workspace that has a field `arcs` and answers
argmax_tree, logsum_trees and tilt_trees (kernel.py)."""

from widemargin.compiler.jit import tiny
from widemargin.engine.structure import (
    UNKNOWN,
    add_output,
    argmax,
    augment,
    clear,
    copy_output,
    gold_part,
    kbest,
    logsum,
    negate,
    output_cost,
    output_score,
    outputs,
    part_at,
    set_direction,
    set_part,
    take_gold,
    tilt,
)
from widemargin.structures.arcs.kbest import kbest_by_branching
from widemargin.structures.arcs.kernel import (
    add_higher,
    add_tree,
    argmax_with_labels,
    augment_arcs,
    clear_arcs,
    clear_higher,
    direct_at_arcs,
    higher_score,
    logsum_with_labels,
    negate_arcs,
    negate_higher,
    no_score,
    nothing_to_add,
    nothing_to_clear,
    nothing_to_negate,
    nothing_to_share,
    share_higher,
    take_gold_heads,
    tilt_with_labels,
    tree_score,
)


def both_trees(s):
    """The two trees of the workspace."""
    return s.arcs.output


def copy_tree(s, n, out, at, into):
    """into: a Tree of int32 [N], by words."""
    for t in range(n):
        into.head[at + t], into.label[at + t] = out.head[t + 1], out.label[t + 1]


# ---- outputs as numbers: a slot is a word, its number head * kinds + label with kinds = max(1, R) -------------------------------------


@tiny
def kinds_of(s):
    """Numbers per head."""
    return max(s.arcs.labels.kinds, 1)


def price_tree(s, gold, price, n, out):
    """Summed over the words whose head is known; a label that is not known costs nothing."""
    cost = 0.0
    for m in range(1, n + 1):
        g, y = gold[m - 1, 0], gold[m - 1, 1]
        if g == UNKNOWN:
            continue
        if out.head[m] != g:
            cost += price.head[y]
        elif s.arcs.labels.kinds > 0 and y != UNKNOWN:
            cost += price.label[y, out.label[m]]
    return cost


def head_at(s, out, t):
    """Head and label of word t + 1."""
    return out.head[t + 1] * kinds_of(s) + out.label[t + 1]


def set_head(s, out, t, part):
    """Word t + 1 has this head and label."""
    out.head[t + 1], out.label[t + 1] = part // kinds_of(s), part % kinds_of(s)


def gold_head(s, gold, t):
    """Head and label of word t + 1 in the gold."""
    return gold[t, 0] * kinds_of(s) + max(gold[t, 1], 0)


def over_arcs(kind):
    """Gives a structure all answers; parts of higher order it has none, unless it registers its own afterwards."""
    bodies = {
        augment: augment_arcs,
        take_gold: take_gold_heads,
        set_direction: direct_at_arcs,
        argmax: argmax_with_labels,
        logsum: logsum_with_labels,
        tilt: tilt_with_labels,
        add_output: add_tree,
        output_score: tree_score,
        clear: clear_arcs,
        negate: negate_arcs,
        outputs: both_trees,
        copy_output: copy_tree,
        kbest: kbest_by_branching,
        output_cost: price_tree,
        part_at: head_at,
        set_part: set_head,
        gold_part: gold_head,
        clear_higher: nothing_to_clear,
        add_higher: nothing_to_add,
        higher_score: no_score,
        share_higher: nothing_to_share,
        negate_higher: nothing_to_negate,
    }
    for question, body in bodies.items():
        question.when(kind)(body)
    return kind
