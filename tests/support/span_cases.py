"""Random small problems of structures over spans, and their lists of all trees."""

import numpy as np
import span_enumeration as twin
from engine_enumeration import Outputs

from widemargin.compiler.jit import kernel
from widemargin.engine import structure as ask
from widemargin.structures.spans.trees import Bigrams, Factored, Rules


@kernel
def augment(s, gold, price, n, cost, inside):
    ask.augment(s, gold, price, n, cost, inside)


@kernel
def argmax(s, n, out):
    return ask.argmax(s, n, out)


@kernel
def take_gold(s, gold, n, out):
    return ask.take_gold(s, gold, n, out)


@kernel
def through_numbers(s, n, nodes, out):
    """out = nodes, number by number; returns how many there are."""
    for t in range(ask.slots(s, n)):
        ask.set_part(s, out, t, ask.part_at(s, nodes, t))
    return ask.slots(s, n)


@kernel
def gold_numbers(s, n, gold, out):
    for t in range(ask.slots(s, n)):
        ask.set_part(s, out, t, ask.gold_part(s, gold, t))


@kernel
def listed(found, p, n, out):
    ask.listed(found, p, n, out)


@kernel
def cost_and_score(s, gold, price, n, out):
    return ask.output_cost(s, gold, price, n, out), ask.output_score(s, n, out)


def bigrams(symbols, random, **options):
    """Any pair of parent and child may be, or not."""
    return Bigrams(symbols, **options)


def rules(symbols, random, **options):
    """Half of all rules."""
    every = np.argwhere(np.ones((symbols,) * 3))
    return Rules(symbols, random.permutation(every)[: 1 + len(every) // 2], **options)


def factored(symbols, random, **options):
    return Factored(symbols, **options)


KINDS = {
    "bigrams": (bigrams, {}),
    "bigrams with splits": (bigrams, {"splits": True}),
    "bigrams on words": (bigrams, {"only_words": True}),
    "rules": (rules, {"only_words": True}),
    "rules on spans": (rules, {}),
    "rules with splits": (rules, {"splits": True}),
    "factored": (factored, {}),
}
SIZES = [(1, 3), (2, 3), (3, 3), (4, 2), (5, 2)]  # words, symbols


class Case:
    """Scores of a sentence under a structure; holes: how many of them are -inf."""

    def __init__(self, kind, size, seed=0, scale=1.0, holes=0.3, whole=False):
        self.random = np.random.default_rng((seed, *size))
        self.n, self.symbols = size
        make, options = KINDS[kind]
        legal = np.ones((2, self.symbols), bool)
        legal[0, -1] = legal[1, 0] = self.symbols < 3  # a tag, and a symbol of longer nodes only
        for _ in range(200):
            self.structure = make(self.symbols, self.random, legal=legal, **options)
            self.scores = self.noise(scale)
            holed = [np.where(self.random.random(x.shape) < holes, -np.inf, x) for x in (self.scores.span, *self.scores.grammar)]
            self.scores = self.scores._replace(span=holed[0], grammar=tuple(holed[1:]))
            self.trees = twin.every(self.structure, self.scores)
            if self.trees and not whole:
                break
        self.phi = np.array([twin.flat(twin.parts(self.structure, nodes)) for nodes in self.trees])
        numbers = twin.flat(self.scores)
        self.numbers = np.where(np.isfinite(numbers), numbers, 0.0)
        self.found = Outputs(np.zeros(0), self.phi)

    def noise(self, scale=1.0):
        """Normal numbers for all parts."""
        zeros = self.structure.zeros(self.n)
        normal = [self.random.normal(size=x.shape) * scale for x in (*zeros[:4], *zeros.grammar)]
        return type(zeros)(*normal[:4], tuple(normal[4:]))

    def random_tree(self):
        """One of the trees."""
        return self.trees[self.random.integers(len(self.trees))]
