"""Small problems over trees of the embedded corpus, and slow twins of what the kernels do."""

import dataclasses

import numpy as np

from widemargin.families.dependencies.problem import ArcProblem
from widemargin.families.dependencies.sources import open_treebank
from widemargin.families.dependencies.training import pose_trees
from widemargin.families.recipes import Recipe

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
    recipe = Recipe(
        "depparse",
        learner="ops",
        objective=objective,
        structure=structure,
        labelled=labelled,
        templates=templates,
        hash_bits=10,
        label_bits=6,
        cost=cost,
    )
    recipe = dataclasses.replace(recipe, l1=l1, l2=l2, **more)
    return pose_trees(recipe, small(sentences)).problem


def random_weights(problem: ArcProblem, seed: int = 0, scale: float = 0.3) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=problem.shape) * scale
