"""Summaries: sentences of several documents about one thing, chosen within a budget."""

from collections.abc import Callable, Mapping
from typing import Any

from widemargin.families.base import Answers, Family, Task, Told
from widemargin.families.lazy import lazy
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
        ("hamming", "sentences chosen that are not in the best summary, and sentences of it that are missed"),
    )
    options = (
        Option("budget", "how long summaries are", int, 100, verbs=LEARNING, metavar="N", low=1, high=1 << 31),
        Option("unit", "what the budget counts", ("words", "characters", "bytes", "sentences"), "words"),
        Option("least_words", "sentences of fewer words are not chosen", int, 3),
        Option("least_count", "bigrams of fewer documents count for nothing", int, 1, low=1),
        Option(
            "near",
            "of sentences whose bigrams overlap at least so much (Jaccard), only the first may be chosen; 1: of those with the same words",
            float,
            1.0,
            high=1.0,
        ),
        Option("nodes", "a search is given up after N nodes", int, 100_000, low=1, high=1 << 31),
        Option("words", "the budget, in words", int, None, ANSWERING, ASKING, metavar="N", low=1),
        Option("characters", "the budget, in characters", int, None, ANSWERING, ASKING, metavar="N", low=1),
        Option("bytes", "the budget, in bytes of UTF-8", int, None, ANSWERING, ASKING, metavar="N", low=1),
        Option("sentences", "the budget, in sentences", int, None, ANSWERING, ASKING, metavar="N", low=1),
        Option("solver", "how the best set is found", ("auto", "exact", "milp", "greedy"), "auto", ANSWERING, ("predict", "evaluate")),
        Option(
            "seconds",
            "an integer program is given up after X seconds",
            float,
            30.0,
            ANSWERING,
            ("predict", "evaluate"),
            metavar="X",
            low=1e-3,
        ),
        Option("stemmer", "compare stems of words (Porter's; needs nltk)", bool, False, SCORING, SCORED, needs={True: "nltk"}),
        Option("tokens", "words are runs of a-z and 0-9, or of letters and digits", ("ascii", "unicode"), "ascii", SCORING, SCORED),
        Option("references", "how several references become one number", ("mean", "max", "jackknife"), "mean", SCORING, SCORED),
        Option("truncate_words", "the first N words of a summary count", int, 0, SCORING, SCORED, metavar="N"),
        Option("truncate_bytes", "the first N bytes of a summary count", int, 0, SCORING, SCORED, metavar="N"),
    )

    data_class = lazy(".clusters.Clusters")
    refuse = lazy(".training.refuse")

    @property
    def structures(self) -> Mapping[str, Any]:
        from widemargin.structures.subset.arrays import Subset

        return {"subset": Subset}

    named_templates = lazy(".templates.SETS")

    # ---- data -------------------------------------------------------------------------------------------------------------------

    def open(self, path: str, task: str | None, *, encoding: str = "utf-8") -> Any:
        from widemargin.families.summaries.sources import open_clusters

        return open_clusters(path, encoding=encoding)

    stats = lazy(".reports.cluster_facts")

    def town(self, part: str, *, sentences: int | None, seed: int) -> str:
        from widemargin.corpora.town.clusters import clusters_text

        return clusters_text(part, clusters=sentences, seed=seed)

    # ---- learning ---------------------------------------------------------------------------------------------------------------

    pose = lazy(".training.pose_clusters")
    model_class = lazy(".model.SummaryModel")

    # ---- answers ----------------------------------------------------------------------------------------------------------------

    answer = lazy(".answers.answer")
    write = lazy(".answers.write")
    as_json = lazy(".answers.as_json")

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

    inspect = lazy(".reports.inspection")

    def sizes(self, model: Any) -> dict[str, int]:
        return {"features": model.summary()["nonzero"]}

    prune = lazy(".reports.pruned")

    def warm(self, tell: Callable[[str], None]) -> int:
        from widemargin.families.recipes import Recipe, train

        tell("subset, ops, hinge")
        train(Recipe("summarize", settings={"epochs": 1}), self.open("town:train", None), dev=self.open("town:dev", None))
        return 1


FAMILY = Summaries()
