"""Summaries: ROUGE on FewSum and Opinosis beside baselines, and the exact solver beside scipy's integer programs.

    python benchmarks/summaries.py [--data FOLDER] [--only solver|fewsum|opinosis] [--seeds 3] [--learners adagrad,perceptron]

Data: FewSum (Amazon, Yelp) and Opinosis in $WIDEMARGIN_DATA. ROUGE is recall with the stemmer, the mean over references and then over
clusters; budgets are 55 words (FewSum) and 25 (Opinosis). Every step size, and whether both domains are trained on, is chosen by the mean
ROUGE-2 of all seeds on val (FewSum), or on the last quarter of each training part (Opinosis, five folds); test is looked at once. No
epoch is chosen: 15 epochs, averaged weights, or (last) the weights after the last step.
"""

import argparse
import os
import time

import numpy as np

from widemargin.engine.terms import Max, answer
from widemargin.families.recipes import Recipe, train
from widemargin.families.summaries.candidates import Extraction, candidates_of
from widemargin.families.summaries.clusters import Clusters
from widemargin.families.summaries.corpus import features_of, gold_of
from widemargin.families.summaries.model import text_of
from widemargin.families.summaries.rouge import Rouge
from widemargin.families.summaries.sources import open_clusters
from widemargin.families.summaries.templates import load_summary_templates
from widemargin.families.summaries.text import words
from widemargin.metrics.bootstrap import paired_bootstrap
from widemargin.structures.subset.arrays import Subset, cover_of
from widemargin.structures.subset.cover import Gold, Price
from widemargin.structures.subset.other_solvers import integer_program
from widemargin.structures.subset.search import BOUND, NODES

LEARNERS = {  # learner, objective, step sizes
    "mira": ("mira", "hinge", (3e-6, 1e-5, 3e-5, 1e-4)),
    "adagrad": ("ops", "hinge", (3e-4, 1e-3, 3e-3, 1e-2)),
    "subgradient": ("sgd", "hinge", (1e-5, 3e-5, 1e-4, 3e-4)),
    "ramp": ("ops", "ramp", (3e-4, 1e-3, 3e-3)),
    "perceptron": ("perceptron", "perceptron", (1.0,)),
    "adagrad-last": ("ops", "hinge", (3e-4, 1e-3, 3e-3, 1e-2)),
    "perceptron-last": ("perceptron", "perceptron", (1.0,)),
}
ROUGE = Rouge(stemmer=True)
EPOCHS = 15
LONG = 20_000  # nodes, where the budget is large


def rouge(clusters, texts):
    """ROUGE-1 and ROUGE-2 recall of every cluster [clusters, 2], in per cent."""
    found = [ROUGE.score(text, cluster.references, ("rouge1", "rouge2")) for text, cluster in zip(texts, clusters.clusters)]
    return 100 * np.array([[one["rouge1"].recall, one["rouge2"].recall] for one in found])


# ---- baselines ----------------------------------------------------------------------------------------------------------------------


def filled(cluster, order, budget):
    """Sentences in this order as long as they fit."""
    chosen, left = [], budget
    for j in order:
        length = len(words(cluster.sentences[j].text))
        if length <= left:
            chosen.append(j)
            left -= length
    return text_of(cluster, chosen)


def lead(cluster, how):
    """First sentences of all documents, then second ones."""
    order = sorted(range(len(cluster.sentences)), key=lambda j: (cluster.sentences[j].place, cluster.sentences[j].document))
    return filled(cluster, order, how.budget)


def covered(cluster, how, score):
    """The best set where bigrams score so much."""
    found = candidates_of(cluster, how)
    values = np.concatenate([score(found), np.zeros(len(found.sentences))])
    best = Subset().argmax(values, found.coverage)
    return text_of(cluster, found.sentences[best.sentences])


def frequency(found):
    """Documents that have a bigram, 0 where both words are stop words."""
    return found.facts.count * (found.facts.stop < 2.0)


def oracle(cluster, how):
    found = candidates_of(cluster, how)
    parts = gold_of(found, Subset())
    return text_of(cluster, found.sentences[np.flatnonzero(parts[len(found.bigrams) :])])


def ridge(clusters, how, l2=1.0):
    """Each bigram's share of references by regression on its features, without structure."""
    templates = tuple(template for template in load_summary_templates("rich") if not template.sentence)
    rows = [candidates_of(cluster, how) for cluster in clusters.clusters]
    x = np.concatenate([features_of(row, templates)[: len(row.bigrams)] for row in rows])
    y = np.concatenate([row.reference_weights()[0] for row in rows])
    w = np.linalg.solve(x.T @ x + l2 * np.eye(x.shape[1]), x.T @ y)
    return lambda found: features_of(found, templates)[: len(found.bigrams)] @ w


def baselines(train_part, test, how):
    """Rows of the table: name -> [clusters, 2]."""
    random = [np.random.default_rng(seed) for seed in range(5)]
    every = test.clusters
    draws = [rouge(test, [filled(c, draw.permutation(len(c.sentences)), how.budget) for c in every]) for draw in random]
    regression = ridge(train_part, how)
    return {
        "lead": rouge(test, [lead(c, how) for c in every]),
        "random, 5 draws": np.mean(draws, axis=0),
        "frequency": rouge(test, [covered(c, how, frequency) for c in every]),
        "ridge": rouge(test, [covered(c, how, regression) for c in every]),
        "oracle": rouge(test, [oracle(c, how) for c in every]),
    }


# ---- learners -----------------------------------------------------------------------------------------------------------------------


def learnt(name, rate, part, how, seed, templates="rich"):
    learner, objective, _ = LEARNERS[name]
    settings = {"epochs": EPOCHS, "average": not name.endswith("-last"), "seed": seed} | ({} if learner == "perceptron" else {"rate": rate})
    settings |= {"schedule": "root"} if learner == "sgd" else {}
    options = {"budget": how.budget, "least_count": how.least_count}
    return train(
        Recipe("summarize", learner, objective=objective, cost="recall", templates=templates, settings=settings, options=options), part
    )


def predicted(model, clusters):
    return rouge(clusters, [summary.text for summary in model.predict(clusters)])


def chosen(name, parts, dev, how, seeds, templates="rich"):
    """The best step size and part to train on by ROUGE-2 on dev, and its models."""
    best = None
    for which, part in parts.items():
        for rate in LEARNERS[name][2]:
            models = [learnt(name, rate, part, how, seed, templates) for seed in seeds]
            score = float(np.mean([predicted(model, dev)[:, 1].mean() for model in models]))
            if best is None or score > best[0]:
                best = score, which, rate, models
    return best


def line(name, scores, more=""):
    r1, r2 = scores.mean(axis=0)
    error = scores[:, 1].std(ddof=1) / np.sqrt(len(scores))
    print(f"{name:34} {r1:7.2f} {r2:7.2f}  ({error:.2f}) {more}", flush=True)


def fewsum(folder, seeds):
    how, files = Extraction(55), os.path.join(folder, "summarization_fewsum")
    data = {(d, p): open_clusters(f"{files}/{d}.{p}.jsonl.gz") for d in ("yelp", "amazon") for p in ("train", "val", "test")}
    both = Clusters(data["yelp", "train"].clusters + data["amazon", "train"].clusters)
    pooled: dict[str, list] = {}
    for domain in ("yelp", "amazon"):
        test, own = data[domain, "test"], data[domain, "train"]
        print(f"\n{domain} test, {len(test.clusters)} clusters         ROUGE-1 ROUGE-2  (standard error of ROUGE-2)")
        for name, scores in baselines(own, test, how).items():
            line(name, scores)
            pooled.setdefault(name, []).append(scores)
        for name in LEARNERS:
            score, which, rate, models = chosen(name, {"own": own, "both": both}, data[domain, "val"], how, seeds)
            each = [predicted(model, test) for model in models]
            spread = ", ".join(f"{one[:, 1].mean():.2f}" for one in each)
            line(f"{name}, rich", np.mean(each, axis=0), f"val {score:.2f}, trained on {which}, rate {rate:g}; seeds {spread}")
            pooled.setdefault(name, []).append(np.mean(each, axis=0))
        for templates in ("counts", "frequency") if "mira" in LEARNERS else ():
            score, which, rate, models = chosen("mira", {"own": own, "both": both}, data[domain, "val"], how, seeds, templates)
            each = [predicted(model, test) for model in models]
            line(f"mira, {templates}", np.mean(each, axis=0), f"val {score:.2f}, trained on {which}, rate {rate:g}")
    compare({name: np.concatenate(found) for name, found in pooled.items()})


def compare(pooled):
    """Paired bootstrap over all test clusters, ROUGE-2."""
    print("\nBoth test sets, ROUGE-2, paired bootstrap with 10,000 samples")
    pairs = [(name, other) for name in LEARNERS for other in ("frequency", "ridge", "perceptron") if name != other and "-last" not in name]
    pairs += [("adagrad-last", "perceptron-last"), ("perceptron", "perceptron-last"), ("adagrad", "adagrad-last")]
    pairs = [pair for pair in pairs if set(pair) <= set(pooled)]
    for one, other in pairs:
        counts = [np.stack([pooled[name][:, 1], np.ones(len(pooled[name]))], axis=1) for name in (one, other)]
        found = paired_bootstrap(*counts, score=lambda sums: sums[..., 0] / sums[..., 1])
        print(f"{one:16} - {other:16} {found.difference:+.2f} [{found.low:+.2f}, {found.high:+.2f}]  p = {found.p_value:.4f}")


def opinosis(folder, seeds):
    how = Extraction(25, least_count=2)
    data = open_clusters(os.path.join(folder, "summarization_opinosis", "opinosis.jsonl.gz"))
    order = np.random.default_rng(1).permutation(len(data.clusters))
    found: dict[str, np.ndarray] = {}
    for fold in range(5):
        held = order[fold::5]
        rest = [i for i in order if i not in held]
        cut = len(rest) * 3 // 4
        first, last, part, test = (Clusters(tuple(data.clusters[i] for i in which)) for which in (rest[:cut], rest[cut:], rest, held))
        rows = baselines(part, test, how)
        for name in LEARNERS:
            _, _, rate, _ = chosen(name, {"own": first}, last, how, seeds[:1])
            rows[name] = np.mean([predicted(learnt(name, rate, part, how, seed), test) for seed in seeds], axis=0)
        for name, scores in rows.items():
            found.setdefault(name, np.zeros((len(order), 2)))[held] = scores
    print(f"\nOpinosis, {len(order)} topics, five folds       ROUGE-1 ROUGE-2  (standard error of ROUGE-2)")
    for name, scores in found.items():
        line(name, scores)


# ---- solvers ------------------------------------------------------------------------------------------------------------------------


def least(run, times):
    """What a function gives, and the least CPU ms of some calls."""
    spent = []
    for _ in range(times):
        began = time.process_time()
        found = run()
        spent.append(1e3 * (time.process_time() - began))
    return found, min(spent)


def solver(folder):
    """The search alone, as in training: what it reads is laid out before."""
    print("CPU ms a cluster           sentences  bigrams  exact: median, max, nodes  milp: median, max   largest gap")
    sets = [("yelp.val", 55, 1), ("amazon.val", 55, 1), ("opinosis", 25, 2), ("opinosis", 250, 1)]
    for name, budget, fewest in sets:
        file = "summarization_opinosis/opinosis" if name == "opinosis" else f"summarization_fewsum/{name}"
        times, others, nodes, sizes, gaps = [], [], [], [], []
        structure, large = Subset(LONG) if budget >= 100 else Subset(), budget >= 100
        for cluster in open_clusters(os.path.join(folder, f"{file}.jsonl.gz")).clusters:
            found = candidates_of(cluster, Extraction(budget, least_count=fewest))
            values = np.concatenate([frequency(found).astype(float), np.full(len(found.sentences), -0.1)])
            n = len(values)
            s = structure.workspace(cover_of([found.coverage]), n, dtype=np.float64)
            s.score[:] = values
            row = Gold(np.int64(0), np.zeros(n, np.int8), False), Price(np.zeros(n), 0.0), n
            value, spent = least(lambda: answer(Max(0.0, False), s, *row), 1 if large else 3)  # noqa: B023
            times.append(spent)
            if not large:
                program, spent = least(lambda: integer_program(values, found.coverage), 3)  # noqa: B023
                others.append(spent)
                assert abs(program.value - value) < 1e-6, cluster.id
            nodes.append(int(s.report[NODES]))
            gaps.append((s.report[BOUND] - value) / max(1.0, abs(value)))
            sizes.append((len(found.sentences), len(found.bigrams)))
        t, o = np.array(times), np.array(others or [np.nan])
        most = np.max(sizes, axis=0)
        shown = f"{np.median(t):8.2f} {t.max():8.2f} {max(nodes):8} {np.median(o):10.2f} {o.max():8.2f} {100 * max(gaps):11.2f} %"
        print(f"{name:10} {budget:4} words {most[0]:12} {most[1]:8} {shown}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("WIDEMARGIN_DATA"))
    parser.add_argument("--only", choices=("solver", "fewsum", "opinosis"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--learners", help="of those below, separated by commas (all)")
    options = parser.parse_args()
    if options.learners:
        LEARNERS = {name: LEARNERS[name] for name in options.learners.split(",")}
    seeds = list(range(1, options.seeds + 1))
    if options.only in (None, "solver"):
        solver(options.data)
    if options.only in (None, "fewsum"):
        fewsum(options.data, seeds)
    if options.only in (None, "opinosis"):
        opinosis(options.data, seeds)
