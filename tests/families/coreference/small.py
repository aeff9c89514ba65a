"""Documents of a few mentions: what the common list of tests asks of a family (tests/README.md)."""

import engine_enumeration as brute
import numpy as np
from table_estimator import OfTables
from town_files import write

from widemargin import CoreferenceResolver
from widemargin.corpora.town.chains import chains_text
from widemargin.engine.gradient import score_row
from widemargin.families.coreference.documents import Document, documents_of
from widemargin.families.recipes import Recipe

WORDS = ("he", "she", "Ann", "the", "dog", "Bob")
TEMPLATES = """new
new mention.head
new mention.first mention.seen_head
bias
distance
mention.head antecedent.head
match sentences
?same_head mention.head
antecedent.before rank
between
between mention.after
"""
COMMON = {"templates": TEMPLATES, "hash_bits": 10, "cost": "false_anaphor=0.7,false_new=1.3,wrong_link=1.1"}  # prices without ties

TASK = "coref"
RECIPES = {"lists": Recipe(TASK, **COMMON), "a window of two": Recipe(TASK, window=2, **COMMON)}
REFUSED = {
    "hash_bits": ({"hash_bits": 2}, "at least 10 and at most 28"),
    "error": ({"cost": "nosuch=2"}, "is not an error of links"),
    "window": ({"window": 0}, "window"),
    "smo": ({"learner": "smo", "l2": 0.1}, "smo and kernels are for labels of tokens"),
    "memory of bcfw": ({"learner": "bcfw", "l2": 0.1, "settings": {"memory": 1e-5}}, "raise it"),
}
MANY_ROWS = True  # a document is as many rows as it has mentions
OTHER_STRUCTURE = "chain"  # for --set structure=: refused; links are lists to all but dual learners


def data(seed=0, rows=6, unknown=True):
    """Documents with mentions of one word or two; some may be of unknown chain, and some have several antecedents; else at most one."""
    random, out = np.random.default_rng(seed), []
    for d, m in enumerate([3, 1, *random.integers(2, 5, max(0, rows - 2))][:rows]):
        words, mentions = [], []
        for _ in range(int(m)):
            words += [str(random.choice(["saw", ",", "and"]))] * int(random.integers(0, 3))
            length = int(random.integers(1, 3))
            mentions.append((len(words), len(words) + length))
            words += [str(word) for word in random.choice(WORDS, length)]
        names = [f"c{m // 2}" for m in range(len(mentions))]
        if unknown:
            names = [None if random.random() < 0.2 else f"c{random.integers(2)}" for _ in mentions]
        cut = int(random.integers(0, len(words)))
        out.append(Document(f"d{d}", [words[:cut], words[cut:]] if cut else [words], mentions, names, ["small"] * len(mentions)))
    return documents_of(out)


def outputs(problem, i):
    """Every candidate of mention i, those that are correct, and the price of each."""
    correct, m = problem.corpus.correct(i), int(problem.corpus.mention[i])
    n, known = len(correct), problem.corpus.chain[m] >= 0
    false_anaphor, false_new, wrong_link = problem.cost.prices
    anaphoric = known and not correct[0]
    price = np.where(correct | (not known), 0.0, wrong_link if anaphoric else false_anaphor)
    price[0] = false_new if anaphoric else 0.0
    every = brute.Outputs(np.arange(n)[:, None], np.eye(n))
    inside = np.flatnonzero(correct) if known else np.arange(n)
    return every, brute.Outputs(inside[:, None], np.eye(n)[inside]), price


def scores(problem, i, w):
    """Scores of the candidates of mention i, as the rows of a learner score them (tests of the features: test_link_features.py)."""
    problem = problem.part(np.array([i]))
    n = problem.corpus.longest
    s = problem.workspace(np.float64, n)
    score_row(problem.rows(np.float64, n), s, 0, problem.reader(np.ascontiguousarray(w)))
    return s.score[:n].copy()


def same(other, answer):
    """Which antecedents of an answer another one has too."""
    return [a == b for a, b in zip(other["antecedents"], answer["antecedents"])]


# ---- the command line ---------------------------------------------------------------------------------------------------------------

SMALL = {"hash_bits": 10}  # options that keep models small
INIT = [
    (["--templates", "{other}"], "--templates asks for others"),
    (["--hash-bits", "12"], "hash_bits=12 asks for others"),
    (["--set", "window=7"], "window=7 asks for others"),
]
SAME = ["--hash-bits", "10"]  # what a model to start from has anyway


def files(folder):
    """NAME.train, .dev, .system, .templates and .other: documents, of which dev has six sentences."""
    found = chains_text("train", sentences=120).split("#end document\n")[:-1]
    short = [[block for block in document.split("\n\n") if block.strip()][:3] for document in found]
    blocks = ["\n\n".join(document) + "\n\n#end document" for document in short]
    system = [block.replace("\t(0)", "\t-").replace("\t(1)", "\t(0)") for block in blocks[6:8]]
    write(folder, "coreference", blocks[:6], blocks[6:8], system, TEMPLATES, "new\nbias\n")


def written(text):
    """The documents of a written file."""
    return text.split("#end document\n")[:-1]


# ---- the estimator ------------------------------------------------------------------------------------------------------------------

ESTIMATOR = CoreferenceResolver
PARAMETERS = {"epochs": 2, "hash_bits": 10, "templates": TEMPLATES}


def output(labels):
    """A row of labels, D N V A, as an output of the estimator: the first two words are mentions, of one chain if they have one label."""
    return [[(t, t + 1) for t, own in enumerate(labels[:2]) if own == label] for label in dict.fromkeys(labels[:2])]


def given(words):
    """A row of words as a document with those mentions."""
    return {"tokens": words, "mentions": [(t, t + 1) for t in range(len(words[:2]))]}


class TableResolver(OfTables, CoreferenceResolver):
    """A document of one word has one chain; y says nothing."""

    cells = 1

    def tree_of(self, text):
        return [[(0, 1)]]

    def label_of(self, chains):
        return min(self._of_text)

    def _as_words(self, X, y=None, *, reset=False):
        words, chains = super()._as_words(X, y, reset=reset)
        return [row[0] for row in words], chains


def of_tables():
    """An estimator that reads tables."""
    return TableResolver(epochs=3, hash_bits=10, templates=TEMPLATES)
