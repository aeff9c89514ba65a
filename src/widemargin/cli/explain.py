"""widemargin explain. Sentences and tokens are counted from 1 here, as lines are."""

import os

from widemargin.cli import flags
from widemargin.cli.common import open_model, print_json
from widemargin.errors import InputError


def declare(command) -> None:
    command.add_argument("model", metavar="MODEL", help="a model file")
    command.add_argument("input", metavar="INPUT", help=flags.FILES + '; or a sentence, "The/DT cat/NN sat/VBD"')
    command.add_argument("--sentence", action=flags.Number, default=1, metavar="N", help="which sentence of a file, from 1 (1)")
    command.add_argument("--token", action=flags.Number, metavar="T", help="this token alone, from 1 (all)")
    command.add_argument("--top", action=flags.Number, low=1, default=5, metavar="K", help="how many features to show for and against (5)")
    command.add_argument("--svg", metavar="FILE", help="draw the answer to this file, for tasks whose answers can be drawn")
    flags.reading(command)
    flags.json_flag(command)


def run(options) -> int:
    """The sentence with its answer, then token by token why not another."""
    from widemargin.readers.files import atomic_writer
    from widemargin.readers.outputs import check_output

    if options.svg is not None:
        check_output(options.svg)
    family, model = open_model(options.model)
    task = model.task.name
    flags.need(family, "explain", task)
    chosen = flags.choices(options, family, task)
    if options.svg is not None:
        flags.need(family, "draw", task)
    data = _data(options.input, family, model, chosen)
    found = family.explain(model, data, options.sentence, token=options.token, top=options.top, **chosen.answering)
    if options.svg is not None:
        assert found.svg is not None
        with atomic_writer(options.svg) as out:
            out.write(found.svg().encode())
    if options.json:
        print_json(found.facts)
    else:
        print(found.text, end="")
    return 0


def _data(given: str, family, model, chosen: flags.Choices):
    """A file, a part of the embedded corpus, standard input, or the sentence itself."""
    from widemargin.families.sources import TOWN

    if given == "-" or given.startswith(TOWN) or os.path.exists(given):
        return family.labelled(given, model, gold=False, **chosen.reading)
    data = family.sentence(given, model)
    if chosen.reading:
        raise InputError(f"--{next(iter(chosen.reading))} is for files, and a sentence is given; leave it out")
    return data
