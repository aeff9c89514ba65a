"""widemargin evaluate."""

import time
from typing import Any, cast

from widemargin.cli import flags
from widemargin.cli.against import compared, told
from widemargin.cli.common import open_model, print_json, speed, threads_of
from widemargin.errors import InputError
from widemargin.families.base import Wanted
from widemargin.families.protocols import ClassScores

WORST = 5  # confusions and sentences that --errors shows


def declare(command) -> None:
    command.add_argument("model", metavar="MODEL", help="a model file")
    command.add_argument("gold", metavar="GOLD", help=flags.FILES)
    command.add_argument(
        "--report", action="store_true", help="scores by class with their macro average, as scikit-learn's classification_report prints it"
    )
    errors = "what was taken for what, and the worst sentences, gold beside guess"
    command.add_argument("--errors", action="store_true", help=errors)
    command.add_argument("--top", action=flags.Number, low=1, metavar="N", help=f"with --errors: how many of each to show ({WORST})")
    against = "another model, of the same family: is the difference significant? (paired bootstrap)"
    command.add_argument("--against", metavar="MODEL", help=against)
    command.add_argument("--samples", action=flags.Number, low=1, metavar="N", help="with --against: bootstrap samples (10000)")
    flags.reading(command)
    flags.machine(command)


def run(options) -> int:
    """Predict and compare with the gold outputs of the file."""
    family, model = open_model(options.model)
    task = model.task.name
    chosen = flags.choices(options, family, task)
    rival = _asked(options, family, task)
    data = family.labelled(options.gold, model, **chosen.reading)
    began = time.perf_counter()
    answers = family.answer(model, data, Wanted(threads=threads_of(options)), **chosen.answering)
    facts = speed(int(data.row_ptr[-1]), len(data.row_ptr) - 1, time.perf_counter() - began)
    scores = family.evaluate(model, data, answers, **chosen.scoring)
    facts, texts = {"task": task, "metrics": scores.as_dict()} | facts, [scores.report()]
    if options.report:
        from widemargin.metrics.classification import classification, classification_text

        found_of = cast(ClassScores, scores)
        facts["report"] = classification(found_of.by_class, accuracy=found_of.one_class)
        texts = [classification_text(facts["report"])]
    if options.errors:
        found = family.mistakes(model, data, answers, top=options.top or WORST)
        facts["errors"] = found.facts
        texts.append(found.text)
    if rival is not None:
        other = family.labelled(options.gold, rival, **chosen.reading)
        guess = family.answer(rival, other, Wanted(threads=threads_of(options)), **chosen.answering)
        facts["against"] = compared(scores, family.evaluate(rival, other, guess, **chosen.scoring), options.samples)
        texts.append(told(facts["against"]))
    if options.json:
        print_json(facts)
    else:
        print("\n".join(texts), end="")
    return 0


def _asked(options, family, task: str) -> Any:
    """The model to compare with, or None; what the family does not offer, and options without what they are of, are refused."""
    for offer in ("report", "errors"):
        if getattr(options, offer):
            flags.need(family, offer, task)
    if options.top is not None and not options.errors:
        raise InputError("--top is how many mistakes --errors shows; give --errors too, or leave --top out")
    if options.samples is not None and options.against is None:
        raise InputError("--samples is for the bootstrap that compares with --against MODEL; leave it out, or name the other model")
    if options.against is None:
        return None
    other, rival = open_model(options.against)
    if other.name != family.name:
        raise InputError(
            f"this is a model of {rival.task.name}, and {options.model} is one of {task}; compare two models of the same task",
            options.against,
        )
    return rival
