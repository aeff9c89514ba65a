"""The command line: verb first, data on standard input and output, one sentence for every error.

Each command is a module of this folder: declare(command) adds its flags, run(options) returns the exit status. None of them knows a family:
they ask the registry (families/registry.py), and flags.py adds the options that families declare. A family may bring commands of its own
(Family.verbs), modules of the same form. Declaring imports nothing heavy, and is
done for the command at hand alone, so that --help answers at once; a command imports what it needs when it runs.
"""

import argparse
import gc
import importlib
import signal
import sys

from widemargin.cli.stopping import Terminated, heed
from widemargin.cli.streams import abandon, prepare, say

EXIT_BAD_INPUT = 2
VERBS = {
    "train": "train a model on files of one task: columns, a treebank, lists, documents",
    "predict": "write a model's answers for a file: its columns are kept, labels or trees are added",
    "evaluate": "score a model on a file with gold labels or trees",
    "score": "score a file with answers against a gold file; needs no model",
    "calibrate": "find the temperature at which a model's probabilities fit held-out labels or trees",
    "compare": "train several learners on the same features: table, CSV, curves, JSON",
    "curve": "trade precision against recall by the costs: table, figure, JSON",
    "reproduce": "reproduce a published result with this library: table or figure, and JSON",
    "inspect": "what a model is and what it has learnt",
    "explain": "why a model chose these labels or this tree: margins, split by feature",
    "prune": "a smaller model: drop the features that weigh nothing or little",
    "data": "data sets: list, fetch and check public ones; stats of a file; the embedded corpus; trees drawn",
    "list": "what there is to choose from",
    "warmup": "compile the kernels now, so that no later command has to",
}


USUAL = "Parentheses at the end of a line give the default."


def console() -> int:
    """The program `widemargin`: main in a process of its own, which may be arranged to start sooner."""
    heed()
    prepare()
    return main(own_process=True)


def main(arguments: list[str] | None = None, *, own_process: bool = False) -> int:
    """Run a command; returns the exit status. own_process: nobody else's code runs in this process."""
    from widemargin.errors import InputError

    given = sys.argv[1:] if arguments is None else arguments
    try:
        return _run(given, own_process)
    except InputError as error:
        say(f"widemargin: {error}")
        return EXIT_BAD_INPUT
    except BrokenPipeError:
        abandon(sys.stdout)  # the reader of our output has gone: not our error, and nothing more to say on that stream
        return 0
    except OSError as error:
        say(f"widemargin: {_of_streams(error)}")
        abandon(sys.stdout)
        return EXIT_BAD_INPUT
    except MemoryError as error:
        say(f"widemargin: there is not enough memory ({str(error) or 'none is left'}); use less data, fewer features or fewer answers")
        return EXIT_BAD_INPUT
    except KeyboardInterrupt as stop:
        say("widemargin: stopped" + "".join(f"; {remark}" for remark in getattr(stop, "__notes__", ())))
        return 128 + (signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT)


def _run(given: list[str], own_process: bool) -> int:
    """The command's own status. Output is flushed now, when something can still be said of it; --help ends here too."""
    try:
        options = parser(next((word for word in given if not word.startswith("-")), "")).parse_args(given)
        if own_process:
            gc.set_threshold(100_000, 50, 50)  # imports and kernels make many objects that stay: searching them for garbage takes long
        importlib.import_module("widemargin.compiler.notice").listen(say)
        return options.run(options) or 0
    finally:
        if sys.stdout is not None:
            sys.stdout.flush()


def _of_streams(error: OSError) -> str:
    """What is said of an error that no file's name came with: it is of a standard stream, nearly always of output to a full disk."""
    if error.filename is not None:
        return f"{error.filename}: this cannot be read or written ({error.strerror}); check its permissions"
    return f"reading standard input or writing standard output failed ({error.strerror}); check where they lead to"


class Parser(argparse.ArgumentParser):
    """argparse with our form of errors: one sentence, what was perhaps meant, exit status 2."""

    words: tuple[str, ...] = ()  # what is being parsed

    def parse_args(self, args=None, namespace=None):
        found, rest = self.parse_known_args(args, namespace)
        if rest:
            command = getattr(found, "command", self)  # its options are nearer than ours
            command.error(f"this is not understood: {' '.join(rest)}")
        return found

    def parse_known_args(self, args=None, namespace=None, **more):
        self.words = tuple(args or ())
        return super().parse_known_args(args, namespace, **more)

    def error(self, message):
        from widemargin.errors import clipped

        message += "" if message.endswith("?") else self._slip()
        say(f"widemargin: {clipped(message)}{'' if message.endswith('?') else ';'} see `{self.prog} --help`")
        raise SystemExit(EXIT_BAD_INPUT)

    def _slip(self) -> str:
        """The option that was perhaps meant by one that there is not."""
        from widemargin.engine.names import hint

        options = [option for option in self._option_string_actions if option.startswith("--")]
        given = [word.partition("=")[0] for word in self.words if word.startswith("--")]
        unknown = [word for word in given if not any(option.startswith(word) for option in options)]
        return next(filter(None, (hint(word, options) for word in unknown)), "")

    def _check_value(self, action, value):  # argparse's own has no hint
        from widemargin.engine.names import hint

        if action.choices is not None and value not in action.choices:
            what = action.option_strings[-1] + " " if action.option_strings else f"{action.metavar} ".lower() if action.metavar else ""
            sentence = f"{what}{value!r:.60} is not known; choose one of {', '.join(map(str, action.choices))}"
            raise argparse.ArgumentError(None, sentence + hint(str(value), map(str, action.choices)))

    def _print_message(self, message, file=None):  # argparse's own passes errors over
        (file or sys.stdout).write(message)


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """All commands and their options; only: the options of this command alone."""
    from widemargin import __version__
    from widemargin.families.registry import verbs as of_families

    top = Parser(prog="widemargin", description="Learning to predict structures: any objective, any learner, on the same features.")
    top.add_argument("--version", action="version", version=f"widemargin {__version__}")
    verbs = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    places = {name: (about, f"widemargin.cli.{name}") for name, about in VERBS.items()} | dict(of_families())
    for name, (about, place) in places.items():
        command = verbs.add_parser(name, help=about, description=about, epilog=USUAL)
        if only in (None, name):
            module = importlib.import_module(place)
            command.set_defaults(run=module.run, verb=name, command=command)
            module.declare(command)
            importlib.import_module("widemargin.cli.flags").add_family_flags(command, name)
    return top
