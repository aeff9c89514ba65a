"""Coreference: which mentions of a document are of the same thing, in CoNLL-2012, CoNLL-U, JSONL and brat files."""

from collections.abc import Iterator, Mapping
from typing import Any

from widemargin.families.base import Answers, Family, Task, Told, Wanted, Warmup
from widemargin.families.options import ANSWERING, READING, SCORING, Option

LEARNING = ("train", "compare")
SCORED = ("evaluate", "score")
ASKING = ("predict", "evaluate", "explain")
MENTIONS = ("file", "found")
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
        Option("window", "a mention may be linked to so many mentions before it", int, 300, low=1, high=1_000_000),
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
            "of a mention that is given twice: refuse, keep the first, or merge its chains",
            ("error", "first", "merge"),
            "error",
            READING,
        ),
        Option("layout", "of files: by the name unless given", ("conll2012", "conllu", "jsonl", "brat", "text", "brackets"), None, READING),
        Option("inclusive", "ends of mentions in JSONL are their last words", bool, False, READING),
        Option("singletons", "chains of one mention are read too", bool, True, READING),
        Option("no_singletons", "leave out chains of one mention", bool, False, SCORING, SCORED),
    )

    def holds(self, data: Any) -> bool:
        from widemargin.families.coreference.documents import Documents

        return isinstance(data, Documents)

    def check(self, recipe: Any, verb: str) -> None:
        from widemargin.families.coreference.training import refuse

        refuse(recipe)

    @property
    def structures(self) -> Mapping[str, Any]:
        from widemargin.structures.links.arrays import Links
        from widemargin.structures.lists.arrays import Lists

        return {"lists": Lists, "links": Links}

    def template_sets(self) -> list[tuple[str, str]]:
        from widemargin.families.coreference.templates import SETS
        from widemargin.features.named import described_sets

        return described_sets(SETS)

    # ---- data -------------------------------------------------------------------------------------------------------------------

    def open(self, path: str, task: str | None, **reading: Any) -> Any:
        from widemargin.families.coreference.sources import open_documents

        return open_documents(path, **reading)

    def labelled(self, path: str, model: Any, *, gold: bool = True, **reading: Any) -> Any:
        return self.open(path, None, **reading)

    def stream(self, path: str, model: Any, **reading: Any) -> Iterator[Any]:
        return iter([self.open(path, None, **reading)])

    def stats(self, data: Any) -> dict:
        from widemargin.families.coreference.reports import documents_facts

        return documents_facts(data)

    def town(self, part: str, *, sentences: int | None, seed: int) -> str:
        from widemargin.corpora.town.chains import chains_text

        return chains_text(part, sentences=sentences, seed=seed)

    def draw(self, gold: Any, sentence: int, system: Any = None) -> str:
        from widemargin.families.coreference.reports import drawing

        return drawing(gold, sentence, system)

    # ---- learning ---------------------------------------------------------------------------------------------------------------

    def pose(self, recipe: Any, data: Any, *, start: Any = None, base: Any = None, weight: Any = None, threads: int = 1) -> Any:
        from widemargin.errors import InputError
        from widemargin.families.coreference.training import pose_links

        if base is not None:
            raise InputError("resolvers are not trained on top of a base model; leave base out")
        return pose_links(recipe, data, start=start, weight=weight, threads=threads)

    def load(self, header: dict, arrays: Any, path: str = "<model>") -> Any:
        from widemargin.families.coreference.model import Resolver

        return Resolver.of_parts(header, arrays, path)

    # ---- answers ----------------------------------------------------------------------------------------------------------------

    def answer(self, model: Any, data: Any, wanted: Wanted, *, mentions: str | None = None, tagger: str | None = None) -> Answers:
        from widemargin.families.coreference.answers import answer
        from widemargin.families.coreference.tagged import sought

        return answer(model, *sought(data, mentions, tagger, threads=wanted.threads), wanted)

    def write(self, data: Any, answers: Answers, out: Any) -> None:
        from widemargin.families.coreference.answers import write

        write(data, answers, out)

    def as_json(self, data: Any, answers: Answers) -> list[dict]:
        from widemargin.families.coreference.answers import as_json

        return as_json(data, answers)

    def scores(self, gold: Any, system: Any, task: str, *, no_singletons: bool = False) -> Any:
        from widemargin.families.coreference.metric import compare_documents

        return compare_documents(gold, system, singletons=not no_singletons)

    def evaluate(self, model: Any, data: Any, answers: Answers, *, no_singletons: bool = False) -> Any:
        return self.scores(data, answers.best.documents, model.task.name, no_singletons=no_singletons)

    def held_out(self, model: Any, data: Any, *, threads: int = 1) -> Any:
        from widemargin.families.coreference.answers import held_links

        return held_links(model, data, threads=threads)

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

    def prune(self, model: Any, *, threshold: float | None, keep: int | None) -> Any:
        from widemargin.families.coreference.pruning import pruned

        return pruned(model, threshold=threshold, keep=keep)

    def warmups(self, *, every: bool) -> list[Warmup]:
        from widemargin.families.coreference.warmup import warmups

        return warmups(every=every)


FAMILY = Coreference()
