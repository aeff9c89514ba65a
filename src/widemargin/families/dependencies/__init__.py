"""Dependency trees: heads and relations of words, in CoNLL-U and CoNLL-X treebanks."""

from collections.abc import Iterator
from typing import Any

from widemargin.families.base import Answers, Family, Task, Told, Wanted
from widemargin.families.lazy import lazy
from widemargin.families.options import ANSWERING, READING, SCORING, Option

LEARNING = ("train", "compare")
SCORED = ("evaluate", "score")
ANSWERS = ("predict", "evaluate", "calibrate", "explain")
TEN = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")


class Dependencies(Family):
    name = "dependencies"
    is_usual = True
    tasks = {"depparse": Task("depparse", "dependency trees, CoNLL-U or CoNLL-X", TEN, "arcs", "as-is", "las")}
    learner, structure = "mira", "eisner"
    structure_aliases = {
        "mst": "arborescence",
        "non-projective": "arborescence",
        "nonprojective": "arborescence",
        "projective": "eisner",
        "second-order": "siblings",
    }
    formats = {"conllu": (".conllu", ".conllx")}
    outputs = ("same", "jsonl", "conllu")
    public = {
        "estimator": ("DependencyParser",),
        "model": ("Parser",),
        "sources": ("open_treebank",),
        "conllu": ("Treebank", "read_treebank", "write_treebank"),
    }
    offers = frozenset(("errors", "report", "kbest", "marginals", "probability", "calibrate", "explain", "prune", "draw"))
    lacks = {"curve": "every word has one head, so there is no precision to be traded for recall"}
    costs = (
        ("hamming", "an arc costs 1 if its head or its relation is wrong"),
        ("head=1,label=0.5", "other prices of a wrong head, and of a wrong relation where the head is right; label=0 counts heads alone"),
        ("head=2,nsubj=3,punct=0", "both prices times 3 where the gold relation is nsubj, or a subtype without a weight of its own"),
    )
    options = (
        Option("single_root", "the root has exactly one child", bool, True),
        Option("labelled", "learn relations too (no: heads alone)", bool, True),
        Option("hash_bits", "2^B weights of pairs of words", int, 20, verbs=LEARNING, flag="--hash-bits", metavar="B"),
        Option("label_bits", "2^B rows of relations", int, 16),
        Option("subtypes", "nsubj:pass is not nsubj; no: subtypes are cut off", bool, True, READING),
        Option("text", "the input is plain text: cut into sentences and tokens, answered as CoNLL-U", bool, False, READING, ("predict",)),
        Option("tokenized", "the input has a sentence on each line, with blanks between its tokens", bool, False, READING, ("predict",)),
        Option(
            "tagger",
            "models that label words (train tag), separated by commas: their tags take the place of those in the file",
            use=ANSWERING,
            verbs=ANSWERS,
            metavar="MODEL",
        ),
        Option("no_punctuation", "leave out words whose UPOS is PUNCT", bool, False, SCORING, SCORED),
        Option("subtypes", "count nsubj:pass and nsubj as different relations (CoNLL 2018 ignores subtypes)", bool, False, SCORING, SCORED),
    )

    data_class = lazy(".conllu.Treebank")
    refuse = lazy(".training.refuse")
    structures = lazy("widemargin.structures.arcs.trees.TREES")
    named_templates = lazy(".templates.ARCS")

    # ---- data -------------------------------------------------------------------------------------------------------------------

    def open(self, path: str, task: str | None, *, encoding: str = "utf-8", subtypes: bool = True) -> Any:
        from widemargin.families.dependencies.sources import open_treebank

        return open_treebank(path, encoding=encoding, subtypes=subtypes)

    def stream(  # type: ignore[override]
        self, path: str, model: Any, *, encoding: str = "utf-8", text: bool = False, tokenized: bool = False
    ) -> Iterator[Any]:
        from widemargin.families.dependencies.conllu import stream_treebank
        from widemargin.families.sources import TOWN

        if text or tokenized:
            from widemargin.families.dependencies.tags import plain_treebank

            if (text and tokenized) or path.startswith(TOWN):
                from widemargin.errors import InputError

                raise InputError("--text is for files of plain text and --tokenized for files of tokens; give one of them, and a file")
            return iter([plain_treebank(path, encoding=encoding, tokenized=tokenized)])
        return iter([self.open(path, None, encoding=encoding)]) if path.startswith(TOWN) else stream_treebank(path, encoding=encoding)

    stats = lazy(".reports.treebank_facts")
    town = lazy("widemargin.corpora.town.treebank.treebank_text")
    draw = lazy(".reports.drawing")

    # ---- learning ---------------------------------------------------------------------------------------------------------------

    pose = lazy(".training.pose_trees")

    def grown(self, model, recipe, data):
        from widemargin.families.dependencies.warm_start import grown

        return grown(model, None, recipe, data)[0]

    model_class = lazy(".model.Parser")

    # ---- answers ----------------------------------------------------------------------------------------------------------------

    def answer(self, model: Any, data: Any, wanted: Wanted, *, tagger: str | None = None) -> Answers:
        from widemargin.families.dependencies.answers import answer
        from widemargin.families.dependencies.doubts import doubt_columns

        data = _tagged(model, data, wanted.threads, tagger)
        doubt_columns(model, data)
        return answer(model, data, wanted)

    write = lazy(".answers.write")

    def write_as(self, format: str, data: Any, answers: Answers, out: Any) -> None:
        from widemargin.families.dependencies.answers import write_conllu

        write_conllu(data, answers, out)

    as_json = lazy(".answers.as_json")

    def scores(self, gold: Any, system: Any, task: str, *, no_punctuation: bool = False, subtypes: bool = False) -> Any:
        from widemargin.families.dependencies.metric import TreeScores, check_words

        check_words(gold, system)
        choices: dict[str, Any] = {"no_punctuation": no_punctuation, "subtypes": subtypes}
        return TreeScores(gold, system.heads, system.relation, system.relations, **choices)

    def evaluate(self, model: Any, data: Any, answers: Answers, *, no_punctuation: bool = False, subtypes: bool = False) -> Any:
        from widemargin.families.dependencies.doubts import doubt_gold
        from widemargin.families.dependencies.metric import TreeScores

        doubt_gold(model, data)
        choices: dict[str, Any] = {"no_punctuation": no_punctuation, "subtypes": subtypes, "metric": "las" if model.relations else "uas"}
        return TreeScores(data, answers.best.heads, answers.best.relation, model.relations, **choices)

    mistakes = lazy(".mistakes.mistakes")
    inspect = lazy(".reports.inspection")

    def held_out(self, model: Any, data: Any, *, threads: int = 1, tagger: str | None = None) -> Any:
        from widemargin.families.dependencies.answers import held_heads

        return held_heads(model, _tagged(model, data, threads, tagger), threads=threads)

    def explain(self, model: Any, data: Any, sentence: int, *, token: int | None, top: int, tagger: str | None = None) -> Told:
        from widemargin.families.dependencies.reports import explanation

        return explanation(model, _tagged(model, data, 1, tagger), sentence, token=token, top=top)

    def sizes(self, model: Any) -> dict[str, int]:
        return {"features": model.nonzero, "relations": len(model.relations)}

    prune = lazy(".pruning.pruned")
    warmups = lazy(".warmup.warmups")


def _tagged(model: Any, data: Any, threads: int, tagger: str | None) -> Any:
    """Data with the tags of taggers, if there are any."""
    if tagger is None:
        return data
    from widemargin.families.dependencies.tags import tagged_by

    return tagged_by(tagger, model, data, threads=threads)


FAMILY = Dependencies()
