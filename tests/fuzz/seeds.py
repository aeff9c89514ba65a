"""What is mutated: sentences of the embedded corpus, and a small model of every kind, made once and kept in a folder for all workers."""

import functools
import io
import json
import os
import pathlib
import shutil
import sys
from random import Random

SEEDS = "seeds"  # the folder, in the worker's own
OLD = pathlib.Path(__file__).parents[1] / "data" / "models-v3"
TAGGING = "word[0]\npos[-1..1]\nsuffix(word,2)\nlabel[-1] pos[0]\n"
ARCS = "bias\nhead.xpos mod.xpos\nlower(head.form) mod.xpos\nhead.upos mod.upos between.upos\nlabel head.xpos mod.xpos\nlabel mod.upos\n"
TREES = ("eisner", "siblings", "heads", "arborescence")
SPANS = ("bigrams", "rules", "labels", "wcfg")
FEATURES = ("bias\nfirst.tag last.tag\nruns.tag before.tag\nsplit.tag\n", "bias\nfirst.tag last.tag\nall.tag\n")  # with splits, without
LINKS = "new\nnew mention.head\nbias\nmatch sentences\nmention.head antecedent.head\nrank\nbetween\n"
SHORT = 12  # tokens


def prepare(folder: pathlib.Path) -> None:
    """Write all seeds. Models of older versions among them; others are trained here."""
    from widemargin.corpora import town
    from widemargin.corpora.town.brackets import brackets_text
    from widemargin.corpora.town.chains import chains_text
    from widemargin.corpora.town.treebank import treebank_text

    folder.mkdir(parents=True)
    (folder / "words").write_text("a\nthe\nMercato\n")
    for name, text in (("columns", town.columns_text("train", sentences=400)), ("trees", treebank_text("train", sentences=400))):
        short = [block + "\n\n" for block in text.split("\n\n") if 2 <= sum(line[:1] not in "#" for line in block.split("\n")) <= SHORT]
        (folder / f"{name}.json").write_text(json.dumps(short))
        (folder / f"input.{name}").write_text("".join(short[:2]))
    brackets = [line + "\n" for line in brackets_text("train", sentences=400).split("\n") if 2 <= line.count(" (") <= 2 * SHORT]
    (folder / "brackets.json").write_text(json.dumps(brackets))
    (folder / "input.brackets").write_text("".join(brackets[:2]))
    chains = [text + "#end document\n" for text in chains_text("train", sentences=120).split("#end document\n")[:-1]]
    (folder / "chains.json").write_text(json.dumps(chains))
    (folder / "input.chains").write_text("".join(chains[:1]))
    columns = json.loads((folder / "columns.json").read_text())
    items = ["\n".join(map(_item, block.strip().split("\n"))) + "\n\n" for block in columns]
    (folder / "items.json").write_text(json.dumps(items))
    (folder / "input.items").write_text("".join(items[:2]))
    for path in OLD.glob("*.safetensors"):
        shutil.copy(path, folder)
    train_models(folder)


def _item(line: str) -> str:
    word, tag, chunk, _ = line.split(" ")
    return f"{chunk}\tw={word}\tp={tag}:0.5"


def train_models(folder: pathlib.Path) -> None:
    """The kinds of model that older versions have not left us."""
    import numpy as np

    import widemargin
    from widemargin.readers.columns import read_columns

    sentences = json.loads((folder / "columns.json").read_text())[:12]
    data = read_columns(io.BytesIO("".join(sentences).encode()), names=("word", "pos", "chunk", "ner"))
    labels = sorted(set(data.cells("chunk")))
    pairs = [(a, b) for a in labels for b in labels]
    common: dict = {"epochs": 1, "label_column": "chunk", "labels": "as-is"}
    made = {
        "pairs": widemargin.train("chunk", data, templates=TAGGING, constraints=pairs, **common),
        "expanded": widemargin.train("chunk", data, templates="word[0]\npos[-1..1]\n", kernel="poly", degree=2, expand=True, **common),
        "rbf": widemargin.train(
            "chunk", data, templates="word[0]\npos[0]\n", kernel="rbf", learner="perceptron", structure="choice", **common
        ),
        "memory": widemargin.train("ner", data, templates="ner-memory", epochs=1),
        "lexicon": widemargin.train("ner", data, templates=TAGGING + f'in(word,"{folder}/words")\n', epochs=1),
    }
    trees = folder / "train.conllu"
    trees.write_text("".join(json.loads((folder / "trees.json").read_text())[:8]))
    for name in ("eisner", "siblings"):
        templates = ARCS + ("sib.xpos mod.xpos\n" if name == "siblings" else "")
        parser = widemargin.train("depparse", str(trees), templates=templates, structure=name, epochs=1, hash_bits=10, label_bits=6)
        made[f"pruned-{name}"] = parser.prune(threshold=0.01)
    brackets = folder / "train.brackets"
    brackets.write_text("".join(json.loads((folder / "brackets.json").read_text())[:8]))
    for name in SPANS:
        chosen = {} if name == "wcfg" else {"templates": FEATURES[name == "labels"], "hash_bits": 10}
        made[f"spans-{name}"] = widemargin.train("constparse", str(brackets), structure=name, epochs=1, **chosen)
    made["spans-pruned"] = made["spans-bigrams"].prune(threshold=0.01)
    made["links"] = widemargin.train("coref", str(folder / "input.chains"), templates=LINKS, hash_bits=10, epochs=1)
    made["links-pruned"] = made["links"].prune(threshold=0.01)
    random = np.random.default_rng(0)
    table, y = random.normal(size=(8, 3)), ["a", "b"] * 4
    made["table"] = widemargin.SequenceTagger(epochs=1).fit(table, y).model_
    made["names"] = widemargin.SequenceTagger(epochs=1).fit([[["a", "b"], {"c": 2.0}]] * 2, [["x", "y"]] * 2).model_
    for name, model in made.items():
        model.save(str(folder / f"{name}.safetensors"))


@functools.cache
def sentences(kind: str) -> list[str]:
    """Short sentences as text: columns, trees, brackets, chains (documents) or items."""
    return json.loads(pathlib.Path(SEEDS, f"{kind}.json").read_text(encoding="utf-8"))


@functools.cache
def model_names() -> list[str]:
    return sorted(path.stem for path in pathlib.Path(SEEDS).glob("*.safetensors"))


@functools.cache
def model_bytes(name: str) -> bytes:
    return pathlib.Path(SEEDS, f"{name}.safetensors").read_bytes()


@functools.cache
def model_parts(name: str) -> tuple[dict, dict]:
    """Header and arrays; not to be written to."""
    from widemargin import models

    return models.load(f"{SEEDS}/{name}.safetensors")


def input_of(name: str) -> str:
    """A file that the model can answer."""
    if name.startswith("spans-"):
        return f"{SEEDS}/input.brackets"
    if name.startswith("links"):
        return f"{SEEDS}/input.chains"
    if name.removeprefix("pruned-").removesuffix("-labelled") in TREES:
        return f"{SEEDS}/input.trees"
    return f"{SEEDS}/input.{'items' if name in ('items', 'names', 'table') else 'columns'}"


def any_model(random: Random) -> str:
    return random.choice(model_names())


def restore() -> None:
    """Models that a case has written over."""
    for name in model_names():
        path = f"{SEEDS}/{name}.safetensors"
        if not os.path.isfile(path) or os.path.getsize(path) != len(model_bytes(name)):
            pathlib.Path(path).write_bytes(model_bytes(name))


if __name__ == "__main__":
    prepare(pathlib.Path(sys.argv[1]))
