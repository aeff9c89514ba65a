"""Mixing four learners on two cores: seconds per epoch against one learner on one core, and what mixing costs in F1 after ten epochs.

Each weight is the mean over the learners that had a step there (mix_weights=active), and mixed mira gives its last weights, not their
average; both were chosen on the held-out tenth of the training file. Its F1 is compared with that of one learner as usual, its time with
one that gives its last weights too. The curves have uniform weights. Epochs 2 to 10 are timed, in wall and CPU time, without looks at other
data: of each the least over the repetitions, and the mean of those. Test F1 is that of the last epoch, so nothing is chosen on it.
--alone learns at real-time priority (Linux, as root), so that other work on the machine does not count.
Cores share memory, the last cache and often a clock: so two learners that have nothing to do with each other are timed side by side, too,
and twice the time of one over theirs is what two cores of this machine have to give.
--curves draws F and F1 of the held-out tenth of the training file against the number of mixed learners into docs/, and prints them.
--parsing times dependency trees (UD English EWT's development file) instead, where an epoch computes more and waits less for memory.
"""

import argparse
import os
import pathlib
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from harness import HERE, Claim, Files, Outcome, Skip, alternate, least, main, prepared, run, say

EPOCHS, WORKERS, MIXED = 10, 2, 4
LEARNERS = {
    "perceptron": {"learner": "perceptron"},
    "mira": {"learner": "mira"},
    "ops hinge": {"learner": "ops", "objective": "hinge"},
    "ops softmax-margin": {"learner": "ops", "objective": "softmax-margin"},
}
LAST = {"mira": {"average": False}}  # what gives its last weights when mixed
COUNTS, MARKED = (1, 2, 4, 8, 16, 32), (1, 3, 10)


def mixed(
    task: str, train: str, dev: str | None, recipe: dict, settings: dict, workers: int, *, alone: bool = False, value: bool = False
) -> dict:
    """One training with these settings of the learner: wall seconds of the epochs but the first, the mean of their CPU seconds, and the
    metric on dev at the end; with `value`, F and the metric after every epoch."""
    from widemargin.families.recipes import DevScorer, Recipe, open_data, pose
    from widemargin.learners import learner_named
    from widemargin.learners.mixing import in_memory
    from widemargin.workers import Engine

    if alone:  # threads that are started later are so too
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    posed = pose(Recipe(task, **recipe), open_data(train, task), threads=workers)
    problem, learner = posed.problem, learner_named(recipe["learner"], {"epochs": EPOCHS} | settings)
    mix = learner.mix
    scorer = DevScorer(posed, posed.hold(open_data(dev, task))) if dev else None
    wall, cpu, curve = [time.perf_counter()], [time.process_time()], []

    def watch(epoch, facts, weigh):
        if value:
            w = weigh()
            curve.append((problem.value(w * problem.copies[:, None]), scorer(w)[posed.metric]))
        wall.append(time.perf_counter())
        cpu.append(time.process_time())

    with Engine(workers=workers).crew() as crew:
        result = learner.fit(problem, watch=watch, **{"shards": in_memory(problem, mix, crew)} if mix > 1 else {})
    lengths = [b - a for a, b in zip(wall[1:], wall[2:])]
    metric = scorer(result.w)[posed.metric] if scorer else None
    return {"wall": lengths, "cpu": (cpu[-1] - cpu[1]) / (EPOCHS - 1), "metric": metric, "curve": curve}


def beside(task: str, train: str, recipe: dict, settings: dict, *, alone: bool = False) -> dict:
    """As many separate trainings as cores are mixed on, at the same time, each on its own copy of the problem: wall seconds of the epochs
    but the first, each the mean over the trainings, and the mean of their CPU seconds."""
    from widemargin.families.recipes import Recipe, open_data, pose
    from widemargin.learners import learner_named

    if alone:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    data = open_data(train, task)
    problems = [pose(Recipe(task, **recipe), data, threads=1).problem for _ in range(WORKERS)]
    together = Barrier(WORKERS)

    def learn(problem) -> tuple[list[float], float]:
        wall, cpu = [], []

        def watch(epoch, facts, weigh):
            together.wait()  # what follows is timed while all of them learn
            wall.append(time.perf_counter())
            cpu.append(time.thread_time())

        learner_named(recipe["learner"], {"epochs": EPOCHS} | settings).fit(problem, watch=watch)
        return [b - a for a, b in zip(wall, wall[1:])], (cpu[-1] - cpu[0]) / (EPOCHS - 1)

    with ThreadPoolExecutor(WORKERS) as threads:
        found = list(threads.map(learn, problems))
    walls, cpu = zip(*found)
    return {"wall": [statistics.fmean(epoch) for epoch in zip(*walls)], "cpu": statistics.fmean(cpu)}


def measure(options: argparse.Namespace, _: Files) -> Outcome:
    """Curves, or a line per learner."""
    with prepared() as files:
        return curves(files) if options.curves else times(options, files)


def times(options: argparse.Namespace, files: Files) -> Outcome:
    """A line per learner."""
    task, train, dev, learners = "chunk", files("train"), files("test"), LEARNERS
    if options.parsing:
        task, train, dev, learners = "depparse", treebank(), None, {"mira": {"learner": "mira"}}
    rows, claims, notes = [], [], []
    for name, recipe in learners.items():
        own = {"task": task, "train": train, "dev": dev, "recipe": recipe, "alone": options.alone}
        more = LAST.get(name, {})
        together = more | {"mix": MIXED, "mix_weights": "active"}
        contenders = {f"{name}, one learner": (more, 1), f"{name}, {MIXED} mixed": (together, WORKERS)}
        if more:
            contenders = {f"{key}, last weights": how for key, how in contenders.items()} | {f"{name}, one learner": ({}, 1)}
        callers = {
            key: lambda own=own, how=how, workers=workers: run("mixing:mixed", **own, settings=how, workers=workers)
            for key, (how, workers) in contenders.items()
        }
        learning = {"task": task, "train": train, "recipe": recipe, "settings": more, "alone": options.alone}
        callers[f"{name}, {WORKERS} trainings at a time"] = lambda learning=learning: run("mixing:beside", **learning)
        answers = alternate(callers, options.repeat)
        for what, found in answers.items():
            spent = {"wall s per epoch": undisturbed(found), "CPU s per epoch": least(found, "cpu")}
            rows.append({"training": what} | spent | ({"test F1": found[0].get("metric")} if dev else {}))
        *trained, apart = answers.values()
        one, four, usual = [*trained, *trained][:3]
        faster = undisturbed(one) / undisturbed(four)
        claims.append(Claim(f"{name}: wall time of one learner / of {MIXED} on {WORKERS} cores", faster, 1.7, True))
        notes.append(f"{name}: {WORKERS} cores give {WORKERS * undisturbed(one) / undisturbed(apart):.2f} times what one gives")
        if dev:
            claims.append(Claim(f"{name}: F1 lost by mixing", usual[0]["metric"] - four[0]["metric"], 0.2))
    return Outcome(rows, claims, notes)


def undisturbed(answers: list[dict]) -> float:
    """Wall seconds of an epoch: the mean over the epochs, each by its least over the repetitions."""
    return statistics.fmean(map(min, zip(*(answer["wall"] for answer in answers))))


def treebank() -> str:
    """The development file of UD English EWT."""
    from widemargin.corpora.catalogue import FOLDER_VARIABLE

    folder = pathlib.Path(os.environ.get(FOLDER_VARIABLE) or HERE.parents[1] / "shared" / "data")
    found = sorted(folder.glob("ud_english_ewt/*dev*.conllu*"))
    if not found:
        raise Skip(f"ud_english_ewt is not in {folder}")
    return str(found[0])


def curves(files: Files) -> Outcome:
    """F and held-out F1 by number of learners, after some of the epochs."""
    from widemargin.show.figures import draw_curves

    rows, recipe = [], LEARNERS["ops hinge"]
    for mix in COUNTS:
        say(f"{mix} learners")
        own = {
            "task": "chunk",
            "train": files("train-90"),
            "dev": files("train-10"),
            "recipe": recipe,
            "settings": {"mix": mix, "mix_weights": "uniform"},
        }
        curve = run("mixing:mixed", **own, workers=WORKERS, value=True)["curve"]
        rows += [{"learners": mix, "epoch": epoch, "F": curve[epoch - 1][0], "dev F1": curve[epoch - 1][1]} for epoch in MARKED]
    for key, stem, label in (
        ("F", "mixing-objective", "F, the mean hinge loss in training"),
        ("dev F1", "mixing-dev", "F1 on held-out data"),
    ):
        drawn = {f"epoch {epoch}": [(row["learners"], row[key]) for row in rows if row["epoch"] == epoch] for epoch in MARKED}
        values = [row[key] for row in rows]
        room = 0.05 * (max(values) - min(values))
        title = "CoNLL-2000 chunking, AdaGrad on the hinge, mixed after every epoch"
        draw_curves(
            drawn,
            HERE.parent / "docs" / stem,
            title=title,
            x_label="mixed learners",
            y_label=label,
            y_range=(min(values) - room, max(values) + room),
        )
    return Outcome(rows)


if __name__ == "__main__":
    flags = {"--curves": "F and F1 by the number of learners", "--parsing": "dependency trees", "--alone": "at real-time priority"}
    main(measure, __doc__, flags, peers=False)
