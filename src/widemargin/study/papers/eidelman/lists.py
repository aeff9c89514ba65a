"""eidelman-lists: all tuners of the paper on the same fixed lists, B and D of relative margin chosen on development lists, test once.

The lists are not decoded anew, so MIRA and RM are batch variants here, as MERT and PRO are of one iteration; the paper's sparse features
need derivations, so the sparse ones here are ours: words and pairs of words of the hypotheses, and their length.
"""

import importlib.util
import time

from widemargin.show.figures import draw_curves
from widemargin.show.tables import Column
from widemargin.study.papers.eidelman.data import Data, open_lists
from widemargin.study.papers.eidelman.methods import BOUNDS, METHODS, PRICES
from widemargin.study.papers.eidelman.runs import Trial, oracle_row, outcome, start_row, trials
from widemargin.study.reproduction import Report, Section, Settings

SEEDS, QUICK_SEEDS, QUICK_EPOCHS = 5, 2, 10
COLUMNS = [
    *(Column("tuner"), Column("settings"), Column("tune", "tune BLEU"), Column("dev", "dev BLEU"), Column("test", "test BLEU")),
    *(Column("gain", "over first of list (95 %)"), Column("visited", "spread, all epochs"), Column("spread", "spread, chosen weights")),
    *(Column("relative_margin", "relative margin", 3), Column("active"), Column("failed"), Column("seconds", "CPU s", 2)),
]
PARTS = [Column("tuner"), *(Column(f"p{n}", f"{n}-grams", 1) for n in range(1, 5)), Column("brevity_penalty", "brevity", 3)]
TER = [Column("ter", "TER", 2), Column("half_ter_less_bleu", "½(TER - BLEU)", 2)]


def report(settings: Settings) -> Report:
    """Tables for both sets of features, curves of the spread, and everything as data."""
    began, sections, facts, curves = time.perf_counter(), list[Section](), {}, {}
    seeds = range(settings.seed, settings.seed + (QUICK_SEEDS if settings.quick else SEEDS))
    epochs = settings.epochs or (QUICK_EPOCHS if settings.quick else None)
    ter = importlib.util.find_spec("sacrebleu") is not None
    for data in open_lists(settings.data, settings.sentences, quick=settings.quick):
        rows, tried = [start_row(data, ter=ter)], {}
        for method in METHODS:
            if len(data.tune.pool.names) > method.most:
                continue
            tried[method.name] = trials(method, data, seeds, epochs)
            best = max(tried[method.name], key=lambda trial: trial.dev)
            rows.append(outcome(method.name, data, best, ter=ter))
            if settings.say is not None:
                settings.say(f"{data.features}, {method.name}: dev {rows[-1]['dev']}, test {rows[-1]['test']}")
            if method.name in ("MIRA", "RM"):
                curves[f"{method.name}, {data.features}"] = [(one["epoch"], one["spread"]) for one in best.found[0].history]
        sections += [summary(data, [*rows, oracle_row(data)], len(seeds)), precisions(data, rows, ter=ter), bounds(data, tried["RM"])]
        facts[data.features] = {"about": about(data), "rows": rows, "tried": {name: points(found) for name, found in tried.items()}}

    def draw(stem: str) -> list[str]:
        title, y_label = "Spread of scores around the hope", "mean s(hope) - min s"
        return draw_curves(curves, f"{stem}-spread", title=title, x_label="epoch", y_label=y_label)

    return Report(sections, facts | {"seeds": list(seeds), "seconds": time.perf_counter() - began}, draw)


def about(data: Data) -> str:
    """Sizes, in words."""
    sizes = ", ".join(
        f"{part.pool.sentences:,} {name}" for name, part in (("tuning", data.tune), ("development", data.dev), ("test", data.test))
    )
    return f"{data.name}: {sizes} sentences, {len(data.tune.pool):,} hypotheses to tune on, {len(data.tune.pool.names):,} features"


def summary(data: Data, rows: list[dict], seeds: int) -> Section:
    """One line per tuner."""
    title = f"{data.features.capitalize()} features, {seeds} seeds: mean ± standard deviation over seeds; gains of the first seed"
    return Section(f"{title}. {about(data)}", rows, COLUMNS)


def precisions(data: Data, rows: list[dict], *, ter: bool) -> Section:
    """n-gram precisions, brevity penalty and TER on the test lists."""
    title = f"{data.features.capitalize()} features: parts of BLEU on the test lists, first seed"
    return Section(title, [{"tuner": row["tuner"], **row["parts"]} for row in rows], PARTS + (TER if ter else []))


def bounds(data: Data, found: list[Trial]) -> Section:
    """The B x D table of relative margin on the development lists."""
    dev = {(trial.point["B"], trial.point["D"]): trial.dev for trial in found}
    rows = [{"B": f"B = {B:g}"} | {f"D{D:g}": dev[B, D] for D in PRICES} for B in BOUNDS]
    title = f"{data.features.capitalize()} features: development BLEU of RM by bound B and its price D, C = 0.01, mean over seeds"
    return Section(title, rows, [Column("B", ""), *(Column(f"D{D:g}", f"D = {D:g}", 2) for D in PRICES)])


def points(found: list[Trial]) -> list[dict]:
    """Everything that was tried, as data."""
    return [trial.point | {"dev": trial.dev, "scores": [one.dev for one in trial.found]} for trial in found]
