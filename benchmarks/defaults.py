"""Objective, cost and step size of `train ner` and `train span`: a comparison over corpora, on development data alone.

Every setting is trained by ops (AdaGrad) for ten passes on every corpus with the templates of the task. kept: the development F1 of the
best epoch, which is the one that is kept where there is a dev file; last: of the tenth, which is what is left without one. Both are means
over corpora and seeds. lost: how far below the corpus's best setting, at worst. Corpora whose files are not in $WIDEMARGIN_DATA are
left out and named. `--out FILE` keeps every run in a file of JSON lines and does not repeat what stands there; `--corpora` prints the
table of corpora too.
"""

import argparse
import json
import os
import pathlib
import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

from widemargin.corpora.catalogue import FOLDER_VARIABLE
from widemargin.families.recipes import Recipe, fit, pose
from widemargin.families.tagging.sources import open_columns
from widemargin.readers.files import open_bytes
from widemargin.show.tables import Column, text_table

EPOCHS, HELD_OUT = 10, 0.1
SETTINGS = [
    ("hinge", "hamming", 0.1),
    ("hinge", "hamming", 0.05),
    ("hinge", "hamming*4", 0.1),
    ("hinge", "hamming*4", 0.05),
    ("perceptron", "hamming", 0.1),
    ("likelihood", "hamming", 0.1),
    ("likelihood", "hamming", 0.05),
    ("softmax-margin", "hamming", 0.1),
    ("softmax-margin", "hamming", 0.05),
    ("softmax-margin", "hamming*4", 0.1),
    ("softmax-margin", "hamming*4", 0.05),
    ("softmax-margin", "hamming*4", 0.025),
    ("softmax-margin", "hamming*8", 0.1),
    ("softmax-margin", "hamming*8", 0.05),
    ("softmax-margin", "hamming*8", 0.025),
    ("softmax-margin", "hamming*16", 0.05),
]


@dataclass(frozen=True)
class Corpus:
    """A file to train on, one to look at, and which of their columns are read."""

    name: str
    task: str
    data: str  # its folder in $WIDEMARGIN_DATA; town: the embedded corpus
    files: tuple[str, ...]  # of training and of development; one alone: its end is held out
    columns: tuple[int, ...]


CORPORA = [
    Corpus("conll2003, word pos chunk", "ner", "conll2003", ("eng.train", "eng.testa"), (0, 1, 2, 3)),
    Corpus("conll2003, word pos", "ner", "conll2003", ("eng.train", "eng.testa"), (0, 1, 3)),
    Corpus("conll2003, word", "ner", "conll2003", ("eng.train", "eng.testa"), (0, 3)),
    Corpus("conll2002 Dutch, word pos", "ner", "conll2002_dutch", ("ned.train", "ned.testa"), (0, 1, 2)),
    Corpus("conll2002 Dutch, word", "ner", "conll2002_dutch", ("ned.train", "ned.testa"), (0, 2)),
    Corpus("conll2000, word pos", "span", "conll2000", ("train.txt",), (0, 1, 2)),
    Corpus("town, word pos chunk", "ner", "town", (), (0, 1, 2, 3)),
    Corpus("town, word", "span", "town", (), (0, 3)),
]


def texts_of(corpus: Corpus) -> tuple[str, str] | None:
    """Training and development text with the corpus's columns; None where the files are not there."""
    if corpus.data == "town":
        from widemargin.corpora import town

        found = [town.columns_text("train", sentences=4000), town.columns_text("dev")]
    else:
        folder = pathlib.Path(os.environ.get(FOLDER_VARIABLE, ".")) / corpus.data
        paths = [next((p for p in (folder / name, folder / f"{name}.gz") if p.exists()), None) for name in corpus.files]
        if None in paths:
            return None
        found = []
        for path in paths:
            with open_bytes(path) as stream:
                found.append(stream.read().decode())
    if len(found) == 1:
        blocks = found[0].strip().split("\n\n")
        cut = round(len(blocks) * (1 - HELD_OUT))
        found = ["\n\n".join(part) + "\n\n" for part in (blocks[:cut], blocks[cut:])]
    return chosen(found[0], corpus.columns), chosen(found[1], corpus.columns)


def chosen(text: str, columns: tuple[int, ...]) -> str:
    """The text with these columns alone."""
    lines = (line.split() for line in text.splitlines())
    return "".join((" ".join(cells[c] for c in columns) if cells else "") + "\n" for cells in lines)


def beginning(text: str, sentences: int) -> str:
    """The first so many sentences, whole documents or not; 0: all."""
    return "\n\n".join(text.split("\n\n")[:sentences]) + "\n\n" if sentences else text


def runs_on(corpus: Corpus, sizes: list[int], seeds: int, done: set) -> Iterator[dict]:
    """Every setting on a corpus, unless it is done."""
    texts = texts_of(corpus)
    if texts is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            wanted = [(s, seed) for s in SETTINGS for seed in range(1, seeds + 1) if (corpus.name, size, *s, seed) not in done]
            if not wanted:
                continue
            paths = [pathlib.Path(folder) / name for name in ("train", "dev")]
            for path, text in zip(paths, (beginning(texts[0], size), texts[1])):
                path.write_text(text, encoding="utf-8")
            train, dev = (open_columns(str(path), corpus.task) for path in paths)
            posed = pose(Recipe(corpus.task), train)
            held = posed.hold(dev)
            for (objective, cost, rate), seed in wanted:
                settings = {"rate": rate, "seed": seed, "epochs": EPOCHS, "patience": 0}
                recipe = Recipe(corpus.task, "ops", objective=objective, cost=cost, settings=settings)
                history = fit(posed.again(recipe), held=held).history
                named = {"corpus": corpus.name, "sentences": size, "objective": objective, "cost": cost, "rate": rate, "seed": seed}
                yield named | {"f1": [facts["dev"]["f1"] for facts in history]}


def patient(f1: list[float], patience: int) -> float:
    """The best of the epochs that are seen before so many in a row were no better; 0: of all."""
    best = 0
    for epoch in range(len(f1)):
        best = epoch if f1[epoch] > f1[best] else best
        if patience and epoch - best >= patience:
            break
    return f1[best]


def tables(runs: list[dict], corpora: bool) -> str:
    """Settings, best first; what patience costs; and, where asked for, every corpus."""
    key = ("objective", "cost", "rate")
    places = sorted({(run["corpus"], run["sentences"]) for run in runs}, key=lambda place: (place[0], place[1] or 10**9))
    score: dict[tuple, dict[tuple, dict[str, float]]] = {}
    for setting in dict.fromkeys(tuple(run[k] for k in key) for run in runs):
        own = [run for run in runs if tuple(run[k] for k in key) == setting]
        by_place = {place: [run["f1"] for run in own if (run["corpus"], run["sentences"]) == place] for place in places}
        score[setting] = {
            place: {"kept": statistics.mean(map(max, found)), "last": statistics.mean(f1[-1] for f1 in found)}
            for place, found in by_place.items()
            if found
        }
    complete = {setting: found for setting, found in score.items() if len(found) == len(places)}
    best = {place: max(found[place]["kept"] for found in complete.values()) for place in places}
    rows = []
    for setting, found in complete.items():
        row = dict(zip(key, setting)) | {what: statistics.mean(cell[what] for cell in found.values()) for what in ("kept", "last")}
        rows.append(row | {"lost": max(best[place] - cell["kept"] for place, cell in found.items())})
    rows.sort(key=lambda row: -row["kept"])
    shown = [Column("objective"), Column("cost"), Column("rate"), *(Column(what, precision=2) for what in ("kept", "last", "lost"))]
    parts = [text_table(rows, shown)]
    top = [run["f1"] for run in runs if all(run[k] == rows[0][k] for k in key)]
    waits = [{"patience": wait or "none", "F1": statistics.mean(patient(f1, wait) for f1 in top)} for wait in (0, 1, 2, 3, 4)]
    parts.append(text_table(waits, [Column("patience"), Column("F1", "F1 of the first setting", 2)]))
    if corpora:
        lines = [
            {"corpus": place[0], "sentences": place[1] or "all"}
            | {
                " ".join(map(str, setting)): complete[setting][place]["kept"]
                for setting in (tuple(row[k] for k in key) for row in rows[:4])
            }
            for place in places
        ]
        parts.append(text_table(lines, [Column(name, precision=None if name in ("corpus", "sentences") else 2) for name in lines[0]]))
    return "\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2, metavar="N", help="(2)")
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[500, 2000, 0], metavar="N", help="sentences to train on, 0: all (500 2000 0)"
    )
    parser.add_argument("--out", metavar="FILE", help="a file of JSON lines, one for each run")
    parser.add_argument("--corpora", action="store_true", help="every corpus too, with the four best settings")
    options = parser.parse_args()
    runs: list[dict] = []
    if options.out and os.path.exists(options.out):
        with open(options.out, encoding="utf-8") as file:
            runs = [json.loads(line) for line in file]
    done = {(run["corpus"], run["sentences"], run["objective"], run["cost"], run["rate"], run["seed"]) for run in runs}
    for corpus in CORPORA:
        if corpus.data != "town" and texts_of(corpus) is None:
            print(f"{corpus.name} is left out: get {corpus.data} and set {FOLDER_VARIABLE}")
            continue
        for run in runs_on(corpus, options.sizes, options.seeds, done):
            runs.append(run)
            if options.out:
                with open(options.out, "a", encoding="utf-8") as file:
                    file.write(json.dumps(run) + "\n")
    print(tables(runs, options.corpora), end="")


if __name__ == "__main__":
    main()
