"""The command line: verb first, data on standard input and output, one sentence for every error.

Only the parser is built here; a command's module is imported when it runs, so that --help answers at once.
"""

import argparse
import gc
import importlib
import os
import sys

EXIT_BAD_INPUT = 2


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    from widemargin.errors import InputError

    gc.set_threshold(100_000, 50, 50)  # imports and kernels make many objects that stay: looking them through for garbage takes long
    options = parser().parse_args(arguments)
    try:
        importlib.import_module("widemargin.cli.starting")
        module = importlib.import_module(f"widemargin.cli.{options.module}")
        return getattr(module, options.run)(options) or 0
    except InputError as error:
        print(f"widemargin: {error}", file=sys.stderr)
        return EXIT_BAD_INPUT
    except BrokenPipeError:
        # the reader of our output has gone: not our error, and nothing more to say on that stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("widemargin: stopped", file=sys.stderr)
        return 130


class Parser(argparse.ArgumentParser):
    """argparse with our form of errors: one sentence, exit status 2."""

    def error(self, message):
        print(f"widemargin: {message}; see `{self.prog} --help`", file=sys.stderr)
        raise SystemExit(EXIT_BAD_INPUT)


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    top = Parser(prog="widemargin", description="Learning to predict structures: any objective, any learner, on the same features.")
    top.add_argument("--version", action="version", version=_version())
    verbs = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _train(verbs)
    _predict(verbs)
    _evaluate(verbs)
    _score(verbs)
    _calibrate(verbs)
    _compare(verbs)
    _curve(verbs)
    _reproduce(verbs)
    _inspect(verbs)
    _explain(verbs)
    _prune(verbs)
    _data(verbs)
    _list(verbs)
    _warmup(verbs)
    return top


def _version() -> str:
    from widemargin import __version__

    return f"widemargin {__version__}"


FILES = "a column file, .gz too, - for standard input, or town:train, town:dev, town:test (the embedded corpus; town:train:5000 for more)"


def _verb(verbs, name: str, run: str, about: str):
    command = verbs.add_parser(name, help=about, description=about)
    module, function = run.split(".")
    command.set_defaults(module=module, run=function)
    return command


def _reading(command):
    command.add_argument("--encoding", default="utf-8", help="of the input files (utf-8)")
    command.add_argument("--columns", metavar="NAMES", help="names of the columns, separated by commas (the task's)")


def _machine(command):
    command.add_argument("--threads", type=int, default=0, metavar="N", help="0: one per core (0); never changes the result")
    command.add_argument("--json", action="store_true", help="one JSON object on standard output and nothing else there")


COSTS = "hamming, hamming*5, miss=3,false=1,type=1, weights:..., matrix:FILE"


def _recipe(command, *, grid: bool = False, costs: str = COSTS, objective: str = "the learner's usual one"):
    command.add_argument("--objective", metavar="NAME", help=f"see `widemargin list objectives` ({objective})")
    several = "; several separated by semicolons" if grid else ""
    command.add_argument("--cost", default="hamming", metavar="SPEC", help=costs + several)
    command.add_argument(
        "--epochs",
        type=int,
        metavar="N",
        help="sweeps over the data; iterations for lbfgs (10; lbfgs: 100, one-slack: 500, other duals: 50)",
    )
    command.add_argument("--l1", type=float, default=0.0, metavar="X", help="F(w) = mean loss + l2/2 |w|^2 + l1 |w|_1 (0)")
    many = ", or several separated by commas" if grid else ""
    command.add_argument(
        "--l2", type=str if grid else float, metavar="X", help=f"(0; lbfgs: 2/n, which is CRFsuite's c2 = 1; duals: 1/n){many}"
    )
    about = "a template file (crfpp:FILE: of CRF++, wapiti:FILE: of Wapiti), or a named set: see `widemargin list templates`"
    command.add_argument("--templates", metavar="FILE", help=about)
    command.add_argument("--cutoff", type=int, default=1, metavar="N", help="drop features seen fewer than N times (1)")
    command.add_argument("--hash-bits", type=int, default=0, metavar="B", help="hash features to 2^B numbers, without an index (0: do not)")
    command.add_argument("--label", default="-1", metavar="COLUMN", help="name or number of the label column (the last)")
    values = "; KEY=VALUE,VALUE,... tries all, LEARNER.KEY=... is for that learner alone" if grid else ""
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help=f"a setting of the learner, or structure, labels, constraints, or kernel=poly,degree=2,expand=true{values}",
    )
    command.add_argument("--seed", type=int, default=1, metavar="N", help="(1)")
    command.add_argument("--patience", type=int, default=0, metavar="N", help="stop after N epochs without a better dev score (never)")


def _train(verbs):
    command = _verb(verbs, "train", "training.train", "train a model on a column file or a treebank")
    command.add_argument("task", metavar="TASK", help="chunk, ner, tag, span, np or depparse; see `widemargin list tasks`")
    command.add_argument("train", metavar="TRAIN", help=FILES)
    command.add_argument("--dev", metavar="DEV", help="development file: the best epoch is kept")
    command.add_argument("-o", "--output", required=True, metavar="MODEL")
    command.add_argument("--learner", metavar="NAME", help="see `widemargin list learners` (ops; depparse: mira)")
    _recipe(command)
    command.add_argument("--init", metavar="MODEL", help="start from this model's features and weights")
    command.add_argument("--base", metavar="MODEL", help="add this model's scores to the new one's, in training and (predict --base) later")
    command.add_argument("--format", choices=["columns", "crfsuite"], default="columns", help="crfsuite: label and attributes on a line")
    command.add_argument("--resume", action="store_true", help="continue a training that was interrupted, to the same bytes")
    command.add_argument("--checkpoint", type=float, default=30.0, metavar="SECONDS", help="write one at most so often (30)")
    _reading(command)
    _machine(command)


def _predict(verbs):
    command = _verb(verbs, "predict", "prediction.predict", "label a column file: its columns are kept, the label is added")
    command.add_argument("model", metavar="MODEL")
    command.add_argument("input", metavar="INPUT", nargs="?", default="-", help=FILES + "; standard input when not given")
    command.add_argument("-o", "--output", default="-", metavar="OUT", help="(standard output)")
    command.add_argument("--kbest", type=int, default=0, metavar="K", help="add the K best label sequences, one column each")
    command.add_argument("--marginals", action="store_true", help="add the probability of each chosen label")
    command.add_argument("--probability", action="store_true", help="add the probability of each sentence's labels as a whole")
    command.add_argument("--constraints", metavar="SCHEME", help="only legal sequences of this scheme (BIO, BIOES) or pairs:FILE; or none")
    command.add_argument("--base", metavar="MODEL", help="the base model of this one's training")
    _reading(command)
    _machine(command)


def _evaluate(verbs):
    command = _verb(verbs, "evaluate", "prediction.evaluate", "score a model on a column file with gold labels")
    command.add_argument("model", metavar="MODEL")
    command.add_argument("gold", metavar="GOLD", help=FILES)
    command.add_argument("--strict", metavar="SCHEME", help="count well-formed spans of this scheme only (otherwise as conlleval does)")
    command.add_argument("--constraints", metavar="SCHEME", help="only legal sequences of this scheme (BIO, BIOES) or pairs:FILE; or none")
    command.add_argument("--base", metavar="MODEL", help="the base model of this one's training")
    _reading(command)
    _machine(command)


def _score(verbs):
    command = _verb(verbs, "score", "prediction.score", "score a labelled file against a gold file; needs no model")
    command.add_argument("task", metavar="TASK", help="chunk, np, ner, tag, span, or depparse (two treebanks: UAS, LAS, CLAS)")
    command.add_argument("gold", metavar="GOLD", help="column file; its last column is the gold label (depparse: CoNLL-U or CoNLL-X)")
    command.add_argument("system", metavar="SYSTEM", help="column file of the same tokens; its last column is the guess")
    command.add_argument("--against", metavar="OTHER", help="another system's file: is the difference significant? (paired bootstrap)")
    command.add_argument("--samples", type=int, default=10_000, metavar="N", help="bootstrap samples (10000)")
    command.add_argument("--strict", metavar="SCHEME", help="count well-formed spans of this scheme only (otherwise as conlleval does)")
    command.add_argument("--no-punctuation", action="store_true", help="depparse: leave out words whose UPOS is PUNCT")
    command.add_argument("--subtypes", action="store_true", help="depparse: nsubj:pass is not nsubj (CoNLL 2018 cuts subtypes off)")
    _reading(command)
    _machine(command)


def _calibrate(verbs):
    command = _verb(
        verbs, "calibrate", "calibration.calibrate", "find the temperature at which a model's probabilities fit held-out labels"
    )
    command.add_argument("model", metavar="MODEL")
    command.add_argument("dev", metavar="DEV", help=FILES + ", with gold labels that the model was not trained on")
    command.add_argument("-o", "--output", metavar="OUT", help="write the calibrated model (written nowhere)")
    command.add_argument("--test", metavar="FILE", help="report on this file too, which the temperature has not seen")
    command.add_argument("--base", metavar="MODEL", help="the base model of this one's training")
    command.add_argument("--figure", metavar="PATH", help="draw reliability diagrams to PATH.png and PATH.svg")
    _reading(command)
    _machine(command)


def _compare(verbs):
    command = _verb(verbs, "compare", "comparison.compare", "train several learners on the same features: table, curves, JSON")
    command.add_argument("task", metavar="TASK", help="chunk, ner, tag, span or np; see `widemargin list tasks`")
    _two_files(command)
    command.add_argument("--learners", metavar="LIST", help="learners, or learner:objective pairs, separated by commas")
    _recipe(command, grid=True)
    command.add_argument("--seeds", type=int, default=1, metavar="N", help="train with N seeds, from --seed on; mean and spread (1)")
    _samples(command)
    command.add_argument("-o", "--output", default="comparison", metavar="DIR", help="where table, curves and JSON go (comparison)")
    _reading(command)
    _machine(command)


def _two_files(command):
    command.add_argument("train", metavar="TRAIN", nargs="?", default="town:train", help=FILES + " (town:train)")
    command.add_argument("dev", metavar="DEV", nargs="?", default="town:dev", help="(town:dev)")


def _samples(command):
    command.add_argument("--samples", type=int, default=10_000, metavar="N", help="of the paired bootstrap (10000)")


def _curve(verbs):
    command = _verb(verbs, "curve", "study.curve", "trade precision against recall by the costs: table, figure, JSON")
    command.add_argument("task", metavar="TASK", help="chunk, ner or span")
    _two_files(command)
    command.add_argument("--learner", default="ops", metavar="NAME", help="see `widemargin list learners` (ops)")
    costs = "miss=LOW..HIGH or false=LOW..HIGH, other prices behind a comma (miss=0.25..4)"
    _recipe(command, costs=costs, objective="softmax-margin")
    command.set_defaults(cost="miss=0.25..4", objective="softmax-margin")
    command.add_argument("--points", type=int, default=5, metavar="N", help="models or biases between LOW and HIGH (5)")
    command.add_argument(
        "--how", choices=["train", "bias", "both"], default="both", help="a model per point, one with a bias, or both (both)"
    )
    command.add_argument("-o", "--output", default="curve", metavar="DIR", help="where table, figure and JSON go (curve)")
    _reading(command)
    _machine(command)


def _reproduce(verbs):
    command = _verb(verbs, "reproduce", "study.reproduce", "a published result with this library: table or figure, and JSON")
    command.add_argument(
        "name",
        metavar="NAME",
        help="gimpel-figure2, -table2, -figure3; kummerfeld-table1, -figure1; yu-lam-table2, -table3, -figure2, -figure3 or letters",
    )
    command.add_argument("--task", metavar="TASK", help="kummerfeld: ner, chunk, mst-projective or mst-nonprojective (ner)")
    command.add_argument("--data", metavar="DIR", help="folder with conll2003/, conll2000/ ($WIDEMARGIN_DATA; else the embedded corpus)")
    command.add_argument("--sentences", type=int, metavar="N", help="only the first N of each file; yu-lam: of the training file, 0: all")
    command.add_argument("--folds", type=int, metavar="N", help="letters: train on each of the first N folds alone (all)")
    command.add_argument("--epochs", type=int, metavar="N", help="sweeps over the data (the study's own)")
    command.add_argument("--seed", type=int, default=1, metavar="N", help="(1)")
    _samples(command)
    command.add_argument("-o", "--output", metavar="DIR", help="where table, figure and JSON go (the name)")
    _machine(command)


def _inspect(verbs):
    command = _verb(verbs, "inspect", "information.inspect", "what a model is and what it has learnt")
    command.add_argument("model", metavar="MODEL")
    command.add_argument("--top", type=int, default=10, metavar="N", help="features per label, or matches, or transitions (10)")
    command.add_argument("--search", metavar="TEXT", help="features whose name contains TEXT, or matches /TEXT/, with their weights")
    command.add_argument("--transitions", action="store_true", help="the table of transitions, and the strongest that look at the input")
    command.add_argument("--json", action="store_true")


def _explain(verbs):
    command = _verb(verbs, "explain", "explanation.explaining", "why a model chose these labels: margins, split by feature")
    command.add_argument("model", metavar="MODEL")
    command.add_argument("input", metavar="INPUT", help=FILES + '; or a sentence, "The/DT cat/NN sat/VBD"')
    command.add_argument("--sentence", type=int, default=1, metavar="N", help="which sentence of a file, from 1 (1)")
    command.add_argument("--token", type=int, metavar="T", help="this token alone, from 1 (all)")
    command.add_argument("--top", type=int, default=5, metavar="K", help="features for and against (5)")
    command.add_argument("--svg", metavar="FILE", help="draw the tree of a dependency parser there")
    command.add_argument("--base", metavar="MODEL", help="the base model of this one's training")
    _reading(command)
    command.add_argument("--json", action="store_true")


def _prune(verbs):
    command = _verb(verbs, "prune", "pruning.prune", "a smaller model: drop the features that weigh nothing or little")
    command.add_argument("model", metavar="MODEL")
    command.add_argument("-o", "--output", required=True, metavar="OUT")
    how = command.add_mutually_exclusive_group(required=True)
    how.add_argument("--threshold", type=float, metavar="X", help="drop features with all weights below X; 0: all are 0, changes nothing")
    how.add_argument("--keep", type=int, metavar="N", help="keep the N features with the largest weights")
    command.add_argument("--dev", metavar="DEV", help="score before and after on this file")
    _reading(command)
    _machine(command)


def _data(verbs):
    command = _verb(
        verbs, "data", "data.data", "data sets: list, fetch and check public ones; stats of a file; the embedded corpus; trees drawn"
    )
    command.add_argument("action", choices=["list", "fetch", "check", "stats", "town", "draw"])
    command.add_argument(
        "name", nargs="?", metavar="NAME", help="a data set (fetch, check), a file (stats, draw), or train, dev, test (town)"
    )
    command.add_argument(
        "-o", "--output", metavar="PATH", help="folder of the data sets ($WIDEMARGIN_DATA), or the file to write (town, draw)"
    )
    command.add_argument("--sentences", type=int, metavar="N", help="town: how many")
    command.add_argument("--seed", type=int, default=1, metavar="N", help="town: another town")
    command.add_argument("--sentence", type=int, default=1, metavar="N", help="draw: which one of the treebank, from 1 (1)")
    command.add_argument("--system", metavar="FILE", help="draw: this treebank's trees above, its mistakes in red, the right arcs below")
    command.add_argument("--format", choices=["columns", "conllu"], help="conllu: dependency trees (columns; stats goes by the name)")
    _reading(command)
    command.add_argument("--json", action="store_true")


def _list(verbs):
    command = _verb(verbs, "list", "information.listing", "what there is to choose from")
    command.add_argument("what", choices=["learners", "objectives", "tasks", "templates", "structures", "costs"])
    command.add_argument("--json", action="store_true")


def _warmup(verbs):
    command = _verb(verbs, "warmup", "information.warmup", "compile the kernels now, so that no later command has to")
    command.add_argument("--labels", type=int, action="append", metavar="N", help="label counts to compile for (9, 17 and 23, and parsers)")
    command.add_argument("--json", action="store_true")
