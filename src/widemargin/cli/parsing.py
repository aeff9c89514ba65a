"""train, predict, evaluate, explain and inspect, for dependency parsers."""

import os
import time
from collections.abc import Iterator

import numpy as np

from widemargin.cli.common import Progress, epoch_line, print_json, say_if_compiling, settings_in, threads_of, training_end
from widemargin.errors import InputError
from widemargin.metrics.dependencies import compare_treebanks
from widemargin.readers.conllu import Treebank, stream_treebank, write_treebank
from widemargin.readers.files import atomic_writer
from widemargin.study.arcs import draw
from widemargin.tasks.explaining_arcs import explain_tree
from widemargin.tasks.opening import TOWN
from widemargin.tasks.parser import DEPPARSE, Parser
from widemargin.tasks.treebanks import open_treebank
from widemargin.tasks.treebanks_out import with_alternatives, with_probabilities

YES = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def train_trees(options) -> int:
    """Read, fit, save."""
    from widemargin.tasks.parsing import METRIC, train_parser

    began, progress = time.perf_counter(), Progress()
    for given, name in ((options.columns, "--columns"), (options.base, "--base"), (options.format == "crfsuite", "--format crfsuite")):
        if given:
            raise InputError(f"{name} is not for depparse, whose files are CoNLL-U or CoNLL-X treebanks; leave it out")
    recipe, subtypes = tree_recipe(options)
    data = open_treebank(options.train, encoding=options.encoding, subtypes=subtypes)
    dev = open_treebank(options.dev, encoding=options.encoding, subtypes=subtypes) if options.dev else None
    start = Parser.load(options.init) if options.init else None
    say_if_compiling(progress)
    metric = METRIC if recipe.labelled else "uas"
    model = train_parser(
        recipe,
        data,
        dev=dev,
        start=start,
        threads=threads_of(options),
        listen=lambda facts: progress(epoch_line(facts, metric)),
        notice=progress.note,
        checkpoint=options.output + ".checkpoint",
        every=options.checkpoint,
        resume=options.resume,
    )
    return training_end(options, model, progress, began, DEPPARSE, {"relations": len(model.relations)})


def tree_recipe(options):
    """The options as a recipe, and whether subtypes of relations are kept."""
    from widemargin.tasks.parsing import TreeRecipe

    chosen: dict = {}
    settings: dict = {"seed": options.seed}
    subtypes = True
    for item in settings_in(options.set):
        key, equals, value = item.partition("=")
        if not equals:
            raise InputError(f"--set {item!r} is not KEY=VALUE")
        if key in ("single_root", "labelled", "subtypes"):
            if value.lower() not in YES:
                raise InputError(f"{key}={value} is not a yes or no")
            chosen[key] = YES[value.lower()]
        elif key in ("bits", "label_bits"):
            if not value.isdecimal():
                raise InputError(f"{key}={value} is not a number")
            chosen[key] = int(value)
        else:
            (chosen if key == "structure" else settings)[key] = value
    subtypes = chosen.pop("subtypes", True)
    if options.hash_bits:
        chosen["bits"] = options.hash_bits
    if options.epochs is not None:
        settings["epochs"] = options.epochs
    if options.patience:
        settings["patience"] = options.patience
    name, _, objective = (options.learner or TreeRecipe.learner).partition(":")
    more = {"templates": options.templates} if options.templates else {}
    penalty = {"l1": options.l1, "l2": options.l2}
    objective = objective or options.objective
    return TreeRecipe(learner=name, objective=objective, cost=options.cost, settings=settings, **penalty, **more, **chosen), subtypes


def _pieces(options) -> Iterator[Treebank]:
    if options.input.startswith(TOWN):
        yield open_treebank(options.input)
    else:
        yield from (piece for piece in stream_treebank(options.input, encoding=options.encoding))


def predict_trees(options) -> int:
    """Parse the input piece by piece; every column but HEAD, DEPREL (and MISC with --marginals) comes back as it was."""
    began, words = time.perf_counter(), 0
    for given, name in ((options.constraints, "--constraints"), (options.base, "--base"), (options.probability, "--probability")):
        if given:
            raise InputError(f"{name} is not for dependency parsers; leave it out")
    model, threads = Parser.load(options.model), threads_of(options)
    if options.json:
        return _predict_json(options, model, threads)
    with atomic_writer(options.output) as out:
        for treebank in _pieces(options):
            words += len(treebank)
            if not len(treebank):
                write_treebank(treebank, out)
            elif options.kbest:
                out.write(with_alternatives(treebank, model.relations, model.kbest(treebank, options.kbest)))
            else:
                guess = model.predict(treebank, threads=threads)
                relations = (guess.relation, model.relations) if model.relations else None
                if options.marginals:
                    treebank = with_probabilities(treebank, chances(model, treebank, guess.heads))
                write_treebank(treebank, out, heads=guess.heads, relations=relations)
    seconds = time.perf_counter() - began
    if options.output != "-":
        print(f"{options.output}: {words:,} words, {words / seconds:,.0f} words/s")
    return 0


def chances(model: Parser, treebank: Treebank, heads: np.ndarray) -> np.ndarray:
    """The probability of each word's head [N]."""
    out = np.zeros(len(treebank))
    for low, table in zip(treebank.row_ptr.tolist(), model.marginals(treebank)):
        n = len(table) - 1
        out[low : low + n] = table[heads[low : low + n], np.arange(1, n + 1)]
    return out


def _predict_json(options, model: Parser, threads: int) -> int:
    """Sentences with heads and relations, and with probabilities or alternatives if so asked."""
    began, sentences = time.perf_counter(), []
    for treebank in _pieces(options):
        if not len(treebank):
            continue
        guess = model.predict(treebank, threads=threads)
        sure = chances(model, treebank, guess.heads) if options.marginals else None
        others = model.kbest(treebank, options.kbest) if options.kbest else None
        for i, (low, high) in enumerate(zip(treebank.row_ptr.tolist(), treebank.row_ptr[1:].tolist())):
            row: dict = {"words": treebank.words(i), "heads": guess.heads[low:high].tolist()}
            row |= _named(model, guess.relation[low:high])
            if sure is not None:
                row["probability"] = [round(float(p), 6) for p in sure[low:high]]
            if others is not None:
                row["kbest"] = [{"score": round(v, 6), "heads": h.tolist(), **_named(model, r)} for v, h, r in others[i]]
            sentences.append(row)
    seconds = time.perf_counter() - began
    print_json({"task": DEPPARSE, "sentences": sentences, "seconds": round(seconds, 4)})
    return 0


def _named(model: Parser, labels: np.ndarray) -> dict:
    """Relations by name, where the parser has any."""
    return {"relations": [model.relations[r] for r in labels]} if model.relations else {}


def evaluate_trees(options) -> int:
    """Parse and compare with the gold trees of the file."""
    for given, name in ((options.strict, "--strict"), (options.constraints, "--constraints"), (options.base, "--base")):
        if given:
            raise InputError(f"{name} is not for dependency parsers; leave it out")
    model, gold = Parser.load(options.model), open_treebank(options.gold, encoding=options.encoding)
    began = time.perf_counter()
    system = model.parsed(gold, threads=threads_of(options))
    seconds = time.perf_counter() - began
    scores = compare_treebanks(gold, system)
    if options.json:
        speed = {"seconds": round(seconds, 4), "sentences_per_second": round((len(gold.row_ptr) - 1) / seconds)}
        print_json({"task": DEPPARSE, "metrics": scores.as_dict(), **speed})
    else:
        print(scores.report(), end="")
    return 0


def explain_trees(options) -> int:
    """Each word's head, how sure it is, the best other head, and which templates decided."""
    model, treebank = Parser.load(options.model), open_treebank(options.input, encoding=options.encoding)
    found = explain_tree(model, treebank, options.sentence - 1)
    if options.token is not None and not 1 <= options.token <= len(found.words):
        raise InputError(f"there is no word {options.token}; sentence {options.sentence} has {len(found.words)}")
    chosen = [a for a in found.attachments if options.token in (None, a.word)]
    if options.svg:
        heads, names = [a.head for a in found.attachments], [a.relation for a in found.attachments]
        with atomic_writer(options.svg) as out:
            out.write(draw(found.words, heads, names).encode())
    if options.json:
        rows = []
        for a in chosen:
            parts = [{"template": p.template, "chosen": p.chosen, "other": p.other} for p in a.parts[: 2 * options.top]]
            facts = {k: v for k, v in vars(a).items() if k != "parts"}
            rows.append({"form": found.words[a.word - 1], **facts, "parts": parts})
        print_json({"task": DEPPARSE, "words": found.words, "attachments": rows})
        return 0

    def word(i: int) -> str:
        return "the root" if i == 0 else f"{found.words[i - 1]} ({i})"

    for a in chosen:
        print(f"{a.word}  {found.words[a.word - 1]}  <-{a.relation}- {word(a.head)}   p {a.probability:.4f}")
        if a.other >= 0:
            print(f"    rather than <-{a.other_relation}- {word(a.other)}   p {a.other_probability:.4f}, by {a.margin:+.4f}")
            for part in a.parts[: options.top]:
                if part.difference:
                    print(f"    {part.difference:+9.4f}  {part.template}")
    return 0


def inspect_trees(options) -> int:
    """What a parser is; weights are hashed, so features have no names here: `explain` shows them at work."""
    model = Parser.load(options.model)
    if options.search is not None or options.transitions:
        raise InputError("a parser's features are hashed and have no names; see `widemargin explain MODEL TREEBANK`")
    learner, nonzero = model.facts.get("learner", {}), [int(np.count_nonzero(table)) for table in model.weights]
    facts = {
        "model": options.model,
        "bytes": os.path.getsize(options.model),
        "MB": round(os.path.getsize(options.model) / 1e6, 2),
        "task": DEPPARSE,
        "structure": model.structure_name + (", one root" if model.single_root and model.structure_name != "heads" else ""),
        "templates": len(model.features.templates),
        "weights": int(sum(table.size for table in model.weights)),
        "nonzero": f"{nonzero[0]:,} of arcs, {nonzero[1]:,} of relations",
        "relations": " ".join(model.relations),
        "learner": learner.get("name"),
        "objective": model.facts.get("objective"),
        "cost": model.facts.get("cost"),
        "penalty": f"l1 {model.facts.get('l1')} l2 {model.facts.get('l2')}",
        "epoch": model.facts.get("epoch"),
        "temperature": round(model.temperature, 4),
        "trained on": f"{model.facts.get('sentences'):,} sentences, {model.facts.get('tokens'):,} words",
        "version": model.facts.get("widemargin"),
    }
    if options.json:
        print_json(facts | {"features": model.features.header()})
        return 0
    for key, value in facts.items():
        print(f"{key:12} {value}")
    return 0
