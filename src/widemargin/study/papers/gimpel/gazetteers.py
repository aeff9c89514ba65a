"""What gazetteers would give: the paper has some that it does not name, and this study none.

Lists made of gold names stand in for them: of the training data, which the model knows anyway; of the development data, which are like
lists that someone has collected elsewhere, and shorter; and of the test data itself, which no list can beat. All with the templates of
the paper's Table 1, softmax-margin with the settings of the study, and as many passes as are best without lists.
"""

import dataclasses
import os
import tempfile
from functools import partial

import numpy as np

from widemargin.families.recipes import Recipe
from widemargin.features.named import named_set
from widemargin.readers.columns import Columns
from widemargin.show.tables import Column
from widemargin.study.experiment import Bench
from widemargin.study.papers.gimpel.data import Data, as_iob2, open_data
from widemargin.study.papers.gimpel.hidden import POINT
from widemargin.study.papers.gimpel.methods import ADAGRAD, BASE, METHODS, Trained
from widemargin.study.reproduction import Report, Section, Settings
from widemargin.study.texts import write_texts

KINDS = ("PER", "LOC", "ORG", "MISC")
QUICK_SENTENCES, QUICK_EPOCHS = 60, 2


def names_in(columns: Columns) -> dict[str, list[str]]:
    """The words and the pairs of neighbouring words of gold names, by kind, in the order of the text."""
    words, labels = columns.cells(0), as_iob2(columns).cells(-1)
    found: dict[str, dict[str, None]] = {kind: {} for kind in KINDS}
    for i, (word, label) in enumerate(zip(words, labels)):
        place, _, kind = label.partition("-")
        if kind in found:
            found[kind][word] = None
            if place == "I":
                found[kind][f"{words[i - 1]} {word}"] = None
    return {kind: list(names) for kind, names in found.items()}


def write_lists(folder: str, lists: dict[str, list[str]]) -> str:
    """Gazetteer files, and beside them the templates that read them; returns the templates' path."""
    texts = {f"gazetteer-{kind}": "\n".join(names) + "\n" for kind, names in lists.items() if names}
    write_texts(folder, texts | {"ner.txt": named_set("ner")})
    return os.path.join(folder, "ner.txt")


def covered(columns: Columns, lists: dict[str, list[str]]) -> float:
    """The share of words inside gold names that are in a list of their kind."""
    known = {kind: set(names) for kind, names in lists.items()}
    pairs = [(word, label[2:]) for word, label in zip(columns.cells(0), as_iob2(columns).cells(-1)) if label[2:] in known]
    return float(np.mean([word in known[kind] for word, kind in pairs])) if pairs else 0.0


def report(settings: Settings) -> Report:
    """A line without lists, and one for the names of each part of the data."""
    settings = settings.sized(sentences=QUICK_SENTENCES, epochs=QUICK_EPOCHS)
    data = open_data(settings.data, settings.sentences)
    most = settings.epochs or ADAGRAD.passes[1]
    rows = [fitted_row("no lists", BASE, data, settings, {"epochs": most, "patience": ADAGRAD.patience})]
    with tempfile.TemporaryDirectory() as folder:
        for name, part in (("training data", data.train), ("development data", data.dev), ("test data", data.test)):
            lists = names_in(part)
            recipe = dataclasses.replace(BASE, templates=write_lists(os.path.join(folder, name), lists))
            row = fitted_row(f"names of the {name}", recipe, data, settings, {"epochs": rows[0]["epoch"]})
            row |= {"names": sum(map(len, lists.values())), "train_share": 100 * covered(data.train, lists)}
            rows.append(row | {"test_share": 100 * covered(data.test, lists)})
    columns = [Column("lists"), Column("names", "entries"), Column("train_share", "% of name words in train", 1)]
    columns += [Column("test_share", "in test", 1), Column("test", "test F1", 2), Column("gain", None, 2)]
    for row in rows:
        row["gain"] = row["test"] - rows[0]["test"]
    return Report([Section(f"What lists of names give: {data.name}", rows, columns)], {"data": data.name, "rows": rows})


def fitted_row(name: str, base: Recipe, data: Data, settings: Settings, learning: dict) -> dict:
    """Softmax-margin by AdaGrad with these templates; with patience the pass is chosen on the development data, else the last counts."""
    bench = Bench(base, data.train, threads=settings.threads)
    row = Trained(METHODS[-1], ADAGRAD, bench.problem.corpus.rows)
    recipe = dataclasses.replace(row.recipe(learning | {"seed": settings.seed}, POINT), templates=base.templates)
    judge = bench.judge(data.dev) if "patience" in learning else None
    fitted = bench.fit(recipe, judge, listen=settings.listen and partial(settings.listen, name))
    return {"lists": name, "epoch": fitted.epoch, "test": float(bench.judge(data.test)(fitted.w)["f1"])}
