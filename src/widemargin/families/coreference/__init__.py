"""Coreference: which mentions of a document are of the same thing, in CoNLL-2012, CoNLL-U, JSONL and brat files."""

from collections.abc import Mapping
from typing import Any

from widemargin.families.base import Answers, Family, Task, Told, Wanted
from widemargin.families.lazy import lazy
from widemargin.families.options import ANSWERING, READING, SCORING, Option

LEARNING = ("train", "compare")
SCORED = ("evaluate", "score")
OPENING = ("train", "predict", "evaluate", "score", "calibrate", "compare", "explain", "prune", "data")
ASKING = ("predict", "evaluate", "explain")
MENTIONS = ("file", "found")
LAYOUTS = ("conll2012", "conllu", "jsonl", "brat", "text", "brackets")
WHENCE = "mentions of the file, or found by rules"


class Coreference(Family):
    name = "coreference"
    tasks = {"coref": Task("coref", "chains of mentions, CoNLL-2012, CoNLL-U, JSONL, brat", (), "links", "as-is", "conll")}
    learner, structure, cost = "rda", "lists", "false_anaphor=0.5,false_new=1,wrong_link=1"
    formats = {"chains": (".conll", ".v4_gold_conll", ".v4_auto_conll", ".ann")}
    verbs = {"mentions": ("words and labels of mentions in columns, for a tagger to learn", "widemargin.families.coreference.commands")}
    public = {
        "estimator": ("CoreferenceResolver",),
        "model": ("Resolver",),
        "sources": ("open_documents",),
        "documents": ("Documents",),
        "resolving": ("resolve",),
    }
    offers = frozenset(("errors", "kbest", "marginals", "probability", "calibrate", "explain", "prune", "draw"))
    lacks = {
        "curve": "a mention is linked or new, and recall and precision of several metrics move together",
        "report": "chains have no classes that could be counted one by one",
    }
    costs = (
        ("hamming", "a wrong choice for a mention costs 1"),
        ("false_anaphor=0.5,false_new=1,wrong_link=1", "prices of a link of a new mention, of no link, and of a link to another chain"),
        ("durrett-klein", "0.1, 3 and 1 (Durrett and Klein 2013): for data without singletons; it links too much where they are annotated"),
    )
    options = (
        Option("hash_bits", "2^B weights of links", int, 20, verbs=LEARNING, flag="--hash-bits", metavar="B"),
        Option("window", "a mention may be linked to at most so many mentions before it", int, 300, low=1, high=1_000_000),
        Option("mentions", f"train on {WHENCE}", MENTIONS, "file"),
        Option("mentions", f"link {WHENCE}; as in training unless given", MENTIONS, None, ANSWERING, ASKING),
        Option(
            "tagger",
            "a model that labels words: mentions are what it finds (`widemargin mentions`)",
            use=ANSWERING,
            verbs=ASKING,
            metavar="MODEL",
        ),
        Option(
            "duplicates",
            "a mention that is given twice: refuse it, keep the first, or merge its chains",
            ("error", "first", "merge"),
            "error",
            READING,
            OPENING,
        ),
        Option("layout", "layout of the files (told by the file's name, else conll2012)", LAYOUTS, None, READING, OPENING),
        Option(
            "inclusive",
            "in JSONL, the end of a mention is its last word (in a text, its last character), not the one after it",
            bool,
            False,
            READING,
            OPENING,
        ),
        Option("singletons", "chains of one mention are read too", bool, True, READING),
        Option("no_singletons", "leave out chains of one mention", bool, False, SCORING, SCORED),
    )

    data_class = lazy(".documents.Documents")
    refuse = lazy(".training.refuse")

    @property
    def structures(self) -> Mapping[str, Any]:
        from widemargin.structures.links.arrays import Links
        from widemargin.structures.lists.arrays import Lists

        return {"lists": Lists, "links": Links}

    named_templates = lazy(".templates.SETS")

    # ---- data -------------------------------------------------------------------------------------------------------------------

    def open(self, path: str, task: str | None, **reading: Any) -> Any:
        from widemargin.families.coreference.sources import open_documents

        return open_documents(path, **reading)

    stats = lazy(".reports.documents_facts")
    town = lazy("widemargin.corpora.town.chains.chains_text")
    draw = lazy(".reports.drawing")

    # ---- learning ---------------------------------------------------------------------------------------------------------------

    pose = lazy(".training.pose_links")
    model_class = lazy(".model.Resolver")

    # ---- answers ----------------------------------------------------------------------------------------------------------------

    def answer(self, model: Any, data: Any, wanted: Wanted, *, mentions: str | None = None, tagger: str | None = None) -> Answers:
        from widemargin.families.coreference.answers import answer
        from widemargin.families.coreference.tagged import sought

        return answer(model, *sought(data, mentions, tagger, threads=wanted.threads), wanted)

    write = lazy(".answers.write")
    as_json = lazy(".answers.as_json")

    def scores(self, gold: Any, system: Any, task: str, *, no_singletons: bool = False) -> Any:
        from widemargin.families.coreference.doubts import doubt_chains
        from widemargin.families.coreference.metric import compare_documents

        doubt_chains(gold)
        doubt_chains(system, "chains of the system")
        return compare_documents(gold, system, singletons=not no_singletons)

    def evaluate(self, model: Any, data: Any, answers: Answers, *, no_singletons: bool = False) -> Any:
        from widemargin.families.coreference.doubts import doubt_chains
        from widemargin.families.coreference.metric import compare_documents

        doubt_chains(data)
        return compare_documents(data, answers.best.documents, singletons=not no_singletons)

    held_out = lazy(".answers.held_links")

    def mistakes(self, model: Any, data: Any, answers: Answers, *, top: int) -> Told:
        from widemargin.families.coreference.mistakes import mistakes

        return mistakes(data, answers, top=top)

    def explain(self, model: Any, data: Any, sentence: int, *, token: int | None, top: int, **whence: str | None) -> Told:
        from widemargin.families.coreference.reports import explanation
        from widemargin.families.coreference.tagged import sought

        found, mentions = sought(data, whence.get("mentions"), whence.get("tagger"))
        return explanation(model, found, sentence, token=token, top=top, mentions=mentions)

    def sizes(self, model: Any) -> dict[str, int]:
        return {"features": model.nonzero, "templates": len(model.features.templates)}

    prune = lazy(".pruning.pruned")
    warmups = lazy(".warmup.warmups")


FAMILY = Coreference()
