"""widemargin inspect."""

from widemargin.cli import flags
from widemargin.cli.common import open_model, print_json


def declare(command) -> None:
    command.add_argument("model", metavar="MODEL", help="a model file")
    flags.json_flag(command)


def run(options) -> int:
    """Facts, and what the family shows of weights."""
    family, model = open_model(options.model)
    found = family.inspect(model, options.model, **flags.choices(options, family, model.task.name).showing)
    if options.json:
        print_json(found.facts)
    else:
        print(found.text, end="")
    return 0
