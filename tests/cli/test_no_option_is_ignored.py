"""Every option of every verb, for every family: it changes the outcome, or it is refused in a sentence, or it says that it changes nothing.

Run as plain Python on a few short sentences: what is looked at is whether an option is used, not what kernels do with it.
"""

import argparse
import contextlib
import functools
import hashlib
import io
import json
import os
import warnings

import pytest
from conformance import SMALL, command, write_samples

from widemargin import SequenceTagger
from widemargin.cli import EXIT_BAD_INPUT, VERBS, main, parser
from widemargin.errors import InputError
from widemargin.families.registry import families

pytestmark = pytest.mark.wide

# They change how a command works, not what comes out (of files without errors or duplicates, of words without accents and endings): such an
# option must have been looked at.
NEUTRAL = ("engine", "workers", "threads", "checkpoint", "resume", "skip_errors", "tokens", "stemmer", "duplicates", "seconds")
# flag -> a value; "VERB flag" where a verb wants another. Other flags to be given beside it stand behind a |.
VALUES = {
    "--dev": "{dev}",
    "--output": "elsewhere",
    "--learner": "perceptron",
    "--learners": "perceptron",
    "--objective": "softmax-margin",
    "--cost": "hamming*3",
    "curve --cost": "miss=0.5..2",
    "curve --objective": "hinge",
    "curve --l2": "10",
    "curve --cutoff": "9",
    "curve --hash-bits": "2",
    "--epochs": "2",
    "--l1": "0.01",
    "--l2": "0.01",
    "--templates": "{other}",
    "--set": "structure={structure}",
    "--seed": "5",
    "compare --seed": "5 | --learners sgd --epochs 1",
    "--patience": "1",
    "compare --patience": "1 | --epochs 9 --learners perceptron",
    "--init": "{model}",
    "--resume": "",
    "--full": "| --objective softmax-margin --dev {train}",
    "--checkpoint": "0",
    "--encoding": "utf-16",
    "--threads": "2",
    "--json": "",
    "--kbest": "2",
    "--marginals": "",
    "--probability": "",
    "--against": "{dev}",
    "evaluate --against": "{model}",
    "evaluate --samples": "30 | --against {model}",
    "evaluate --top": "1 | --errors",
    "--errors": "",
    "--report": "",
    "--samples": "30",
    "score --samples": "30 | --against {dev}",
    "--test": "{train}",
    "--figure": "picture",
    "--seeds": "2",
    "--points": "3",
    "--how": "bias",
    "--sentence": "2",
    "--token": "2",
    "--top": "1",
    "--svg": "picture.svg",
    "--threshold": "0.5",
    "--keep": "2",
    "prune --encoding": "utf-16 | --dev {dev}",
    "prune --columns": "a,b,c,d | --dev {dev}",
    "--cutoff": "3",
    "--hash-bits": "11",
    "--label": "pos",
    "inspect --label": "O",
    "--columns": "a,b,c,d",
    "--format": "crfsuite",
    "--base": "{model}",
    "--constraints": "pairs:{pairs}",
    "--strict": "iob2",
    "--conlleval-quirks": "",
    "--label-names": "O,B-PER",
    "--output-format": "jsonl",
    "--tokenized": "",
    "--no-punctuation": "",
    "--subtypes": "",
    "--search": "word",
    "--transitions": "",
    "--trees": "tokens",
    "--transforms": "none",
    "--on-failure": "none | --max-words 4",
    "--max-words": "4",
    "--prm": "{prm}",
    "--skip-errors": "",
    "--tagger": "{tagger}",
    "--tagger-kbest": "2 | --tagger {tagger}",
    "--prune-chart": "0.001",
    "--separator": "tab",
    "prune --separator": "tab | --dev {dev}",
    "--text": "",
    "--refs": "{dev}",
    "--metric": "wer",
    "--ter": "",
    "--mentions": "found",
    "--no-singletons": "",
    "--budget": "3",
    "--words": "4",
    "--characters": "25",
    "--bytes": "25",
    "--sentences": "1",
    "--solver": "greedy",
    "--seconds": "20",
    "--layout": "jsonl",
    "--duplicates": "first",
    "--inclusive": "",
    "--stemmer": "",
    "--tokens": "unicode",
    "--references": "max",
    "--truncate-words": "1",
    "--truncate-bytes": "5",
    "--mix": "2",
    "--mix-weights": "errors | --mix 2",
    "--engine": "processes",
    "train --engine": "threads | --mix 2",
    "--workers": "1 | --engine processes",
    "train --workers": "2 | --mix 2 --engine threads",
    "--address": "127.0.0.1:1",
}
ON_FILES = ("train", "predict", "evaluate", "score", "calibrate", "compare", "curve", "inspect", "explain", "prune")


def flags(verb: str) -> list[str]:
    """The long names of a verb's options."""
    (verbs,) = (action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    return [action.option_strings[-1] for action in verbs.choices[verb]._actions if action.option_strings and action.dest != "help"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files and a model of every family."""
    folder = tmp_path_factory.mktemp("options")
    write_samples(folder)
    (folder / "pairs").write_text("O O\n")
    SequenceTagger(epochs=1).fit([["the", "cat"]], [["X", "Y"]]).save(str(folder / "tagger"))
    (folder / "prm").write_text("LABELED 1\nDELETE_LABEL NP\n")
    return folder


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch):
    """Pictures count by their names, and drawing them would be most of what `compare` does. They are empty files."""
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda *_, **__: None)


def run(arguments: list[str], folder) -> tuple[tuple, set]:
    """Exit status, what was printed and the files written; and which options were looked at."""
    place = folder / hashlib.sha256(repr(arguments).encode()).hexdigest()[:12]
    place.mkdir(exist_ok=True)
    before = os.getcwd()
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    seen: set[str] = set()

    class Recorded(argparse.Namespace):
        def __getattribute__(self, name):
            seen.add(name)
            return super().__getattribute__(name)

    os.chdir(place)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings(action="ignore"):
            options = parser(arguments[0]).parse_args(arguments, Recorded())
            seen.clear()
            status = options.run(options)
    except SystemExit as stop:
        status = stop.code
    except InputError as error:
        status = EXIT_BAD_INPUT
        print(f"widemargin: {error}", file=err)
    finally:
        os.chdir(before)
    files = {str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}
    out.flush()
    return (status, timeless(out.buffer.getvalue().decode(), files), err.getvalue()), seen


def timeless(out: str, files: dict[str, bytes]):
    """What was printed and written, without how long it took. Pictures count by their names."""
    with contextlib.suppress(ValueError):
        out = json.dumps(without_times(json.loads(out)), sort_keys=True)
    return out, {name: b"" if name.endswith((".png", ".md", ".json")) else data for name, data in files.items()}


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if "second" not in k and "cpu" not in k and k not in ("relative", "samples")}
    return [without_times(v) for v in value] if isinstance(value, list) else value


@functools.cache
def plain(verb: str, name: str, beside: tuple[str, ...], folder) -> tuple:
    return run([*command(verb, name, folder), *beside], folder)[0]


CASES = [(verb, flag, family.name) for verb in ON_FILES for flag in flags(verb) for family in families()]


@pytest.mark.parametrize(("verb", "flag", "name"), CASES, ids=[f"{verb} {flag} {name}" for verb, flag, name in CASES])
def test_an_option_is_used_or_refused(verb, flag, name, folder):
    text = VALUES[f"{verb} {flag}"] if f"{verb} {flag}" in VALUES else VALUES[flag]
    fields = {part: str(folder / f"{name}.{part}") for part in ("train", "dev", "other", "model")} | {
        part: str(folder / part) for part in ("pairs", "prm", "tagger")
    }
    text = text.format(structure=SMALL[name].OTHER_STRUCTURE, **fields)
    value, _, beside = (part.strip() for part in text.partition("|"))
    given, others = [flag, *value.split()], tuple(beside.split())
    line = command(verb, name, folder)
    if flag in line and flag == "--json":
        with_it, without = line, [word for word in line if word != flag]
    elif flag in ("--threshold", "--keep"):
        with_it, without = [*line[: line.index("--threshold")], *given, "--json"], line
    else:
        with_it, without = [*line, *others, *given], [*line, *others]
    (status, outcome, err), seen = run(with_it, folder)
    if status == EXIT_BAD_INPUT:
        complaints = [sentence for sentence in err.splitlines() if sentence.startswith("widemargin: ")]
        assert len(complaints) == 1, err
        assert "Traceback" not in err
        return
    assert status == 0, err
    name_of = flag.strip("-").replace("-", "_")
    if name_of in NEUTRAL or (verb, flag) == ("evaluate", "--top"):  # samples may have fewer mistakes than are shown
        assert name_of in seen, f"{verb} {flag} was not looked at"
    elif flag == "--samples":
        assert "samples" in seen
    else:
        expected = plain(verb, name, others, folder) if flag not in ("--json", "--threshold", "--keep") else run(without, folder)[0]
        assert (status, outcome) != expected[:2], f"{verb} {flag} {value} changed nothing for {name}"


def test_every_verb_is_here():
    assert {*ON_FILES, "data", "list", "warmup", "reproduce"} == set(VERBS)


REFUSED = [
    (("list", "--seed", "2"), "--seed"),
    (("list", "nonsense"), "'nonsense'"),
    (("stats", "{columns}", "-o", "x"), "-o"),
    (("stats", "{columns}", "--sentence", "2"), "--sentence"),
    (("stats", "{trees}", "--format", "conllu", "--columns", "a,b"), "--columns"),
    (("town", "dev", "--encoding", "latin-1"), "--encoding"),
    (("town", "dev", "--json"), "--json"),
    (("draw", "{trees}", "--seed", "2"), "--seed"),
    (("draw", "{trees}", "--json"), "--json"),
    (("check", "--format", "conllu"), "--format"),
]


@pytest.mark.parametrize(("arguments", "word"), REFUSED)
def test_data_refuses_what_an_action_does_not_use(arguments, word, folder, capsys):
    files = {"columns": folder / "tagging.train", "trees": folder / "dependencies.train"}
    assert main(["data", *(part.format(**files) for part in arguments)]) == EXIT_BAD_INPUT
    error = capsys.readouterr().err
    assert f"{word} is not for" in error


@pytest.mark.parametrize("name", ["gimpel-figure2", "kummerfeld-table1", "letters", "yu-lam-figure2"])
def test_reproductions_refuse_what_they_do_not_read(name, capsys):
    from widemargin.study.papers import REPRODUCTIONS

    used = REPRODUCTIONS[name][1]
    for setting in ("task", "sentences", "folds", "epochs", "seed", "samples", "data", "threads"):
        if setting not in used:
            assert main(["reproduce", name, f"--{setting}", "ner" if setting in ("task", "data") else "3"]) == EXIT_BAD_INPUT
            assert f"--{setting} changes nothing in {name}" in capsys.readouterr().err


def test_what_reproductions_read_is_what_they_say():
    """Each module reads the settings that the table names, or hands them to one that does."""
    import importlib
    import inspect
    import re

    from widemargin.study.papers import REPRODUCTIONS

    # what properties and methods of Settings read
    through = {"place": {"data", "quick"}, "wants": {"only"}, "sized": {"quick"}, "means": {"engine", "threads"}}
    for name, (module, used) in REPRODUCTIONS.items():
        found = importlib.import_module(f"widemargin.study.papers.{module}")
        text, seen, helpers = (
            inspect.getsource(found),
            set(),
            r"from (widemargin\.study\.papers\.\w+\.(?:tables|panels|learning|data|runs)) import",
        )
        while others := set(re.findall(helpers, text)) - seen:
            seen |= others
            text += "".join(inspect.getsource(importlib.import_module(other)) for other in others)
        asked = set(re.findall(r"\bsettings\.(\w+)", text)) - {"listen", "say", "get", "folder"}
        read = set().union(*(through.get(what, {what}) for what in asked))
        assert set(used) - ({"quick"} if "data" not in used else set()) <= read, name  # what reads no data is quick as it is
        assert read <= {*used, "task"}, name  # what opens the data of several reads which task it is
