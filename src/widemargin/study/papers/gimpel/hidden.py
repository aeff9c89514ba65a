"""Section 3.3: softmax-margin with hidden variables, here labels that are hidden from the training data. The paper has no experiment."""

import dataclasses
from functools import partial

from widemargin.metrics.bootstrap import f1_from_counts, paired_bootstrap
from widemargin.show.tables import Column
from widemargin.study.experiment import Bench
from widemargin.study.papers.gimpel.data import as_iob2, hide, open_data
from widemargin.study.papers.gimpel.methods import ADAGRAD, BASE, METHODS, Trained
from widemargin.study.reproduction import Report, Section, Settings

HIDDEN_SENTENCES, HIDDEN_TOKENS = 0.9, 0.5  # in nine of ten sentences, half of the labels
# of softmax-margin by AdaGrad: the paper's m and C, and the better of two steps on development data at length
POINT = {"m": 5, "C": 0.01, "rate": 0.03}
QUICK_SENTENCES, QUICK_EPOCHS = 60, 2


def report(settings: Settings) -> Report:
    """Labels summed over (latent), their sentences left out, or taken for O; and with all labels known."""
    settings = settings.sized(sentences=QUICK_SENTENCES, epochs=QUICK_EPOCHS)
    data = open_data(settings.data, settings.sentences)
    known = as_iob2(data.train)
    some = hide(known, sentences=HIDDEN_SENTENCES, tokens=HIDDEN_TOKENS, seed=settings.seed)
    ways = {
        "latent: summed over": some.hidden,
        "sentences left out": some.complete,
        "taken for O": some.outside,
        "all labels known": known,
    }
    epochs = settings.epochs or ADAGRAD.passes[1]
    learning = {"epochs": epochs, "patience": ADAGRAD.patience, "seed": settings.seed}
    rows, counts = [], []
    for way, train in ways.items():
        # labels as they are in the file, IOB2 by now, because hidden ones cannot be converted
        base: dict = {"labels": "as-is", "constraints": "iob2"}
        bench = Bench(dataclasses.replace(BASE, **base), train, threads=settings.threads)
        dev, test = bench.judge(data.dev), bench.judge(data.test)
        recipe = dataclasses.replace(Trained(METHODS[-1], ADAGRAD, bench.problem.corpus.rows).recipe(learning, POINT), **base)
        fitted = bench.fit(recipe, dev, listen=None if settings.listen is None else partial(settings.listen, way))
        counts.append(test.scores(fitted.w).counts)
        best = max(facts["dev"]["f1"] for facts in fitted.history)
        p = None if len(counts) == 1 else paired_bootstrap(counts[0], counts[-1], samples=settings.samples).p_value
        score = float(f1_from_counts(counts[-1].sum(axis=0)))
        rows.append({"way": way, "sentences": bench.problem.corpus.rows, "dev": best, "test": score, "p": p})
    title = f"Softmax-margin, {data.name}, {some.tokens:.0%} of the labels hidden, in {some.sentences:.0%} of the sentences"
    columns = [Column("way"), Column("sentences"), Column("dev", "dev F1", 2), Column("test", "test F1", 2)]
    facts = {"data": data.name, "tokens": some.tokens, "sentences": some.sentences, "rows": rows}
    return Report([Section(title, rows, [*columns, Column("p", "p against latent", 4)])], facts)
