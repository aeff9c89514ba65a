"""What people read, kept as text files in tests/snapshots: the help of every command, and what is said of wrong input.

`python tests/support/snapshots.py` writes them anew; `git diff tests/snapshots` then shows what changed, for somebody to read.
"""

import contextlib
import io
import os
import pathlib
import re
import sys
import tempfile
import warnings

SNAPSHOTS = pathlib.Path(__file__).parents[1] / "snapshots"
ROWS = "Anna NNP B-PER\nsleeps VBZ O\n\nRome NNP B-LOC\n"
TREE = "1\tAnna\t_\tPROPN\t_\t_\t2\tnsubj\t_\t_\n2\tsleeps\t_\tVERB\t_\t_\t{}\troot\t_\t_\n"
FILES = {
    "rows.txt": ROWS,
    "two.txt": "Anna B-PER\nsleeps O\n\nRome B-LOC\n",
    "words.txt": "Anna\nsleeps\n",
    "ragged.txt": "Anna NNP B-PER\nsleeps O\n",
    "tags.txt": "Anna NNP\nsleeps VBZ\n",
    "header.txt": "word pos label\n" + ROWS,
    "empty.txt": "",
    "latin.txt": "Zürich B-LOC\n".encode("latin-1"),
    "table.csv": "word,label\nAnna,B-PER\nsleeps\n",
    "numbers.jsonl": '{"tokens": ["Anna", "sleeps"], "ner_tags": [1, 0]}\n',
    "broken.jsonl": '{"tokens": ["Anna"], "labels": ["B-PER"]}\n{"tokens": ["sleeps"\n',
    "spans.jsonl": '{"text": "Annas sleep", "spans": [[0, 4, "PER"]]}\n',
    "trees.conllu": TREE.format(0),
    "loop.conllu": TREE.format(1),
}
TRAIN = "-o model --epochs 1"
ERRORS = (  # a command, and in one sentence what it says
    f"train nre rows.txt {TRAIN}",
    f"train ner missing.txt {TRAIN}",
    f"train ner empty.txt {TRAIN}",
    f"train ner words.txt {TRAIN}",
    f"train ner ragged.txt {TRAIN}",
    f"train ner tags.txt {TRAIN}",
    f"train ner header.txt {TRAIN}",
    f"train ner latin.txt {TRAIN}",
    f"train ner table.csv {TRAIN}",
    f"train ner numbers.jsonl {TRAIN}",
    f"train ner broken.jsonl {TRAIN}",
    f"train ner spans.jsonl {TRAIN}",
    f"train tag trees.conllu {TRAIN}",
    f"train depparse rows.txt {TRAIN}",
    f"train depparse loop.conllu {TRAIN}",
    f"train ner rows.txt {TRAIN} --learner adagard",
    f"train ner rows.txt {TRAIN} --objective hing",
    f"train ner rows.txt {TRAIN} --templates rich",
    f"train ner rows.txt {TRAIN} --set rate=fast",
    f"train ner rows.txt {TRAIN} --columns word,pos",
    f"train ner rows.txt {TRAIN} --separator pipe",
    f"train ner rows.txt {TRAIN} --patience 2",
    f"train ner rows.txt {TRAIN} --learner perceptron --cost hamming*2",
    "train ner rows.txt -o nowhere/model",
    "predict rows.txt two.txt",
    "predict ner words.txt",
    "evaluate ner tags.txt",
    "predict ner town:dev --text",
    "predict ner rows.txt --json --output-format jsonl",
    "evaluate ner rows.txt --strict BMES",
)


def helps() -> dict[str, str]:
    """The help of the program and of every command, by the name of its file."""
    from widemargin.cli import VERBS

    return {"help.txt": helped([])} | {f"help-{verb}.txt": helped([verb]) for verb in VERBS}


def helped(verb: list[str]) -> str:
    from widemargin.cli import main

    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit), wide():
        main([*verb, "--help"])
    return re.sub(r"(-\w) [A-Z]+, (--[\w-]+ [A-Z]+)", r"\1, \2", out.getvalue())  # Python 3.13 writes -o, --output OUT


@contextlib.contextmanager
def wide():
    """A terminal of usual width without colours."""
    before = {name: os.environ.get(name) for name in ("COLUMNS", "NO_COLOR")}
    os.environ |= {"COLUMNS": "120", "NO_COLOR": "1"}
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def errors(folder: pathlib.Path) -> str:
    """Every command with its exit status and what it said."""
    from widemargin.families.recipes import train

    for name, text in FILES.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    before = os.getcwd()
    os.chdir(folder)
    try:
        with warnings.catch_warnings(action="ignore"):  # plain Python's, of whole numbers that wrap around
            train("ner", "rows.txt", templates="word\n", epochs=1).save("ner")
        told = [f"$ widemargin {line}\n{said(line)}\n" for line in ERRORS]
        assert not os.path.exists("model")
    finally:
        os.chdir(before)
    return "\n".join(told)


def said(line: str) -> str:
    from widemargin.cli import main

    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings(action="ignore"):
        status = main(line.split())
    out.flush()
    told = [text for text in err.getvalue().splitlines() if text.startswith("widemargin:")]  # compiling may be spoken of too
    text = out.buffer.getvalue().decode() + "\n".join(told)
    return f"{text.replace(os.getcwd(), 'FOLDER')}\n[status {status}]"


def renew() -> None:
    """All files anew."""
    SNAPSHOTS.mkdir(exist_ok=True)
    for old in SNAPSHOTS.glob("*.txt"):
        old.unlink()
    for name, text in helps().items():
        (SNAPSHOTS / name).write_text(text, encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        (SNAPSHOTS / "errors.txt").write_text(errors(pathlib.Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    if "NUMBA_DISABLE_JIT" not in os.environ:  # nothing here is worth compiling for
        os.environ["NUMBA_DISABLE_JIT"] = "1"
        os.execv(sys.executable, [sys.executable, *sys.argv])
    renew()
