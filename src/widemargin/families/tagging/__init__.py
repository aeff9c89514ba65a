"""Labels at tokens: chunks, names, parts of speech, in columns or as items with features of their own."""

from collections.abc import Iterator, Mapping
from typing import Any

from widemargin.errors import InputError
from widemargin.families.arguments import names
from widemargin.families.base import Answers, Family, Warmup
from widemargin.families.lazy import lazy
from widemargin.families.options import ANSWERING, MODEL, READING, SCORING, SHOWING, Option
from widemargin.families.tagging.tasks import TASKS

LEARNING = ("train", "compare", "curve")
ASKING = ("predict", "evaluate", "explain", "calibrate")
KERNEL = ("kernel", "degree", "gamma", "coef", "expand", "conjunction_cutoff")
FORMATS = ("columns", "crfsuite", "conllu", "csv", "tsv", "jsonl")


class Tagging(Family):
    name = "tagging"
    is_usual = True
    tasks = TASKS
    learner, structure = "ops", "chain"
    formats = {"columns": ()}
    outputs = ("same", "columns", "jsonl", "conllu")
    public = {
        "estimator": ("SequenceTagger",),
        "model": ("Tagger",),
        "sources": ("open_columns",),
        "scorers": ("span_f1", "token_accuracy"),
        "spans": ("span_scores",),
    }
    offers = frozenset(("errors", "report", "kbest", "marginals", "probability", "calibrate", "explain", "prune", "small", "curve"))
    lacks = {"draw": "labels of tokens are not drawn"}
    costs = (
        ("hamming", "every wrong label costs 1"),
        ("hamming*5", "the same, times 5; any of these may be followed by *NUMBER"),
        (
            "miss=3,false=1,type=1",
            "a span's token labelled O costs 3; an O labelled as a span's 1; any other wrong label 1 (Gimpel and Smith 2010, section 4.1)",
        ),
        ("weights:B-PER=2,B-LOC=1.5", "a wrong label costs the weight of the gold label, or 1 where that has none"),
        ("matrix:FILE", 'lines "GOLD GUESS COST"; pairs that are not named cost 1, a right label 0'),
    )
    options = (
        Option("cutoff", "drop features seen fewer than N times", int, 1, verbs=LEARNING, metavar="N"),
        Option("hash_bits", "hash features to 2^B numbers, without an index; 0: do not", int, 0, verbs=LEARNING, metavar="B"),
        Option("label_column", "name or number of the label column", str, "-1", verbs=LEARNING, flag="--label", metavar="COLUMN"),
        Option("labels", "as-is, or the scheme of spans inside the model, iob2 or bioes (the task's)"),
        Option("constraints", "legal label sequences: none, a scheme (BIO, BIOES) or pairs:FILE (the task's)", object),
        Option("kernel", "kernel on a token's features: linear, poly, tanh or rbf (linear)", object),
        Option("degree", "degree of kernel=poly (2)", object),
        Option("gamma", "factor in kernel=poly (1), tanh (0.1) and rbf (0.05)", object),
        Option("coef", "constant added in kernel=poly (1) and tanh (0)", object),
        Option("expand", "write kernel=poly out as weighted conjunctions of features", bool, False),
        Option("conjunction_cutoff", "with expand: drop conjunctions seen fewer than N times", int, 1),
        Option(
            "columns",
            "names of the columns, separated by commas (the task's)",
            object,
            use=READING,
            verbs=(*LEARNING, *ASKING, "prune", "data"),
            metavar="NAMES",
        ),
        Option(
            "format",
            "format of the file (told by its name or its first lines, else columns); crfsuite: label and attributes on a line",
            FORMATS,
            None,
            READING,
            LEARNING,
        ),
        Option(
            "separator",
            "what stands between columns: tab, comma, or another character (runs of blanks and tabs); cells may then hold blanks",
            use=READING,
            verbs=(*LEARNING, *ASKING, "prune", "data"),
            metavar="NAME",
        ),
        Option(
            "label_names", "O,B-PER,...: names of labels that are numbers in the file", object, None, READING, LEARNING, metavar="NAMES"
        ),
        Option("text", "the input is plain text: cut into tokens, answered as JSONL with offsets", bool, False, READING, ("predict",)),
        Option(
            "base",
            "a model whose scores are added to this model's: given in training, and then in every later command",
            MODEL,
            use=ANSWERING,
            verbs=("train", *ASKING),
            metavar="MODEL",
        ),
        Option(
            "constraints",
            "only legal sequences of this scheme (BIO, BIOES) or pairs:FILE; or none",
            use=ANSWERING,
            verbs=("predict", "evaluate"),
            metavar="SCHEME",
        ),
        Option(
            "strict",
            "count well-formed spans of this scheme only (otherwise as conlleval does)",
            use=SCORING,
            verbs=("evaluate", "score"),
            metavar="SCHEME",
        ),
        Option(
            "conlleval_quirks",
            "count as conlleval's script of 2004 does, which joins spans at E-X B-X and knows no S-X",
            bool,
            False,
            SCORING,
            ("evaluate", "score"),
        ),
        Option("top", "features per label, or matches, or transitions", int, 10, SHOWING, ("inspect",), metavar="N", low=1),
        Option("label", "show this label alone", str, None, SHOWING, ("inspect",), metavar="LABEL"),
        Option(
            "search",
            "features whose name contains TEXT, or matches /TEXT/, with their weights",
            str,
            None,
            SHOWING,
            ("inspect",),
            metavar="TEXT",
        ),
        Option("transitions", "the table of transitions, and the strongest that look at the input", bool, False, SHOWING, ("inspect",)),
        Option(
            "label_counts",
            "a label count to compile for; may be repeated (9, 17 and 23)",
            list,
            None,
            SHOWING,
            ("warmup",),
            "--labels",
            "N",
            low=1,
            high=10_000,
        ),
    )

    def chosen(self, given: Mapping[str, Any]) -> dict[str, Any]:
        own = {name: value for name, value in given.items() if name in KERNEL and value is not None}
        found = super().chosen({name: value for name, value in given.items() if name not in KERNEL})
        if own:
            from widemargin.scoring.kernels.kernel import Kernel, kernel_settings

            if isinstance(own.get("kernel"), Kernel):
                own = own["kernel"].settings() | {name: value for name, value in own.items() if name != "kernel"}
            found |= kernel_settings(own)[0]
        return found

    def holds(self, data: Any) -> bool:
        from widemargin.readers.columns import Columns
        from widemargin.readers.items import ItemFile

        return isinstance(data, Columns | ItemFile)

    def check(self, recipe: Any, verb: str) -> None:
        from widemargin.families.tagging.posed import in_kernel

        if verb == "compare" and in_kernel(recipe):
            raise InputError(
                "learners are compared on features; write the kernel out (kernel=poly, expand=true), or train one model at a time"
            )

    structures = lazy("widemargin.structures.STRUCTURES")
    named_templates = lazy("widemargin.features.named.TOKENS")

    # ---- data -------------------------------------------------------------------------------------------------------------------

    def open(
        self,
        path: str,
        task: str | None,
        *,
        encoding: str = "utf-8",
        columns: Any = None,
        format: str | None = None,
        separator: str | None = None,
        label_names: Any = None,
    ) -> Any:
        from widemargin.families.tagging import sources
        from widemargin.families.tagging.formats import Reading, separator_of

        how = Reading(format, separator_of(separator), encoding, label_names=names("label_names", label_names) or ())
        told = columns is not None or separator is not None or path.startswith(sources.TOWN)
        if format == "crfsuite" or (not told and how.of(path) == "crfsuite"):
            for name, value in (("columns", columns), ("separator", separator), ("label-names", label_names)):
                if value is not None:
                    raise InputError(f"--{name} is for column files, and items have none; leave it out, or --format crfsuite")
            return sources.open_items(path, encoding=encoding)
        return sources.open_columns(path, task, names=names("columns", columns), encoding=encoding, how=how)

    def labelled(  # type: ignore[override]
        self, path: str, model: Any, *, gold: bool = True, encoding: str | None = None, columns: Any = None, separator: str | None = None
    ) -> Any:
        from widemargin.families.tagging.sources import opened_for

        return opened_for(model, path, gold=gold, names=names("columns", columns), separator=separator, encoding=encoding)

    def stream(  # type: ignore[override]
        self, path: str, model: Any, *, encoding: str | None = None, columns: Any = None, separator: str | None = None, text: bool = False
    ) -> Iterator[Any]:
        from widemargin.families.tagging.sources import streamed

        return streamed(path, model, names=names("columns", columns), separator=separator, encoding=encoding, text=text)

    sentence = lazy(".sources.sentence_columns")
    stats = lazy(".reports.column_facts")
    town = lazy("widemargin.corpora.town.columns_text")

    # ---- learning ---------------------------------------------------------------------------------------------------------------

    pose = lazy(".training.pose_file")
    grown = lazy(".warm_start.grown_by_file")
    continued = lazy(".warm_start.with_left_out")
    model_class = lazy(".model.Tagger")

    # ---- answers ----------------------------------------------------------------------------------------------------------------

    answer = lazy(".answers.answer")
    write = lazy(".answers.write")
    write_as = lazy(".answers.write_as")
    as_json = lazy(".answers.as_json")

    def scores(self, gold: Any, system: Any, task: str, *, strict: str | None = None, conlleval_quirks: bool = False) -> Any:
        from widemargin.families.tagging.answers import score_files

        return score_files(gold, system, TASKS[task], strict=strict, quirks=conlleval_quirks)

    def evaluate(self, model: Any, data: Any, answers: Answers, *, strict: str | None = None, conlleval_quirks: bool = False) -> Any:
        from widemargin.families.tagging.answers import score_answers

        return score_answers(model, data, answers, strict=strict, quirks=conlleval_quirks)

    held_out = lazy(".answers.held_labels")
    mistakes = lazy(".mistakes.mistakes")
    explain = lazy(".reports.explanation")
    inspect = lazy(".inspection.inspection")

    def sizes(self, model: Any) -> dict[str, int]:
        return {"features": len(model.extractor.nodes) + len(model.extractor.edges), "labels": len(model.labels)}

    prune = lazy(".pruning.pruned")

    small = lazy(".pruning.small")

    def warmups(self, *, every: bool, label_counts: Any = None) -> list[Warmup]:
        from widemargin.families.tagging.warmup import warmups

        return warmups(tuple(label_counts) if label_counts else None, every=every)


FAMILY = Tagging()
