"""Reranking: one of a list's hypotheses, for n-best lists of translation systems, speech recognisers and language models."""

from collections.abc import Iterator, Mapping
from typing import Any

from widemargin.families.base import Answers, Family, Task
from widemargin.families.lazy import lazy
from widemargin.families.options import READING, SCORING, Option

LEARNING = ("train", "compare")
SCORED = ("evaluate", "score")
BY_SACREBLEU = {"ter": "sacrebleu", "chrf": "sacrebleu"}  # metrics
REFS = "files of references, separated by commas, {stem} for the name of the lists without .nbest (STEM.ref* beside them)"


class Reranking(Family):
    name = "reranking"
    tasks = {"rerank": Task("rerank", "the best of n hypotheses, Moses n-best lists or JSON lines", (), "given", "as-is", "bleu")}
    learner, structure, cost = "mira", "lists", "sentence"
    formats = {"nbest": (".nbest",)}
    verbs = {"rerank": ("n-best lists: tune weights, apply them, oracles, sheets of differences", "widemargin.families.reranking.commands")}
    public = {
        "estimator": ("Reranker",),
        "model": ("RerankModel",),
        "pool": ("Pool",),
        "sources": ("open_pool",),
    }
    offers = frozenset(("errors", "kbest", "marginals", "probability", "calibrate", "explain", "prune", "draw"))
    lacks = {
        "curve": "one hypothesis is chosen for every sentence, so there is no precision to be traded for recall",
        "report": "hypotheses have no classes that could be counted one by one",
    }
    costs = (
        ("sentence", "how much of the sentence's own score is lost, from 0 to 1; sentence*10 for larger units"),
        (
            "corpus",
            "how much of the BLEU of all first hypotheses is lost when this one replaces one of them, times the number of sentences",
        ),
        ("hamming", "1 for all but the best hypothesis of a list"),
    )
    options = (
        Option(
            "metric",
            "bleu, ter, chrf, wer, cer, or a column of the lists: what is learnt to be best, and what dev scores and comparisons go by",
            str,
            "bleu",
            verbs=LEARNING,
            flag="--metric",
            metavar="NAME",
            needs=BY_SACREBLEU,
        ),
        Option("smoothing", "smoothing of the BLEU of one sentence", ("add-1", "exp", "all-1", "floor", "none"), "add-1"),
        Option(
            "gold",
            "first: one hypothesis of a list is correct, the first of the best; ties: all of the best are",
            ("first", "ties"),
            "first",
        ),
        Option("scaled", "while learning, divide features by their spread within lists", bool, True),
        Option("refs", REFS, str, None, READING, (*LEARNING, *SCORED, "explain", "calibrate"), flag="--refs", metavar="FILES"),
        Option("ter", "print TER too, by sacrebleu, and (TER - BLEU)/2", bool, False, SCORING, SCORED, needs={True: "sacrebleu"}),
        Option(
            "metric", "bleu, ter, chrf, wer, cer, or a column", str, "bleu", SCORING, ("score",), "--metric", "NAME", needs=BY_SACREBLEU
        ),
    )

    data_class = lazy(".pool.Pool")
    refuse = lazy(".training.refuse")

    @property
    def structures(self) -> Mapping[str, Any]:
        from widemargin.structures.lists.arrays import Lists

        return {Lists.name: Lists}

    named_templates = lazy(".features.SETS")

    # ---- data -------------------------------------------------------------------------------------------------------------------

    def open(self, path: str, task: str | None, *, encoding: str = "utf-8", refs: str | None = None) -> Any:
        from widemargin.families.reranking.sources import open_pool

        return open_pool(path, refs=refs, encoding=encoding)

    def stream(self, path: str, model: Any, **reading: Any) -> Iterator[Any]:
        from widemargin.families.reranking.sources import open_pool

        return iter([open_pool(path, look=False, **reading)])

    stats = lazy(".reports.pool_facts")

    def town(self, part: str, *, sentences: int | None, seed: int) -> str:
        from widemargin.families.reranking.jsonl import format_jsonl
        from widemargin.families.reranking.town import town_pool

        return format_jsonl(town_pool(part, sentences=sentences, seed=seed))

    draw = lazy(".reports.drawing")

    # ---- learning ---------------------------------------------------------------------------------------------------------------

    pose = lazy(".training.pose_lists")
    model_class = lazy(".model.RerankModel")

    # ---- answers ----------------------------------------------------------------------------------------------------------------

    answer = lazy(".answers.answer")
    write = lazy(".answers.write")
    as_json = lazy(".answers.as_json")

    def scores(self, gold: Any, system: Any, task: str, *, ter: bool = False, metric: str = "bleu") -> Any:
        from widemargin.families.reranking.scores import system_scores

        return system_scores(gold, system, metric, ter=ter)

    def evaluate(self, model: Any, data: Any, answers: Answers, *, ter: bool = False) -> Any:
        from widemargin.families.reranking.metrics import metric_named
        from widemargin.families.reranking.scores import choice_scores

        return choice_scores(data, metric_named(data, model.metric, smoothing=model.smoothing), answers.best, ter=ter)

    def held_out(self, model: Any, data: Any, *, threads: int = 1) -> Any:
        from widemargin.families.reranking.answers import held_choices

        return held_choices(model, data)

    mistakes = lazy(".mistakes.mistakes")
    explain = lazy(".reports.explanation")
    inspect = lazy(".reports.inspection")

    def sizes(self, model: Any) -> dict[str, int]:
        return {"features": model.active}

    def prune(self, model: Any, *, threshold: float | None, keep: int | None) -> Any:
        return model.pruned(threshold=threshold, keep=keep)

    warmups = lazy(".warmup.warmups")


FAMILY = Reranking()
