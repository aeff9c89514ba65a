"""widemargin data."""

import sys

import numpy as np

from widemargin.cli.common import columns_of, print_json
from widemargin.corpora.catalogue import CATALOGUE, check, data_folder, data_named, fetch
from widemargin.errors import InputError
from widemargin.readers.files import atomic_writer
from widemargin.study.tables import Column, text_table


def data(options) -> int:
    """One of the actions."""
    return {"list": _list, "fetch": _fetch, "check": _check, "stats": _stats, "town": _town, "draw": _draw}[options.action](options)


def _list(options) -> int:
    import os

    folder = options.output or os.environ.get("WIDEMARGIN_DATA")
    rows = []
    for data in CATALOGUE.values():
        here = "no folder" if not folder else ", ".join(sorted(set(check(data, folder).values())))
        rows.append({"data": data.name, "about": data.about, "licence": data.licence, "fetch": bool(data.url), "here": here})
    rows.append(
        {
            "data": "town",
            "about": "the embedded corpus: word pos chunk entity; trees with --format conllu",
            "licence": "as this library",
            "fetch": False,
            "here": "ok",
        }
    )
    if options.json:
        print_json({"data": rows})
    else:
        print(text_table(rows, [Column(key) for key in rows[0]]), end="")
    return 0


def _needed(options, what: str) -> str:
    if not options.name:
        raise InputError(f"`widemargin data {options.action}` needs {what}")
    return options.name


def _fetch(options) -> int:
    written = fetch(data_named(_needed(options, "the name of a data set")), data_folder(options.output))
    if options.json:
        print_json({"files": written})
    else:
        print("\n".join(written))
    return 0


def _check(options) -> int:
    folder = data_folder(options.output)
    chosen = [data_named(options.name)] if options.name else list(CATALOGUE.values())
    states = {data.name: check(data, folder) for data in chosen}
    if options.json:
        print_json({"folder": folder, "data": states})
    else:
        for name, files in states.items():
            for file, state in files.items():
                print(f"{name}/{file}: {state}")
    return 0 if all(state == "ok" for files in states.values() for state in files.values()) else 1


def _stats(options) -> int:
    path = _needed(options, "a column file or a treebank")
    treebank = path.removesuffix(".gz").endswith((".conllu", ".conllx"))
    if options.format == "conllu" or (treebank and not options.format):
        from widemargin.cli.treebanks import treebank_facts

        return _print_facts(treebank_facts(path, options), options)
    columns = columns_of(path, options, None)
    lengths = np.diff(columns.row_ptr)
    facts: dict = {
        "file": columns.source,
        "documents": len(columns.doc_ptr) - 1,
        "sentences": len(lengths),
        "tokens": len(columns),
        "longest": int(lengths.max()),
        "mean length": round(float(lengths.mean()), 2),
        "columns": {name: len(values) for name, values in zip(columns.names, columns.values)},
        "labels": _label_counts(columns),
    }
    return _print_facts(facts, options)


def _print_facts(facts: dict, options) -> int:
    if options.json:
        print_json(facts)
        return 0
    for key, value in facts.items():
        if isinstance(value, dict):
            value = "  ".join(f"{name} {count:,}" for name, count in value.items())
        print(f"{key:14} {value:,}" if isinstance(value, int) else f"{key:14} {value}")
    return 0


def _label_counts(columns) -> dict[str, int]:
    counts = np.bincount(columns.codes[-1], minlength=len(columns.values[-1]))
    order = np.argsort(-counts, kind="stable")[:40]
    return {columns.values[-1][i]: int(counts[i]) for i in order}


def _town(options) -> int:
    from widemargin.corpora import town
    from widemargin.corpora.town.treebank import treebank_text

    part = _needed(options, "train, dev or test")
    if part not in town.SIZES:
        raise InputError(f"the embedded corpus has no part {part!r}; choose {', '.join(town.SIZES)} (as town:train in other commands)")
    written = treebank_text if options.format == "conllu" else town.columns_text
    text = written(part, sentences=options.sentences, seed=options.seed)
    if options.output:
        with atomic_writer(options.output) as out:
            out.write(text.encode())
    else:
        sys.stdout.write(text)
    return 0


def _draw(options) -> int:
    from widemargin.cli.treebanks import tree_drawing

    svg = tree_drawing(_needed(options, "a treebank"), options)
    if options.output:
        with atomic_writer(options.output) as out:
            out.write(svg.encode())
    else:
        sys.stdout.write(svg)
    return 0
