"""Summaries: sentences of several documents about one thing, chosen within a budget."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from widemargin.families.base import Answers, Family, Task, Told, Wanted
from widemargin.families.options import ANSWERING, SCORING, Option

LEARNING = ("train", "compare")
ASKING = ("predict", "evaluate", "explain")
SCORED = ("evaluate", "score")


class Summaries(Family):
    name = "summaries"
    tasks = {"summarize": Task("summarize", "sentences of several documents within a budget, JSON lines", (), "rich", "as-is", "rouge2")}
    learner, structure, cost = "ops", "subset", "recall*30"
    formats = {"clusters": (".jsonl",)}
    public = {
        "estimator": ("Summarizer",),
        "model": ("SummaryModel",),
        "sources": ("open_clusters",),
        "clusters": ("Clusters", "Cluster"),
        "rouge": ("Rouge",),
    }
    offers = frozenset(("errors", "kbest", "explain", "prune"))
    lacks = {
        "report": "summaries have no classes that could be counted one by one",
        "marginals": "sums over all sets of sentences are out of reach",
        "probability": "sums over all sets of sentences are out of reach",
        "calibrate": "there are no probabilities",
        "curve": "the budget decides how many sentences are chosen",
        "draw": "a summary is text",
    }
    costs = (
        ("recall", "the bigram recall of the best summary less that of the chosen one, from 0 to 1"),
        ("hamming", "sentences chosen that the best summary has not, and missed"),
    )
    options = (
        Option("budget", "how long summaries are", int, 100, verbs=LEARNING, metavar="N", low=1, high=1 << 31),
        Option("unit", "what the budget counts", ("words", "characters", "bytes", "sentences"), "words"),
        Option("least_words", "sentences of fewer words are not chosen", int, 3),
        Option("least_count", "bigrams of fewer documents count for nothing", int, 1, low=1),
        Option("near", "of sentences whose bigrams overlap so much only the first is chosen; 1: of the same ones", float, 1.0, high=1.0),
        Option("nodes", "a search is given up after N nodes", int, 100_000, low=1, high=1 << 31),
        Option("words", "the budget, in words", int, None, ANSWERING, ASKING, metavar="N", low=1),
        Option("characters", "the budget, in characters", int, None, ANSWERING, ASKING, metavar="N", low=1),
        Option("bytes", "the budget, in bytes of UTF-8", int, None, ANSWERING, ASKING, metavar="N", low=1),
        Option("sentences", "the budget, in sentences", int, None, ANSWERING, ASKING, metavar="N", low=1),
        Option("solver", "how the best set is found", ("auto", "exact", "milp", "greedy"), "auto", ANSWERING, ("predict", "evaluate")),
        Option("stemmer", "compare stems of words (Porter's; needs nltk)", bool, False, SCORING, SCORED, needs={True: "nltk"}),
        Option("tokens", "words are runs of a-z and 0-9, or of letters and digits", ("ascii", "unicode"), "ascii", SCORING, SCORED),
        Option("references", "how several references become one number", ("mean", "max", "jackknife"), "mean", SCORING, SCORED),
        Option("truncate_words", "the first N words of a summary count", int, 0, SCORING, SCORED, metavar="N"),
        Option("truncate_bytes", "the first N bytes of a summary count", int, 0, SCORING, SCORED, metavar="N"),
    )

    def holds(self, data: Any) -> bool:
        from widemargin.families.summaries.clusters import Clusters

        return isinstance(data, Clusters)

    def check(self, recipe: Any, verb: str) -> None:
        from widemargin.families.summaries.training import refuse

        refuse(recipe)

    @property
    def structures(self) -> Mapping[str, Any]:
        from widemargin.structures.subset.arrays import Subset

        return {"subset": Subset}

    def template_sets(self) -> list[tuple[str, str]]:
        from widemargin.families.summaries.templates import SETS
        from widemargin.features.named import described_sets

        return described_sets(SETS)

    # ---- data -------------------------------------------------------------------------------------------------------------------

    def open(self, path: str, task: str | None, *, encoding: str = "utf-8") -> Any:
        from widemargin.families.summaries.sources import open_clusters

        return open_clusters(path, encoding=encoding)

    def labelled(self, path: str, model: Any, *, gold: bool = True, encoding: str = "utf-8") -> Any:
        return self.open(path, None, encoding=encoding)

    def stream(self, path: str, model: Any, *, encoding: str = "utf-8") -> Iterator[Any]:
        return iter([self.open(path, None, encoding=encoding)])

    def stats(self, data: Any) -> dict:
        from widemargin.families.summaries.reports import cluster_facts

        return cluster_facts(data)

    def town(self, part: str, *, sentences: int | None, seed: int) -> str:
        from widemargin.corpora.town.clusters import clusters_text

        return clusters_text(part, clusters=sentences, seed=seed)

    # ---- learning ---------------------------------------------------------------------------------------------------------------

    def pose(self, recipe: Any, data: Any, *, start: Any = None, base: Any = None, weight: Any = None, threads: int = 1) -> Any:
        from widemargin.errors import InputError
        from widemargin.families.summaries.training import pose_clusters

        if base is not None:
            raise InputError("summarisers are not trained on top of a base model; leave base out")
        return pose_clusters(recipe, data, start=start, weight=weight, threads=threads)

    def load(self, header: dict, arrays: Any, path: str = "<model>") -> Any:
        from widemargin.families.summaries.model import SummaryModel

        return SummaryModel.of_parts(header, arrays, path)

    # ---- answers ----------------------------------------------------------------------------------------------------------------

    def answer(self, model: Any, data: Any, wanted: Wanted, **how: Any) -> Answers:
        from widemargin.families.summaries.answers import answer

        return answer(model, data, wanted, **how)

    def write(self, data: Any, answers: Answers, out: Any) -> None:
        from widemargin.families.summaries.answers import write

        write(data, answers, out)

    def as_json(self, data: Any, answers: Answers) -> list[dict]:
        from widemargin.families.summaries.answers import as_json

        return as_json(data, answers)

    def scores(self, gold: Any, system: Any, task: str, **how: Any) -> Any:
        from widemargin.families.summaries.metric import SummaryScores, summaries_in
        from widemargin.families.summaries.rouge import Rouge

        return SummaryScores(gold, summaries_in(system, gold), Rouge(**how))

    def evaluate(self, model: Any, data: Any, answers: Answers, **how: Any) -> Any:
        from widemargin.families.summaries.metric import SummaryScores
        from widemargin.families.summaries.rouge import Rouge

        return SummaryScores(data, [summary.text for summary in answers.best], Rouge(**how))

    def mistakes(self, model: Any, data: Any, answers: Answers, *, top: int) -> Told:
        from widemargin.families.summaries.mistakes import mistakes

        return mistakes(data, answers, top=top)

    def explain(self, model: Any, data: Any, sentence: int, *, token: int | None, top: int, **budgets: Any) -> Told:
        from widemargin.families.summaries.explanations import explanation

        return explanation(model, data, sentence, token=token, top=top, how=model.extracting(**budgets))

    def inspect(self, model: Any, path: str) -> Told:
        from widemargin.families.summaries.reports import inspection

        return inspection(model, path)

    def sizes(self, model: Any) -> dict[str, int]:
        return {"features": model.summary()["nonzero"]}

    def prune(self, model: Any, *, threshold: float | None, keep: int | None) -> Any:
        from widemargin.families.summaries.reports import pruned

        return pruned(model, threshold=threshold, keep=keep)

    def warm(self, tell: Callable[[str], None]) -> int:
        from widemargin.families.recipes import Recipe, train

        tell("subset, ops, hinge")
        train(Recipe("summarize", settings={"epochs": 1}), self.open("town:train", None), dev=self.open("town:dev", None))
        return 1


FAMILY = Summaries()
