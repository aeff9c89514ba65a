"""Coreference on LitBank: CoNLL averages, CPU seconds of an epoch, a novel of 100,000 words, memory; one core.

Every contender trains in processes of its own, one per seed, on the settings that the development part has chosen; the epoch with the
best development score is kept. Scores are CoNLL averages on the test part with gold mentions, chains of one mention kept or dropped on both
sides; `found mentions` are those that rules find in words alone, in training too; those of a tagger, which has learnt from the training
part what `widemargin mentions` writes, are linked by a model of gold mentions. The median of the epochs after the first counts, without
scoring the development part; features are computed anew in every epoch. The novel is made of the training part's documents, as one: finding
mentions, seeing them as numbers and linking them all count. Memory is the largest of the training processes, kernels compiled before.
"""

import argparse
import os
import pathlib
import statistics
import tempfile
import time

import numpy as np
from harness import HERE, Claim, Files, Outcome, Skip, main, median, run, say

from widemargin.families.coreference.attributes import FACT, attributes
from widemargin.families.coreference.documents import Document, Documents, documents_of
from widemargin.families.coreference.metric import ChainScores
from widemargin.families.coreference.model import Resolver, chained
from widemargin.families.coreference.sources import open_documents
from widemargin.families.coreference.tagged import mention_labels, sought
from widemargin.families.recipes import Recipe
from widemargin.families.recipes import train as fit
from widemargin.readers.columns import from_sentences

CORPUS, NOVEL = "litbank_coref", 100_000
COSTS = "false_anaphor=0.5,false_new=1,wrong_link=1"
RDA = {"learner": "rda", "cost": COSTS, "settings": {"epochs": 8}}
MIRA = {"learner": "mira", "cost": COSTS, "settings": {"epochs": 12, "rate": 0.0004}}
SUMS = RDA | {"objective": "softmax-margin"}
RUNS = {  # name -> recipe, seeds
    "links": (RDA, (1, 2, 3)),
    "links, mira": (MIRA, (1,)),
    "surface": (MIRA | {"templates": "surface", "settings": {"epochs": 12, "rate": 0.003}}, (1, 2, 3)),
    "links, Durrett and Klein's costs": (RDA | {"cost": "durrett-klein"}, (1,)),
    "links, softmax-margin": (SUMS, (1,)),
    "links, found mentions": (RDA | {"mentions": "found"}, (1,)),
    "links, mentions of a tagger": (RDA, (1,)),
}
TAGGED = "links, mentions of a tagger"
TAGGER = {"learner": "ops", "objective": "softmax-margin", "settings": {"epochs": 8, "average": True}}  # chosen on the development part


def documents(part: str) -> Documents:
    """A part of LitBank, from $WIDEMARGIN_DATA or from shared/data beside the repository."""
    from widemargin.corpora.catalogue import FOLDER_VARIABLE

    folder = pathlib.Path(os.environ.get(FOLDER_VARIABLE) or HERE.parents[1] / "shared" / "data") / CORPUS
    if not (folder / f"{part}.conll.gz").exists():
        raise Skip(f"{CORPUS} is not in {folder.parent}; put its files there and set {FOLDER_VARIABLE}")
    return open_documents(str(folder / f"{part}.conll.gz"))


def both(gold: Documents, found: Documents) -> list[float]:
    """CoNLL averages with chains of one mention, and without."""
    sides = [[side.chains(d) for d in range(len(side.given))] for side in (gold, found)]
    return [ChainScores(*sides, singletons=kept).as_dict()["conll"] for kept in (True, False)]


def learn(recipe: dict, seed: int) -> dict:
    """Scores, and CPU seconds of the epochs and of the novel."""
    train, dev, test = (documents(part) for part in ("train", "dev", "test"))
    recipe = recipe | {"settings": recipe["settings"] | {"seed": seed}}
    epochs: list[float] = []
    fit(Recipe("coref", **recipe), train, listen=lambda _: epochs.append(time.process_time()))
    model = fit(Recipe("coref", **recipe), train, dev=dev)
    kept, dropped = both(test, model.predict(test))
    return {
        "epoch": statistics.median(b - a for a, b in zip(epochs, epochs[1:])),
        "dev": max(epoch["dev"]["conll"] for epoch in model.facts["history"]),
        "kept": kept,
        "dropped": dropped,
        "novel": min(novel(model, train) for _ in range(2)),
    }


def learn_tagged(recipe: dict, seed: int) -> dict:
    """Scores with the mentions of a tagger."""
    train, dev, test = (documents(part) for part in ("train", "dev", "test"))
    labelled = [list(zip(words, labels)) for document in train.given for words, labels in zip(document.sentences, mention_labels(document))]
    tagger = fit(Recipe("tag", **TAGGER), from_sentences(labelled, names=["word", "tag"]))
    model = fit(Recipe("coref", **recipe | {"settings": recipe["settings"] | {"seed": seed}}), train, dev=dev)
    with tempfile.TemporaryDirectory() as folder:
        tagger.save(path := os.path.join(folder, "tagger"))
        found = [both(part, model.predict(*sought(part, None, path))) for part in (dev, test)]
    return {"dev": found[0][0], "kept": found[1][0], "dropped": found[1][1]}


def novel(model: Resolver, train: Documents) -> float:
    """CPU seconds for 100,000 words as one document."""
    sentences: list[list[str]] = []
    words = 0
    for sentence in (sentence for document in train.given for sentence in document.sentences):
        if words < NOVEL:
            sentences.append(sentence)
            words += len(sentence)
    made = documents_of([Document("novel", sentences)])
    began = time.process_time()
    model.predict(made, "found")
    return time.process_time() - began


def baselines() -> list[dict]:
    """Every mention alone, and linked to the nearest with the same head."""
    test, rows = documents("test"), []
    for name in ("every mention alone", "the nearest with the same head"):
        head, chain, last = attributes(test).fact[:, FACT["head"]], [], {}
        document = 0
        for m in range(test.mentions):
            if m >= test.mention_ptr[document + 1]:
                document, last = document + 1, {}
            chain.append(chain[last[head[m]]] if name.startswith("the") and head[m] in last else m)
            last[head[m]] = m
        kept, dropped = both(test, chained(test, np.array(chain)))
        rows.append({"contender": name, "kept": kept, "dropped": dropped})
    return rows


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """One row per contender."""
    rows = baselines()
    found = {}
    for name, (recipe, seeds) in RUNS.items():
        say(name)
        how = "coreference:learn_tagged" if name == TAGGED else "coreference:learn"
        found[name] = [run(how, recipe=recipe, seed=seed) for seed in seeds]
    for name, answers in found.items():
        scores = {key: statistics.mean(answer[key] for answer in answers) for key in ("dev", "kept", "dropped")}
        lowest = {"lowest": min(answer["kept"] for answer in answers)}
        times = {f"{key}, CPU s": median(answers, key) for key in ("epoch", "novel") if key in answers[0]}
        rows.append({"contender": name} | scores | lowest | times | {"MB": max(answer["rss"] for answer in answers)})
    at = {row["contender"]: row for row in rows}
    claims = [
        Claim("links: CoNLL average, singletons kept", at["links"]["kept"], 79.0, at_least=True),
        Claim("links: CoNLL average, singletons dropped", at["links"]["dropped"], 71.0, at_least=True),
        Claim("links: epoch by the hinge, CPU seconds", at["links"]["epoch, CPU s"], 0.8),
        Claim("softmax-margin: epoch, CPU seconds", at["links, softmax-margin"]["epoch, CPU s"], 1.6),
        Claim("links: a novel of 100,000 words, CPU seconds", at["links"]["novel, CPU s"], 5.0),
        Claim("links: memory, MB", at["links"]["MB"], 300),
        Claim("links, found mentions: memory, MB", at["links, found mentions"]["MB"], 300),
    ]
    return Outcome(rows, claims, ["Scores are means over seeds (links and surface 1 to 3, others 1), by the best epoch on the dev part."])


if __name__ == "__main__":
    main(measure, __doc__, peers=False)
