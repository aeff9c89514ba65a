"""Constituency trees with scores given: milliseconds per sentence on one core, by its length. Needs the Penn sample in WIDEMARGIN_DATA.

rules: a weighted grammar, one child of markovisation, relative frequencies, gold tags. bigrams, factored: a grammar without markovisation
and one tag for all words, noise as scores of spans and of the bigrams that were seen. Scores in float32; augmenting and reading the tree
are counted, features are not. The smallest CPU time of the rounds. Sums come with their marginals. Compiling is not counted: `--compile`
measures it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from harness import Claim, Files, Outcome, main, run

LENGTHS = (10, 20, 30, 40)
TARGETS = {("rules", 20): 0.9, ("rules", 40): 6.0, ("bigrams", 20): 0.25}  # milliseconds
OPERATIONS = ("rules", "bigrams", "factored", "sums of rules", "sums of bigrams", "sums of factored")


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """One row per length."""
    if options.compile:
        return Outcome([{"operation": name, "compile, CPU s": compile_seconds(name)} for name in OPERATIONS])
    found = run("spans:times", repeat=options.repeat)
    rows = [{"words": n, **{name: found[name][i] for name in OPERATIONS}} for i, n in enumerate(LENGTHS)]
    claims = [Claim(f"{name}, {n} words, ms", found[name][LENGTHS.index(n)], limit) for (name, n), limit in TARGETS.items()]
    return Outcome(rows, claims)


def compile_seconds(name: str) -> float:
    """In a process of its own and a fresh cache."""
    code = f"import spans, json; print(json.dumps(spans.first_call({name!r})))"
    with tempfile.TemporaryDirectory() as folder:
        surroundings = os.environ | {"WIDEMARGIN_CACHE": folder}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=os.path.dirname(__file__), env=surroundings)
    return json.loads(done.stdout)


def first_call(name: str) -> float:
    """CPU seconds of the first call."""
    call = operation(name, 10)[0]
    start = time.process_time()
    call(1)
    return time.process_time() - start


def times(repeat: int) -> dict:
    """Milliseconds of every operation at every length, the mean over some sentences."""
    found: dict[str, list[float]] = {}
    for name in OPERATIONS:
        found[name] = [1e3 * float(np.mean([least(call, repeat) for call in operation(name, n)])) for n in LENGTHS]
    return found


def least(call, repeat: int) -> float:
    """CPU seconds of one turn: the smallest of several rounds; the first call may compile."""
    call(1)
    best = np.inf
    for _ in range(3 * repeat):
        start = time.thread_time()
        call(3)
        best = min(best, (time.thread_time() - start) / 3)
    return best


def operation(name: str, n: int) -> list:
    """For each sentence, a function that does the operation so many times."""
    from tree_loops import again

    from widemargin.engine.terms import LogSum, Max
    from widemargin.structures.spans.gold import nothing_known, prices

    term = LogSum(0.0, False) if name.startswith("sums") else Max(0.0, False)
    kind, spaces = rules(n) if name.endswith("rules") else noise(n, name.endswith("bigrams"))
    gold, price = nothing_known(kind), prices(kind, dtype=np.float32)
    return [lambda turns, s=s: again(term, s, gold, price, n, turns) for s in spaces]


def rules(n: int):
    """A weighted grammar, and a workspace for each of some sentences."""
    from span_grammars import Grammar, penn_trees

    from widemargin.structures.spans.trees import Rules

    grammar = Grammar(penn_trees(), horizontal=1)
    kind = Rules(len(grammar.numbers), np.array(list(grammar.rules)), only_words=True, legal=grammar.legal())
    scores, chains = grammar.frequencies(grammar.rules), grammar.frequencies(grammar.words)
    word = np.full((kind.symbols, kind.symbols), -np.inf)  # tag, symbol
    np.fill_diagonal(word, np.where(grammar.tags, 0.0, -np.inf))
    for (parent, tag), value in chains.items():
        word[tag, parent] = value
    root = np.full(kind.symbols, -np.inf)
    root[list(grammar.roots)] = 0.0
    spaces = []
    for tags in grammar.of_length(n):
        s, parts = kind.workspace(n, dtype=np.float32), kind.zeros(n)
        parts.span[np.arange(n), np.arange(1, n + 1)] = word[tags]
        kind.load(s, parts._replace(root=root, grammar=(np.array([scores[tuple(rule)] for rule in kind.rules.tolist()]),)))
        spaces.append(s)
    return kind, spaces


def noise(n: int, bigrams: bool):
    """Random scores of spans and, with bigrams, of those that the treebank has."""
    from span_grammars import Grammar, penn_trees

    from widemargin.structures.spans.trees import Bigrams, Factored

    grammar, random = Grammar(penn_trees(), horizontal=0, one_tag=True), np.random.default_rng(n)
    symbols = len(grammar.numbers)
    kind = Bigrams(symbols, splits=True, legal=grammar.legal()) if bigrams else Factored(symbols, legal=grammar.legal())
    s, parts = kind.workspace(n, dtype=np.float32), kind.zeros(n)
    noise = [random.normal(size=x.shape) for x in parts[:4]]
    tables = [np.full(x.shape, -np.inf) for x in parts.grammar]
    for place, table in enumerate(tables):
        for rule in grammar.rules:
            table[rule[1 + place], rule[0]] = random.normal()
    kind.load(s, type(parts)(*noise, tuple(tables)))
    return kind, [s]


MORE = {"--compile": "seconds to compile each operation instead"}

if __name__ == "__main__":
    main(measure, __doc__, MORE, peers=False)
