"""widemargin data."""

import os
import sys

from widemargin.cli import flags
from widemargin.cli.common import print_json
from widemargin.engine.names import known
from widemargin.errors import InputError
from widemargin.families.registry import formats


def declare(command) -> None:
    command.add_argument("action", choices=list(ACTIONS))
    name = "a data set (fetch, check), a file (stats, draw), or train, dev, test (town)"
    command.add_argument("name", nargs="?", metavar="NAME", help=name)
    output = "folder of the data sets ($WIDEMARGIN_DATA), or the file to write (town, draw)"
    command.add_argument("-o", "--output", metavar="PATH", help=output)
    command.add_argument("--sentences", action=flags.Number, metavar="N", help="town: how many sentences")
    command.add_argument("--seed", action=flags.Number, high=flags.LAST_SEED, metavar="N", help="town: seed of the corpus (1)")
    command.add_argument("--sentence", action=flags.Number, metavar="N", help="draw: which sentence of the file, from 1 (1)")
    command.add_argument("--system", metavar="FILE", help="draw: a system's answers to the same file, with what is wrong marked")
    command.add_argument(
        "--format", choices=formats(), help="format of the file or of the corpus (columns; stats and draw: told by the file's name)"
    )
    flags.reading(command)
    command.add_argument("--json", action="store_const", const=True, help="one JSON object on standard output and nothing else there")


def run(options) -> int:
    """One of the actions; flags that it does not use are refused."""
    action, needs, used = ACTIONS[options.action]
    for name in ("name", "output", "sentences", "seed", "sentence", "system", "format", "encoding", "columns", "json"):
        if getattr(options, name) is not None and name not in used:
            word = {"name": repr(options.name), "output": "-o"}.get(name, f"--{name}")
            has = ", ".join({"name": "NAME", "output": "-o"}.get(use, f"--{use}") for use in used)
            raise InputError(f"{word} is not for `data {options.action}`, which takes {has}")
    if needs and options.name is None:
        raise InputError(f"`widemargin data {options.action}` needs {needs}")
    return action(options)


def _list(options) -> int:
    from widemargin.corpora.catalogue import CATALOGUE, check
    from widemargin.show.tables import Column, text_table

    folder = options.output or os.environ.get("WIDEMARGIN_DATA")
    rows = []
    for data in CATALOGUE.values():
        here = "no folder" if not folder else ", ".join(sorted(set(check(data, folder).values())))
        rows.append({"data": data.name, "about": data.about, "licence": data.licence, "fetch": bool(data.url), "here": here})
    about = f"the embedded corpus, by --format {', '.join(formats())}"
    rows.append({"data": "town", "about": about, "licence": "as this library", "fetch": False, "here": "ok"})
    if options.json:
        print_json({"data": rows})
    else:
        print(text_table(rows, [Column(key) for key in rows[0]]), end="")
    return 0


def _fetch(options) -> int:
    from widemargin.corpora.catalogue import CATALOGUE, data_folder, data_named, fetch
    from widemargin.readers.outputs import check_folder

    data, folder = data_named(known("data set", options.name, CATALOGUE)), data_folder(options.output)
    check_folder(folder)
    written = fetch(data, folder)
    if options.json:
        print_json({"files": written})
    else:
        print("\n".join(written))
    return 0


def _check(options) -> int:
    from widemargin.corpora.catalogue import CATALOGUE, check, data_folder, data_named

    folder = data_folder(options.output)
    chosen = [data_named(known("data set", options.name, CATALOGUE))] if options.name else list(CATALOGUE.values())
    states = {data.name: check(data, folder) for data in chosen}
    if options.json:
        print_json({"folder": folder, "data": states})
    else:
        for name, files in states.items():
            for file, state in files.items():
                print(f"{name}/{file}: {state}")
    return 0 if all(state == "ok" for files in states.values() for state in files.values()) else 1


def _family(options):
    from widemargin.families.registry import family_of_file

    return family_of_file(options.name, options.format)


def _open(options, family, path: str):
    return family.open(path, None, **flags.choices(options, family, f"--format {next(iter(family.formats))}").reading)


def _stats(options) -> int:
    family = _family(options)
    facts = family.stats(_open(options, family, options.name))
    if options.json:
        print_json(facts)
        return 0
    for key, value in facts.items():
        if isinstance(value, dict):
            value = "  ".join(f"{name} {count:,}" for name, count in value.items())
        print(f"{key:14} {value:,}" if isinstance(value, int) else f"{key:14} {value}")
    return 0


def _town(options) -> int:
    from widemargin.corpora import town

    if options.name not in town.SIZES:
        raise InputError(
            f"the embedded corpus has no part {options.name!r}; choose {', '.join(town.SIZES)} (as town:train in other commands)"
        )
    _check_output(options)
    seed = 1 if options.seed is None else options.seed
    return _write(options, _family(options).town(options.name, sentences=options.sentences, seed=seed))


def _draw(options) -> int:
    from widemargin.families.registry import families

    family = _family(options)
    if "draw" not in family.offers and options.format is None:  # a file name need not say its format where one family alone draws
        family = next((other for other in families() if "draw" in other.offers), family)
    flags.need(family, "draw", f"--format {next(iter(family.formats))}")
    _check_output(options)
    gold = _open(options, family, options.name)
    system = _open(options, family, options.system) if options.system else None
    return _write(options, family.draw(gold, 1 if options.sentence is None else options.sentence, system))


def _check_output(options) -> None:
    from widemargin.readers.outputs import check_output

    if options.output is not None:
        check_output(options.output)


def _write(options, text: str) -> int:
    from widemargin.readers.files import atomic_writer

    if options.output is not None:
        with atomic_writer(options.output) as out:
            out.write(text.encode())
    else:
        sys.stdout.write(text)
    return 0


# action -> (function, what NAME must be, flags that it uses)
ACTIONS = {
    "list": (_list, "", ("output", "json")),
    "fetch": (_fetch, "the name of a data set", ("name", "output", "json")),
    "check": (_check, "", ("name", "output", "json")),
    "stats": (_stats, "a column file or a treebank", ("name", "format", "encoding", "columns", "json")),
    "town": (_town, "train, dev or test", ("name", "output", "sentences", "seed", "format")),
    "draw": (_draw, "a treebank", ("name", "output", "sentence", "system", "format", "encoding")),
}
