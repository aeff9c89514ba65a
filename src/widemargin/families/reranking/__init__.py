"""Reranking: one of a list's hypotheses, for n-best lists of translation systems, speech recognisers and language models."""

from collections.abc import Iterator, Mapping
from typing import Any

from widemargin.families.base import Answers, Family, Task, Told, Wanted, Warmup
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
        ("sentence", "what is lost of the metric by itself, from 0 to 1; sentence*10 for larger units"),
        ("corpus", "what is lost of the BLEU of all first hypotheses when one is replaced, times the number of sentences"),
        ("hamming", "1 for all but the best hypothesis of a list"),
    )
    options = (
        Option(
            "metric",
            "bleu, ter, chrf, wer, cer, or a column of the lists: what is best, and what dev and comparisons look at",
            str,
            "bleu",
            verbs=LEARNING,
            flag="--metric",
            metavar="NAME",
            needs=BY_SACREBLEU,
        ),
        Option("smoothing", "of the BLEU of one sentence", ("add-1", "exp", "all-1", "floor", "none"), "add-1"),
        Option(
            "gold",
            "first: one hypothesis of a list is correct, the first of the best; ties: all of the best are",
            ("first", "ties"),
            "first",
        ),
        Option("scaled", "features are divided by how far they stray within lists, while learning", bool, True),
        Option("refs", REFS, str, None, READING, (*LEARNING, *SCORED, "explain", "calibrate"), flag="--refs", metavar="FILES"),
        Option("ter", "TER too, by sacrebleu, and (TER - BLEU)/2", bool, False, SCORING, SCORED, needs={True: "sacrebleu"}),
        Option(
            "metric", "bleu, ter, chrf, wer, cer, or a column", str, "bleu", SCORING, ("score",), "--metric", "NAME", needs=BY_SACREBLEU
        ),
    )

    def holds(self, data: Any) -> bool:
        from widemargin.families.reranking.pool import Pool

        return isinstance(data, Pool)

    def check(self, recipe: Any, verb: str) -> None:
        from widemargin.families.reranking.training import refuse

        refuse(recipe)

    @property
    def structures(self) -> Mapping[str, Any]:
        from widemargin.structures.lists.arrays import Lists

        return {Lists.name: Lists}

    def template_sets(self) -> list[tuple[str, str]]:
        from widemargin.families.reranking.features import SETS
        from widemargin.features.named import described_sets

        return described_sets(SETS)

    # ---- data -------------------------------------------------------------------------------------------------------------------

    def open(self, path: str, task: str | None, *, encoding: str = "utf-8", refs: str | None = None) -> Any:
        from widemargin.families.reranking.sources import open_pool

        return open_pool(path, refs=refs, encoding=encoding)

    def labelled(self, path: str, model: Any, *, gold: bool = True, encoding: str = "utf-8", refs: str | None = None) -> Any:
        return self.open(path, None, encoding=encoding, refs=refs)

    def stream(self, path: str, model: Any, *, encoding: str = "utf-8") -> Iterator[Any]:
        from widemargin.families.reranking.sources import open_pool

        return iter([open_pool(path, look=False, encoding=encoding)])

    def stats(self, data: Any) -> dict:
        from widemargin.families.reranking.reports import pool_facts

        return pool_facts(data)

    def town(self, part: str, *, sentences: int | None, seed: int) -> str:
        from widemargin.families.reranking.jsonl import format_jsonl
        from widemargin.families.reranking.town import town_pool

        return format_jsonl(town_pool(part, sentences=sentences, seed=seed))

    def draw(self, gold: Any, sentence: int, system: Any = None) -> str:
        from widemargin.families.reranking.reports import drawing

        return drawing(gold, sentence, system)

    # ---- learning ---------------------------------------------------------------------------------------------------------------

    def pose(self, recipe: Any, data: Any, *, start: Any = None, base: Any = None, weight: Any = None, threads: int = 1) -> Any:
        from widemargin.errors import InputError
        from widemargin.families.reranking.training import pose_lists

        if base is not None:
            raise InputError("rerankers are not trained on top of a base model; leave base out")
        return pose_lists(recipe, data, start=start, weight=weight, threads=threads)

    def load(self, header: dict, arrays: Any, path: str = "<model>") -> Any:
        from widemargin.families.reranking.model import RerankModel

        return RerankModel.of_parts(header, arrays, path)

    # ---- answers ----------------------------------------------------------------------------------------------------------------

    def answer(self, model: Any, data: Any, wanted: Wanted) -> Answers:
        from widemargin.families.reranking.answers import answer

        return answer(model, data, wanted)

    def write(self, data: Any, answers: Answers, out: Any) -> None:
        from widemargin.families.reranking.answers import write

        write(data, answers, out)

    def as_json(self, data: Any, answers: Answers) -> list[dict]:
        from widemargin.families.reranking.answers import as_json

        return as_json(data, answers)

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

    def mistakes(self, model: Any, data: Any, answers: Answers, *, top: int) -> Told:
        from widemargin.families.reranking.mistakes import mistakes

        return mistakes(model, data, answers, top=top)

    def explain(self, model: Any, data: Any, sentence: int, *, token: int | None, top: int) -> Told:
        from widemargin.families.reranking.reports import explanation

        return explanation(model, data, sentence, token=token, top=top)

    def inspect(self, model: Any, path: str) -> Told:
        from widemargin.families.reranking.reports import inspection

        return inspection(model, path)

    def sizes(self, model: Any) -> dict[str, int]:
        return {"features": model.active}

    def prune(self, model: Any, *, threshold: float | None, keep: int | None) -> Any:
        return model.pruned(threshold=threshold, keep=keep)

    def warmups(self, *, every: bool) -> list[Warmup]:
        from widemargin.families.reranking.warmup import warmups

        return warmups(every=every)


FAMILY = Reranking()
