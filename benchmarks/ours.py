"""widemargin as a contender. Kernels are loaded from the cache on a few sentences before the clock starts, as imports are."""

import os
import time

from harness import spent

from widemargin.engine.objectives import objective_named  # noqa: F401  (imported before the clock starts)
from widemargin.families.recipes import Recipe, pose
from widemargin.families.recipes import train as fit
from widemargin.families.tagging import KERNEL
from widemargin.families.tagging.decoding import decode_features
from widemargin.families.tagging.model import Tagger
from widemargin.learners import learner_named
from widemargin.readers.columns import Columns, read_columns, write_columns

NAMES = ("word", "pos", "chunk")


def read(path: str) -> Columns:
    """A CoNLL-2000 file."""
    return read_columns(path, names=NAMES)


def recipe_of(fields: dict) -> Recipe:
    """A recipe from JSON; what its settings say of the kernel goes where it belongs."""
    settings = dict(fields.get("settings", {}))
    kernel = {name: settings.pop(name) for name in KERNEL if name in settings}
    return Recipe(**fields | kernel | {"settings": settings})


def posed(path: str, recipe: Recipe, threads: int = 1):
    """The learning problem of a file."""
    return pose(recipe, read(path), threads=threads).problem


def train(train: str, model: str, sample: str, *, recipe: dict, test: str | None = None) -> dict:
    """Read, build features, train, write the model; then, off the clock, score the test file."""
    wanted = recipe_of(recipe)
    with spent() as start_up:
        fit(wanted, read(sample)).save(model)
    with spent() as times:
        tagger = fit(wanted, read(train))
        tagger.save(model)
    answer = times | {"loading": start_up["cpu"], "attributes": len(tagger.extractor.nodes), "iterations": tagger.facts["epoch"]}
    if test is not None:
        answer["f1"] = tagger.evaluate(read(test))["f1"]
    return answer


def curve(train: str, dev: str, *, recipe: dict) -> dict:
    """Development F1 after each epoch."""
    tagger = fit(recipe_of(recipe), read(train), dev=read(dev))
    return {"f1": [facts["dev"]["f1"] for facts in tagger.facts["history"]]}


def epochs(train: str, *, recipe: dict) -> dict:
    """CPU seconds per epoch inside the learner, the first one left out."""
    wanted = Recipe(**recipe)
    problem, marks = posed(train, wanted), []
    learner_named(wanted.learner, wanted.settings).fit(problem, watch=lambda *_: marks.append(time.thread_time()))
    return {"cpu": (marks[-1] - marks[0]) / (len(marks) - 1)}


def batch(train: str, sample: str, *, recipe: dict, threads: int = 1) -> dict:
    """L-BFGS on a file: CPU in total and of the fit alone, and the objective as a sum over rows, as CRFsuite has it."""
    wanted = Recipe(**recipe)
    learner = learner_named(wanted.learner, wanted.settings)
    learner.fit(posed(sample, wanted, threads))
    with spent() as total:
        problem = posed(train, wanted, threads)
        with spent() as times:
            result = learner.fit(problem)
    answer = {"cpu": total["cpu"], "fit": times["cpu"], "wall": times["wall"], "iterations": result.epoch, "why": result.why}
    return answer | {"objective": result.history[-1]["loss"] * problem.corpus.rows}


def tag(model: str, source: str, target: str, sample: str) -> dict:
    """Read, build features, decode, write; the model is open before the clock starts."""
    tagger = Tagger.load(model)
    write_columns(columns := read(sample), [tagger.predict(columns)], target)
    with spent() as times:
        columns = read(source)
        write_columns(columns, [tagger.predict(columns)], target)
    features = tagger.features(columns)
    with spent() as decoding:
        decode_features(tagger.structure, tagger.weights, features)
    return times | {"tokens": columns.tokens, "decoding": decoding["cpu"]}


def fit_lists(train: str, test: str, sample: str, *, learner: str, epochs: int) -> dict:
    """From feature lists in memory to a trained model; then, off the clock, score the test file."""
    from peers import lists

    from widemargin import SequenceTagger, span_f1

    SequenceTagger(learner, epochs=1).fit(*lists(sample))
    X, y = lists(train)
    with spent() as times:
        tagger = SequenceTagger(learner, epochs=epochs).fit(X, y)
    return times | {"f1": 100 * span_f1(tagger, *lists(test))}


def first_answers(model: str, *, loads: int) -> dict:
    """Seconds from a model's file name to the labels of one sentence, after the imports: the first time, and later ones."""
    tokens, seconds = [("The", "DT"), ("cat", "NN"), ("sat", "VBD"), (".", ".")], []
    for _ in range(loads):
        begin = time.perf_counter()
        Tagger.load(model).tag(tokens)
        seconds.append(time.perf_counter() - begin)
    return {"first": seconds[0], "later": sorted(seconds[1:])[len(seconds[1:]) // 2]}


def weigh(train: str, *, recipe: dict) -> dict:
    """Training for its memory: nothing beforehand."""
    with spent() as times:
        tagger = fit(Recipe(**recipe), read(train))
    return times | {"iterations": tagger.facts["epoch"]}


def weigh_lists(train: str, *, learner: str, epochs: int) -> dict:
    """Training on feature lists for its memory: the lists are made as users of sklearn-crfsuite make them, and nothing beforehand."""
    from peers import lists

    from widemargin import SequenceTagger

    with spent() as times:
        tagger = SequenceTagger(learner, epochs=epochs).fit(*lists(train))
    return times | {"iterations": tagger.n_iter_}


SENTENCE = tuple(zip("The cat sat on the mat near London in May again .".split(), "DT NN VBD IN DT NN IN NNP IN NNP RB .".split()))


def milliseconds(call, times: int = 300) -> float:
    """The median of many calls, after a few that do not count."""
    seconds = []
    for _ in range(times + 5):
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return 1e3 * sorted(seconds[5:])[times // 2]


def calls(model: str) -> dict:
    """Milliseconds of one sentence, by what is asked."""
    from peers import features

    from widemargin import DependencyParser, SequenceTagger
    from widemargin.families.recipes import open_data
    from widemargin.readers.columns import from_sentences

    tagger, estimator, rows = Tagger.load(model), SequenceTagger.load(model), list(SENTENCE)
    X = [features(rows), features(rows[:6])]
    lists = SequenceTagger("ops", epochs=1).fit(X, [[f"L{t % 5}" for t in range(len(x))] for x in X])
    columns = from_sentences([rows], names=tagger.input_columns())
    trees = DependencyParser(epochs=1).fit(open_data("town:train:200", "depparse"))
    words = [[{"form": word, "upos": tag} for word, tag in rows]]
    return {
        "tag": milliseconds(lambda: tagger.tag(rows)),
        "predict": milliseconds(lambda: estimator.predict([rows])),
        "predict lists": milliseconds(lambda: lists.predict(X[:1])),
        "parse": milliseconds(lambda: trees.predict(words)),
        "explain": milliseconds(lambda: tagger.explain(columns), 50),
    }


def stored(train: str, dev: str, model: str, *, task: str) -> dict:
    """A command's own model of a task: its size, and its score on development data."""
    from widemargin.cli import main as command
    from widemargin.families.recipes import load, open_data

    if command(["train", task, train, "-o", model, "--threads", "1"]):
        raise RuntimeError("train failed")
    return {"mb": os.path.getsize(model) / 1e6, "f1": load(model).evaluate(open_data(dev, task))["f1"]}
