"""Tables of pages from JSON files beside them, so that no page can be older than its numbers: `make results`.

A block of a page begins with <!-- table NAME N --> or <!-- made NAME --> and ends with <!-- end -->. What stands between comes from
NAME.json: its table number N, or the command, the date and the machine. A report's own NAME.json, from `reproduce`, has more in it than
pages need; `python -m widemargin.study.pages docs/results REPORT.json ...` takes over what they do, then fills in all pages of the folder.
"""

import json
import os
import re
import sys

from widemargin.errors import InputError
from widemargin.show.tables import Column, markdown_table
from widemargin.study.texts import write_texts

BLOCK = re.compile(r"(<!-- (table|made) (\S+?)(?: (\d+))? -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(text: str, folder: str) -> str:
    """A page with every block as its file has it."""

    def block(found: re.Match) -> str:
        begin, kind, name, number, end = found.groups()
        kept = _read(os.path.join(folder, f"{name}.json"))
        inside = _made(kept["made"]) if kind == "made" else _table(kept["tables"], name, int(number or 0))
        return f"{begin}{inside}\n{end}"

    return BLOCK.sub(block, text)


def _made(made: dict) -> str:
    return f"\n    {made['command']}\n\n({made['date']}; {made['machine']}, shared with other jobs.)\n"


def _table(tables: list[dict], name: str, number: int) -> str:
    if not 1 <= number <= len(tables):
        raise InputError(f"{name}.json has {len(tables)} tables and no table {number}")
    table = tables[number - 1]
    return f"\n{table['title']}:\n\n{markdown_table(table['rows'], [Column(*column) for column in table['columns']])}"


def _read(path: str) -> dict:
    try:
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        return {"made": kept["made"], "tables": kept["tables"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError("this is not a report of `widemargin reproduce`", path) from error


def take_over(report: str, folder: str) -> None:
    """What pages need of a report, into their folder."""
    kept = _read(report)
    lines = [json.dumps(table["rows"]).replace("}, {", "},\n {") for table in kept["tables"]]
    texts = (
        f'{{"title": {json.dumps(t["title"])}, "columns": {json.dumps(t["columns"])}, "rows":\n{rows}}}'
        for t, rows in zip(kept["tables"], lines)
    )
    text = f'{{"made": {json.dumps(kept["made"])}, "tables": [\n' + ",\n".join(texts) + "]}\n"
    write_texts(folder, {os.path.basename(report): text})


def fill_in(folder: str) -> list[str]:
    """Every page of a folder is filled in anew; returns those that have changed."""
    changed = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".md"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
            if (new := filled(text, folder)) != text:
                changed += write_texts(folder, {name: new})
    return changed


if __name__ == "__main__":
    for given in sys.argv[2:]:
        take_over(given, sys.argv[1])
    for written in fill_in(sys.argv[1]):
        print(written)
