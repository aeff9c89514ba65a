"""Small problems over trees of the embedded corpus, and slow twins of what the kernels do."""

import dataclasses

import numpy as np

from widemargin.kernels.arc_batch import score_sentence
from widemargin.problem_arcs import ArcProblem
from widemargin.tasks.parser import fixed
from widemargin.tasks.parsing import TreeRecipe, pose_trees
from widemargin.tasks.treebanks import open_treebank

TEMPLATES = """
bias
head.xpos
mod.lemma mod.upos
head.xpos mod.xpos
lower(head.form) mod.xpos[-1] mod.xpos
head.upos mod.upos between.upos
head.upos mod.upos match(between.upos,/^PUNCT$/) match(between.upos,/^VERB$/)
label head.xpos mod.xpos
label mod.feats mod.upos
label head.upos
"""


SIBLINGS = """
sib.xpos mod.xpos
sib.lemma mod.upos[1]
head.xpos sib.upos mod.xpos
head.upos sib.xpos[-1]
"""


def small(sentences: int = 12, longest: int = 9):
    """Short sentences, so that slow twins stay quick."""
    treebank = open_treebank("town:train:200", subtypes=False)
    short = np.flatnonzero(np.diff(treebank.row_ptr) <= longest)[:sentences]
    words = np.concatenate([np.arange(*treebank.row_ptr[i : i + 2]) for i in short])
    token = np.concatenate([[0], np.cumsum(np.diff(treebank.row_ptr)[short])])
    columns = dataclasses.replace(treebank.columns, codes=np.ascontiguousarray(treebank.columns.codes[:, words]), row_ptr=token)
    return dataclasses.replace(treebank, columns=columns, heads=treebank.heads[words], relation=treebank.relation[words])


def problem(*, structure="eisner", objective="hinge", labelled=True, sentences=12, l1=0.0, l2=0.0, cost="hamming", **more) -> ArcProblem:
    """A problem with tables so small that features collide."""
    templates = TEMPLATES + SIBLINGS if structure == "siblings" else TEMPLATES
    recipe = TreeRecipe(
        learner="ops", objective=objective, structure=structure, labelled=labelled, templates=templates, bits=10, label_bits=6, cost=cost
    )
    recipe = dataclasses.replace(recipe, l1=l1, l2=l2, **more)
    return pose_trees(recipe, small(sentences))[0]


def random_weights(problem: ArcProblem, seed: int = 0, scale: float = 0.3) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=problem.shape) * scale


def alone(whole: ArcProblem, i: int) -> ArcProblem:
    """The problem of one sentence, without a penalty."""
    return dataclasses.replace(
        whole, corpus=whole.corpus.part(np.array([i])), penalty=dataclasses.replace(whole.penalty, l1=0.0, l2=0.0), _blocks=None
    )


def scores_of(posed: ArcProblem, i: int, w: np.ndarray) -> np.ndarray:
    """Scores of all arcs of sentence i, [n+1, n+1] or with labels [n+1, n+1, R]."""
    part, n = posed.corpus.part(np.array([i])), int(np.diff(posed.corpus.token)[i])
    tables, rows = fixed(posed.structure, posed.linear(np.ascontiguousarray(w)), part)
    s = posed.structure.workspace(n, dtype=np.float64)
    score_sentence(s, rows, np.int64(0), np.int64(n), tables)
    if not posed.labels:
        return s.arcs.score.copy()
    return s.arcs.score[..., None] + s.arcs.labels.score.reshape(n + 1, n + 1, -1)[..., : posed.labels]


def prices_of(posed: ArcProblem, i: int) -> np.ndarray:
    """What every arc of sentence i costs: a wrong head its price, a right head the price of the label."""
    low, high = posed.corpus.token[i : i + 2]
    n, cost = int(high - low), posed.cost
    out = np.zeros((n + 1, n + 1, max(posed.labels, 1)))
    for m, (g, y) in enumerate(posed.corpus.gold[low:high], start=1):
        out[:, m] = cost.head[y]
        out[g, m] = cost.label[y] if posed.labels else 0.0
    return out if posed.labels else out[..., 0]


def tree(posed: ArcProblem, heads, labels) -> np.ndarray:
    """The indicator of a tree, in the shape of its scores."""
    n = len(heads)
    out, words = np.zeros((n + 1, n + 1, posed.labels or 1)), np.arange(1, n + 1)
    out[heads, words, labels if posed.labels else 0] = 1.0
    return out if posed.labels else out[..., 0]


def gold_tree(posed: ArcProblem, i: int) -> np.ndarray:
    return tree(posed, *posed.corpus.gold[slice(*posed.corpus.token[i : i + 2])].T)


def weighted(posed: ArcProblem) -> ArcProblem:
    """The same, with sentences that count differently; one of them not at all."""
    weight = np.random.default_rng(0).uniform(0.2, 2.0, posed.corpus.rows)
    weight[1] = 0.0
    return dataclasses.replace(posed, corpus=dataclasses.replace(posed.corpus, weight=weight))
