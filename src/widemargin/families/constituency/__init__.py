"""Constituency trees: sentences as trees of labelled brackets, in Penn treebanks."""

from collections.abc import Iterator
from typing import Any

from widemargin.families.base import Answers, Family, Task, Told, Wanted
from widemargin.families.lazy import lazy
from widemargin.families.options import ANSWERING, READING, SCORING, Option

LEARNING = ("train", "compare")
OPENING = ("train", "compare", "predict", "evaluate", "score", "calibrate", "explain", "prune", "data")
SCORED = ("evaluate", "score")
ANSWERS = ("predict", "evaluate", "calibrate", "explain")


class Constituency(Family):
    name = "constituency"
    tasks = {"constparse": Task("constparse", "constituency trees, Penn brackets", ("word", "tag"), "spans", "as-is", "f1")}
    learner, structure = "mira", "bigrams"
    formats = {"brackets": (".mrg", ".parse", ".ptb", ".brackets")}
    public = {
        "estimator": ("ConstituencyParser",),
        "model": ("ChartParser",),
        "sources": ("open_trees",),
        "trees": ("Trees",),
        "tree": ("Tree",),
    }
    offers = frozenset(("errors", "report", "kbest", "marginals", "probability", "calibrate", "explain", "prune", "draw"))
    lacks = {"curve": "a tree has brackets of many labels, so there is no one precision to be traded for recall"}
    costs = (
        ("hamming", "a node that is not in the gold tree costs 1; with structure=labels a missed bracket does too"),
        ("productions", "a node costs 1 unless the gold tree has it with the same children (Kummerfeld et al. 2015)"),
        ("wrong=2,missed=1,production=0.5", "other prices of wrong nodes, of missed nodes and of wrong productions"),
        ("wrong=1,NP=3,PRN=0", "all prices times 3 for nodes that are NP"),
        ("f1", "1 - F1 of the brackets of the original trees, exactly (Bauer et al. 2017); also fp, zero-one, precision, recall"),
        ("binarised: f1", "the same, counted on the nodes of binary trees"),
        ("original: fp / (tp + fp)", "a function of true and false positives and of the gold's brackets (gold), in arithmetic"),
    )
    options = (
        Option("hash_bits", "2^B rows of weights of spans", int, 19, verbs=LEARNING, flag="--hash-bits", metavar="B"),
        Option(
            "direction", "artificial nodes cover a constituent's last children (right) or its first ones (left)", ("right", "left"), "right"
        ),
        Option("horizontal", "how many children an artificial symbol names (0; wcfg: 1)", int),
        Option("vertical", "1: symbols name themselves alone; 2: their parents too; and so on", int, 1, low=1),
        Option("tags", "tags of words are given, or predicted with the tree, from the words alone", ("given", "words"), "given"),
        Option(
            "trees",
            "what files hold: brackets, tokens (word_TAG), words, columns (word TAG) or conll2012 (told by the file's name, else brackets)",
            ("brackets", "tokens", "words", "columns", "conll2012"),
            use=READING,
            verbs=OPENING,
        ),
        Option("transforms", "changes of trees: functions, nulls, root, or none", str, "functions,nulls,root", READING, OPENING),
        Option(
            "on_failure",
            "a sentence without a tree in the grammar: one bracket (flat), no tree (none), or an error (raise) (flat)",
            ("flat", "none", "raise"),
            use=ANSWERING,
            verbs=("predict", "evaluate"),
        ),
        Option("max_words", "longer sentences are not parsed", int, use=ANSWERING, verbs=("predict", "evaluate"), metavar="N", low=1),
        Option(
            "prune_chart",
            "skip symbols that score at least D less than the best one of their span (none)",
            float,
            use=ANSWERING,
            verbs=("predict", "evaluate"),
            metavar="D",
        ),
        Option(
            "tagger",
            "a model that labels words (train tag): its tags take the place of those in the file",
            use=ANSWERING,
            verbs=ANSWERS,
            metavar="MODEL",
        ),
        Option(
            "tagger_kbest",
            "parse the tagger's K best taggings, and take the one that is most probable together with its tree (1)",
            int,
            use=ANSWERING,
            verbs=ANSWERS,
            metavar="K",
            low=1,
        ),
        Option("prm", "a .prm file of EVALB (COLLINS.prm)", use=SCORING, verbs=SCORED, metavar="FILE"),
        Option("skip_errors", "leave out the sentences that EVALB would leave out, and list them", bool, False, SCORING, SCORED),
    )

    data_class = lazy(".trees.Trees")
    refuse = lazy(".training.refuse")
    structures = lazy(".kinds.KINDS")
    named_templates = lazy(".templates.SETS")

    # ---- data -----------------------------------------------------------------------------------------------------------------------

    def open(self, path: str, task: str | None, *, encoding: str = "utf-8", **reading: Any) -> Any:
        from widemargin.families.constituency.sources import open_trees

        return open_trees(path, encoding=encoding, **_read(**reading))

    def stream(self, path: str, model: Any, *, encoding: str = "utf-8", **reading: Any) -> Iterator[Any]:
        from widemargin.families.constituency.sources import stream_trees

        return stream_trees(path, encoding=encoding, **_read(**reading))

    def sentence(self, text: str, model: Any) -> Any:
        from widemargin.families.constituency.given import typed_sentence

        return typed_sentence(text, words=model.inventory.kind.words)

    stats = lazy(".reports.facts_of")
    town = lazy("widemargin.corpora.town.brackets.brackets_text")

    # ---- learning -------------------------------------------------------------------------------------------------------------------

    pose = lazy(".training.pose_trees")

    def grown(self, model, recipe, data):
        from widemargin.families.constituency.warm_start import grown

        return grown(model, None, recipe, data)[0]

    model_class = lazy(".model.ChartParser")

    # ---- answers --------------------------------------------------------------------------------------------------------------------

    def answer(
        self,
        model: Any,
        data: Any,
        wanted: Wanted,
        *,
        on_failure: str = "flat",
        max_words: int | None = None,
        prune_chart: float | None = None,
        **tagging: Any,
    ) -> Answers:
        from widemargin.families.constituency.answers import answer
        from widemargin.families.constituency.model import Failures

        data = _tagged(model, data, wanted.threads, **tagging)
        return answer(model, data, wanted, Failures(on_failure, max_words, prune_chart))

    def held_out(self, model: Any, data: Any, *, threads: int = 1, **tagging: Any) -> Any:
        from widemargin.families.constituency.answers import held_brackets

        return held_brackets(model, _tagged(model, data, threads, **tagging), threads=threads)

    def explain(self, model: Any, data: Any, sentence: int, *, token: int | None, top: int, **tagging: Any) -> Told:
        from widemargin.families.constituency.reports import explanation

        return explanation(model, _tagged(model, data, 1, **tagging), sentence, token=token, top=top)

    inspect = lazy(".reports.inspection")
    prune = lazy(".pruning.pruned")
    draw = lazy(".drawing.draw")
    warmups = lazy(".warmup.warmups")
    write = lazy(".answers.write")
    as_json = lazy(".answers.as_json")

    def scores(self, gold: Any, system: Any, task: str, *, prm: str | None = None, skip_errors: bool = False) -> Any:
        from widemargin.families.constituency.evalb import BracketScores
        from widemargin.families.constituency.evalb_settings import COLLINS, read_settings

        return BracketScores(gold, system, settings=COLLINS if prm is None else read_settings(prm), strict=not skip_errors)

    def evaluate(self, model: Any, data: Any, answers: Answers, *, prm: str | None = None, skip_errors: bool = False) -> Any:
        """Sentences without a tree (on_failure=none) are listed, not refused."""
        from widemargin.families.constituency.doubts import doubt_gold

        doubt_gold(model, data)
        return self.scores(data, answers.best.trees, model.task.name, prm=prm, skip_errors=skip_errors or bool(len(answers.best.failed)))

    def mistakes(self, model: Any, data: Any, answers: Answers, *, top: int) -> Told:
        from widemargin.families.constituency.mistakes import mistakes

        return mistakes(data, answers, top=top)

    def sizes(self, model: Any) -> dict[str, int]:
        return {"features": model.nonzero, "symbols": len(model.inventory), "productions": len(model.inventory.rules)}


def _read(trees: str | None = None, transforms: str | None = None) -> dict[str, Any]:
    """The options of reading as open_trees has them."""
    return {"format": trees} | ({} if transforms is None else {"transforms": transforms})


def _tagged(model: Any, data: Any, threads: int, tagger: str | None = None, tagger_kbest: int | None = None) -> Any:
    """Data with a tagger's tags, if there is one."""
    if tagger is None:
        if tagger_kbest is not None:
            from widemargin.errors import InputError

            raise InputError("--tagger-kbest is for the answers of a tagger; give --tagger MODEL too")
        return data
    from widemargin.families.constituency.tags import tagged_by

    return tagged_by(tagger, model, data, kbest=tagger_kbest or 1, threads=threads)


FAMILY = Constituency()
