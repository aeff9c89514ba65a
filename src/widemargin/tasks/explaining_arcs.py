"""Why a parser chose a head: the score of an arc, template by template, beside that of the best other head.

`contributions` reads the same tables as the kernels (kernels/arc_features.py), one template after the other in plain Python: their sum is
the arc's score, which a test holds against the kernels. With siblings, an arc counts together with its part (head, sibling, modifier), the
sibling being the nearest child inside that the head has in the chosen tree.
"""

from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.features.arc_templates import ArcTemplate
from widemargin.kernels.arc_batch import score_sentence
from widemargin.kernels.arc_codes import BINS, FAR, MOST
from widemargin.kernels.decode import answer
from widemargin.kernels.terms import LogSum, Max
from widemargin.readers.conllu import Treebank
from widemargin.structures.trees import Siblings, unknown

from .parser import Parser, fixed


@dataclass(frozen=True)
class Contribution:
    """What one template says for the chosen head, less what it says for the other."""

    template: str
    chosen: float
    other: float

    @property
    def difference(self) -> float:
        return self.chosen - self.other


@dataclass(frozen=True)
class Attachment:
    """A word, its head and relation, how sure they are, and the best other head."""

    word: int  # from 1
    head: int
    relation: str
    probability: float  # of the arc
    other: int  # -1: there is no other
    other_relation: str
    other_probability: float
    margin: float  # score of the arc with its relation, less that of the other
    parts: list[Contribution]


@dataclass(frozen=True)
class ArcExplanation:
    """A sentence and all of its attachments."""

    words: list[str]
    attachments: list[Attachment]


def explain_tree(parser: Parser, treebank: Treebank, sentence: int) -> ArcExplanation:
    """Every word of a sentence (from 0)."""
    if not 0 <= sentence < len(treebank.row_ptr) - 1:
        raise InputError(f"there is no sentence {sentence + 1}; the treebank has {len(treebank.row_ptr) - 1:,}", treebank.source)
    corpus = parser.corpus(treebank).part(np.array([sentence]))
    w, rows = fixed(parser.structure, parser.weights, corpus)
    s, n = parser.structure.workspace(corpus.longest, dtype=np.float32), corpus.longest
    score_sentence(s, rows, 0, n, w)
    prices = parser.structure.prices(dtype=np.float32)
    answer(Max(0.0, False), s, unknown(n), prices, n)
    heads, labels = s.arcs.head[: n + 1].copy(), s.arcs.label[: n + 1].copy()
    score = s.arcs.score[: n + 1, : n + 1].astype(np.float64)
    best = np.zeros((n + 1, n + 1), np.int64)
    if parser.relations:
        rows_of = s.arcs.labels.score[: (n + 1) ** 2, : len(parser.relations)].reshape(n + 1, n + 1, -1)
        best, score = rows_of.argmax(axis=2), score + rows_of.max(axis=2)
    inside = siblings_inside(heads, parser.single_root)
    if isinstance(parser.structure, Siblings):
        score += parser.structure.sibling_scores(s, n)[np.arange(n + 1)[:, None], inside, np.arange(n + 1)]
    parser.structure.cool(s, n, parser.temperature)
    answer(LogSum(0.0, False), s, unknown(n), prices, n)
    chance = s.arcs.mu[: n + 1, : n + 1].astype(np.float64)

    def name(label: int) -> str:
        return parser.relations[label] if parser.relations else "_"

    found = []
    for m in range(1, n + 1):
        h, others = int(heads[m]), [x for x in range(n + 1) if x not in (m, heads[m])]
        other = max(others, key=lambda x: score[x, m]) if others else -1
        mine = contributions(parser, rows, h, int(inside[h, m]), m, int(labels[m]))
        theirs = contributions(parser, rows, other, int(inside[other, m]), m, int(best[other, m])) if others else [0.0] * len(mine)
        texts = [template.text for template in parser.features.templates if parser.relations or not template.label]
        parts = [Contribution(*row) for row in zip(texts, mine, theirs)]
        attachment = Attachment(
            word=m,
            head=h,
            relation=name(int(labels[m])),
            probability=float(chance[h, m]),
            other=other,
            other_relation=name(int(best[other, m])) if others else "_",
            other_probability=float(chance[other, m]) if others else 0.0,
            margin=float(score[h, m] - score[other, m]) if others else float("inf"),
            parts=sorted(parts, key=lambda part: -abs(part.difference)),
        )
        found.append(attachment)
    return ArcExplanation(treebank.words(sentence), found)


def siblings_inside(heads: np.ndarray, single: bool) -> np.ndarray:
    """Of each arc (head, modifier) the nearest child of the head between them in a tree, or the head: always for the root, if single.

    heads: int32 [n+1], from place 1 on.
    """
    across = len(heads)
    inside = np.repeat(np.arange(across)[:, None], across, axis=1)
    for h in range(across):
        for step in (-1, 1):
            nearest, m = h, h + step
            while 0 < m < across:
                inside[h, m] = nearest
                nearest, m = m if heads[m] == h and (h > 0 or not single) else nearest, m + step
    return inside


def contributions(parser: Parser, rows, h: int, s: int, m: int, label: int) -> list[float]:
    """What each template says of the arc h -> m, of its sibling s (or h) and of its label, in the order of the templates.

    Codes are those of the scored sentence.
    """
    node, edge = np.asarray(parser.weights.node), np.asarray(parser.weights.edge)
    flat, codes, plan, right = node.reshape(-1), rows.codes, rows.plan, int(m > h)
    one, two = right, 2 + 7 * right + int(BINS[min(abs(m - h), FAR)])
    sibling = len(codes.side) - 1 if s == h else s
    apart = 2 + 7 * right + int(BINS[min(abs(m - s), FAR)])
    place = dict.fromkeys(("pair", "among", "number", "one", "label_pair", "label_one", "beside", "triple"), 0)
    out = []
    for template in parser.features.templates:
        if template.label and not parser.relations:
            continue
        kind = kind_of(template)
        t = place[kind]
        place[kind] += 1
        if kind in ("beside", "triple"):
            table = getattr(codes.kin, kind)
            k = int(table[-2, sibling, t] ^ table[-1, m, t] ^ (table[0, h, t] if template.head else 0))
            out.append(float(flat[k ^ one]) + float(flat[k ^ apart]))
        elif kind == "pair":
            k = int(codes.pair[0, h, t] ^ codes.pair[1, m, t])
            out.append(float(flat[k ^ one]) + float(flat[k ^ two]))
        elif kind == "one":
            row = node[codes.one[h if plan.one[t, 2] == 0 else m, t]]
            out.append(float(row[one]) + float(row[two]))
        elif kind == "among":
            k = int(codes.among[0, h, t] ^ codes.among[1, m, t]) ^ one
            between = {int(codes.among[2, x, t]) for x in range(min(h, m) + 1, max(h, m))}
            out.append(sum(float(flat[k ^ code]) for code in between))
        elif kind == "number":
            low, high, code = min(h, m), max(h, m), 0
            for mark in plan.counted[t][plan.counted[t] >= 0]:
                code = code * (MOST + 1) + min(int(codes.before[high, mark] - codes.before[low + 1, mark]), MOST)
            out.append(float(flat[int(codes.number[0, h, t] ^ codes.number[1, m, t] ^ codes.many[code]) ^ one]))
        elif kind == "label_pair":
            out.append(float(edge[int(codes.label_pair[0, h, t] ^ codes.label_pair[1, m, t]) ^ right, label]))
        else:
            out.append(float(edge[codes.label_one[2 * (h if plan.label_one[t, 2] == 0 else m) + right, t], label]))
    return out


def kind_of(template: ArcTemplate) -> str:
    """Which of the plan's groups a template belongs to."""
    if template.sib:
        return "triple" if template.head else "beside"
    if template.between:
        return "number" if template.counted else "among"
    shape = "pair" if bool(template.head) == bool(template.mod) else "one"
    return f"label_{shape}" if template.label else shape
