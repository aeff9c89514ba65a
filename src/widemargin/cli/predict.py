"""widemargin predict."""

import time

from widemargin.cli import flags
from widemargin.cli.common import open_model, print_json, speed, threads_of
from widemargin.errors import InputError
from widemargin.families.answers import json_lines
from widemargin.families.base import Wanted
from widemargin.families.registry import outputs


def declare(command) -> None:
    command.add_argument("model", metavar="MODEL", help="a model file")
    command.add_argument("input", metavar="INPUT", nargs="?", default="-", help=flags.FILES + "; standard input when not given")
    command.add_argument("-o", "--output", metavar="OUT", help="where answers go (standard output)")
    form = "same: the format of the input; jsonl: a line with an object for each sentence; columns, conllu: words and answers (same)"
    command.add_argument("--output-format", choices=outputs(), help=form)
    kbest = "the K best answers: columns side by side, or trees one after another"
    command.add_argument("--kbest", action=flags.Number, low=1, metavar="K", help=kbest)
    command.add_argument("--marginals", action="store_true", help="add the probability of each chosen label or head")
    command.add_argument("--probability", action="store_true", help="add the probability of each sentence's answer as a whole")
    flags.reading(command)
    flags.machine(command)


def run(options) -> int:
    """Answer the input piece by piece: memory stays bounded, whatever its length."""
    from widemargin.readers.files import atomic_writer
    from widemargin.readers.outputs import check_output

    output = "-" if options.output is None else options.output
    check_output(output)
    began, tokens = time.perf_counter(), 0
    family, model = open_model(options.model)
    chosen, wanted = flags.choices(options, family, model.task.name), wanted_of(options, family, model.task.name)
    pieces = family.stream(options.input, model, **chosen.reading)
    if options.json:
        sentences: list[dict] = []
        for data in pieces:
            sentences += family.as_json(data, family.answer(model, data, wanted, **chosen.answering))
            tokens += int(data.row_ptr[-1])
        facts = {"task": model.task.name, "sentences": sentences}
        print_json(facts | speed(tokens, len(sentences), time.perf_counter() - began))
        return 0
    with atomic_writer(output) as out:
        for data in pieces:
            tokens += int(data.row_ptr[-1])
            _write(family, options.output_format or "same", data, family.answer(model, data, wanted, **chosen.answering), out)
    seconds = time.perf_counter() - began
    if output != "-":
        print(f"{output}: {tokens:,} tokens, {tokens / seconds:,.0f} tokens/s")
    return 0


def _write(family, format: str, data, answers, out) -> None:
    if format == "jsonl":
        out.write(json_lines(family.as_json(data, answers)))
    elif format == "same":
        family.write(data, answers, out)
    else:
        family.write_as(format, data, answers, out)


def wanted_of(options, family, task: str) -> Wanted:
    """What is asked for besides the best answer; what the family does not offer, or a file has no room for, is refused."""
    for offer in ("kbest", "marginals", "probability"):
        if getattr(options, offer):
            flags.need(family, offer, task)
    if options.output_format is not None and options.output_format not in family.outputs:
        raise InputError(f"--output-format {options.output_format} is not for {task}; it writes {', '.join(family.outputs)}")
    if options.json and options.output_format is not None:
        raise InputError("--json is one object for all sentences, and --output-format asks for another form; give one of them")
    if options.json and options.output is not None:
        raise InputError("--json goes to standard output; leave -o out, or --json")
    if options.kbest and (options.marginals or options.probability) and not options.json and options.output_format != "jsonl":
        more = "--marginals" if options.marginals else "--probability"
        both = "--json or --output-format jsonl, which have room for both"
        raise InputError(f"{more} is for the best answer alone, and --kbest writes several; give one of them, or use {both}")
    return Wanted(options.kbest or 0, options.marginals, options.probability, threads_of(options))
